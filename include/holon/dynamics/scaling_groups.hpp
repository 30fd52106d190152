#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace holon {

/// The parts of a system that move as wholes when its box changes: constraint clusters, rigid waters and all other
/// atoms with mass, each by itself; virtual sites follow. All atoms of one are moved by the same integers, so that the
/// bonds within keep their bits and no constraint has to be solved again; what the box feels is the pressure of their
/// centres of mass. G. Kalibaeva, M. Ferrario, G. Ciccotti, Mol. Phys. 101, 765 (2003); J. Jung, Y. Sugita, J. Chem.
/// Phys. 153, 234115 (2020).
///
/// Masses are integers here and centres are sums of integers: the same on any rank. Atoms of clusters that domains cut
/// are put together by their image counts, which have to keep a cluster whole: see make_clusters_whole().
class ScalingGroups {
public:
    /// For the atoms as they are shared out now. All of these must outlive this object.
    ScalingGroups(Communicator comm, const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                  const Partition& partition, const Atoms& atoms);

    /// How many there are in the whole system.
    static std::int64_t count(const Topology& topology, const std::vector<MoleculeClusters>& clusters);

    /// 1/2 sum M U (x) U, masses and velocities of the groups [kJ/mol]. Collective.
    Mat3 kinetic_tensor(const Atoms& atoms) const;

    /// Finds the centres of the groups, of atoms.x and of atoms.x_ref, and their velocities. Collective.
    void find_centres(const Atoms& atoms, const Box& box);

    /// 1/2 sum (x_i - R) (x) f_i of x_ref and R as found: what makes the virial of atoms that of the groups, added to
    /// it [kJ/mol]. Collective.
    Mat3 internal_virial(const Atoms& atoms, const Box& box) const;

    /// Takes the centres as found along with the box: each keeps its fractional coordinates where it was `before` [ps]
    /// ago, and moves on from there as long, by its new velocity, U (row) times `velocities`. The box is still `from`;
    /// rows of `to` [nm].
    void follow(Atoms& atoms, const Box& from, const Mat3& to, const Mat3& velocities, double before) const;

private:
    struct Sum {
        int128 mass = 0;                         // [2^-20 u]
        std::array<int128, 3> x{}, x_ref{}, v{}; // times mass
        Sum& operator+=(const Sum& other);
    };
    struct Centre {
        IVec3 x, x_ref;
        Vec3 velocity; // [nm/ps]
    };
    IVec3 whole(const IVec3& x, std::size_t i, const Atoms& atoms, const Box& box) const;
    std::vector<Sum> sums(const Atoms& atoms, const Box* box) const;
    int directory_rank(AtomId id) const;

    Communicator comm_;
    const Topology& topology_;
    bool any_cut_ = false;            // clusters that domains may cut, anywhere
    std::vector<std::int32_t> group_; // per owned atom; -1: a virtual site
    std::vector<std::int64_t> mass_;  // per owned atom [2^-20 u]
    std::vector<AtomId> key_;         // per group: its lowest id, or -1 if it is owned whole
    std::vector<Centre> centres_;     // per group, as found
};

/// Lets image counts of the atoms of a constraint cluster be those of one unwrapped cluster: neighbours along
/// constraints are nearest images of each other. The records, anywhere on the ranks, stay where they are. Collective.
void make_clusters_whole(const Communicator& comm, const Topology& topology, const Box& box,
                         std::vector<AtomRecord>& records);

} // namespace holon
