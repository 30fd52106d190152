/// Rigid bodies that turn about their principal axes one after the other. A. Dullweber, B. Leimkuhler, R. McLachlan, J.
/// Chem. Phys. 107, 5840 (1997).
///
/// Between kicks a body is free. Its kinetic energy L1^2 / 2 I1 + L2^2 / 2 I2 + L3^2 / 2 I3, L the angular momentum
/// along its principal axes, is a sum of three Hamiltonians, each of which turns it about one axis at the constant rate
/// L_k / I_k: R_k(a) by the angle a, and L in the body by -a, so that L in space stays. Their composition, with the
/// shortest extent in the middle,
///
///     R1(h L1 / 2 I1) R2(h L2 / 2 I2) R3(h L3 / I3) R2(h L2 / 2 I2) R1(h L1 / 2 I1),
///
/// each with L as the turns before have left it, is symplectic, reversible, and of second order. The angular momentum
/// of the step is that of the trial positions, h L = sum m r x s; so orientation and angular momentum are what
/// positions and velocities say, and the kicks of the atoms are those of the body once the velocity stage has projected
/// them. The position stage adds displacements / h to velocities, and what these lack for L about the new positions as
/// a rotation. A body in a line has no inertia along it and turns about L, once.
#include "rigid.hpp"

namespace holon {

std::unique_ptr<Solver> make_dlm_solver(const SolverSettings& settings)
{
    return make_rigid_body_solver(settings, rigid::Rotation::dlm);
}

} // namespace holon
