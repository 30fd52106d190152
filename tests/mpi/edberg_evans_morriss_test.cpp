// RANKS 1 2 3 8
// Constrained accelerations: those of Gauss's principle, the same bits wherever domains cut, and what feedback does to
// errors that add up without it.
#include <support/constraints/constraint_molecules.hpp>
#include <support/constraints/molecule_constraints.hpp>
#include <support/constraints/polymers.hpp>
#include <support/constraints/solver_stages.hpp>
#include <support/dense.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;
constexpr const char* solver = "edberg_evans_morriss";

/// A step up to the first stage: atoms near their constraints with velocities of any direction under any forces, after
/// the first kick and the drift.
struct KickedStep {
    ConstraintSystem system;
    std::vector<IVec3> before, f; // velocities before the kick [2^-44 nm/ps], forces [2^-28 kJ/mol/nm]

    KickedStep(ConstraintSystem made, double speed, double force) : system(std::move(made))
    {
        system.disturb(0.0, speed, 5);
        before = system.v;
        Noise noise(6);
        for (auto& x : system.x_ref) x += to_lattice(1e-4 * noise.vector(), position_unit);
        for (std::size_t a = 0; a < system.x.size(); ++a) {
            f.push_back(to_lattice(force * noise.vector(), force_unit));
            for (int k = 0; k < 3; ++k)
                system.v[a][k] += round_to_int_clamped(
                    static_cast<double>(f[a][k]) * (0.5 * dt * force_unit / velocity_unit * (1.0 / system.mass(a))));
            system.x[a] = system.x_ref[a] + to_lattice(dt * to_real(system.v[a], velocity_unit), position_unit);
        }
    }

    LocalPart with_forces(LocalPart part) const
    {
        for (const auto id : part.atoms.id) {
            part.atoms.f.push_back(f[static_cast<std::size_t>(id)]);
            part.atoms.inverse_mass.push_back(1.0 / system.mass(static_cast<std::size_t>(id)));
        }
        return part;
    }

    LocalPart whole() const
    {
        return with_forces(LocalPart(system, 0, [](AtomId) { return 0; }));
    }
};

Eigen::VectorXd numbers(const std::vector<IVec3>& values, double unit)
{
    Eigen::VectorXd result(3 * std::ssize(values));
    for (std::size_t a = 0; a < values.size(); ++a)
        result.segment<3>(3 * static_cast<Eigen::Index>(a)) = to_real(values[a], unit);
    return result;
}

TEST(EdbergEvansMorriss, AccelerationsAreThoseOfGaussPrinciple)
{
    if (Communicator::world().size() > 1) GTEST_SKIP();
    const KickedStep step(polymer_system(united_alkane(20, 1)), 1.0, 2000.0);
    const MoleculeConstraints all(step.system.topology.molecule_types[0]);
    const Eigen::VectorXd x = numbers(step.system.x_ref, position_unit), v = numbers(step.before, velocity_unit);
    const Eigen::MatrixXd rows = all.gradients(x);
    const Eigen::MatrixXd moves = all.inverse_masses().asDiagonal() * rows.transpose();
    const Eigen::VectorXd free = all.inverse_masses().cwiseProduct(numbers(step.f, force_unit));
    for (const double feedback : {0.0, 4.0}) {
        const double frequency = feedback > 0.0 ? 1.0 / (feedback * dt) : 0.0;
        Constraints constraints(step.system.topology, step.system.clusters, {solver}, {.feedback_steps = feedback});
        auto part = step.whole();
        constraints.rebuild(part.atoms, part.directory());
        auto result = constraints.project_positions(part.atoms, step.system.box, {3, dt, 0.0, StepMotion::continued});
        ASSERT_EQ(result.failure, "");
        const auto accelerations = [&](const Eigen::VectorXd& velocities) -> Eigen::VectorXd {
            const Eigen::VectorXd wanted = all.bending(x, velocities) + 2.0 * frequency * product(rows, velocities) +
                                           frequency * frequency * all.values(x);
            return free - product(moves, solve_symmetric(product(rows, moves), product(rows, free) + wanted));
        };
        const Eigen::VectorXd half = v + 0.5 * dt * accelerations(v);
        EXPECT_LT((numbers(part.atoms.v, velocity_unit) - half).cwiseAbs().maxCoeff(), 1e-12) << feedback;
        EXPECT_LT((numbers(part.atoms.x, position_unit) - x - dt * half).cwiseAbs().maxCoeff(), 2e-14) << feedback;
        EXPECT_NEAR(result.max_residual(), step.system.max_length_error(part.atoms.x), 1e-13); // but for rounding

        // A second kick at the same place: its forces are those at the velocities that it ends with.
        part.atoms.x.swap(part.atoms.x_ref);
        part.atoms.v = step.system.v;
        result = constraints.project_velocities(part.atoms, step.system.box, {3, dt, 0.0, StepMotion::continued});
        ASSERT_EQ(result.failure, "");
        Eigen::VectorXd end = v;
        for (int n = 0; n < 20; ++n) end = v + 0.5 * dt * accelerations(end);
        const double change = (end - numbers(step.system.v, velocity_unit)).cwiseAbs().maxCoeff();
        EXPECT_LT((numbers(part.atoms.v, velocity_unit) - end).cwiseAbs().maxCoeff(), 1e-3 * change) << feedback;
        EXPECT_NEAR(result.max_residual(), step.system.max_rate(step.system.x_ref, part.atoms.v), 1e-10);
    }
}

