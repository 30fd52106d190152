#include "molecule.hpp"

#include <holon/core/units.hpp>
#include <holon/io/text_file.hpp>

#include "rigid.hpp"
#include "sites.hpp"
#include "term_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace holon {

namespace {

/// Which bonds and angles turn rigid: grompp goes by the first letter of the atoms' names.
bool is_hydrogen(const TopologyAtom& atom)
{
    return atom.name[0] == 'H' || atom.name[0] == 'h';
}
bool is_oxygen(const TopologyAtom& atom)
{
    return atom.name[0] == 'O' || atom.name[0] == 'o';
}

/// Angles and dihedrals that force fields define with force constants of zero.
bool without_effect(Interaction kind, const GivenParameters& given)
{
    switch (kind) {
    case Interaction::harmonic_angle:
    case Interaction::g96_angle:
    case Interaction::harmonic_improper:
    case Interaction::proper_dihedral:
    case Interaction::periodic_improper:
        return given[1] == 0.0;
    case Interaction::urey_bradley:
        return given[1] == 0.0 && given[3] == 0.0;
    case Interaction::ryckaert_bellemans:
        return given == GivenParameters{};
    default:
        return false;
    }
}

class MoleculeBuilder {
public:
    MoleculeBuilder(const ExpandedTopology& source, const MoleculeSource& molecule,
                    const TopologyForceField& force_field, const TopologyOptions& options, TopologyPool& pool)
        : source_(source), input_(molecule), force_field_(force_field), options_(options), pool_(pool), rigid_(source),
          sites_(source)
    {
        result_.name = molecule.name;
        has_sites_ = std::ranges::any_of(
            input_.lines, [](const auto& entry) { return entry.first->section == Section::virtual_sites; });
    }

    /// Between the molecules of a system.
    MoleculeBuilder(const ExpandedTopology& source, const MoleculeSource& lines, const Topology& system,
                    const TopologyForceField& force_field, const TopologyOptions& options, TopologyPool& pool)
        : MoleculeBuilder(source, lines, force_field, options, pool)
    {
        system_ = &system;
    }

    IntermolecularTerms build_between_molecules()
    {
        for (const auto& [section, line] : input_.lines) {
            if (section->section == Section::unused_restraints) continue;
            const Fields fields(source_, line, section->name);
            if (section->section != Section::bonded || section->atoms < 2)
                fields.fail("between molecules there are bonded interactions of two atoms or more, and nothing else");
            read_term(fields, *section);
        }
        return number_anew(result_.interactions);
    }

    MoleculeType build()
    {
        for (const auto& [section, line] : input_.lines) read(Fields(source_, line, section->name), *section);
        add_angles();
        add_exclusions();
        sites_.store(geometry_, atom_lines_, result_, rigid_);
        for (const auto& [line, function, atoms, given] : potentials_)
            add_term(Fields(source_, line, function->section), *function, atoms, given);
        rigid_.store(result_);
        result_.bonds = std::move(bonds_);
        return std::move(result_);
    }

private:
    void read(const Fields& fields, const SectionInfo& section)
    {
        switch (section.section) {
        case Section::atoms:
            return read_atom(fields);
        case Section::bonded:
            return read_term(fields, section);
        case Section::settles:
            return rigid_.add_settle(fields, atom_indices(fields, 1)[0], result_.atoms);
        case Section::virtual_sites:
            return sites_.add(fields, atom_indices(fields, static_cast<std::size_t>(section.atoms)));
        case Section::virtual_site_means:
            return read_mean_site(fields);
        case Section::exclusions:
            return read_exclusions(fields);
        case Section::unused_restraints:
            return;
        default:
            fields.fail(fmt::format("this section is not supported yet, and molecule type '{}' uses it", input_.name));
        }
    }

