#pragma once

#include "rigid_kernel.hpp"

#include <holon/constraints/solver.hpp>

#include <memory>

namespace holon {

/// Moves rigid bodies, wherever the domains cut them, see rigid.cpp; `rotation`: how they turn in a step.
std::unique_ptr<Solver> make_rigid_body_solver(const SolverSettings& settings, rigid::Rotation rotation);

} // namespace holon
