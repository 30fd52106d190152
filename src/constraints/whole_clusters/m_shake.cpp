/// Newton's method on all constraints of a cluster at once, with a dense matrix per cluster.
/// V. Kraeutler, W. F. van Gunsteren, P. H. Huenenberger, J. Comput. Chem. 22, 501 (2001).
///
/// With r the reference and s the trial bond vectors, the multipliers l solve |s_k - sum_l C_kl l_l r_l| = d_k, where C
/// holds inverse masses only. Each iteration solves A dl = g, A_kl = C_kl s_k.r_l, g_k = |s_k| (|s_k| - d_k), with
/// which the error that is left is smaller than with (s_k^2 - d_k^2) / 2, see newton.cpp: it is squared each time, so
/// that the solution is exact to round-off after three or four.
#include "bonds/bond.hpp"

#include <holon/core/index.hpp>

#include <cmath>
#include <vector>

namespace holon {
namespace {

constexpr int max_constraints = max_small_cluster;
constexpr int max_atoms = max_constraints + 1;

/// The relative error is squared by every iteration: from this one down, one more leaves nothing but round-off.
constexpr double last_error = 1e-9;
constexpr int max_iterations = 50;

/// What a cluster has in common with those of other molecules of its type.
struct Shape {
    std::string molecule_name;
    int n_constraints = 0, n_atoms = 0;
    int first[max_constraints], second[max_constraints]; // atoms of each constraint; bonds point from first to second
    double d2[max_constraints];                          // squared lengths [nm^2]
    double inverse_mass[max_atoms];                      // [1/u]
    double coupling[max_constraints][max_constraints];   // C: +-1/m of shared atoms, 1/m + 1/m on the diagonal [1/u]

