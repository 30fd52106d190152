// RANKS 1 2 3 8
// The time step as the program takes it: reversible, of second order, and the same bits on any grid of domains.
#include <holon/core/state_hash.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/propagate.hpp>

#include <support/program_run.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace holon::test {
namespace {

bool same_states(const std::vector<AtomRecord>& a, const std::vector<AtomRecord>& b)
{
    return std::ranges::equal(a, b, same_state);
}

TestSystem small_argon()
{
    return argon(octahedron(2.1), 5, 0.02);
}

TEST(Dynamics, ForwardAndBackLeadsToTheSameBits)
{
    const auto comm = Communicator::world();
    for (const char* precision : {"mixed", "double"}) {
        ProgramRun run(small_argon(), comm,
                       std::string("integrator = md-vv\ndt = 0.004\ngen-temp = 400\nskin = 0.3\nprecision = ") +
                           precision);
        const auto start = run.records();
        run.advance(150);
        EXPECT_GT(run.system().n_repartitions(), 1);
        EXPECT_FALSE(same_states(run.records(), start));
        run.reverse();
        run.advance(150);
        run.reverse();
        EXPECT_TRUE(same_states(run.records(), start)) << precision;
    }
}

/// Hash of the numbers that methods keep with atoms. Collective.
std::int64_t kept_sum(ProgramRun& run)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(run.atoms().n_owned); ++i)
        for_each_kept(run.atoms(), i, [&sum](const KeptNumber& n) { sum += kept_hash(n.id, n.index, n.value); });
    return run.system().comm().sum(static_cast<std::int64_t>(sum));
}

constexpr const char* groups = "\ntc-grps = System\ntau-t = 0.05\nref-t = 300\n";
const std::string with_thermostat = std::string("\ntcoupl = v-rescale") + groups;

TEST(Dynamics, TakesTheSameStepsOnAnyGrid)
{
    const auto comm = Communicator::world();
    const auto waters = water(octahedron(1.9), 4, 3);
    struct Case {
        TestSystem system;
        std::string mdp;
    };
    const std::vector<Case> all = {
        {small_argon(), "integrator = md\ndt = 0.004\ngen-temp = 200" + with_thermostat},
        {waters, "integrator = md\ndt = 0.001\ncomm-mode = linear\nnstcomm = 5" + with_thermostat},
        {waters, "integrator = md-vv\ndt = 0.001\nprecision = double\ncoulombtype = reaction-field\nepsilon-rf = 78"},
        {chain(dodecahedron(2.2), 5, true), "integrator = md-vv\ndt = 0.002" + with_thermostat},
        {rigid_chain(dodecahedron(2.2), 5), "integrator = md\ndt = 0.002\nconstraint-algorithm = lincs"},
        {rigid_chain(octahedron(2.2), 5), "integrator = md-vv\ndt = 0.002\nlincs-order = 8\nlincs-iter = 2"},
        {rigid_chain(dodecahedron(2.2), 5),
         "integrator = md\ndt = 0.002\nconstraint-algorithm = shake\nshake-sor = yes\n"
         "shake-warm-start = yes\nshake-tol = 1e-6"},
        {rigid_chain(octahedron(2.2), 5),
         "integrator = md-vv\ndt = 0.002\nconstraint-algorithm = shake\nshake-sor = yes\n"
         "shake-omega = 1.25\nshake-warm-start = yes"},
        {trimers(dodecahedron(2.2), 5), std::string("integrator = sd\ndt = 0.002") + groups}};
    for (const auto& [system, mdp] : all) {
        ProgramRun alone(system, Communicator(), mdp);
        alone.advance(30);
        const auto expected = alone.records();
        for (const auto& grid : grids_of(comm.size())) {
            SCOPED_TRACE(text(grid));
            ProgramRun run(system, comm, mdp, grid);
            run.advance(17); // in two parts: what a run is made of is all in its state
            run.advance(13);
            EXPECT_TRUE(same_states(run.records(), expected));
            EXPECT_EQ(kept_sum(run), kept_sum(alone));
            EXPECT_EQ(run.potential(), alone.potential());
            EXPECT_EQ(run.state(), alone.state());
        }
    }
}

