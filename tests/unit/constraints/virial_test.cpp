// Constraint forces of leap-frog steps, in closed form: tensions, and what ties the virial of atoms to that of
// molecules.
#include <support/constraints/constraint_molecules.hpp>

#include <holon/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

/// Leap-frog in springs that tie each atom to a place of its own.
class LeapFrog {
public:
    LeapFrog(const ConstraintSystem& system, const char* solver, double stiffness)
        : system_(system), stiffness_(stiffness),
          constraints_(system_.topology, system_.clusters, {solver}, tight_settings()),
          part_(system_, 0, [](AtomId) { return 0; })
    {
        constraints_.rebuild(part_.atoms, part_.directory());
        Noise noise(23);
        for (const auto& x : system_.x_ref) springs_.push_back(to_real(x, position_unit) + 0.05 * noise.vector());
        part_.atoms.x = part_.atoms.x_ref;
    }

    ConstraintResult step(double h)
    {
        auto& atoms = part_.atoms;
        atoms.x_ref = atoms.x;
        for (std::size_t a = 0; a < springs_.size(); ++a) {
            atoms.v[a] += to_lattice(h / system_.mass(a) * force(a), velocity_unit);
            atoms.x[a] += to_lattice(h * to_real(atoms.v[a], velocity_unit), position_unit);
        }
        trial = atoms.x;
        auto result = constraints_.project_positions(atoms, system_.box, {0, h, 1.0 / (h * h)});
        EXPECT_EQ(result.failure, "");
        return result;
    }

    /// Of the springs, on an atom at the start of the last step.
    Vec3 force(std::size_t a) const
    {
        return -stiffness_ * (to_real(part_.atoms.x_ref[a], position_unit) - springs_[a]);
    }

    const ConstraintSystem& system() const { return system_; }
    const Atoms& atoms() const { return part_.atoms; }
    Vec3 velocity(std::size_t a) const { return to_real(part_.atoms.v[a], velocity_unit); }

    std::vector<IVec3> trial; // positions of the last step before they were constrained

private:
    static SolverSettings tight_settings()
    {
        SolverSettings settings;
        settings.tolerance = 1e-14;
        settings.lincs_order = 8;
        settings.lincs_iterations = 60;
        return settings;
    }

    ConstraintSystem system_;
    double stiffness_;
    Constraints constraints_;
    LocalPart part_;
    std::vector<Vec3> springs_;
};

/// Names of the solvers that take a system and end at a tolerance: Yoneya's method corrects once. The splittings of a
/// rotation are not for leap-frog.
std::vector<const char*> takers(const ConstraintSystem& system)
{
    std::vector<const char*> names;
    for (const auto& entry : constraint_solvers()) {
        const auto without = {make_yoneya_solver, make_dlm_solver, make_no_squish_solver};
        if (std::ranges::find(without, entry.make) != without.end()) continue;
        try {
            LeapFrog(system, entry.name, 0.0);
            names.push_back(entry.name);
        } catch (const InputError&) {
        }
    }
    return names;
}

/// Tumbling waters, as settles or bound by three constraints.
ConstraintSystem waters(bool settles)
{
    constexpr int count = 20;
    ConstraintSystem system;
    auto type = rigid_water();
    if (!settles) {
        type = molecule("Water", {15.9994, 1.008, 1.008}, {{0, 1, 0.1}, {0, 2, 0.1}, {1, 2, 0.163299}});
    }
    Noise noise(5);
    std::vector<Vec3> positions;
    for (int k = 0; k < count; ++k)
        for (const auto& r : water_positions(2.0 * noise.vector(), noise)) positions.push_back(r);
    system.add(type, count, positions);
    system.disturb(0.0, 3.0, 6);
    return system;
}

/// Molecules of three atoms in a line.
ConstraintSystem lines()
{
    constexpr int count = 20;
    ConstraintSystem system;
    Noise noise(8);
    system.add(rigid_molecule("CO2", {12.011, 15.9994, 15.9994}, carbon_dioxide()), count,
               turned_copies(carbon_dioxide(), count, noise));
    system.disturb(0.0, 3.0, 9);
    return system;
}

/// Centres of mass of waters.
Vec3 centre(const LeapFrog& run, std::size_t first, const std::function<Vec3(std::size_t)>& value)
{
    Vec3 sum = Vec3::Zero();
    double mass = 0.0;
    for (std::size_t a = first; a < first + 3; ++a) {
        sum += run.system().mass(a) * value(a);
        mass += run.system().mass(a);
    }
    return sum / mass;
}

/// Kinetic energy of waters about their centres.
double internal_kinetic_energy(const LeapFrog& run)
{
    double sum = 0.0;
    for (std::size_t first = 0; first < run.system().x.size(); first += 3) {
        const Vec3 mean = centre(run, first, [&](std::size_t a) { return run.velocity(a); });
        for (std::size_t a = first; a < first + 3; ++a)
            sum += 0.5 * run.system().mass(a) * (run.velocity(a) - mean).squaredNorm();
    }
    return sum;
}

double trace(const ConstraintResult& result)
{
    return result.virial[0].value() + result.virial[4].value() + result.virial[8].value();
}

