#pragma once

#include <support/constraints/constraint_system.hpp>

#include <functional>
#include <string>
#include <vector>

/// Both stages of constraint solvers, and whether all ranks find what one alone does.
namespace holon::test {

/// What one rank is left with.
struct Outcome {
    Atoms atoms;
    ConstraintResult positions, velocities;
};

/// Both stages of a step of dt [ps]; the second at reference positions, which meet the constraints, copies too.
Outcome project(Constraints& constraints, const ConstraintSystem& system, LocalPart part, double dt,
                StepMotion motion = StepMotion::none);

Outcome project_on_one_rank(const ConstraintSystem& system, const std::vector<std::string>& solvers,
                            const SolverSettings& settings, double dt);

/// The stages on the ranks of `comm` as `owner` cuts the molecules; copies are periodic images.
Outcome project_on_ranks(const ConstraintSystem& system, const std::vector<std::string>& solvers,
                         SolverSettings settings, const Communicator& comm, const std::function<int(AtomId)>& owner,
                         double dt);

/// Every bit of this rank's atoms, and what all ranks tell together. Collective.
void expect_same_outcome(const Communicator& comm, const Outcome& outcome, const Outcome& expected);

} // namespace holon::test