    /// Columns: number, type, residue number, residue name, atom name, charge group [charge [mass [B state]]].
    void read_atom(const Fields& fields)
    {
        if (const std::int64_t number = fields.integer(0, "the atom number"); number != n_atoms() + 1)
            fields.fail(fmt::format("atoms must be numbered consecutively from 1: found {} instead of {}", number,
                                    n_atoms() + 1));
        const auto type = force_field_.find_atom_type(fields.text(1, "the atom type"));
        if (!type)
            fields.fail(fmt::format(
                "unknown atom type {}: no [ atomtypes ] line defines it (is the right force field included?)",
                in_quotes(fields[1])));
        const ParticleType& particle = force_field_.atom_type(*type);
        if (particle.particle == 'S' || particle.particle == 'B')
            fields.fail(fmt::format("type {} stands for particles of kind {}; shells are not supported: use a model "
                                    "that is not polarisable",
                                    particle.name, particle.particle));
        TopologyAtom atom;
        atom.type = pool_.atom_type(*type);
        atom.name = fields.text(4, "the atom name");
        atom.charge = fields.size() > 6 ? fields.real(6, "the charge") : particle.charge;
        atom.mass = fields.size() > 7 ? fields.real(7, "the mass") : particle.mass;
        if (!(atom.mass >= 0.0))
            fields.fail(fmt::format("atom {} of residue {} has mass {}; it must be above zero", atom.name,
                                    printable(fields[3]), atom.mass));
        if (atom.mass > 0.0 && (particle.particle == 'V' || particle.particle == 'D'))
            fields.fail(fmt::format("type {} stands for virtual sites, which have no mass, but atom {} has {}",
                                    particle.name, atom.name, atom.mass));
        fields.integer(5, "the charge group");
        atom.residue = residue(fields);
        result_.atoms.push_back(std::move(atom));
        force_field_types_.push_back(*type);
        geometry_.type_names.push_back(particle.name);
        atom_lines_.push_back(fields.line());
    }

    /// Index of the atom's residue: the last one, or a new one when number or name change.
    int residue(const Fields& fields)
    {
        std::string_view digits = fields.text(2, "the residue number");
        if (digits.size() > 1 && (digits.back() & ~0x20) >= 'A' && (digits.back() & ~0x20) <= 'Z')
            digits.remove_suffix(1); // insertion code
        const std::string label = fmt::format("{} {}", fields[2], fields[3]);
        if (result_.residues.empty() || label != last_residue_) {
            result_.residues.push_back({std::string(fields[3]), to_residue_number(fields, digits)});
            last_residue_ = label;
        }
        return static_cast<int>(result_.residues.size()) - 1;
    }

    static int to_residue_number(const Fields& fields, std::string_view digits)
    {
        int number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error != std::errc{} || end != digits.data() + digits.size())
            fields.fail(fmt::format("the residue number must be an integer, not {}", in_quotes(fields[2])));
        return number;
    }

    std::int32_t n_atoms() const
    {
        return static_cast<std::int32_t>(system_ != nullptr ? system_->n_atoms() : std::ssize(result_.atoms));
    }

    /// With atoms numbered among those that occur.
    static IntermolecularTerms number_anew(const std::array<InteractionList, interaction_count>& lists)
    {
        IntermolecularTerms result;
        auto& atoms = result.atoms;
        for (const auto& list : lists) atoms.insert(atoms.end(), list.atoms.begin(), list.atoms.end());
        std::ranges::sort(atoms);
        atoms.erase(std::ranges::unique(atoms).begin(), atoms.end());
        for (std::size_t k = 0; k < interaction_count; ++k) {
            result.terms[k].parameters = lists[k].parameters;
            for (const auto atom : lists[k].atoms)
                result.terms[k].atoms.push_back(
                    static_cast<std::int32_t>(std::ranges::lower_bound(atoms, atom) - atoms.begin()));
        }
        return result;
    }

    /// Atom index from 0 of field k.
    std::int32_t atom_index(const Fields& fields, std::size_t k) const
    {
        const std::int64_t number = fields.integer(k, "an atom number");
        if (number < 1 || number > n_atoms())
            fields.fail(fmt::format("atom {} is out of bounds: {} has {} atoms{}, numbered from 1", number,
                                    system_ != nullptr ? "the system" : fmt::format("molecule type '{}'", input_.name),
                                    n_atoms(), system_ != nullptr ? "" : " so far"));
        return static_cast<std::int32_t>(number - 1);
    }

    /// Those of the first n fields.
    std::vector<std::int32_t> atom_indices(const Fields& fields, std::size_t n) const
    {
        std::vector<std::int32_t> atoms;
        for (std::size_t k = 0; k < n; ++k) atoms.push_back(atom_index(fields, k));
        return atoms;
    }

