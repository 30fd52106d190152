#pragma once

#include <support/constraints/constraint_system.hpp>

#include <string>
#include <vector>

/// Constrained molecules with known angles, and conformations of them with random torsions.
namespace holon::test {

/// A molecule type, its angle terms, and positions that fulfil its constraints.
struct Polymer {
    MoleculeType type;
    std::vector<Vec3> positions;
    std::vector<double> angles; // [rad] of the harmonic angle terms, by their parameters

    Topology topology() const;

    std::int32_t add_atom(const std::string& name, double mass, const Vec3& r);

    /// A constraint at the present distance.
    void bind(std::int32_t i, std::int32_t j);

    /// An angle term at the present angle.
    void bend(std::int32_t i, std::int32_t j, std::int32_t k);
    void bend_all();
};

/// The next point of a chain: `length` from c, with the angle b-c-d and the dihedral a-b-c-d.
Vec3 next_point(const Vec3& a, const Vec3& b, const Vec3& c, double length, double angle, double torsion);

/// n united carbons of 14.027 u, 0.153 nm and 112 degrees apart.
Polymer united_alkane(int n, unsigned seed);

/// n carbons with their hydrogens, in the order C H H (H).
Polymer full_alkane(int n, unsigned seed);

/// n + 1 equal beads on rods of 0.15 nm in random directions, without angle terms.
Polymer free_joints(int n, unsigned seed);

Polymer straight_rods(int rods);

/// Binds next neighbours along a chain as well: only torsions are left.
Polymer with_next_neighbours(Polymer polymer);

Polymer triangle();

/// n triangles in a row, each sharing a corner with the next and turned at random; corners heavy enough for LINCS.
Polymer chain_of_triangles(int n, unsigned seed);

/// The carbons of benzene, bonds only.
Polymer benzene();

Polymer rigid_methyl();
Polymer rigid_methane();

/// Fixes the distances between hydrogens of one carbon.
Polymer with_rigid_methyls(Polymer polymer);

/// `count` copies of a polymer beside each other in a box of 40 nm.
ConstraintSystem polymer_system(const Polymer& polymer, int count = 1);

} // namespace holon::test
