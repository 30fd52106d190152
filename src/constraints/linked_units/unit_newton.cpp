/// Newton's method for rigid units and the constraints that link them: QSHAKE's links, all at once.
/// T. R. Forester, W. Smith, J. Comput. Chem. 19, 102 (1998); C. McBride, M. R. Wilson, J. A. K. Howard, Mol. Phys. 93,
/// 955 (1998), for chains of mesogens.
///
/// The multipliers l of the links are the unknowns. A change of l_l moves the atoms of the two units of link l by their
/// mobility K, so that the error g_k = |s_k| (|s_k| - d_k) of any link of these units changes by -A_kl dl_l,
///
///     A_kl = sum +- s_k.K r_l
///
/// over the units that both are at: with single atoms, K = 1/m, it is the matrix of newton.cpp. K is taken where the
/// units are, see UnitMotion: the error is squared by every iteration, to round-off. A is as sparse as the graph of
/// links; it is eliminated in an order that belongs to the molecule: a chain or a tree of units in a time linear in
/// their number, with loops some more. Links that depend on each other have no solution: they are refused at the start
/// (check_links), and named.
#include "link_matrix.hpp"
#include "linked_units.hpp"

#include <cmath>
#include <unordered_map>

namespace holon {
namespace {

/// The relative error is squared by every iteration: from this one down, one more leaves nothing but round-off.
constexpr double last_error = 1e-9;
constexpr int max_iterations = 50;

class UnitNewtonSolver final : public LinkedUnits {
public:
    using LinkedUnits::LinkedUnits; // always solved to round-off: there is no tolerance

private:
    std::int64_t solve(LinkedMotion& motion, const ConstraintStage& stage, bool velocities) override;

    std::unordered_map<const LinkedShape*, LinkMatrix> matrices_;
};

std::int64_t UnitNewtonSolver::solve(LinkedMotion& motion, const ConstraintStage& stage, bool velocities)
{
    auto& matrix = matrices_.try_emplace(&motion.shape(), motion.shape()).first->second;
    std::vector<Vec3> s(motion.n_links());
    std::vector<double> g(motion.n_links());
    for (int iteration = 1; iteration <= max_iterations; ++iteration) {
        double largest = 0.0;
        for (std::size_t k = 0; k < s.size(); ++k) {
            const double d2 = motion.shape().links[k].d2;
            s[k] = motion.s(k);
            const double along = dot(s[k], motion.r(k));
            if (!velocities && !(along > min_cosine * d2)) return -1;
            const double s2 = dot(s[k], s[k]);
            g[k] = velocities ? along : s2 - std::sqrt(s2 * d2);
            if (!std::isfinite(g[k])) return -1;
            largest = std::max(largest, std::abs(g[k]) * (velocities ? stage.dt : 1.0) / d2);
            if (velocities) s[k] = motion.r(k);
        }
        if (matrix.solve(motion, s, g) >= 0) return -1;
        for (std::size_t k = 0; k < s.size(); ++k) motion.push(k, g[k]);
        if (!motion.settle()) return -1;
        if (largest <= last_error) return iteration;
    }
    return -1;
}

} // namespace

std::unique_ptr<Solver> make_unit_newton_solver(const SolverSettings& settings)
{
    return std::make_unique<UnitNewtonSolver>(settings);
}

} // namespace holon