    Shape(const MoleculeType& molecule, const ConstraintCluster& cluster)
        : molecule_name(molecule.name), n_constraints(static_cast<int>(cluster.constraints.size())),
          n_atoms(static_cast<int>(cluster.atoms.size()))
    {
        const auto position = [&](std::int32_t atom) {
            return static_cast<int>(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
        };
        for (int a = 0; a < n_atoms; ++a)
            inverse_mass[a] = molecule.atoms[index(cluster.atoms[index(a)])].inverse_mass();
        for (int k = 0; k < n_constraints; ++k) {
            const auto& c = cluster.constraints[index(k)];
            first[k] = position(c.i);
            second[k] = position(c.j);
            d2[k] = c.length * c.length;
        }
        for (int k = 0; k < n_constraints; ++k)
            for (int l = 0; l < n_constraints; ++l) {
                coupling[k][l] = 0.0;
                for (int a = 0; a < n_atoms; ++a) coupling[k][l] += sign(k, a) * sign(l, a) * inverse_mass[a];
            }
    }

    int sign(int k, int atom) const { return (second[k] == atom) - (first[k] == atom); }
};

struct Group {
    std::int64_t molecule;
    std::int32_t shape;
    std::array<std::int32_t, max_atoms> atoms; // local
};

template <int N>
using Bonds = std::array<Vec3, N>;
template <int N>
using Multipliers = std::array<double, N>;

/// Gaussian elimination without pivoting: the matrices are close to symmetric and positive definite.
template <int N>
Multipliers<N> solve(double (&a)[N][N], Multipliers<N> b)
{
    for (int k = 0; k < N; ++k)
        for (int i = k + 1; i < N; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k + 1; j < N; ++j) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (int k = N - 1; k >= 0; --k) {
        for (int j = k + 1; j < N; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return b;
}

/// Multipliers [u] for reference bonds `r` and trial bonds `s` [nm]; false if a bond has turned too far or the
/// iteration does not converge.
template <int N>
bool newton(const Shape& shape, const Bonds<N>& r, const Bonds<N>& trial, Multipliers<N>& multipliers, int& iterations)
{
    multipliers.fill(0.0);
    Bonds<N> s = trial;
    for (iterations = 1; iterations <= max_iterations; ++iterations) {
        double matrix[N][N];
        Multipliers<N> g;
        double error = 0.0;
        for (int k = 0; k < N; ++k) {
            for (int l = 0; l < N; ++l) matrix[k][l] = shape.coupling[k][l] * dot(s[k], r[l]);
            if (!(dot(s[k], r[k]) > min_cosine * shape.d2[k])) return false;
            const double s2 = dot(s[k], s[k]);
            g[k] = s2 - std::sqrt(s2 * shape.d2[k]);
            error = std::max(error, std::abs(g[k]) / shape.d2[k]);
        }
        const auto change = solve<N>(matrix, g);
        for (int k = 0; k < N; ++k) multipliers[k] += change[k];
        if (error <= last_error) return true;
        for (int k = 0; k < N; ++k) {
            s[k] = trial[k];
            for (int l = 0; l < N; ++l) s[k] -= (shape.coupling[k][l] * multipliers[l]) * r[l];
        }
    }
    return false;
}

/// Multipliers [u/ps] that make r.v = 0, given the relative velocities `v` [nm/ps].
template <int N>
Multipliers<N> rates(const Shape& shape, const Bonds<N>& r, const Bonds<N>& v)
{
    double matrix[N][N];
    Multipliers<N> g;
    for (int k = 0; k < N; ++k) {
        for (int l = 0; l < N; ++l) matrix[k][l] = shape.coupling[k][l] * dot(r[k], r[l]);
        g[k] = dot(r[k], v[k]);
    }
    return solve<N>(matrix, g);
}

/// Displacement of each atom: -M^-1 G^T l.
template <int N>
std::array<Vec3, max_atoms> displacements(const Shape& shape, const Bonds<N>& r, const Multipliers<N>& multipliers)
{
    std::array<Vec3, max_atoms> d;
    d.fill(Vec3::Zero());
    for (int k = 0; k < N; ++k) {
        d[index(shape.first[k])] += multipliers[k] * r[k];
        d[index(shape.second[k])] -= multipliers[k] * r[k];
    }
    for (int a = 0; a < shape.n_atoms; ++a) d[index(a)] *= shape.inverse_mass[a];
    return d;
}

class MShakeSolver final : public Solver {
public:
    /// Always solved to round-off: there is no tolerance.
    explicit MShakeSolver(const SolverSettings&) {}

    bool accepts(const MoleculeType&, const ConstraintCluster& cluster) const override
    {
        return cluster.small && cluster.constraints.size() <= max_constraints && cluster.atoms.size() <= max_atoms;
    }
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    struct Pass; // one stage over all groups

    ShapeTable<Shape> shapes_;
    std::vector<Group> groups_;
};

struct MShakeSolver::Pass {
    Atoms& atoms;
    const ConstraintStage& stage;
    ConstraintResult result{};
    VirialSum virial{};

    /// Differences along the bonds of the group.
    template <int N>
    Bonds<N> along_bonds(const Group& group, const Shape& shape, const std::vector<IVec3>& values, double unit) const
    {
        Bonds<N> difference;
        for (int k = 0; k < N; ++k) {
            const auto& from = values[index(group.atoms[index(shape.first[k])])];
            const auto& to = values[index(group.atoms[index(shape.second[k])])];
            difference[k] = to_real(IVec3(to - from), unit);
        }
        return difference;
    }

    template <int N>
    void add_virial(const Bonds<N>& r, const Multipliers<N>& multipliers)
    {
        if (stage.force_factor == 0.0) return;
        for (int k = 0; k < N; ++k) virial.add(r[k], -multipliers[k] * r[k], stage.force_factor);
    }

    template <int N>
    void positions(const Group& group, const Shape& shape)
    {
        const auto r = along_bonds<N>(group, shape, atoms.x_ref, position_unit);
        const auto trial = along_bonds<N>(group, shape, atoms.x, position_unit);
        Multipliers<N> multipliers;
        int iterations = 0;
        if (!newton<N>(shape, r, trial, multipliers, iterations))
            return fail(group, shape, "a bond has turned by 90 degrees or more, or no solution was found");
        const auto d = displacements<N>(shape, r, multipliers);
        const double inverse_dt = inverse_step(stage);
        for (std::size_t a = 0; a < index(shape.n_atoms); ++a) displace(atoms, group.atoms[a], d[a], inverse_dt);
        add_virial<N>(r, multipliers);
        result.iterations = std::max<std::int64_t>(result.iterations, iterations);
        const auto s = along_bonds<N>(group, shape, atoms.x, position_unit);
        for (int k = 0; k < N; ++k) note_residual(result, length_error(s[k], shape.d2[k]));
    }

    template <int N>
    void velocities(const Group& group, const Shape& shape)
    {
        const auto r = along_bonds<N>(group, shape, atoms.x, position_unit);
        const auto v = along_bonds<N>(group, shape, atoms.v, velocity_unit);
        const auto multipliers = rates<N>(shape, r, v);
        for (const double m : multipliers)
            if (!std::isfinite(m)) return fail(group, shape, "its velocities can not be projected");
        const auto d = displacements<N>(shape, r, multipliers);
        for (std::size_t a = 0; a < index(shape.n_atoms); ++a)
            atoms.v[index(group.atoms[a])] += to_lattice(d[a], velocity_unit);
        add_virial<N>(r, multipliers);
        result.iterations = std::max<std::int64_t>(result.iterations, 1);
        const auto w = along_bonds<N>(group, shape, atoms.v, velocity_unit);
        for (int k = 0; k < N; ++k) note_residual(result, rate_error(r[k], w[k], shape.d2[k]));
    }

    void fail(const Group& group, const Shape& shape, const char* why)
    {
        if (!result.failure.empty()) return;
        std::vector<AtomId> ids;
        for (std::size_t a = 0; a < index(shape.n_atoms); ++a) ids.push_back(atoms.id[index(group.atoms[a])]);
        result.failure = failure_message(shape.molecule_name, group.molecule, ids, why, stage);
    }

    ConstraintResult finish()
    {
        virial.add_to(result.virial);
        return std::move(result);
    }
};

/// Calls f with the number of constraints as a compile-time constant.
template <class F>
void with_size(int n, F f)
{
    switch (n) {
    case 1:
        return f(std::integral_constant<int, 1>());
    case 2:
        return f(std::integral_constant<int, 2>());
    case 3:
        return f(std::integral_constant<int, 3>());
    case 4:
        return f(std::integral_constant<int, 4>());
    case 5:
        return f(std::integral_constant<int, 5>());
    default:
        return f(std::integral_constant<int, 6>());
    }
}
static_assert(max_constraints == 6);

void MShakeSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                           const AtomDirectory& directory)
{
    groups_.clear();
    for (const auto& instance : clusters) {
        groups_.push_back({instance.molecule, shapes_.index_of(instance), {}});
        for (std::size_t k = 0; k < instance.cluster->atoms.size(); ++k)
            groups_.back().atoms[k] = owned_index(instance, k, atoms, directory);
    }
}

ConstraintResult MShakeSolver::project_positions(Atoms& atoms, const Box&, const ConstraintStage& stage)
{
    Pass pass{atoms, stage};
    for (const auto& group : groups_) {
        const auto& shape = shapes_[group.shape];
        with_size(shape.n_constraints, [&](auto n) { pass.positions<n.value>(group, shape); });
    }
    return pass.finish();
}

ConstraintResult MShakeSolver::project_velocities(Atoms& atoms, const Box&, const ConstraintStage& stage)
{
    Pass pass{atoms, stage};
    for (const auto& group : groups_) {
        const auto& shape = shapes_[group.shape];
        with_size(shape.n_constraints, [&](auto n) { pass.velocities<n.value>(group, shape); });
    }
    return pass.finish();
}

} // namespace

std::unique_ptr<Solver> make_m_shake_solver(const SolverSettings& settings)
{
    return std::make_unique<MShakeSolver>(settings);
}

} // namespace holon
