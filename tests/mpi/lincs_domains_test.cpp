// RANKS 1 2 3 8
// LINCS far from converged, where every term counts: the same bits as on one rank, however far the import reaches.
#include <support/constraints/constraint_molecules.hpp>
#include <support/constraints/polymers.hpp>
#include <support/constraints/solver_stages.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

std::vector<ConstraintSystem> systems()
{
    std::vector<ConstraintSystem> all{polymer_system(full_alkane(12, 1), 3),
                                      polymer_system(chain_of_triangles(16, 2), 2), polymer_system(free_joints(40, 3)),
                                      ring_through_the_box()};
    for (auto& system : all) system.disturb(0.01, 3.0, 5);
    return all;
}

TEST(LincsAcrossDomains, SameBitsAtAnyOrder)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems())
        for (const auto [order, iterations] : std::vector<std::array<int, 2>>{{4, 1}, {1, 0}, {2, 3}, {6, 2}}) {
            SolverSettings settings;
            settings.lincs_order = order;
            settings.lincs_iterations = iterations;
            const auto expected = project_on_one_rank(system, {"lincs"}, settings, dt);
            ASSERT_EQ(expected.positions.failure, "");
            // Two atoms to each rank in turn: the import crosses every domain there is.
            auto all = distributions(system, comm.size());
            all.push_back([&comm](AtomId id) { return id / 2 % comm.size(); });
            for (const auto& owner : all)
                expect_same_outcome(comm, project_on_ranks(system, {"lincs"}, settings, comm, owner, dt), expected);
        }
}

TEST(LincsAcrossDomains, OneRoundOfMessagesPerExpansionAndNoReduction)
{
    const auto system = [] {
        auto made = polymer_system(united_alkane(160, 1));
        made.disturb(0.005, 1.0, 2);
        return made;
    }();
    const auto comm = Communicator::world();
    const int ranks = comm.size();
    const auto outcome = project_on_ranks(
        system, {"lincs"}, {.lincs_order = 4, .lincs_iterations = 2}, comm, [=](AtomId id) { return id * ranks / 160; },
        dt);
    const int neighbours = (comm.rank() > 0) + (comm.rank() + 1 < ranks);
    for (const auto& result : {outcome.positions, outcome.velocities}) {
        EXPECT_EQ(result.messages, neighbours * 3);
        // Six atoms: the one that is bound to owned atoms, and the five that its displacement depends on.
        EXPECT_EQ(result.bytes, neighbours * 3 * 6 * 24);
        EXPECT_EQ(result.reductions, 0);
    }
}

TEST(LincsAcrossDomains, FailureIsReportedWhereItIsCounted)
{
    auto system = polymer_system(united_alkane(40, 1));
    system.disturb(0.002, 1.0, 2);
    system.x[20] += to_lattice({0.0, 0.3, 0.2}, position_unit);
    const auto comm = Communicator::world();
    for (const auto& owner : distributions(system, comm.size())) {
        const auto outcome = project_on_ranks(system, {"lincs"}, {}, comm, owner, dt);
        EXPECT_TRUE(comm.any(!outcome.positions.failure.empty()));
    }
}

} // namespace
} // namespace holon::test
