#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/dynamics/tensor_sum.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace holon::scaling_groups {
class GroupBatches;
}

namespace holon {

/// Groups keep their fractional coordinates; their velocities, as rows, are multiplied by a matrix.
struct BoxChange {
    Mat3 box = Mat3::Zero(); // rows [nm]
    Mat3 velocities = Mat3::Identity();
    bool takes_frozen = false; // frozen atoms along; else they stay where they are along the axes that hold them
};

/// The parts of a system that move as wholes when its box changes: constraint clusters, rigid waters and all other
/// atoms with mass, each by itself; virtual sites follow. All atoms of one are moved by the same integers, so that the
/// bonds within keep their bits and no constraint has to be solved again; what the box feels is the pressure of their
/// centres of mass. G. Kalibaeva, M. Ferrario, G. Ciccotti, Mol. Phys. 101, 765 (2003); J. Jung, Y. Sugita, J. Chem.
/// Phys. 153, 234115 (2020).
///
/// Centres have the same bits on any rank. Atoms of clusters that domains cut are put together by their image counts,
/// which have to keep a cluster whole: see make_clusters_whole().
///
/// What is frozen keeps its unwrapped coordinates along the axes that hold it, and the box feels nothing of the forces
/// along these: they do no work when it changes.
class ScalingGroups {
public:
    /// For the atoms as they are shared out now. All of these must outlive this object.
    ScalingGroups(Communicator comm, const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                  const std::vector<FrozenGroup>& frozen, const Partition& partition, const Atoms& atoms);
    ScalingGroups(ScalingGroups&&) noexcept;
    ScalingGroups& operator=(ScalingGroups&&) noexcept;
    ~ScalingGroups();

    /// How many there are in the whole system.
    static std::int64_t count(const Topology& topology, const std::vector<MoleculeClusters>& clusters);

    /// 1/2 sum M U (x) U, masses and velocities of the groups [kJ/mol]: this rank's share. Collective.
    TensorSum kinetic_tensor(const Atoms& atoms, const Box& box) const;

    /// 1/2 sum (x_i - R) (x) f_i, of atoms.x_ref and the centres R of these: what makes the virial of atoms that of the
    /// groups, added to it [kJ/mol]: likewise. What holds an atom takes R to the origin. `outside`: forces on owned
    /// atoms of which the virial of atoms has nothing, nor has that of the groups then; may be empty. Collective.
    TensorSum internal_virial(const Atoms& atoms, const Box& box, const std::vector<IVec3>& outside) const;

    /// Takes the groups along with the box: their centres keep the fractional coordinates where they were `before` [ps]
    /// ago, and move on from there as long, by their new velocities, U (row) times change.velocities. The box is still
    /// `from`. Collective.
    void follow(Atoms& atoms, const Box& from, const BoxChange& change, double before) const;

private:
    template <class Call>
    TensorSum sum_over_whole(Call call) const;

    // Groups that domains may cut: sums are integers.
    struct CutMember {
        std::int32_t atom, group;
        std::int64_t mass; // [2^-20 u]
    };
    struct Sum {
        int128 mass = 0;                // [2^-20 u]
        std::array<int128, 3> x{}, v{}; // times mass
        Sum& operator+=(const Sum& other);
        IVec3 centre() const;
        Vec3 velocity() const; // [nm/ps]
    };
    struct Held {
        std::int32_t atom;
        std::array<bool, 3> axes;
        bool whole() const { return axes[0] && axes[1] && axes[2]; }
    };
    IVec3 unwrapped(const std::vector<IVec3>& x, std::int32_t i, const Atoms& atoms, const Box& box) const;
    std::vector<Sum> cut_sums(const std::vector<IVec3>& x, const Atoms& atoms, const Box& box) const;

    Communicator comm_;
    std::int64_t n_atoms_;
    bool any_cut_ = false;                                // clusters that domains may cut, anywhere
    std::vector<Held> held_;                              // each by itself
    std::unique_ptr<scaling_groups::GroupBatches> whole_; // that this rank owns whole
    std::vector<CutMember> cut_members_;
    std::vector<AtomId> cut_keys_; // of the groups with members here: their lowest ids
};

/// Lets image counts of the atoms of a constraint cluster be those of one unwrapped cluster: neighbours along
/// constraints are nearest images of each other. The records, anywhere on the ranks, stay where they are. Throws
/// InputError for a cluster that is bound to images of itself along a vector of the box other than those `kept` as they
/// are. Collective.
void make_clusters_whole(const Communicator& comm, const Topology& topology, const Box& box,
                         const std::array<bool, 3>& kept, std::vector<AtomRecord>& records);

} // namespace holon