    /// Columns: site, function type, atoms; function 3: each with a weight.
    void read_mean_site(const Fields& fields)
    {
        const std::int64_t number = fields.integer(1, "the function type");
        if (number < 1 || number > 3)
            fields.fail(fmt::format("there is no function type {} of [ {} ]", number, fields.section()));
        std::vector<std::int32_t> parents;
        for (std::size_t k = 2; k < fields.size(); k += number == 3 ? 2 : 1) parents.push_back(atom_index(fields, k));
        sites_.add_mean(fields, atom_index(fields, 0), parents, result_.atoms);
    }

    /// Columns: atoms [function type [parameters]].
    void read_term(const Fields& fields, const SectionInfo& section)
    {
        const auto n = static_cast<std::size_t>(section.atoms);
        const std::vector<std::int32_t> atoms = atom_indices(fields, n);
        for (std::size_t k = 1; k < n; ++k) {
            if (std::find(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(k), atoms[k]) !=
                atoms.begin() + static_cast<std::ptrdiff_t>(k))
                fields.fail(fmt::format("atom {} stands here twice", atoms[k] + 1));
        }
        const std::int64_t number = fields.size() > n ? fields.integer(n, "the function type") : 1;
        const BondedFunction* function = find_function(section.name, number);
        if (!function) fields.fail(fmt::format("there is no function type {} of [ {} ]", number, section.name));
        if (function->role == FunctionRole::refused)
            fields.fail(fmt::format("function type {} ({}) is not supported; use another functional form", number,
                                    function->name));

        if (system_ != nullptr && (function->chemical || function->role == FunctionRole::constraint))
            fields.fail(fmt::format("a {} cannot bind one molecule to another: take bonds of type 6 or 10, or put both "
                                    "into one [ moleculetype ]",
                                    function->name));
        if (function->chemical) bonds_.emplace_back(atoms[0], atoms[1]);
        const std::size_t given = fields.size() > n ? fields.size() - n - 1 : 0;
        GivenParameters parameters{};
        if (given > 0) parameters = given_parameters(fields, *function, n + 1, given);
        if (function->role == FunctionRole::connection) return; // a bond without a force
        if (given > 0)
            add(fields, *function, atoms, parameters);
        else
            add_default(fields, section, *function, atoms);
    }

    static GivenParameters given_parameters(const Fields& fields, const BondedFunction& function, std::size_t first,
                                            std::size_t given)
    {
        const auto wanted = static_cast<std::size_t>(function.parameters);
        if (!takes(function, fields.numbers_from(first)) && !takes(function, given))
            fields.fail(fmt::format("wrong number of parameters for a {}: {} after the function type instead of {}",
                                    function.name, given, wanted));
        GivenParameters parameters{};
        for (std::size_t k = 0; k < wanted; ++k) parameters[k] = fields.real(first + k, "a parameter");
        return parameters;
    }

    /// A term whose parameters the force field must know.
    void add_default(const Fields& fields, const SectionInfo& section, const BondedFunction& function,
                     const std::vector<std::int32_t>& atoms)
    {
        std::vector<int> types;
        for (const std::int32_t atom : atoms) types.push_back(force_field_.atom_type(type_of(atom)).bonded_type);

        if (function.interaction == Interaction::cmap) {
            const CmapGrid* grid = force_field_.find_cmap({types[0], types[1], types[2], types[3], types[4]});
            if (grid) return append(Interaction::cmap, atoms, pool_.correction_map(grid));
        } else if (function.interaction == Interaction::pair_14) {
            if (const auto pair = force_field_.pair_14(type_of(atoms[0]), type_of(atoms[1])))
                return append(Interaction::pair_14, atoms,
                              pool_.parameters(Interaction::pair_14, {(*pair)[0], (*pair)[1]}));
        } else if (const auto sets = force_field_.find(function, types); !sets.empty()) {
            for (const GivenParameters& set : sets) add(fields, function, atoms, set);
            return;
        }
        fail_without_parameters(fields, section, function, atoms);
    }

    [[noreturn]] void fail_without_parameters(const Fields& fields, const SectionInfo& section,
                                              const BondedFunction& function,
                                              const std::vector<std::int32_t>& atoms) const
    {
        std::string names;
        for (const std::int32_t atom : atoms) {
            const ParticleType& type = force_field_.atom_type(type_of(atom));
            const bool by_atom_type = section.of_types == "pairtypes";
            names +=
                (names.empty() ? "" : " - ") + (by_atom_type ? type.name : force_field_.bonded_name(type.bonded_type));
        }
        std::string places = function.parameters > 0 ? "on this line" : "";
        if (!section.of_types.empty())
            places += fmt::format("{}in [ {} ]", places.empty() ? "" : " or ", section.of_types);
        fields.fail(fmt::format("no parameters for a {} between types {}; give them {}", function.name, names, places));
    }