/// Root mean square of the total energy's deviation from its mean over 0.32 ps [kJ/mol].
double energy_error(int steps_per_ps)
{
    ProgramRun run(small_argon(), Communicator::world(),
                   "integrator = md-vv\nprecision = double\ngen-temp = 200\ndt = " +
                       std::to_string(1.0 / steps_per_ps));
    double sum = 0.0, squares = 0.0;
    constexpr int n = 20;
    run.advance(0);
    const double start = run.potential() + run.kinetic();
    for (int k = 0; k < n; ++k) {
        run.advance(steps_per_ps * 32 / 100 / n);
        const double change = run.potential() + run.kinetic() - start;
        sum += change / n;
        squares += change * change / n;
    }
    return std::sqrt(squares - sum * sum);
}

TEST(Dynamics, EnergyErrorFallsFourfoldWhenTheStepIsHalved)
{
    const double coarse = energy_error(125), fine = energy_error(250);
    EXPECT_NEAR(coarse / fine, 4.0, 0.4);
}

TEST(Dynamics, MomentumStays)
{
    ProgramRun run(small_argon(), Communicator::world(), "integrator = md-vv\ndt = 0.002\ngen-temp = 200");
    const auto momentum = [&run] {
        Vec3 total = Vec3::Zero();
        for (const auto& atom : run.records()) total += 39.948 * to_real(atom.v, velocity_unit);
        return total;
    };
    double scale = 0.0;
    for (const auto& atom : run.records()) scale += 39.948 * to_real(atom.v, velocity_unit).norm();
    const Vec3 before = momentum();
    EXPECT_GT(before.norm(), 0.001 * scale) << "nothing to conserve";
    run.advance(100);
    EXPECT_LT((momentum() - before).norm(), 1e-12 * scale);
}

/// Given velocities lose what comm-mode removes at once, as in GROMACS, but not those of a continuation.
TEST(Dynamics, StartsWithoutTheMotionThatIsRemoved)
{
    auto system = small_argon();
    for (auto& atom : system.atoms) atom.v += to_lattice(Vec3(0.3, 0.0, -0.1), velocity_unit);
    for (const bool goes_on : {false, true}) {
        ProgramRun run(system, Communicator::world(),
                       std::string("integrator = md-vv\ngen-vel = no\ncomm-mode = linear\ncontinuation = ") +
                           (goes_on ? "yes" : "no"));
        Vec3 mean = Vec3::Zero();
        const auto records = run.records();
        for (const auto& atom : records) mean += to_real(atom.v, velocity_unit) / static_cast<double>(records.size());
        EXPECT_NEAR(mean[0], goes_on ? 0.3 : 0.0, 1e-9);
        EXPECT_NEAR(mean[2], goes_on ? -0.1 : 0.0, 1e-9);
    }
}

TEST(Dynamics, ThermostatWorkIsPartOfTheConservedEnergy)
{
    ProgramRun run(small_argon(), Communicator::world(),
                   "integrator = md-vv\ndt = 0.002\ngen-temp = 100" + with_thermostat);
    run.advance(0);
    const double before = run.potential() + run.kinetic();
    run.advance(100);
    const double change = run.potential() + run.kinetic() - before;
    EXPECT_GT(change, 0.5 * run.kinetic()) << "it heats from 100 to 300 K";
    const auto globals = run.state().globals;
    const auto work = std::ranges::find(globals, "thermostat-work", &Global::name);
    ASSERT_NE(work, globals.end());
    EXPECT_NEAR(change, work->values.at(0), 0.01 * run.kinetic());
}

