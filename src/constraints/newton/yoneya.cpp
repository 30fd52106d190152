/// Yoneya's method: one linear solution per step, without iteration. The lengths at the end of the step, linearised
/// about the trial positions, are to be right: A l = (s^2 - d^2) / 2, A_kl = C_kl r_k.r_l. What is left of an error is
/// in s at the next step, so that errors do not add up. Velocities are exact.
/// M. Yoneya, H. J. C. Berendsen, K. Hirasawa, Mol. Simul. 13, 395 (1994).
#include "newton.hpp"

namespace holon {

std::unique_ptr<Solver> make_yoneya_solver(const SolverSettings& settings)
{
    return make_newton_solver(settings, {.jacobian = Jacobian::reference, .corrections = 1});
}

} // namespace holon
