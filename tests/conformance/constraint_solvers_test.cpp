// RANKS 1 2 3 8
// Every constraint solver, every shape of molecule, cut by domains in any way: as exact as it claims to be, and the
// same bits and iterations as on one rank.
#include <support/constraints/linked_units.hpp>
#include <support/constraints/solver_stages.hpp>

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
    double step = 0.006; // disturbance: 2 fs at 300 K
};
constexpr std::array<Shape, 20> shapes{{{"united_atom_c60", united_atom_c60},
                                        {"all_atom_c60", all_atom_c60},
                                        {"torsion_only_c60", torsion_only_c60},
                                        {"torsion_only_c200", torsion_only_c200},
                                        {"nearly_straight_rods", nearly_straight_rods},
                                        {"ring_of_twelve", ring_of_twelve},
                                        {"fused_rings", fused_rings},
                                        {"disulphide_macrocycle", disulphide_macrocycle},
                                        {"ring_through_the_box", ring_through_the_box},
                                        {"freely_jointed", chain_of_400},
                                        {"h_angles", alkane_with_h_angles, 0.0105}, // 3.5 fs
                                        {"methanol_h_angles", methanol_with_h_angles, 0.0105},
                                        {"cyclohexane_h_angles", cyclohexane_with_h_angles, 0.0105},
                                        {"groups_of_hydrogens", groups_of_hydrogens},
                                        {"lattice", lattice},
                                        {"all_distances", all_distances},
                                        {"bodies", bodies},
                                        {"linked_units", linked_units},
                                        {"chain_of_500_units", chain_of_500_units},
                                        {"medley", medley}}};

ConstraintSystem disturbed(const Shape& shape)
{
    auto system = shape.system();
    system.disturb(shape.step, 3.0, 11);
    if (shape.system == medley) calm(system);
    return system;
}

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
    settings.tolerance = 1e-6;
    settings.lincs_order = 8;
    settings.lincs_iterations = 12;
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
            const auto solver = entry.make(settings_on({}));
            bool accepted = true;
            for (std::size_t t = 0; t < system.clusters.size(); ++t)
                for (const auto& cluster : system.clusters[t].clusters)
                    accepted = accepted && solver->takes(system.topology.molecule_types[t], cluster);
            // They converge slowly, and do not know it: there are no angle terms to tell.
            const bool slow = entry.make == make_lambrakos_solver || entry.make == make_ccma_solver;
            if (slow && shape.system == nearly_straight_rods) continue;
            if (accepted) all.push_back({entry.name, shape});
        }
    return all;
}

Outcome on_one_rank(const ConstraintSystem& system, const char* solver)
{
    return project_on_one_rank(system, {solver}, settings_on({}), dt);
}

class ConstraintSolvers : public ::testing::TestWithParam<Case> {};

TEST_P(ConstraintSolvers, SameBitsHoweverTheMoleculeIsCut)
{
    const auto system = disturbed(GetParam().shape);
    const auto expected = on_one_rank(system, GetParam().solver);
    EXPECT_EQ(expected.positions.failure, "");
    // The expansion of LINCS hardly converges where rods go on in nearly the same direction, and for tetrahedra.
    double limit = 2e-6;
    if (GetParam().solver == std::string("lincs")) {
        if (GetParam().shape.system == nearly_straight_rods) limit = 1e-2;
        if (GetParam().shape.system == all_distances) limit = 4e-2;
    }
    const bool iterates = GetParam().solver != std::string("yoneya");
    EXPECT_LT(system.max_length_error(expected.atoms.x), iterates ? limit : 0.05);
    EXPECT_LT(system.max_rate(system.x_ref, expected.atoms.v) * dt, limit);

    const auto comm = Communicator::world();
    Constraints constraints(system.topology, system.clusters, {GetParam().solver}, settings_on(comm));
    for (const auto& owner : distributions(system, comm.size())) {
        const auto outcome =
            project(constraints, system, LocalPart(system, comm.rank(), owner, true, &constraints), dt);
        expect_same_outcome(comm, outcome, expected);
    }
}

