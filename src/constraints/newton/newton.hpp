#pragma once

#include <holon/constraints/solver.hpp>

#include <memory>

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

} // namespace holon
