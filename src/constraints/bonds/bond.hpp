#pragma once

#include <holon/constraints/solver.hpp>
#include <holon/core/error.hpp>
#include <holon/core/parallel.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

/// What the constraint solvers have in common: bond vectors, displacements, virial, errors, failure messages.
namespace holon {

/// A bond that has turned so far from its reference that its cosine is below this can not be put right along it.
inline constexpr double min_cosine = 1e-6;

/// Vector between two atoms of one frame [nm]. The difference is exact before it becomes a double.
inline Vec3 bond_vector(const IVec3& from, const IVec3& to)
{
    return to_real(IVec3(to - from), position_unit);
}

/// Adds a displacement [nm], as it is `rounded` to the lattice, and the velocity displacement x inverse_dt (0: none).
inline void displace(Atoms& atoms, std::int32_t atom, const Vec3& displacement, const IVec3& rounded, double inverse_dt)
{
    const auto a = static_cast<std::size_t>(atom);
    atoms.x[a] += rounded;
    if (inverse_dt > 0.0) atoms.v[a] += to_lattice(displacement * inverse_dt, velocity_unit);
}
inline void displace(Atoms& atoms, std::int32_t atom, const Vec3& displacement, double inverse_dt)
{
    displace(atoms, atom, displacement, to_lattice(displacement, position_unit), inverse_dt);
}

/// The numbers of lattice vectors, three for each, as kernels take them; null if there are none.
template <class Vectors>
auto numbers_of(Vectors& vectors)
{
    return vectors.empty() ? nullptr : vectors.front().data();
}

/// What a kernel says of [0, n), done by threads in slices of whole multiples of `grain`: run(begin, end) is its
/// outcome for a slice, whose number of the first failure counts from `begin`.
template <class Run>
auto outcome_of_slices(std::size_t n, std::size_t grain, Run run)
{
    return parallel_reduce(
        n, grain,
        [&](std::size_t begin, std::size_t end) {
            auto outcome = run(begin, end);
            if (outcome.failed >= 0) outcome.failed += static_cast<std::int64_t>(begin);
            return outcome;
        },
        [](auto& total, const auto& next) {
            total.residual = std::max(total.residual, next.residual);
            if constexpr (requires { total.iterations; })
                total.iterations = std::max(total.iterations, next.iterations);
            if (total.failed < 0) total.failed = next.failed;
        });
}

inline double inverse_step(const ConstraintStage& stage)
{
    return stage.dt > 0.0 ? 1.0 / stage.dt : 0.0;
}

/// |r^2 - d^2| / (2 d^2).
inline double length_error(const Vec3& r, double d2)
{
    return std::abs(dot(r, r) - d2) / (2.0 * d2);
}

/// |r.v| / d^2 [1/ps].
inline double rate_error(const Vec3& r, const Vec3& v, double d2)
{
    return std::abs(dot(r, v)) / d2;
}

/// Sums -1/2 r (x) f, which is symmetric for constraint forces: six components are enough.
class VirialSum {
public:
    /// Adds the virial of m dx = `moment` [u nm, or u nm/ps] at r [nm] relative to another atom of the cluster.
    void add(const Vec3& r, const Vec3& moment, double force_factor)
    {
        const double c = -0.5 * force_factor;
        for (int k = 0; k < 3; ++k) diagonal_[static_cast<std::size_t>(k)].add(c * (r[k] * moment[k]));
        for (int k = 0; k < 3; ++k)
            off_[static_cast<std::size_t>(k)].add(
                0.5 * c * (r[next(k)] * moment[next(k + 1)] + r[next(k + 1)] * moment[next(k)]));
    }

    void add_to(std::array<FixedSum, 9>& virial) const
    {
        for (int k = 0; k < 3; ++k) {
            const int i = next(k), j = next(k + 1);
            virial[static_cast<std::size_t>(4 * k)] += diagonal_[static_cast<std::size_t>(k)];
            virial[static_cast<std::size_t>(3 * i + j)] += off_[static_cast<std::size_t>(k)];
            virial[static_cast<std::size_t>(3 * j + i)] += off_[static_cast<std::size_t>(k)];
        }
    }

private:
    static int next(int k) { return (k + 1) % 3; }
    std::array<FixedSum, 3> diagonal_, off_; // off_[k]: the component without k
};

/// Keeps the largest error.
inline void note_residual(ConstraintResult& result, double error)
{
    result.residual = std::max(result.residual, ordered_bits(error));
}

/// Local index of atom k of a cluster that this rank owns whole.
inline std::int32_t owned_index(const ClusterInstance& instance, std::size_t k, const Atoms& atoms,
                                const AtomDirectory& directory)
{
    const AtomId id = instance.molecule_start + instance.cluster->atoms[k];
    const std::int32_t index = directory.local_index(id);
    HOLON_ASSERT(index >= 0 && index < atoms.n_owned, "atom id " + std::to_string(id));
    return index;
}

/// Numbers the clusters that a solver meets: what molecules of a type share is kept once.
template <class Shape>
class ShapeTable {
public:
    std::int32_t index_of(const ClusterInstance& instance)
    {
        const auto [entry, is_new] = index_.try_emplace(instance.cluster, static_cast<std::int32_t>(shapes_.size()));
        if (is_new) shapes_.emplace_back(*instance.molecule_type, *instance.cluster);
        return entry->second;
    }
    const Shape& operator[](std::int32_t index) const { return shapes_[static_cast<std::size_t>(index)]; }

private:
    std::unordered_map<const ConstraintCluster*, std::int32_t> index_;
    std::deque<Shape> shapes_; // they stay where they are
};

/// "3 CA, 4 HA, 5 C and 2 more": atoms of a molecule type, counted from 1.
std::string atom_list(const MoleculeType& molecule, std::span<const std::int32_t> atoms);

/// "Constraints of atoms 3, 4, 5 (molecule 2, SOL) in step 17: <why>." Atoms and molecules count from 1.
std::string failure_message(const std::string& molecule_name, std::int64_t molecule, std::span<const AtomId> atoms,
                            const char* why, const ConstraintStage& stage);

} // namespace holon