TEST_P(ConstraintSolvers, FailureIsReportedAndNobodyHangs)
{
    auto system = disturbed(GetParam().shape);
    const auto broken = system.x.size() / 2;
    system.x[broken] += to_lattice({0.0, 0.5, 0.0}, position_unit);
    const auto molecule = system.topology.place(static_cast<AtomId>(broken)).molecule;
    const auto comm = Communicator::world();
    Constraints constraints(system.topology, system.clusters, {GetParam().solver}, settings_on(comm));
    for (const auto& owner : distributions(system, comm.size())) {
        const LocalPart part(system, comm.rank(), owner, false, &constraints);
        const auto outcome = project(constraints, system, part, dt);
        const auto& failure = outcome.positions.failure;
        EXPECT_TRUE(comm.any(!failure.empty()));
        if (!failure.empty()) {
            EXPECT_NE(failure.find("molecule " + std::to_string(molecule + 1) + ","), std::string::npos) << failure;
        }
        if (std::string(GetParam().solver) == "wiggle") continue; // keeps the guess
        if (std::string(GetParam().solver) == "lincs") continue;  // known only where it is counted, before the vote
        for (std::size_t a = 0; a < static_cast<std::size_t>(part.atoms.n_owned); ++a)
            if (system.topology.place(part.atoms.id[a]).molecule == molecule) {
                ASSERT_EQ(outcome.atoms.x[a], part.atoms.x[a]) << "atom " << part.atoms.id[a];
            }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ConstraintSolvers, ::testing::ValuesIn(cases()), [](const auto& tested) {
    return std::string(tested.param.solver) + "_" + tested.param.shape.name;
});

/// Newton's method leaves nothing but the rounding to the lattice, 2^-48 nm per coordinate, in few iterations.
TEST(Newton, ExactInFewIterations)
{
    for (const auto& shape : shapes) {
        if (shape.system == bodies) continue; // have no constraints that hold them
        if (shape.system == linked_units || shape.system == chain_of_500_units) continue; // likewise
        const auto system = disturbed(shape);
        const auto outcome = on_one_rank(system, "newton");
        EXPECT_LE(outcome.positions.iterations, shape.step > 0.01 ? 5 : 4) << shape.name;
        EXPECT_LE(outcome.velocities.iterations, 2) << shape.name;
        EXPECT_LT(outcome.positions.max_residual(), 1e-13) << shape.name;
        EXPECT_LT(outcome.velocities.max_residual() * dt, 1e-13) << shape.name;
        if (std::getenv("HOLON_PRINT") != nullptr && Communicator::world().root())
            std::printf("%-24s %ld iterations, %.2e; velocities %ld, %.2e\n", shape.name,
                        static_cast<long>(outcome.positions.iterations), outcome.positions.max_residual(),
                        static_cast<long>(outcome.velocities.iterations), outcome.velocities.max_residual() * dt);
    }
}

/// Eight at a time or one by one: the order of the operations is the same, and so are all bits; as exact as Newton's.
TEST(Star, SameBitsAsTheDenseSolverForOneClusterAtATime)
{
    // A hydrogen in 2 fs, in 3.5 fs, and what no time step should do.
    for (const auto& [step, iterations] : {std::pair(0.006, 4), {0.0105, 5}, {0.03, 6}}) {
        const auto system = disturbed({"", groups_of_hydrogens, step});
        const auto star = on_one_rank(system, "star"), dense = on_one_rank(system, "m_shake"),
                   tree = on_one_rank(system, "newton");
        EXPECT_EQ(star.atoms.x, dense.atoms.x);
        EXPECT_EQ(star.atoms.v, dense.atoms.v);
        for (const auto stage : {&Outcome::positions, &Outcome::velocities}) {
            EXPECT_EQ((star.*stage).failure, "");
            EXPECT_EQ((star.*stage).virial, (dense.*stage).virial);
            EXPECT_EQ((star.*stage).residual, (dense.*stage).residual);
            EXPECT_EQ((star.*stage).iterations, (dense.*stage).iterations);
        }
        for (std::size_t a = 0; a < system.x.size(); ++a) // in units of the lattice
            EXPECT_LE((star.atoms.x[a] - tree.atoms.x[a]).cwiseAbs().maxCoeff(), 1) << "atom " << a;
        EXPECT_LE(star.positions.iterations, iterations);
        EXPECT_LT(star.positions.max_residual(), 1e-13);
        EXPECT_LT(star.velocities.max_residual() * dt, 1e-13);
    }
}

/// Per iteration one message up to a parent's rank and one down; to begin with and in the end one for the atoms.
TEST(Newton, FewMessagesAndNoReduction)
{
    const auto comm = Communicator::world();
    const auto system = disturbed({"", chain_of_400});
    const auto blocks = distributions(system, comm.size()).front();
    Constraints constraints(system.topology, system.clusters, {"newton"}, settings_on(comm));
    const auto outcome = project(constraints, system, LocalPart(system, comm.rank(), blocks), dt);
    EXPECT_EQ(outcome.positions.reductions, 0);
    const auto partners = comm.size() - 1;
    EXPECT_LE(outcome.positions.messages, (2 + outcome.positions.iterations) * partners);
}

/// The constrained acceleration leaves an error of third order in the time step, instead of second.
TEST(Wiggle, FirstGuessIsOfThirdOrder)
{
    const auto first_error = [](const char* solver, double step) {
        auto system = united_atom_c60();
        system.disturb(0.0, 1.0, 5);
        LocalPart part(system, 0, [](AtomId) { return 0; });
        SolverSettings settings;
        Constraints exact(system.topology, system.clusters, {"newton"}, settings);
        exact.rebuild(part.atoms, part.directory());
        part.atoms.x = part.atoms.x_ref;
        exact.project_velocities(part.atoms, system.box, {0, step, 0.0});
        for (std::size_t a = 0; a < part.atoms.x.size(); ++a)
            part.atoms.x[a] += to_lattice(step * to_real(part.atoms.v[a], velocity_unit), position_unit);
        settings.tolerance = 1.0; // whatever comes first will do
        Constraints tested(system.topology, system.clusters, {solver}, settings);
        tested.rebuild(part.atoms, part.directory());
        tested.project_positions(part.atoms, system.box, {1, step, 0.0});
        return system.max_length_error(part.atoms.x);
    };
    EXPECT_NEAR(first_error("shake", 0.002) / first_error("shake", 0.001), 4.0, 0.3);
    EXPECT_NEAR(first_error("wiggle", 0.002) / first_error("wiggle", 0.001), 8.0, 1.0);
    EXPECT_LT(first_error("wiggle", 0.002), 0.1 * first_error("shake", 0.002));
}

} // namespace
} // namespace holon::test
