#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/topology.hpp>

#include <support/constraints/constraint_system.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

/// Small systems made in code: a topology and the atoms of all ranks, the same on every rank.
namespace holon::test {

Mat3 cubic(double a);

/// Rows a, b, c of the rhombic dodecahedron (square base) and the truncated octahedron with image distance d [nm].
Mat3 dodecahedron(double d);
Mat3 octahedron(double d);

struct TestSystem {
    std::shared_ptr<Topology> topology = std::make_shared<Topology>();
    Box box;
    std::vector<AtomRecord> atoms; // by id, canonical

    explicit TestSystem(const Mat3& vectors, int bits = 22) : box(vectors, bits) {}

    /// Atom types with these c6 and c12; geometric means between them.
    void set_types(const std::vector<std::array<double, 2>>& types);

    /// Molecules of a type of their own, one after the other; excluded pairs also become terms, as in every topology.
    void add(MoleculeType type, const std::vector<Vec3>& positions);

    std::size_t size() const { return atoms.size(); }

    /// One rank's part of the atoms, dealt out without regard to their places.
    std::vector<AtomRecord> share(const Communicator& comm) const;
};

/// n x n x n points within `jitter` [nm] of a lattice that fills the box, in the order of a path from each to a
/// neighbour.
std::vector<Vec3> jittered_lattice(const Mat3& vectors, int n, double jitter, Noise& noise);

inline constexpr std::array<double, 2> argon_lj{0.0062, 9.7e-6}, spce_oxygen_lj{0.0026171, 2.6331e-6};

TestSystem argon(const Mat3& vectors, int n, double jitter = 0.03, unsigned seed = 1);

/// Rigid SPC/E-like waters, 3 n^3 atoms, turned at random; `size` times as large as they are.
TestSystem water(const Mat3& vectors, int n, unsigned seed = 2, double size = 1.0);

/// One flexible chain of n^3 charged beads that winds through the whole box; neighbours and next neighbours are
/// excluded. With `long_bonds`, every 20th bead is also bound to one far along the chain.
TestSystem chain(const Mat3& vectors, int n, bool long_bonds = false, unsigned seed = 3);

/// The chain with each bond to the next bead rigid, as long as it is. Beads repel each other but weakly.
TestSystem rigid_chain(const Mat3& vectors, int n, unsigned seed = 3);

inline constexpr double trimer_bond = 0.15; // [nm]

/// n^3 molecules of three equal beads on two rigid bonds, free to bend. Beads of others are felt if `interacting`.
TestSystem trimers(const Mat3& vectors, int n, bool interacting = true, unsigned seed = 4);

/// Grids of so many ranks: all of them, or thin slabs, rods and cubes where there are many.
std::vector<std::vector<int>> grids_of(int ranks);

std::string text(const std::vector<int>& grid);

/// One vector of each owned atom, brought together by id on all ranks. Collective.
std::vector<IVec3> by_id(const Communicator& comm, const Atoms& atoms, const std::vector<IVec3>& values, std::size_t n);

/// How many ranks own each atom. Collective.
std::vector<std::int64_t> owners(const Communicator& comm, const Atoms& atoms, std::size_t n);

/// The canonical state of all atoms by id, on all ranks. Pre: each atom is owned once. Collective.
std::vector<AtomRecord> canonical_by_id(const Communicator& comm, const Atoms& atoms, const Box& box, std::size_t n);

bool same_state(const AtomRecord& a, const AtomRecord& b);

} // namespace holon::test
