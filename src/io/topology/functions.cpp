#include "functions.hpp"

#include <holon/core/units.hpp>

#include <algorithm>
#include <array>

namespace holon {

namespace {

using enum Section;
using enum SectionLevel;

constexpr auto sections = std::to_array<SectionInfo>({
    {"defaults", defaults, in_force_field},
    {"atomtypes", atom_types, in_force_field},
    {"bondtypes", bonded_types, in_force_field, "bonds", 2},
    {"constrainttypes", bonded_types, in_force_field, "constraints", 2},
    {"angletypes", bonded_types, in_force_field, "angles", 3},
    {"dihedraltypes", bonded_types, in_force_field, "dihedrals", 4},
    {"nonbond_params", nonbonded_parameters, in_force_field},
    {"pairtypes", pair_types, in_force_field},
    {"cmaptypes", cmap_types, in_force_field},
    {"implicit_genborn_params", ignored, in_force_field},
    {"implicit_surface_params", ignored, in_force_field},
    {"moleculetype", molecule_type, in_molecule},
    {"atoms", atoms, in_molecule},
    {"bonds", bonded, in_molecule, "bondtypes", 2},
    {"pairs", bonded, in_molecule, "pairtypes", 2},
    {"angles", bonded, in_molecule, "angletypes", 3},
    {"dihedrals", bonded, in_molecule, "dihedraltypes", 4},
    {"cmap", bonded, in_molecule, "cmaptypes", 5},
    {"constraints", bonded, in_molecule, "constrainttypes", 2},
    {"position_restraints", bonded, in_molecule, "", 1},
    {"angle_restraints", bonded, in_molecule, "", 4},
    {"angle_restraints_z", bonded, in_molecule, "", 2},
    {"dihedral_restraints", bonded, in_molecule, "", 4},
    {"pairs_nb", bonded, in_molecule, "", 2},
    {"settles", settles, in_molecule},
    {"exclusions", exclusions, in_molecule},
    {"virtual_sites1", virtual_sites, in_molecule, "", 2},
    {"virtual_sites2", virtual_sites, in_molecule, "", 3},
    {"dummies2", virtual_sites, in_molecule, "", 3},
    {"virtual_sites3", virtual_sites, in_molecule, "", 4},
    {"dummies3", virtual_sites, in_molecule, "", 4},
    {"virtual_sites4", virtual_sites, in_molecule, "", 5},
    {"dummies4", virtual_sites, in_molecule, "", 5},
    {"virtual_sitesn", virtual_site_means, in_molecule},
    {"dummiesn", virtual_site_means, in_molecule},
    {"polarization", refused, in_molecule},
    {"water_polarization", refused, in_molecule},
    {"thole_polarization", refused, in_molecule},
    {"distance_restraints", unused_restraints, in_molecule},
    {"orientation_restraints", unused_restraints, in_molecule},
    {"system", system, in_system},
    {"molecules", molecules, in_system},
    {"intermolecular_interactions", intermolecular, in_system},
    {"tabulated_bonds", tables, anywhere, "bonds", 2},
    {"tabulated_angles", tables, anywhere, "angles", 3},
    {"tabulated_dihedrals", tables, anywhere, "dihedrals", 4},
    {"dissociation_energies", dissociation_energies, anywhere},
});

constexpr bool yes = true;

constexpr auto functions = std::to_array<BondedFunction>({
    {"bonds", 1, "harmonic bond", FunctionRole::term, Interaction::harmonic_bond, 2, 2, yes, yes},
    {"bonds", 2, "G96 bond", FunctionRole::term, Interaction::g96_bond, 2, 2, yes, yes},
    {"bonds", 3, "Morse bond", FunctionRole::term, Interaction::morse_bond, 3, 3, yes, yes},
    {"bonds", 4, "cubic bond", FunctionRole::term, Interaction::cubic_bond, 3, 0, yes, yes},
    {"bonds", 5, "connection", FunctionRole::connection, Interaction::count, 0, 0, yes},
    {"bonds", 6, "harmonic potential", FunctionRole::term, Interaction::harmonic_bond, 2, 2},
    {"bonds", 7, "FENE bond", FunctionRole::term, Interaction::fene_bond, 2, 0, yes},
    {"bonds", 8, "tabulated bond", FunctionRole::term, Interaction::tabulated_bond, 2, 0, yes},
    {"bonds", 9, "tabulated bond", FunctionRole::term, Interaction::tabulated_bond, 2, 0},
    {"bonds", 10, "restraint potential", FunctionRole::term, Interaction::restraint_bond, 4, 4},
    {"pairs", 1, "1-4 pair", FunctionRole::term, Interaction::pair_14, 2, 2},
    {"pairs", 2, "1-4 pair with charges", FunctionRole::term, Interaction::pair_14_explicit, 5, 0},
    {"angles", 1, "harmonic angle", FunctionRole::term, Interaction::harmonic_angle, 2, 2},
    {"angles", 2, "G96 angle", FunctionRole::term, Interaction::g96_angle, 2, 2},
    {"angles", 3, "bond-bond cross term", FunctionRole::term, Interaction::cross_bond_bond, 3, 0},
    {"angles", 4, "bond-angle cross term", FunctionRole::term, Interaction::cross_bond_angle, 4, 0},
    {"angles", 5, "Urey-Bradley angle", FunctionRole::term, Interaction::urey_bradley, 4, 4},
    {"angles", 6, "quartic angle", FunctionRole::term, Interaction::quartic_angle, 6, 0},
    {"angles", 8, "tabulated angle", FunctionRole::term, Interaction::tabulated_angle, 2, 0},
    {"angles", 9, "linear angle", FunctionRole::term, Interaction::linear_angle, 2, 2},
    {"angles", 10, "restricted angle", FunctionRole::term, Interaction::restricted_angle, 2, 2},
    {"dihedrals", 1, "proper dihedral", FunctionRole::term, Interaction::proper_dihedral, 3, 3},
    {"dihedrals", 2, "harmonic improper dihedral", FunctionRole::term, Interaction::harmonic_improper, 2, 2},
    {"dihedrals", 3, "Ryckaert-Bellemans dihedral", FunctionRole::term, Interaction::ryckaert_bellemans, 6, 6},
    {"dihedrals", 4, "periodic improper dihedral", FunctionRole::term, Interaction::periodic_improper, 3, 3},
    {"dihedrals", 5, "Fourier dihedral", FunctionRole::fourier, Interaction::ryckaert_bellemans, 4, 4},
    {"dihedrals", 8, "tabulated dihedral", FunctionRole::term, Interaction::tabulated_dihedral, 2, 0},
    {"dihedrals", 9, "proper dihedral", FunctionRole::term, Interaction::proper_dihedral, 3, 3},
    {"dihedrals", 10, "restricted dihedral", FunctionRole::term, Interaction::restricted_dihedral, 2, 2},
    {"dihedrals", 11, "combined bending-torsion", FunctionRole::term, Interaction::bending_torsion, 6, 6},
    {"cmap", 1, "correction map", FunctionRole::term, Interaction::cmap, 0, 0},
    {"constraints", 1, "constraint", FunctionRole::constraint, Interaction::count, 1, 1, yes},
    {"constraints", 2, "constraint", FunctionRole::constraint, Interaction::count, 1, 1},
    {"position_restraints", 1, "position restraint", FunctionRole::term, Interaction::position_restraint, 3, 3},
    {"position_restraints", 2, "flat-bottomed position restraint", FunctionRole::term,
     Interaction::flat_bottom_restraint, 3},
    {"pairs_nb", 1, "pair with charges", FunctionRole::term, Interaction::pair_explicit, 4},
    {"angle_restraints", 1, "angle restraint", FunctionRole::term, Interaction::angle_restraint, 3, 3},
    {"angle_restraints_z", 1, "angle restraint to the z axis", FunctionRole::term, Interaction::angle_restraint_z, 3,
     3},
    {"dihedral_restraints", 1, "dihedral restraint", FunctionRole::term, Interaction::dihedral_restraint, 3, 3},
});

} // namespace

bool takes(const BondedFunction& function, std::size_t parameters)
{
    const auto wanted = static_cast<std::size_t>(function.parameters);
    return parameters == wanted || parameters == wanted + static_cast<std::size_t>(function.parameters_b);
}

std::optional<std::int64_t> table_number(Interaction kind, std::span<const double> given)
{
    using enum Interaction;
    if (kind != tabulated_bond && kind != tabulated_angle && kind != tabulated_dihedral) return std::nullopt;
    return static_cast<std::int64_t>(given[0]);
}

bool first_is_angle(Interaction kind)
{
    switch (kind) {
    case Interaction::harmonic_angle:
    case Interaction::g96_angle:
    case Interaction::urey_bradley:
    case Interaction::proper_dihedral:
    case Interaction::periodic_improper:
    case Interaction::harmonic_improper:
    case Interaction::quartic_angle:
    case Interaction::restricted_angle:
    case Interaction::restricted_dihedral:
    case Interaction::angle_restraint:
    case Interaction::angle_restraint_z:
    case Interaction::dihedral_restraint:
        return true;
    default:
        return false;
    }
}

namespace {

/// Compares section names the way GROMACS does.
bool same_name(std::string_view a, std::string_view b)
{
    const auto skip = [](std::string_view text, std::size_t k) {
        while (k < text.size() && (text[k] == '-' || text[k] == '_')) ++k;
        return k;
    };
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    std::size_t i = skip(a, 0), j = skip(b, 0);
    while (i < a.size() && j < b.size() && lower(a[i]) == lower(b[j])) {
        i = skip(a, i + 1);
        j = skip(b, j + 1);
    }
    return i == a.size() && j == b.size();
}

} // namespace

const SectionInfo* find_section(std::string_view name)
{
    const auto* found = std::find_if(sections.begin(), sections.end(),
                                     [&](const SectionInfo& info) { return same_name(info.name, name); });
    return found == sections.end() ? nullptr : found;
}

const BondedFunction* find_function(std::string_view section, std::int64_t number)
{
    const auto* found = std::find_if(functions.begin(), functions.end(), [&](const BondedFunction& function) {
        return function.section == section && function.number == number;
    });
    return found == functions.end() ? nullptr : found;
}

InteractionParameters to_interaction_parameters(const BondedFunction& function, std::span<const double> given)
{
    InteractionParameters result{};
    if (function.role == FunctionRole::fourier) {
        // 1/2 [F1 (1 + cos phi) + F2 (1 - cos 2 phi) + F3 (1 + cos 3 phi) + F4 (1 - cos 4 phi)] as powers of
        // cos(psi), psi = phi - 180: cos phi = -c, cos 2 phi = 2 c^2 - 1, cos 3 phi = 3 c - 4 c^3, cos 4 phi = 8 c^4 -
        // 8 c^2 + 1.
        const double f1 = given[0], f2 = given[1], f3 = given[2], f4 = given[3];
        return {f2 + 0.5 * (f1 + f3), 0.5 * (3.0 * f3 - f1), 4.0 * f4 - f2, -2.0 * f3, -4.0 * f4, 0.0};
    }
    if (function.interaction == Interaction::bending_torsion) { // a force constant and factors of it
        for (std::size_t n = 0; n < 5; ++n) result[n] = given[0] * given[n + 1];
        return result;
    }
    std::copy(given.begin(), given.end(), result.begin());
    if (first_is_angle(function.interaction)) result[0] *= units::degree;
    if (function.interaction == Interaction::dihedral_restraint) result[1] *= units::degree;
    return result;
}

} // namespace holon
