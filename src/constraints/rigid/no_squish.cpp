/// Rigid bodies by NO_SQUISH: as dlm.cpp, in the order 3 2 1 2 3, with unit quaternions. T. F. Miller, M. Eleftheriou,
/// P. Pattnaik, A. Ndirango, D. Newns, G. J. Martyna, J. Chem. Phys. 116, 8649 (2002).
///
/// A turn is q <- cos(a) q + sin(a) P_k q, with P_1 q = (-q1, q0, q3, -q2), P_2 q = (-q2, -q3, q0, q1), P_3 q = (-q3,
/// q2, -q1, q0) and a = h p.P_k q / 4 I_k = h L_k / 2 I_k; that of the momentum p = 2 (L1 P_1 + L2 P_2 + L3 P_3) q is
/// the same, and leaves L in space as it is. Nothing stretches the quaternion: hence the name.
#include "rigid.hpp"

namespace holon {

std::unique_ptr<Solver> make_no_squish_solver(const SolverSettings& settings)
{
    return make_rigid_body_solver(settings, rigid::Rotation::no_squish);
}

} // namespace holon
