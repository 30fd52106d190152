// RANKS 1 2 3 4 8 16
// Every constraint solver, every shape of molecule, cut by domains in any way: as exact as it claims to be, and the
// same bits and iterations as on one rank.
#include <support/constraint_molecules.hpp>

#include <holon/core/error.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

ConstraintSystem chain_of_400()
{
    return freely_jointed(400);
}

struct Shape {
    const char* name;
    ConstraintSystem (*system)();
};
constexpr std::array<Shape, 9> shapes{{{"united_atom_c60", united_atom_c60},
                                       {"all_atom_c60", all_atom_c60},
                                       {"torsion_only_c60", torsion_only_c60},
                                       {"nearly_straight_rods", nearly_straight_rods},
                                       {"ring_of_twelve", ring_of_twelve},
                                       {"fused_rings", fused_rings},
                                       {"disulphide_macrocycle", disulphide_macrocycle},
                                       {"ring_through_the_box", ring_through_the_box},
                                       {"freely_jointed", chain_of_400}}};

struct Case {
    const char* solver;
    Shape shape;
};

void PrintTo(const Case& c, std::ostream* os)
{
    *os << c.solver << " " << c.shape.name;
}

SolverSettings settings_on(const Communicator& comm)
{
    SolverSettings settings;
    settings.tolerance = 1e-9;
    settings.comm = comm;
    return settings;
}

/// Those that the solver accepts.
std::vector<Case> cases()
{
    std::vector<Case> all;
    for (const auto& entry : constraint_solvers())
        for (const auto& shape : shapes) {
            const auto system = shape.system();
            const auto& molecule = system.topology.molecule_types[0];
            if (entry.make(settings_on({}))->accepts(molecule, system.clusters[0].clusters[0]))
                all.push_back({entry.name, shape});
        }
    return all;
}

struct Outcome {
    Atoms atoms;
    ConstraintResult positions, velocities;
};

/// Both stages; the second at reference positions, which meet the constraints.
Outcome project(const ConstraintSystem& system, const Case& c, const Communicator& comm, LocalPart part)
{
    Constraints constraints(system.topology, system.clusters, {c.solver}, settings_on(comm));
    constraints.rebuild(part.atoms, part.directory());
    Outcome outcome;
    outcome.positions = constraints.project_positions(part.atoms, system.box, {3, dt, 1.0 / (dt * dt)});
    part.atoms.x.swap(part.atoms.x_ref);
    outcome.velocities = constraints.project_velocities(part.atoms, system.box, {3, dt, 2.0 / dt});
    part.atoms.x.swap(part.atoms.x_ref);
    outcome.atoms = part.atoms;
    return outcome;
}

void expect_same_result(const Communicator& comm, ConstraintResult result, const ConstraintResult& expected)
{
    comm.sum(std::span(result.virial));
    EXPECT_EQ(result.virial, expected.virial);
    EXPECT_EQ(comm.max(result.residual), expected.residual);
    EXPECT_EQ(comm.max(result.iterations), expected.iterations);
    EXPECT_EQ(result.failure, "");
}

class ConstraintSolvers : public ::testing::TestWithParam<Case> {};

TEST_P(ConstraintSolvers, SameBitsHoweverTheMoleculeIsCut)
{
    auto system = GetParam().shape.system();
    system.disturb(0.006, 3.0, 11);
    const auto expected = project(system, GetParam(), {}, LocalPart(system, 0, [](AtomId) { return 0; }));
    EXPECT_EQ(expected.positions.failure, "");
    EXPECT_LT(system.max_length_error(expected.atoms.x), 2e-9);
    EXPECT_LT(system.max_rate(system.x_ref, expected.atoms.v) * dt, 2e-9);
    RecordProperty("position_iterations", static_cast<int>(expected.positions.iterations));

    const auto comm = Communicator::world();
    for (const auto& owner : distributions(system, comm.size())) {
        const auto outcome = project(system, GetParam(), comm, LocalPart(system, comm.rank(), owner, true));
        for (std::size_t a = 0; a < static_cast<std::size_t>(outcome.atoms.n_owned); ++a) {
            const auto id = static_cast<std::size_t>(outcome.atoms.id[a]);
            ASSERT_EQ(outcome.atoms.x[a], expected.atoms.x[id]) << "atom " << id;
            ASSERT_EQ(outcome.atoms.v[a], expected.atoms.v[id]) << "atom " << id;
        }
        expect_same_result(comm, outcome.positions, expected.positions);
        expect_same_result(comm, outcome.velocities, expected.velocities);
    }
}

INSTANTIATE_TEST_SUITE_P(All, ConstraintSolvers, ::testing::ValuesIn(cases()), [](const auto& tested) {
    return std::string(tested.param.solver) + "_" + tested.param.shape.name;
});

/// Newton's method leaves nothing but the rounding to the lattice, 2^-48 nm per coordinate, in few iterations.
TEST(Newton, ExactInFewIterations)
{
    for (const auto& shape : shapes) {
        auto system = shape.system();
        system.disturb(0.006, 3.0, 11);
        const auto outcome = project(system, {"newton", shape}, {}, LocalPart(system, 0, [](AtomId) { return 0; }));
        std::printf("%-24s %2d %.2e   %2d %.2e  %d\n", shape.name, (int)outcome.positions.iterations,
                    outcome.positions.max_residual(), (int)outcome.velocities.iterations,
                    outcome.velocities.max_residual() * dt, (int)outcome.positions.messages);
        EXPECT_LE(outcome.positions.iterations, 4) << shape.name;
        EXPECT_LE(outcome.velocities.iterations, 2) << shape.name;
        EXPECT_LT(outcome.positions.max_residual(), 1e-13) << shape.name;
        EXPECT_LT(outcome.velocities.max_residual() * dt, 1e-13) << shape.name;
    }
}

} // namespace
} // namespace holon::test