/// Heat that friction and noise bring in is what the energy changes by, constraints or not.
TEST(Dynamics, HeatOfLangevinDynamicsIsPartOfTheConservedEnergy)
{
    for (const bool rigid : {false, true}) {
        ProgramRun run(rigid ? trimers(octahedron(2.1), 5) : small_argon(), Communicator::world(),
                       std::string("integrator = sd\ndt = 0.001\ngen-temp = 100") + groups);
        run.advance(0);
        const double before = run.potential() + run.kinetic();
        run.advance(200);
        const double change = run.potential() + run.kinetic() - before;
        EXPECT_GT(change, 0.5 * run.kinetic()) << "it heats from 100 to 300 K";
        EXPECT_NEAR(change, run.state().globals.at(0).values.at(0), 0.02 * run.kinetic()) << rigid;
    }
}

TEST(Dynamics, LangevinDynamicsKeepsConstraintsAndReachesTheTemperature)
{
    ProgramRun run(trimers(octahedron(2.1), 5), Communicator::world(),
                   std::string("integrator = sd\ndt = 0.002\nshake-tol = 1e-9\ngen-temp = 100") + groups);
    const double dof = 7.0 * 125;
    run.advance(200);
    double mean = 0.0;
    constexpr int samples = 20;
    for (int k = 0; k < samples; ++k) {
        run.advance(50); // twice the relaxation time of the velocities
        mean += 2.0 * run.kinetic() / (dof * units::boltzmann) / samples;
    }
    EXPECT_NEAR(mean, 300.0, 4.0 * 300.0 * std::sqrt(2.0 / dof / samples));
    const auto records = run.records();
    for (std::size_t i = 0; i < records.size(); i += 3)
        for (const std::size_t end : {i, i + 2}) {
            const IVec3 bond = run.system().box().minimum_image(records[end].x - records[i + 1].x);
            EXPECT_NEAR(to_real(bond, position_unit).norm(), trimer_bond, 2e-9 * trimer_bond);
        }
}

TEST(Dynamics, LeapFrogAndVelocityVerletTakeTheSamePath)
{
    const auto comm = Communicator::world();
    const std::string mdp = "precision = double\ndt = 0.004\ngen-temp = 200\nintegrator = ";
    ProgramRun verlet(small_argon(), comm, mdp + "md-vv"), leap_frog(small_argon(), comm, mdp + "md");
    leap_frog.system().compute_forces(false);
    kick(leap_frog.atoms(), -0.5 * leap_frog.parameters().dt); // its velocities lead by half a step
    verlet.advance(50);
    leap_frog.advance(50);
    const auto a = verlet.records(), b = leap_frog.records();
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_LT(to_real(verlet.system().box().minimum_image(a[i].x - b[i].x), position_unit).norm(), 1e-11);
}

TEST(Minimiser, LowersTheEnergyToEmtol)
{
    const auto comm = Communicator::world();
    const auto system = argon(octahedron(2.1), 5, 0.06);
    const std::string mdp = "integrator = steep\nemtol = 20\nemstep = 0.01\ngen-vel = no\n";
    ProgramRun alone(system, Communicator(), mdp);
    alone.system().compute_forces(true);
    const double before = alone.potential();
    EXPECT_EQ(alone.advance(500).find("Converged"), 0u);
    EXPECT_LT(alone.potential(), before - 1.0);
    EXPECT_GT(alone.state().step, 3);
    double largest = 0.0;
    for (std::int32_t i = 0; i < alone.atoms().n_owned; ++i)
        largest = std::max(largest, to_real(alone.atoms().f[static_cast<std::size_t>(i)], force_unit).norm());
    EXPECT_LT(largest, 20.0);

    ProgramRun run(system, comm, mdp);
    run.advance(500);
    EXPECT_TRUE(same_states(run.records(), alone.records()));
    EXPECT_EQ(run.state(), alone.state());
}