/// The moment of inertia of a rigid molecule about its centre stays. With leap-frog it follows, exactly and at every
/// step, that sum r.(f + g) = -2 K, where r is from the centre, g are the constraint forces, and K is the mean of the
/// internal kinetic energies half a step before and after: molecules have no pressure within.
TEST(ConstraintVirial, ForcesWithinRigidMoleculesBalanceTheirRotation)
{
    for (const auto& [system, least] : {std::pair(waters(true), 1u), {waters(false), 4u}, {lines(), 1u}}) {
        const auto names = takers(system);
        EXPECT_GE(names.size(), least);
        for (const char* name : names) {
            LeapFrog run(system, name, 2000.0);
            for (int k = 0; k < 3; ++k) run.step(dt); // velocities that belong to the positions
            const double before = internal_kinetic_energy(run);
            const auto result = run.step(dt);
            const double kinetic = 0.5 * (before + internal_kinetic_energy(run));
            double forces = 0.0;
            for (std::size_t first = 0; first < system.x.size(); first += 3) {
                const auto at = [&](std::size_t a) { return to_real(run.atoms().x_ref[a], position_unit); };
                const Vec3 middle = centre(run, first, at);
                for (std::size_t a = first; a < first + 3; ++a) forces += run.force(a).dot(at(a) - middle);
            }
            ASSERT_GT(kinetic, 10.0);
            ASSERT_GT(std::abs(forces), 5.0);
            EXPECT_NEAR(kinetic + 0.5 * forces, trace(result), 1e-9 * kinetic) << name;
        }
    }
}

/// A free dumbbell turning at omega, so that its ends move at omega d: its tension is mu omega^2 d, exactly so with
/// leap-frog, whose ends are half a step behind on the chord.
TEST(ConstraintVirial, TensionOfARotatingDumbbell)
{
    constexpr double d = 0.15, omega = 2.0, m1 = 12.0, m2 = 4.0, h = 0.001;
    constexpr double mu = m1 * m2 / (m1 + m2);
    ConstraintSystem system;
    system.add(molecule("Dumbbell", {m1, m2}, {{0, 1, d}}), 1, {{1.0, 1.0, 1.0}, {1.0 + d, 1.0, 1.0}});
    system.disturb(0.0, 0.0, 1);
    const double v = omega * d;
    system.v[0][1] = round_to_int(-v * m2 / (m1 + m2) / velocity_unit);
    system.v[1][1] = round_to_int(v * m1 / (m1 + m2) / velocity_unit);
    const auto names = takers(system);
    EXPECT_GE(names.size(), 5u);
    for (const char* name : names) {
        LeapFrog run(system, name, 0.0);
        run.step(h);
        const double speed = (run.velocity(1) - run.velocity(0)).norm();
        EXPECT_NEAR(speed, v, 1e-5 * v);
        for (int k = 0; k < 50; ++k) {
            const auto result = run.step(h);
            const Vec3 pull = m1 / (h * h) * to_real(IVec3(run.atoms().x[0] - run.trial[0]), position_unit);
            const double expected = mu * speed * speed / d;
            EXPECT_NEAR(pull.norm(), expected, 1e-6 * expected) << name;
            EXPECT_NEAR(trace(result), 0.5 * expected * d, 1e-6 * 0.5 * expected * d) << name;
        }
    }
}

/// Constraint forces and virial of a chain are the same, whoever finds them.
TEST(ConstraintVirial, MultipliersAgreeBetweenSolvers)
{
    ConstraintSystem system;
    const Alkane chain(8, {0.1, 0.2, 0.3}, {1.0, 0.4, 0.2});
    system.add(chain.type, 1, chain.positions);
    system.disturb(0.0, 2.0, 12);
    const auto names = takers(system);
    for (const char* wanted : {"shake", "lincs", "newton"})
        EXPECT_TRUE(std::ranges::any_of(names, [&](const char* name) { return std::string(name) == wanted; }));
    std::vector<Vec3> expected;
    std::array<double, 9> expected_virial{};
    for (const char* name : names) {
        LeapFrog run(system, name, 500.0);
        run.step(dt); // makes the velocities those of rigid bonds
        const auto result = run.step(dt);
        double largest = 0.0, scale = 0.0;
        for (std::size_t a = 0; a < system.x.size(); ++a) {
            const Vec3 force =
                system.mass(a) / (dt * dt) * to_real(IVec3(run.atoms().x[a] - run.trial[a]), position_unit);
            if (name == names.front()) expected.push_back(force);
            largest = std::max(largest, (force - expected[a]).norm());
            scale = std::max(scale, expected[a].norm());
        }
        ASSERT_GT(scale, 10.0);
        EXPECT_LT(largest, 1e-8 * scale) << name << " and " << names.front();
        for (std::size_t k = 0; k < 9; ++k) {
            if (name == names.front()) expected_virial[k] = result.virial[k].value();
            EXPECT_NEAR(result.virial[k].value(), expected_virial[k], 1e-9 * scale) << name << " " << k;
        }
    }
}

} // namespace
} // namespace holon::test
