/// The matrix method: as Newton's, but the matrix of the first iteration is factorised once and kept. Each iteration
/// costs a substitution only; the error falls by a constant factor, that of the first iteration.
/// G. Ciccotti, J. P. Ryckaert, Comput. Phys. Rep. 4, 345 (1986).
#include "newton.hpp"

namespace holon {

std::unique_ptr<Solver> make_ciccotti_ryckaert_solver(const SolverSettings& settings)
{
    return make_newton_solver(settings, {.jacobian = Jacobian::first, .tolerance = settings.tolerance});
}

} // namespace holon