/// The multiplier of a dumbbell is the reduced mass times the square of its angular velocity, not that of its end.
TEST(EdbergEvansMorriss, TensionOfARotatingDumbbellIsExact)
{
    if (Communicator::world().size() > 1) GTEST_SKIP();
    const double mass[] = {12.0, 16.0}, d = 0.15, omega = 13.0;
    const std::vector<Vec3> places{{1, 1, 1}, {1.15, 1, 1}};
    auto system = one_molecule("Pair", {mass[0], mass[1]}, {{0, 1, d}}, places);
    const double reduced = mass[0] * mass[1] / (mass[0] + mass[1]);
    system.disturb(0.0, 0.0, 1);
    for (const auto& [a, sign] : {std::pair(std::size_t{0}, -1.0), {std::size_t{1}, 1.0}})
        system.v[a] = to_lattice({0.3, sign * omega * d * reduced / mass[a], 0.0}, velocity_unit);
    for (std::size_t a = 0; a < 2; ++a)
        system.x[a] = system.x_ref[a] + to_lattice(dt * to_real(system.v[a], velocity_unit), position_unit);
    LocalPart part(system, 0, [](AtomId) { return 0; });
    part.atoms.f.assign(2, IVec3::Zero());
    part.atoms.inverse_mass = {1.0 / mass[0], 1.0 / mass[1]};
    Constraints constraints(system.topology, system.clusters, {solver}, {});
    constraints.rebuild(part.atoms, part.directory());
    const auto result =
        constraints.project_positions(part.atoms, system.box, {1, dt, 2.0 / (dt * dt), StepMotion::continued});
    ASSERT_EQ(result.failure, "");
    const double multiplier =
        2.0 * (result.virial[0].value() + result.virial[4].value() + result.virial[8].value()) / (d * d);
    EXPECT_NEAR(multiplier / (reduced * omega * omega), 1.0, 1e-9);
    if (std::getenv("HOLON_PRINT") != nullptr)
        std::printf("dumbbell: multiplier less the analytic one, relative: %.1e\n",
                    multiplier / (reduced * omega * omega) - 1.0);
}

TEST(EdbergEvansMorriss, SameBitsHoweverTheMoleculeIsCut)
{
    const auto comm = Communicator::world();
    for (const auto make : {united_atom_c60, ring_of_twelve, groups_of_hydrogens, alkane_with_h_angles}) {
        const KickedStep step(make(), 3.0, 2000.0);
        const auto& system = step.system;
        Constraints alone(system.topology, system.clusters, {solver}, {});
        const auto expected = project(alone, system, step.whole(), dt, StepMotion::continued);
        EXPECT_EQ(expected.positions.iterations, 1);
        EXPECT_EQ(expected.velocities.iterations, 2);
        SolverSettings settings;
        settings.comm = comm;
        Constraints constraints(system.topology, system.clusters, {solver}, settings);
        for (const auto& owner : distributions(system, comm.size())) {
            const auto outcome = project(constraints, system,
                                         step.with_forces(LocalPart(system, comm.rank(), owner, true, &constraints)),
                                         dt, StepMotion::continued);
            expect_same_outcome(comm, outcome, expected);
        }
    }
}

/// Largest relative errors of lengths of a chain in free flight, in each of these parts of a run.
std::vector<double> drift(double feedback, int parts)
{
    auto system = polymer_system(united_alkane(20, 1));
    system.disturb(0.0, 1.5, 7);
    LocalPart part(system, 0, [](AtomId) { return 0; });
    auto& atoms = part.atoms;
    atoms.f.assign(atoms.x.size(), IVec3::Zero());
    for (std::size_t a = 0; a < atoms.x.size(); ++a) atoms.inverse_mass.push_back(1.0 / system.mass(a));
    Constraints constraints(system.topology, system.clusters, {solver}, {.feedback_steps = feedback});
    constraints.rebuild(atoms, part.directory());
    atoms.x = atoms.x_ref;
    EXPECT_EQ(constraints.project_velocities(atoms, system.box, {0, dt, 0.0}).failure, "");
    std::vector<double> errors;
    for (int n = 0; n < parts; ++n) {
        errors.push_back(0.0);
        for (int step = 0; step < 500; ++step) {
            atoms.x_ref = atoms.x;
            for (std::size_t a = 0; a < atoms.x.size(); ++a)
                atoms.x[a] += to_lattice(dt * to_real(atoms.v[a], velocity_unit), position_unit);
            const ConstraintStage stage{step, dt, 0.0, StepMotion::continued};
            const auto result = constraints.project_positions(atoms, system.box, stage);
            EXPECT_EQ(result.failure + constraints.project_velocities(atoms, system.box, stage).failure, "");
            errors.back() = std::max(errors.back(), result.max_residual());
        }
    }
    if (std::getenv("HOLON_PRINT") != nullptr)
        for (std::size_t n = 0; n < errors.size(); ++n)
            std::printf("chain, feedback %g, %g ps: error %.1e\n", feedback, 500 * dt * static_cast<double>(n + 1),
                        errors[n]);
    return errors;
}

TEST(EdbergEvansMorriss, ErrorsAddUpWithoutFeedbackAndDieAwayWithIt)
{
    if (Communicator::world().size() > 1) GTEST_SKIP();
    const auto without = drift(0.0, 4), with = drift(10.0, 4);
    EXPECT_GT(without[3], 2.0 * without[0]);
    EXPECT_LT(with[3], 2.0 * with[0]);
    EXPECT_LT(with[3], 0.05 * without[3]);
}

} // namespace
} // namespace holon::test
