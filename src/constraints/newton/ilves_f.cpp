/// ILVES-F: as Newton's method, but with the matrix of the reference bonds alone, A_kl = C_kl r_k.r_l, which is known
/// before the step and symmetric: factorised once, a substitution for each iteration. The error falls by a constant
/// factor, of the order of what bonds turn in a step.
/// L. Lopez-Villellas et al., J. Chem. Theory Comput. 21, 8711 (2025).
#include "newton.hpp"

namespace holon {

std::unique_ptr<Solver> make_ilves_f_solver(const SolverSettings& settings)
{
    return make_newton_solver(settings, {.jacobian = Jacobian::reference, .tolerance = settings.tolerance});
}

} // namespace holon
