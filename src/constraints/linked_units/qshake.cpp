/// QSHAKE: rigid units, and SHAKE for the constraints that link them.
/// T. R. Forester, W. Smith, J. Comput. Chem. 19, 102 (1998).
///
/// The units are projected as rigid bodies, the links are corrected one after the other: link k at atoms p and q gets
///
///     l_k += (s_k^2 - d_k^2) / (2 s_k.(K_p + K_q) r_k),  K = 1/M - [rho] I^-1 [rho],
///
/// K at its atom in place of the 1/m of SHAKE, r the reference, s the present vector. The paper corrects sites to first
/// order and turns the units once a sweep; here its two units are projected anew after every correction, from the
/// impulses of all their links, so that no term of higher order is left out: what the sweeps end with are the
/// positions of all distances as constraints, loops of units included. The velocity stage has r.v in the place of the
/// error. A link between two atoms that are in no unit is one of SHAKE. The error falls as in SHAKE, by a constant
/// factor a sweep; a cluster is done when a sweep meets no error above the tolerance.
#include "linked_units.hpp"

#include <cmath>

namespace holon {
namespace {

class QShakeSolver final : public LinkedUnits {
public:
    using LinkedUnits::LinkedUnits;

private:
    std::int64_t solve(LinkedMotion& motion, const ConstraintStage& stage, bool velocities) override;
};

std::int64_t QShakeSolver::solve(LinkedMotion& motion, const ConstraintStage& stage, bool velocities)
{
    std::vector<Vec3> pushed;
    for (std::size_t k = 0; k < motion.n_links(); ++k) pushed.push_back(motion.response(k, k));
    for (std::int64_t sweep = 0; sweep <= settings().max_iterations; ++sweep) {
        double largest = 0.0;
        for (std::size_t k = 0; k < motion.n_links(); ++k) {
            const double d2 = motion.shape().links[k].d2;
            const Vec3 &r = motion.r(k), s = motion.s(k);
            const double along = dot(s, r);
            if (!velocities && !(along > min_cosine * d2)) return -1;
            const double error = velocities ? along : 0.5 * (dot(s, s) - d2);
            if (!std::isfinite(error)) return -1;
            const double relative = std::abs(error) * (velocities ? stage.dt : 1.0) / d2;
            largest = std::max(largest, relative);
            if (relative <= settings().tolerance) continue;
            motion.push(k, error / dot(velocities ? r : s, pushed[k]));
            if (!motion.settle(k)) return -1;
        }
        if (largest <= settings().tolerance) return sweep;
    }
    return -1;
}

} // namespace

std::unique_ptr<Solver> make_qshake_solver(const SolverSettings& settings)
{
    return std::make_unique<QShakeSolver>(settings);
}

} // namespace holon
