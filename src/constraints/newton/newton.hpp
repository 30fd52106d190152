#pragma once

#include <holon/constraints/solver.hpp>

#include <memory>
#include <span>

namespace holon {

/// Which matrix the multipliers are corrected with: A_kl = C_kl s_k.r_l with present bonds s, reference bonds r.
enum class Jacobian {
    present,  // of each iteration: Newton's method, the error is squared by each
    first,    // of the first iteration, kept
    reference // s = r, kept
};

struct NewtonScheme {
    Jacobian jacobian = Jacobian::present;
    int corrections = 0;    // of positions, after which it is done; 0: as many as the error asks for
    double tolerance = 0.0; // with a kept matrix: the error with which it may stop; never below round-off
};

/// Solves for all constraints of a cluster of any size at once, wherever the domains cut it: see newton.cpp.
std::unique_ptr<Solver> make_newton_solver(const SolverSettings& settings, const NewtonScheme& scheme);

/// A kick that takes the constraint forces of Gauss's principle with it, see edberg_evans_morriss.cpp: with v the
/// relative velocity of a bond r before the kick and w after it, g = (r^2 - d^2) / 2 and a feedback of frequency f, the
/// acceleration r'' of the kick obeys r.r'' = -v^2 - 2 f r.v - f^2 g, or likewise with w in place of v.
struct ConstrainedKick {
    std::span<const IVec3> before; // velocities of owned atoms before it [2^-44 nm/ps]
    double interval = 0.0;         // [ps]
    double frequency = 0.0;        // [1/ps]
    bool ends_step = false;        // the acceleration is that with the velocities after it

    /// What r.w is to be [nm^2/ps]. `present`: w, as far as it is known.
    double rate(const Vec3& r, const Vec3& v, const Vec3& present, double d2) const
    {
        const double pull = frequency * frequency * 0.5 * (dot(r, r) - d2), damping = 2.0 * frequency * interval;
        if (ends_step) return (dot(r, v) - interval * (dot(present, present) + pull)) / (1.0 + damping);
        return (1.0 - damping) * dot(r, v) - interval * (dot(v, v) + pull);
    }
};

/// Newton's method, and constrained kicks with the same matrix.
class KickSolver : public Solver {
public:
    /// Changes atoms.v, velocities after a kick without constraints, along the constraints of atoms.x, with a residual
    /// of rates; or, if the kick does not end the step and the drift has been made, along those of atoms.x_ref, with a
    /// residual of lengths after a drift with these velocities for stage.dt. Collective.
    virtual ConstraintResult constrain_kick(Atoms& atoms, const Box& box, const ConstraintStage& stage,
                                            const ConstrainedKick& kick) = 0;
};
std::unique_ptr<KickSolver> make_kick_solver(const SolverSettings& settings);

} // namespace holon
