/// MSHAKE of Lambrakos: constraint forces, not positions, are iterated. The first ones are explicit: those that each
/// bond would take if it were alone, which is the answer for pairs of atoms; then all are corrected at once by the
/// errors of the lengths that they lead to, mu_k g_k / (s_k.r_k) in units of a force times dt^2. It is a Jacobi
/// iteration, and diverges where that does: in most molecules with rigid angles.
/// S. G. Lambrakos, J. P. Boris, E. S. Oran, I. Chandrasekhar, M. Nagumo, J. Comput. Phys. 85, 473 (1989).
#include "inverse.hpp"

namespace holon {

std::unique_ptr<Solver> make_lambrakos_solver(const SolverSettings& settings)
{
    return make_inverse_solver(settings,
                               {.name = "MSHAKE of Lambrakos", .kind = InverseKind::diagonal, .exact_alone = true});
}

} // namespace holon