TEST(Minimiser, KeepsRigidWaterRigidAndStopsWhenToldTo)
{
    const auto comm = Communicator::world();
    const auto system = water(octahedron(1.9), 4, 3);
    const std::string mdp = "integrator = steep\nemtol = 1\ngen-vel = no\n";
    ProgramRun alone(system, Communicator(), mdp), run(system, comm, mdp);
    run.system().compute_forces(true);
    const double before = run.potential();
    EXPECT_EQ(run.advance(12).find("Stopped after 12 steps"), 0u);
    EXPECT_LT(run.potential(), before - 100.0);
    alone.advance(12);
    const auto records = run.records();
    EXPECT_TRUE(same_states(records, alone.records()));
    for (std::size_t i = 0; i < records.size(); i += 3)
        for (std::size_t h = i + 1; h < i + 3; ++h) {
            const IVec3 bond = system.box.minimum_image(records[h].x - records[i].x);
            EXPECT_NEAR(to_real(bond, position_unit).norm(), 0.1, 1e-7);
        }
}

/// By the bonds of one bead of a chain across all domains.
TEST(Dynamics, FindsAContinuationThatIsOffItsConstraintsAndLeavesIt)
{
    const auto comm = Communicator::world();
    for (const char* solver : {"shake", "lincs", "wiggle+newton"}) {
        const auto mdp =
            std::string("integrator = md\ngen-vel = no\ncontinuation = yes\nconstraint-algorithm = ") + solver;
        auto system = rigid_chain(cubic(2.4), 4);
        ProgramRun good(system, comm, mdp);
        EXPECT_LT(distance_from_constraints(good.system(), 0), 1e-6);

        const Vec3 off(0.0, 0.01, 0.0);
        auto& moved = system.atoms[7];
        moved.x += to_lattice(off, position_unit);
        moved.image += system.box.wrap(moved.x);
        ProgramRun bad(system, comm, mdp);
        const auto before = bad.system().hash();
        const double distance = distance_from_constraints(bad.system(), 0);
        EXPECT_GT(distance, 0.05 * off.norm()) << solver;
        EXPECT_LT(distance, off.norm()) << solver;
        EXPECT_EQ(bad.system().hash(), before) << solver;
        EXPECT_EQ(bad.system().constraint_errors.length(), 0.0) << solver;
    }
}

TEST(Dynamics, StartsOnTheConstraintsWithTheTemperatureAskedFor)
{
    const auto comm = Communicator::world();
    auto system = water(octahedron(1.9), 4, 3);
    Noise noise(8);
    for (auto& atom : system.atoms) {
        atom.x += to_lattice(0.003 * noise.vector(), position_unit);
        atom.image += system.box.wrap(atom.x);
    }
    ProgramRun run(system, comm, "integrator = md-vv\ncomm-mode = linear\ngen-temp = 300");
    const auto records = run.records();
    Vec3 momentum = Vec3::Zero();
    for (const auto& atom : records) momentum += system.topology->atom(atom.id).mass * to_real(atom.v, velocity_unit);
    EXPECT_LT(momentum.norm(), 1e-9);
    for (std::size_t i = 0; i < records.size(); i += 3)
        for (std::size_t h = i + 1; h < i + 3; ++h) {
            const Vec3 d = to_real(system.box.minimum_image(records[h].x - records[i].x), position_unit);
            const Vec3 v = to_real(records[h].v - records[i].v, velocity_unit);
            EXPECT_NEAR(d.norm(), 0.1, 1e-12);
            EXPECT_NEAR(d.dot(v), 0.0, 1e-11);
        }
    // Six degrees of freedom per water, less three; within 4 standard deviations.
    const double dof = 2.0 * static_cast<double>(records.size()) - 3.0;
    EXPECT_NEAR(2.0 * run.kinetic() / (dof * units::boltzmann), 300.0, 4.0 * 300.0 * std::sqrt(2.0 / dof));
}

} // namespace
} // namespace holon::test
