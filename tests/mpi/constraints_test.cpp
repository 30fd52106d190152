// RANKS 1 2 3 8
// Constrained molecules cut by domains in any way: every bit as on one rank.
#include <support/constraints/solver_stages.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

/// Alkanes, a ring closed through the periodic box, waters, and a bond across the boundary.
ConstraintSystem mixture()
{
    ConstraintSystem system;
    const Alkane chain(17, {3.2, 0.4, 4.9}, {1.0, 0.5, 0.3});
    auto positions = chain.positions;
    for (const auto& r : chain.positions) positions.push_back(r + Vec3(0.3, 1.0, -0.9));
    system.add(chain.type, 2, positions);

    constexpr int n_ring = 26;
    positions.clear();
    std::vector<Constraint> bonds;
    for (int k = 0; k < n_ring; ++k) {
        positions.emplace_back(4.0 * k / n_ring, 2.0 + (k % 2 == 0 ? 0.03 : -0.03), 1.0);
        bonds.push_back({std::min(k, (k + 1) % n_ring), std::max(k, (k + 1) % n_ring), 0.0});
    }
    for (auto& bond : bonds) bond.length = (positions[1] - positions[0]).norm();
    system.add(molecule("Ring", std::vector<double>(n_ring, 14.027), bonds), 1, positions);

    Noise noise(7);
    positions.clear();
    constexpr int n_waters = 600; // more than SETTLE does at a time while others wait for messages
    for (int k = 0; k < n_waters; ++k)
        for (const auto& r : water_positions(2.0 * noise.vector(), noise)) positions.push_back(r);
    system.add(rigid_water(), n_waters, positions);
    system.disturb(0.006, 3.0, 11);
    return system;
}

/// Makes a rule for atoms into one that keeps waters whole.
std::function<int(AtomId)> keep_waters_whole(const ConstraintSystem& system, std::function<int(AtomId)> owner)
{
    return [&system, owner](AtomId id) {
        const auto place = system.topology.place(id);
        const bool water =
            !system.topology.molecule_types[static_cast<std::size_t>(place.molecule_type)].settles.empty();
        return owner(water ? place.molecule_start : id);
    };
}

std::vector<std::function<int(AtomId)>> distributions(const ConstraintSystem& system, int ranks)
{
    const auto n = static_cast<AtomId>(system.x.size());
    std::vector<std::function<int(AtomId)>> all{
        [=](AtomId id) { return id * ranks / n; }, // blocks
        [=](AtomId id) { return id % ranks; },     // dealt out
        [=](AtomId id) {
            return static_cast<int>((id * 2654435761u >> 16) % static_cast<unsigned>(ranks));
        },                                                  // scattered
        [=](AtomId) { return ranks - 1; },                  // the others have nothing
        [=](AtomId id) { return id < 12 ? 0 : ranks - 1; }, // one cut
    };
    for (auto& owner : all) owner = keep_waters_whole(system, owner);
    return all;
}

TEST(ConstraintsAcrossDomains, SameBitsHoweverTheMoleculesAreCut)
{
    const auto system = mixture();
    const auto comm = Communicator::world();
    for (const double tolerance : {1e-6, 1e-12}) {
        SolverSettings settings;
        settings.tolerance = tolerance;
        const auto expected = project_on_one_rank(system, {"settle", "shake"}, settings, dt);
        EXPECT_LT(expected.positions.max_residual(), 1.001 * tolerance);
        EXPECT_LT(expected.velocities.max_residual() * dt, 1.1 * tolerance);

        settings.comm = comm;
        Constraints constraints(system.topology, system.clusters, {"settle", "shake"}, settings);
        for (const auto& owner : distributions(system, comm.size()))
            for (const bool shifted : {false, true}) {
                const LocalPart part(system, comm.rank(), owner, shifted, &constraints);
                expect_same_outcome(comm, project(constraints, system, part, dt), expected);
            }
    }
}

