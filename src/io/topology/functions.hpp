#pragma once

#include <holon/system/interactions.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// The vocabulary of the format: its sections and, within those of bonded interactions, its function types.
/// Source: GROMACS manual, "Topology file formats", tables of directives and of interaction types.
namespace holon {

/// A section that is read. Several names may mean the same section, e.g. all that are refused.
enum class Section {
    defaults,
    atom_types,
    bonded_types,
    nonbonded_parameters,
    pair_types,
    cmap_types,
    ignored,
    molecule_type,
    atoms,
    bonded,
    settles,
    virtual_sites,
    virtual_site_means,
    exclusions,
    system,
    molecules,
    intermolecular,
    unused_restraints,
    tables,
    dissociation_energies,
    refused
};

enum class SectionLevel { in_force_field, in_molecule, in_system, anywhere };

struct SectionInfo {
    std::string_view name;
    Section section;
    SectionLevel level;
    std::string_view of_types = ""; // bonded: section of the force field that holds the parameters
    int atoms = 0;                  // bonded, bonded_types, tables, virtual_sites
};

/// The section of that name (case, '-' and '_' do not matter), or nullptr.
const SectionInfo* find_section(std::string_view name);

/// What a bonded function becomes.
enum class FunctionRole {
    term,       // `interaction`, parameters as they are (angles in degrees)
    fourier,    // converted to Ryckaert-Bellemans
    connection, // a chemical bond without energy
    constraint,
    refused
};

struct BondedFunction {
    std::string_view section; // where terms stand, e.g. "bonds"
    int number;
    std::string_view name; // for messages
    FunctionRole role;
    Interaction interaction = Interaction::count;
    int parameters = 0;    // of the A state
    int parameters_b = 0;  // that may follow for the B state; ignored
    bool chemical = false; // counts as a bond where exclusions are generated
    bool rigid = false;    // `constraints =` can turn it into a constraint
};

/// Function `number` of a section of bonded interactions, or nullptr.
const BondedFunction* find_function(std::string_view section, std::int64_t number);

/// Whether a line may give it so many parameters: those of the A state, or of both.
bool takes(const BondedFunction& function, std::size_t parameters);

/// Number of the table that parameters, as given, begin with; none of kinds without one.
std::optional<std::int64_t> table_number(Interaction kind, std::span<const double> given);

/// Whether the first parameter is an angle [degrees].
bool first_is_angle(Interaction kind);

/// Parameters as Holon computes with them: angles in radians, Fourier dihedrals as Ryckaert-Bellemans. `given`: the
/// A-state parameters of the file.
InteractionParameters to_interaction_parameters(const BondedFunction& function, std::span<const double> given);

} // namespace holon