    int type_of(std::int32_t atom) const
    {
        if (system_ != nullptr) return pool_.force_field_type(system_->atom(atom).type);
        return force_field_types_[static_cast<std::size_t>(atom)];
    }

    void add(const Fields& fields, const BondedFunction& function, const std::vector<std::int32_t>& atoms,
             const GivenParameters& given)
    {
        note_geometry(function, atoms, given);
        if (function.role == FunctionRole::constraint || (function.rigid && becomes_rigid(atoms[0], atoms[1])))
            return rigid_.add_constraint(fields, atoms[0], atoms[1], given[0]);
        if (options_.morse && function.rigid && function.interaction != Interaction::morse_bond)
            return add_morse_bond(fields, function, atoms, given);
        if (system_ == nullptr && function.section == "angles" && first_is_angle(function.interaction) &&
            becomes_rigid_angle(atoms))
            angles_.push_back({fields.line(), &function, atoms, given});
        else if (has_sites_ && function.section == "bonds" && !function.chemical)
            potentials_.push_back({fields.line(), &function, atoms, given});
        else
            add_term(fields, function, atoms, given);
    }

    /// As grompp: of the same curvature at its minimum, and as deep as the bond is strong.
    void add_morse_bond(const Fields& fields, const BondedFunction& function, const std::vector<std::int32_t>& atoms,
                        const GivenParameters& given)
    {
        if (function.interaction != Interaction::harmonic_bond)
            fields.fail(
                fmt::format("morse = yes converts harmonic bonds, and this is a {}: use bonds of type 1 or 3, or "
                            "morse = no",
                            function.name));
        const auto type = [this](std::int32_t atom) { return force_field_.atom_type(type_of(atom)).name; };
        const double depth = force_field_.extras().dissociation_energy(type(atoms[0]), type(atoms[1]));
        if (!(given[1] >= 0.0)) fields.fail("a Morse bond needs a force constant that is not negative");
        add_term(fields, *find_function("bonds", 3), atoms, {given[0], depth, std::sqrt(given[1] / (2.0 * depth))});
    }

    /// Lengths and angles that sites may be placed by.
    void note_geometry(const BondedFunction& function, const std::vector<std::int32_t>& atoms,
                       const GivenParameters& given)
    {
        if (!has_sites_) return;
        if (function.rigid || function.role == FunctionRole::constraint)
            geometry_.add_bond(atoms[0], atoms[1], given[0]);
        else if (function.section == "angles")
            geometry_.add_angle(atoms[0], atoms[1], atoms[2], given[0]);
    }

    void add_term(const Fields& fields, const BondedFunction& function, const std::vector<std::int32_t>& atoms,
                  const GivenParameters& given)
    {
        const Interaction kind = function.interaction;
        if (without_effect(kind, given)) return;
        check_parameters(fields, function, given);
        auto parameters = converted(function, given);
        if (const auto table = table_number(kind, given))
            parameters[0] =
                pool_.table(force_field_.extras().table(fields, interaction_info[index(kind)].atoms, *table));
        if (!std::ranges::all_of(parameters, [](double p) { return std::isfinite(p); }))
            fields.fail("the parameters are so large that their products are beyond all numbers; correct them");
        append(kind, atoms, pool_.parameters(kind, parameters));
    }

    /// Angles that were put off until all bonds are known. Those between bonds that are not both rigid stay as they
    /// are.
    void add_angles()
    {
        for (const auto& [line, function, atoms, given] : angles_) {
            const Fields fields(source_, line, function->section);
            if (!rigid_.add_angle(fields, {atoms[0], atoms[1], atoms[2]}, given[0] * units::degree))
                add_term(fields, *function, atoms, given);
        }
    }