TEST(ConstraintsAcrossDomains, ChainInBlocksNeedsOneMessagePerNeighbourAndSweep)
{
    constexpr int n = 64;
    ConstraintSystem system;
    std::vector<Constraint> bonds;
    std::vector<Vec3> positions;
    for (int k = 0; k < n; ++k) {
        positions.emplace_back(0.12 * k, k % 2 == 0 ? 0.0 : 0.1, 0.0);
        if (k > 0) bonds.push_back({k - 1, k, (positions[1] - positions[0]).norm()});
    }
    system.add(molecule("Chain", std::vector<double>(n, 14.0), bonds), 1, positions);
    system.disturb(0.01, 1.0, 3);

    SolverSettings settings;
    settings.comm = Communicator::world();
    const int ranks = settings.comm.size();
    Constraints constraints(system.topology, system.clusters, {"shake"}, settings);
    LocalPart part(
        system, settings.comm.rank(), [=](AtomId id) { return id * ranks / n; }, false, &constraints);
    constraints.rebuild(part.atoms, part.directory());
    const auto result = constraints.project_positions(part.atoms, system.box, {1, dt, 0.0});
    const bool alone = ranks == 1;
    const auto sweeps = settings.comm.max(result.iterations); // with a reduction each, the first time
    EXPECT_EQ(result.reductions, alone ? 0 : sweeps);
    // To each neighbour: the trial positions once, then displacements per sweep.
    const int neighbours =
        alone ? 0
              : (part.atoms.id.front() > 0) + (part.atoms.id[static_cast<std::size_t>(part.atoms.n_owned) - 1] < n - 1);
    EXPECT_EQ(result.messages, neighbours * (1 + sweeps));
}

TEST(ConstraintsAcrossDomains, FailureIsReportedAndNobodyHangs)
{
    auto system = mixture();
    system.x[0] += to_lattice({0.0, 0.5, 0.0}, position_unit); // carbon 1 of molecule 1
    SolverSettings settings;
    settings.comm = Communicator::world();
    Constraints constraints(system.topology, system.clusters, {"settle", "shake"}, settings);
    for (const auto& owner : distributions(system, settings.comm.size())) {
        LocalPart part(system, settings.comm.rank(), owner, false, &constraints);
        const auto before = part.atoms.x;
        constraints.rebuild(part.atoms, part.directory());
        const auto result = constraints.project_positions(part.atoms, system.box, {17, dt, 1.0});
        EXPECT_TRUE(settings.comm.any(!result.failure.empty()));
        if (owner(0) == settings.comm.rank()) {
            EXPECT_NE(result.failure.find("(molecule 1, Alkane) in step 17"), std::string::npos) << result.failure;
            EXPECT_EQ(result.failure.find("Constraints of atoms 1, "), 0u) << result.failure;
        }
        for (std::size_t a = 0; a < before.size(); ++a)
            if (system.topology.place(part.atoms.id[a]).molecule == 0) {
                EXPECT_EQ(part.atoms.x[a], before[a]);
            }
    }
}

TEST(ConstraintsAcrossDomains, WaterThatCanNotBeSettledIsNamed)
{
    auto system = mixture();
    const auto hydrogen = static_cast<AtomId>(system.x.size() - 3 * 40 + 1); // of one of the last waters
    system.x[static_cast<std::size_t>(hydrogen)] += to_lattice({0.0, 0.5, 0.0}, position_unit);
    SolverSettings settings;
    settings.comm = Communicator::world();
    Constraints constraints(system.topology, system.clusters, {"settle", "shake"}, settings);
    const auto name = "(molecule " + std::to_string(system.topology.place(hydrogen).molecule + 1) + ", ";
    for (const auto& owner : distributions(system, settings.comm.size())) {
        LocalPart part(system, settings.comm.rank(), owner, false, &constraints);
        constraints.rebuild(part.atoms, part.directory());
        const auto result = constraints.project_positions(part.atoms, system.box, {17, dt, 1.0});
        const bool named = result.failure.find(name) != std::string::npos;
        EXPECT_EQ(named, !result.failure.empty()) << result.failure;
        EXPECT_TRUE(settings.comm.any(named));
    }
}

TEST(ConstraintsAcrossDomains, IterationLimitIsAFailureOnceForAll)
{
    const auto system = mixture();
    SolverSettings settings;
    settings.comm = Communicator::world();
    settings.tolerance = 1e-14;
    settings.max_iterations = 2;
    Constraints constraints(system.topology, system.clusters, {"settle", "shake"}, settings);
    for (const auto& owner : distributions(system, settings.comm.size())) {
        LocalPart part(system, settings.comm.rank(), owner, false, &constraints);
        constraints.rebuild(part.atoms, part.directory());
        const auto result = constraints.project_positions(part.atoms, system.box, {17, dt, 1.0});
        EXPECT_TRUE(settings.comm.any(result.failure.find("iteration limit") != std::string::npos));
        EXPECT_EQ(settings.comm.max(result.iterations), 2);
    }
}

} // namespace
} // namespace holon::test
