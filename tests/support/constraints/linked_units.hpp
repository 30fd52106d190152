#pragma once

#include <support/constraints/constraint_molecules.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

/// Rigid units that constraints link: as units, and as distances (and planes) alone.
namespace holon::test {

/// A molecule, and which of its atoms are rigid units.
struct LinkedMolecule {
    std::string name;
    std::vector<double> masses;
    std::vector<Vec3> positions;
    std::vector<std::vector<std::int32_t>> units;
    std::vector<std::array<int, 2>> links;

    std::vector<Vec3> shape_of(const std::vector<std::int32_t>& unit) const;

    MoleculeType as_units() const;

    /// All distances of each unit. For units in a plane: those that hold it there, and planes through three atoms.
    MoleculeType as_distances(bool flat = false) const;

private:
    static std::vector<Vec3> on_principal_axes(std::vector<Vec3> shape);

    PlaneConstraint plane(const std::vector<std::int32_t>& unit, std::size_t a) const;
};

/// All-atom octane: eight groups of a carbon and its hydrogens, and seven bonds.
LinkedMolecule octane();

/// Two flat rings of six carbons and five hydrogens, one turned against the other about the bond between them.
LinkedMolecule biphenyl();

/// A ring of tetrahedra, each linked to the next: a loop that turns, and a tail of single atoms.
LinkedMolecule ring_of_units();

/// Rods of two atoms, linked end to end: a freely jointed chain.
LinkedMolecule rods_as_units(int n);

/// Triangles, linked corner to corner.
LinkedMolecule chain_of_triangles(int n);

/// `count` molecules of each, turned, some as mirror images; atoms anywhere in the box.
ConstraintSystem linked_system(const std::vector<std::pair<LinkedMolecule, MoleculeType>>& kinds, int count);

ConstraintSystem linked_units();

ConstraintSystem chain_of_500_units();

} // namespace holon::test
