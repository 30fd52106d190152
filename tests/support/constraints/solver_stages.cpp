#include <support/constraints/solver_stages.hpp>

#include <gtest/gtest.h>

#include <span>
#include <utility>

namespace holon::test {
namespace {

void expect_same_result(const Communicator& comm, ConstraintResult result, const ConstraintResult& expected)
{
    comm.sum(std::span(result.virial));
    EXPECT_EQ(result.virial, expected.virial);
    EXPECT_EQ(comm.max(result.residual), expected.residual);
    EXPECT_EQ(comm.max(result.iterations), expected.iterations);
    EXPECT_EQ(result.failure, "");
}

} // namespace

Outcome project(Constraints& constraints, const ConstraintSystem& system, LocalPart part, double dt, StepMotion motion)
{
    constraints.rebuild(part.atoms, part.directory());
    Outcome outcome;
    outcome.positions = constraints.project_positions(part.atoms, system.box, {3, dt, 1.0 / (dt * dt), motion});
    part.atoms.x.swap(part.atoms.x_ref);
    outcome.velocities = constraints.project_velocities(part.atoms, system.box, {3, dt, 2.0 / dt, motion});
    part.atoms.x.swap(part.atoms.x_ref);
    outcome.atoms = std::move(part.atoms);
    return outcome;
}

Outcome project_on_one_rank(const ConstraintSystem& system, const std::vector<std::string>& solvers,
                            const SolverSettings& settings, double dt)
{
    Constraints constraints(system.topology, system.clusters, solvers, settings);
    return project(constraints, system, LocalPart(system, 0, [](AtomId) { return 0; }), dt);
}

Outcome project_on_ranks(const ConstraintSystem& system, const std::vector<std::string>& solvers,
                         SolverSettings settings, const Communicator& comm, const std::function<int(AtomId)>& owner,
                         double dt)
{
    settings.comm = comm;
    Constraints constraints(system.topology, system.clusters, solvers, settings);
    return project(constraints, system, LocalPart(system, comm.rank(), owner, true, &constraints), dt);
}

void expect_same_outcome(const Communicator& comm, const Outcome& outcome, const Outcome& expected)
{
    for (std::size_t a = 0; a < static_cast<std::size_t>(outcome.atoms.n_owned); ++a) {
        const auto id = static_cast<std::size_t>(outcome.atoms.id[a]);
        EXPECT_EQ(outcome.atoms.x[a], expected.atoms.x[id]) << "atom " << id;
        EXPECT_EQ(outcome.atoms.v[a], expected.atoms.v[id]) << "atom " << id;
        if (::testing::Test::HasFailure()) break; // the first tells enough
    }
    expect_same_result(comm, outcome.positions, expected.positions);
    expect_same_result(comm, outcome.velocities, expected.velocities);
}

} // namespace holon::test
