#pragma once

#include <holon/core/vec3.hpp>
#include <holon/system/interactions.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// One atom of a molecule type.
struct TopologyAtom {
    int type = 0;        // index into Topology::atom_types
    double mass = 0.0;   // [u]
    double charge = 0.0; // [e]
    int residue = 0;     // index into MoleculeType::residues
    std::string name;    // e.g. "CA"
    bool frozen = false; // in place along all axes

    double inverse_mass() const { return frozen || mass == 0.0 ? 0.0 : 1.0 / mass; } // for what moves it [1/u]
};

struct Residue {
    std::string name; // e.g. "LYS"
    int number = 1;   // as in the topology
};

/// Bonded terms of one kind in one molecule type: atoms[k * n .. k * n + n) are the atoms of term k (molecule-local,
/// from 0), parameters[k] indexes Topology::parameters[kind].
struct InteractionList {
    std::vector<std::int32_t> atoms;
    std::vector<std::int32_t> parameters;
    std::size_t size() const { return parameters.size(); }
};

/// |x_i - x_j| = length [nm]. Molecule-local atom indices.
struct Constraint {
    std::int32_t i = 0;
    std::int32_t j = 0;
    double length = 0.0;
    bool from_angle = false; // the ends of an angle between two rigid bonds
};

/// Atoms i, j, k, l that lie in a plane: e1.(e2 x e3) = 0 with e1 = x_j - x_i, e2 = x_k - x_i, e3 = x_l - x_i. It holds
/// where distances alone do not, for the gradient does not vanish. Molecule-local indices.
struct PlaneConstraint {
    std::array<std::int32_t, 4> atoms{};
    double area = 0.0; // |e1 x e2| [nm^2]
};

/// A constraint that follows from others.
struct ImpliedConstraint {
    Constraint constraint;
    double length = 0.0; // that the others give it [nm]
};

/// Rigid three-site water: `oxygen` and the two atoms that follow it.
struct Settle {
    std::int32_t oxygen = 0;
    double d_oh = 0.0; // [nm]
    double d_hh = 0.0; // [nm]
};

/// Atoms that keep their distances, all of them: they move as one, also in a plane or on a line, where distances alone
/// would not hold them.
struct RigidBody {
    std::vector<std::int32_t> atoms; // ascending
    std::vector<Vec3> shape;         // of each: where it is in the body, or in its mirror image [nm]
    int degrees_of_freedom = 6;      // 5 for those in a line
    std::vector<Constraint> given;   // constraints of the topology that hold within it

    std::int64_t n_constraints() const { return 3 * static_cast<std::int64_t>(atoms.size()) - degrees_of_freedom; }
};

/// How a virtual site is placed; see src/virtual_sites/constructions.hpp.
enum class SiteKind : std::uint8_t {
    linear,         // a weighted mean of its parents
    line_distance,  // on the line through i and j
    plane_distance, // on the line from i to a point of the line through j and k
    plane_angle,    // in the plane of i, j and k
    out_of_plane,   // also along the normal of that plane
    four_atoms      // on the normal of a plane that j, k and l define
};

/// An atom without mass whose position follows from those of other atoms, which get its force. Molecule-local indices.
struct VirtualSite {
    std::int32_t atom = 0;
    SiteKind kind = SiteKind::linear;
    std::vector<std::int32_t> parents; // i, j, k, l; any number for `linear`
    std::vector<double> parameters;    // of the kind
};

/// What all molecules of a kind share. No molecule has a copy.
struct MoleculeType {
    std::string name;
    std::vector<TopologyAtom> atoms; // those without mass are virtual sites
    std::vector<Residue> residues;
    std::array<InteractionList, interaction_count> interactions;
    std::vector<Constraint> constraints;    // explicit ones, and the bonds and angles that `constraints =` turned rigid
    std::vector<ImpliedConstraint> implied; // left out of the constraints
    std::vector<PlaneConstraint> planes;    // of atoms that `constraints` hold in the plane only
    std::vector<std::vector<std::int32_t>> torsion_units; // atoms that move as one where only torsions are free
    std::vector<Settle> settles;
    std::vector<RigidBody> bodies;                            // whose constraints are none of those above
    std::vector<VirtualSite> virtual_sites;                   // parents that are sites come first
    std::vector<std::vector<std::int32_t>> exclusions;        // per atom: sorted, symmetric, without the atom itself
    std::vector<std::pair<std::int32_t, std::int32_t>> bonds; // chemical, by potentials, constraints or connections

    /// The bonds and those of rigid water, each once: i < j, ascending.
    std::vector<std::pair<std::int32_t, std::int32_t>> distinct_bonds() const;
};

/// `count` molecules of one type, consecutive in the system.
struct MoleculeBlock {
    int type = 0;
    std::int64_t count = 0;
    AtomId first_atom = 0; // global id of the block's first atom
    std::int64_t first_molecule = 0;
};

/// An atom type that the system uses.
struct AtomType {
    std::string name;
    int atomic_number = -1; // -1: not given
};

/// Correction map of CHARMM: energies [kJ/mol] on a periodic size x size grid over (-180, 180] x (-180, 180] degrees,
/// row = first dihedral, starting at -180.
struct CmapGrid {
    int size = 0;
    std::vector<double> energy;
};

/// A bonded potential by its values and slopes at equal distances: of a length [nm] or an angle [rad].
struct BondedTable {
    double first = 0.0, spacing = 1.0;
    std::vector<double> energy, slope; // [kJ/mol], and that per nm or rad
};

/// Where an atom sits: molecule type and index in it.
struct AtomPlace {
    int block = 0;
    int molecule_type = 0;
    std::int64_t molecule = 0; // number of the molecule in the system, from 0
    std::int32_t index = 0;    // index of the atom in its molecule
    AtomId molecule_start = 0; // global id of the molecule's first atom
};

/// The whole system's topology, the same on every rank.
struct Topology {
    std::string name;
    std::vector<AtomType> atom_types;
    std::vector<double> c6, c12; // atom_types x atom_types, row-major [kJ/mol nm^6, kJ/mol nm^12]
    std::vector<MoleculeType> molecule_types;
    std::vector<MoleculeBlock> blocks;
    std::array<std::vector<InteractionParameters>, interaction_count> parameters;
    std::vector<CmapGrid> cmap_grids;
    std::vector<BondedTable> tables;
    double fudge_qq = 1.0;
    std::vector<std::pair<AtomId, Vec3>> restraint_references; // position restraints: sorted by id [nm]

    std::int64_t n_atoms() const;
    std::int64_t n_molecules() const;
    AtomPlace place(AtomId id) const; // O(log blocks)
    const TopologyAtom& atom(AtomId id) const;
    std::int64_t n_constraints() const; // counting what settles and bodies lose
    std::int64_t n_virtual_sites() const;
    double total_charge() const;
};

} // namespace holon
