// RANKS 1 8 64
// A freely jointed chain of 10,000 beads in a small periodic box on a grid of domains: it enters each of them hundreds
// of times. A few steps of free motion, every bit as on one rank.
#include <support/constraints/constraint_molecules.hpp>

#include <holon/comm/domain_grid.hpp>
#include <holon/core/state_hash.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;
constexpr int n_steps = 3;

struct Trace {
    std::uint64_t hash = 0;
    std::int64_t iterations = 0, messages = 0;
    double length_error = 0.0, rate = 0.0;
    std::string failure;
};

std::uint64_t hash_of(const Atoms& atoms, const Communicator& comm)
{
    std::uint64_t sum = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(atoms.n_owned); ++a)
        sum += atom_hash(atoms.id[a], atoms.x[a], Image::Zero(), atoms.v[a]);
    return static_cast<std::uint64_t>(comm.sum(static_cast<std::int64_t>(sum)));
}

/// Velocity Verlet without forces, owners fixed.
Trace run(const ConstraintSystem& system, const Communicator& comm, const std::function<int(AtomId)>& owner)
{
    SolverSettings settings;
    settings.comm = comm;
    Constraints constraints(system.topology, system.clusters, {"newton"}, settings);
    LocalPart part(system, comm.rank(), owner);
    constraints.rebuild(part.atoms, part.directory());
    auto& atoms = part.atoms;
    atoms.x = atoms.x_ref;
    Trace trace;
    const auto note = [&](const ConstraintResult& result, double& error, double factor) {
        error = std::max(error, from_ordered_bits(comm.max(result.residual)) * factor);
        trace.iterations = std::max(trace.iterations, comm.max(result.iterations));
        trace.messages = std::max(trace.messages, comm.max(result.messages));
        if (trace.failure.empty()) trace.failure = result.failure;
    };
    note(constraints.project_velocities(atoms, system.box, {0, dt, 0.0}), trace.rate, dt);
    for (int step = 1; step <= n_steps; ++step) {
        atoms.x_ref = atoms.x;
        for (std::size_t a = 0; a < static_cast<std::size_t>(atoms.n_owned); ++a)
            atoms.x[a] += to_lattice(dt * to_real(atoms.v[a], velocity_unit), position_unit);
        note(constraints.project_positions(atoms, system.box, {step, dt, 0.0}), trace.length_error, 1.0);
        note(constraints.project_velocities(atoms, system.box, {step, dt, 0.0}), trace.rate, dt);
    }
    trace.hash = hash_of(atoms, comm);
    return trace;
}

TEST(LongChain, SameBitsOnAGridOfDomains)
{
    const auto comm = Communicator::world();
    auto system = freely_jointed(10000);
    system.disturb(0.0, 3.0, 17);
    const auto grid = DomainGrid::choose(comm.size(), system.box, 0.2, {});
    std::vector<int> owner(system.x_ref.size());
    std::size_t entries = 0;
    for (std::size_t a = 0; a < owner.size(); ++a) {
        owner[a] = grid.rank(grid.cell_of(system.box, system.x_ref[a]));
        if (a > 0 && owner[a] != owner[a - 1]) ++entries;
    }
    const auto trace = run(system, comm, [&](AtomId id) { return owner[static_cast<std::size_t>(id)]; });
    EXPECT_EQ(trace.failure, "");
    EXPECT_LE(trace.iterations, 4);
    EXPECT_LT(trace.length_error, 1e-13);
    EXPECT_LT(trace.rate, 1e-13);
    EXPECT_GE(entries, 10 * static_cast<std::size_t>(comm.size() - 1));
    std::uint64_t expected = 0;
    if (comm.root()) expected = run(system, {}, [](AtomId) { return 0; }).hash;
    comm.broadcast(std::as_writable_bytes(std::span(&expected, 1)));
    EXPECT_EQ(trace.hash, expected);
    if (comm.root())
        std::printf("%d ranks: %zu crossings, %ld iterations, length error %.2e, rate error %.2e, messages %ld\n",
                    comm.size(), entries, static_cast<long>(trace.iterations), trace.length_error, trace.rate,
                    static_cast<long>(trace.messages));
}

} // namespace
} // namespace holon::test