    InteractionParameters converted(const BondedFunction& function, const GivenParameters& given) const
    {
        if (function.interaction == Interaction::pair_14) {
            const auto [c6, c12] = force_field_.to_c6_c12({given[0], given[1]});
            return {c6, c12};
        }
        if (function.interaction == Interaction::pair_14_explicit) { // fudgeQQ, qi, qj, two Lennard-Jones parameters
            const auto [c6, c12] = force_field_.to_c6_c12({given[3], given[4]});
            return {c6, c12, given[0] * given[1] * given[2]};
        }
        if (function.interaction == Interaction::pair_explicit) { // qi, qj, two Lennard-Jones parameters
            const auto [c6, c12] = force_field_.to_c6_c12({given[2], given[3]});
            return {c6, c12, given[0] * given[1]};
        }
        return to_interaction_parameters(function, {given.data(), static_cast<std::size_t>(function.parameters)});
    }

    void append(Interaction kind, const std::vector<std::int32_t>& atoms, std::int32_t parameters)
    {
        InteractionList& list = result_.interactions[static_cast<std::size_t>(kind)];
        list.atoms.insert(list.atoms.end(), atoms.begin(), atoms.end());
        list.parameters.push_back(parameters);
    }

    bool becomes_rigid(std::int32_t i, std::int32_t j) const
    {
        if (options_.constraints != ConstraintKind::h_bonds) return options_.constraints != ConstraintKind::none;
        return is_hydrogen(result_.atoms[static_cast<std::size_t>(i)]) ||
               is_hydrogen(result_.atoms[static_cast<std::size_t>(j)]);
    }

    /// h-angles: those of two hydrogens or more, and those of one at an oxygen.
    bool becomes_rigid_angle(const std::vector<std::int32_t>& atoms) const
    {
        if (options_.constraints != ConstraintKind::h_angles)
            return options_.constraints == ConstraintKind::all_angles ||
                   options_.constraints == ConstraintKind::torsion_only;
        const auto hydrogens = std::ranges::count_if(
            atoms, [this](std::int32_t a) { return is_hydrogen(result_.atoms[static_cast<std::size_t>(a)]); });
        return hydrogens > 1 || (hydrogens == 1 && is_oxygen(result_.atoms[static_cast<std::size_t>(atoms[1])]));
    }

    void read_exclusions(const Fields& fields)
    {
        const std::vector<std::int32_t> atoms = atom_indices(fields, fields.size());
        for (const std::int32_t other : atoms) excluded_.emplace_back(atoms[0], other);
    }

    void add_exclusions()
    {
        result_.exclusions = find_exclusions(result_.atoms.size(), bonds_, excluded_, input_.excluded_bonds);
        const std::int32_t no_parameters = pool_.parameters(Interaction::excluded_pair, {});
        for (std::int32_t i = 0; i < n_atoms(); ++i) {
            for (const std::int32_t j : result_.exclusions[static_cast<std::size_t>(i)]) {
                if (i < j) append(Interaction::excluded_pair, {i, j}, no_parameters);
            }
        }
    }

    struct TermLine {
        std::size_t line;
        const BondedFunction* function;
        std::vector<std::int32_t> atoms;
        GivenParameters given;
    };

    const ExpandedTopology& source_;
    const MoleculeSource& input_;
    const TopologyForceField& force_field_;
    const TopologyOptions& options_;
    TopologyPool& pool_;
    const Topology* system_ = nullptr; // of terms between molecules
    MoleculeType result_;
    std::string last_residue_;
    std::vector<int> force_field_types_;                          // per atom
    std::vector<std::pair<std::int32_t, std::int32_t>> bonds_;    // chemical
    std::vector<std::pair<std::int32_t, std::int32_t>> excluded_; // listed
    std::vector<TermLine> angles_;                                // that are to turn rigid
    std::vector<TermLine> potentials_;                            // between atoms without a bond: sites leave them
    bool has_sites_ = false;
    std::vector<std::size_t> atom_lines_;
    GivenGeometry geometry_;
    RigidParts rigid_;
    SiteReader sites_;
};

} // namespace

MoleculeType build_molecule(const ExpandedTopology& source, const MoleculeSource& molecule,
                            const TopologyForceField& force_field, const TopologyOptions& options, TopologyPool& pool)
{
    return MoleculeBuilder(source, molecule, force_field, options, pool).build();
}

IntermolecularTerms build_intermolecular(const ExpandedTopology& source, const MoleculeSource& lines,
                                         const Topology& system, const TopologyForceField& force_field,
                                         const TopologyOptions& options, TopologyPool& pool)
{
    return MoleculeBuilder(source, lines, system, force_field, options, pool).build_between_molecules();
}

} // namespace holon
