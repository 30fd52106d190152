#pragma once

#include "approximate_inverse.hpp"

#include <holon/constraints/solver.hpp>

#include <memory>

namespace holon {

struct InverseScheme {
    const char* name; // for messages
    InverseKind kind = InverseKind::diagonal;
    bool exact_alone = false; // the first correction of each constraint is what it would take if it were alone
};

/// Corrects all constraints of a cluster at once, again and again, with an approximate inverse of their matrix,
/// wherever the domains cut it: see inverse.cpp.
std::unique_ptr<Solver> make_inverse_solver(const SolverSettings& settings, const InverseScheme& scheme);

} // namespace holon
