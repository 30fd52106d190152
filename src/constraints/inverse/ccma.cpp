/// CCMA, the constant constraint matrix approximation: the corrections of all constraints at once, times a sparse
/// inverse matrix that belongs to the molecule at its ideal angles. No factorisation in a step and no order of the
/// constraints, at the price of more iterations than Newton's method: the error falls by a constant factor.
/// P. Eastman, V. S. Pande, J. Chem. Theory Comput. 6, 434 (2010).
#include "inverse.hpp"

namespace holon {

std::unique_ptr<Solver> make_ccma_solver(const SolverSettings& settings)
{
    return make_inverse_solver(settings, {.name = "CCMA", .kind = InverseKind::equilibrium});
}

} // namespace holon
