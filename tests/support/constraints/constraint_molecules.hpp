#pragma once

#include <support/constraints/constraint_system.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

/// Constrained molecules of all shapes, and ways to spread them over ranks.
namespace holon::test {

/// Beads on a chain: `next` makes each bead from the two before it.
std::vector<Vec3> bead_chain(int n, const Vec3& first, const Vec3& second,
                             const std::function<Vec3(const Vec3&, const Vec3&)>& next);

/// The direction at `angle` [rad] to the way back along `last`, at a random torsion.
Vec3 bent(const Vec3& last, double angle, Noise& noise);

/// Bonds between the pairs as long as they are in the positions.
std::vector<Constraint> bonds_between(const std::vector<Vec3>& positions, const std::vector<std::array<int, 2>>& pairs);

std::vector<std::array<int, 2>> neighbours_along(int n, int distance);

ConstraintSystem one_molecule(const std::string& name, const std::vector<double>& masses,
                              const std::vector<Constraint>& constraints, const std::vector<Vec3>& positions);

/// United-atom alkane of 60 beads.
ConstraintSystem united_atom_c60();

ConstraintSystem all_atom_c60();

/// All 1-2 and 1-3 distances of a chain of n: only torsions are free.
ConstraintSystem torsion_only(int n);
ConstraintSystem torsion_only_c60();
ConstraintSystem torsion_only_c200(); // Newton's tree has several leaves

/// A chain that is straight but for a twentieth of each rod.
ConstraintSystem nearly_straight_rods();

std::vector<Vec3> circle(int n, const Vec3& centre, double radius, double pucker);

std::vector<std::array<int, 2>> closed(int n);

ConstraintSystem ring_of_twelve();

/// Four puckered six-rings in a row, each sharing a bond with the next, and a tail: a sterol without hydrogens.
ConstraintSystem fused_rings();

/// A cyclic peptide-like loop of 90 with side groups, two bridges across it and a tail.
ConstraintSystem disulphide_macrocycle();

/// Closed through the periodic box along x.
ConstraintSystem ring_through_the_box();

/// An alkane in which every angle with two hydrogens is as rigid as its bonds.
ConstraintSystem alkane_with_h_angles();

/// Methanol with `constraints = h-angles`: H-C-H and C-O-H angles rigid. Eight molecules, each turned at random.
ConstraintSystem methanol_with_h_angles();

/// A chair of six carbons with `constraints = h-angles`: twelve hydrogens, the two of each carbon at a fixed distance.
ConstraintSystem cyclohexane_with_h_angles();

/// One to four hydrogens around an atom, as tetrahedra that are somewhat out of shape; the atom comes first, last or in
/// between. Seven of each kind, so that no number of them is a multiple of what a solver does at a time.
ConstraintSystem groups_of_hydrogens();

/// A cubic lattice of 5 x 5 x 5 beads, somewhat out of place: nowhere can it be cut cheaply.
ConstraintSystem lattice();

/// Rods of 0.1 nm at random angles.
ConstraintSystem freely_jointed(int n);

/// `count` molecules of a shape, each turned at random about a place of its own.
std::vector<Vec3> turned_copies(const std::vector<Vec3>& shape, int count, Noise& noise);

std::vector<std::array<int, 2>> all_pairs(std::size_t n);

std::vector<Vec3> tetrahedron(double edge);

std::vector<Vec3> carbon_dioxide();

/// A ring of carbons within one of hydrogens, in a plane.
std::vector<Vec3> flat_benzene();

/// A helix of as many atoms, on two turns about a line, so that it is its own mirror image nowhere.
std::vector<Vec3> helix(int n);

/// Triangles and tetrahedra all of whose distances are constraints.
ConstraintSystem all_distances();

MoleculeType rigid_molecule(const std::string& name, const std::vector<double>& masses, const std::vector<Vec3>& shape);

/// Bodies of which distances would not hold the shape, or which domains cut: lines, planes, left- and right-handed
/// helices of one shape; seven, eight and nine of a kind.
ConstraintSystem bodies();

/// Molecules of several kinds among each other, so that ranks share some and not others; every other one is at rest
/// when disturb() is followed by calm().
ConstraintSystem medley();

void calm(ConstraintSystem& system);

/// Ways to spread a system over ranks: in blocks, dealt out, scattered, by place, all on one, and one cut.
std::vector<std::function<int(AtomId)>> distributions(const ConstraintSystem& system, int ranks);

} // namespace holon::test
