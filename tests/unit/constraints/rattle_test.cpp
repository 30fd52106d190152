// Velocity Verlet with both stages of RATTLE on small molecules: what the pair of stages must do together.
#include <support/constraints/constraint_system.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// Those that stop at a tolerance.
std::vector<std::string> iterative_solvers()
{
    Parameters parameters;
    parameters.constraint_algorithm = "shake";
    return solver_order(parameters);
}

/// A molecule in springs that tie each atom to a place of its own: smooth forces that act on every degree of freedom.
class Trajectory {
public:
    Trajectory(ConstraintSystem system, const std::vector<std::string>& solvers, double tolerance,
               double stiffness = 200.0, bool warm = false)
        : system_(std::move(system)), stiffness_(stiffness)
    {
        SolverSettings settings;
        settings.tolerance = tolerance;
        settings.shake_warm_start = warm;
        constraints_ = std::make_unique<Constraints>(system_.topology, system_.clusters, solvers, settings);
        part_ = std::make_unique<LocalPart>(
            system_, 0, [](AtomId) { return 0; }, false, constraints_.get());
        constraints_->rebuild(part_->atoms, part_->directory());
        Noise noise(23);
        for (const auto& x : system_.x_ref) springs_.push_back(to_real(x, position_unit) + 0.1 * noise.vector());
        atoms().x = atoms().x_ref;
        project(0.001);
    }

    Atoms& atoms() { return part_->atoms; }
    const ConstraintSystem& system() const { return system_; }

    void run(int steps, double dt)
    {
        for (int k = 0; k < steps; ++k) {
            kick(0.5 * dt);
            atoms().x_ref = atoms().x;
            for (std::size_t a = 0; a < springs_.size(); ++a)
                atoms().x[a] += to_lattice(dt * to_real(atoms().v[a], velocity_unit), position_unit);
            last_positions =
                constraints_->project_positions(atoms(), system_.box, {k, dt, 2.0 / (dt * dt), StepMotion::continued});
            ASSERT_EQ(last_positions.failure, "");
            kick(0.5 * dt);
            project(dt);
        }
    }

    void reverse()
    {
        for (auto& v : atoms().v) v = -v;
    }

    double energy()
    {
        double sum = 0.0;
        for (std::size_t a = 0; a < springs_.size(); ++a) {
            sum += 0.5 * system_.mass(a) * to_real(atoms().v[a], velocity_unit).squaredNorm();
            sum += 0.5 * stiffness_ * (to_real(atoms().x[a], position_unit) - springs_[a]).squaredNorm();
        }
        return sum;
    }

    ConstraintResult last_positions, last_velocities;

private:
    void kick(double h)
    {
        for (std::size_t a = 0; a < springs_.size(); ++a) {
            const Vec3 force = -stiffness_ * (to_real(atoms().x[a], position_unit) - springs_[a]);
            atoms().v[a] += to_lattice(h / system_.mass(a) * force, velocity_unit);
        }
    }

    void project(double dt)
    {
        last_velocities =
            constraints_->project_velocities(atoms(), system_.box, {0, dt, 2.0 / dt, StepMotion::continued});
        ASSERT_EQ(last_velocities.failure, "");
    }

    ConstraintSystem system_;
    double stiffness_;
    std::unique_ptr<Constraints> constraints_;
    std::unique_ptr<LocalPart> part_;
    std::vector<Vec3> springs_;
};

ConstraintSystem molecules()
{
    ConstraintSystem system;
    const Alkane chain(6, {0.1, 0.2, 0.3}, {1.0, 0.4, 0.2});
    system.add(chain.type, 1, chain.positions);
    const Alkane methane_like(1, {1.0, 1.0, 1.0}, {0.0, 1.0, 0.0});
    system.add(methane_like.type, 1, methane_like.positions);
    Noise noise(31);
    system.add(rigid_water(), 1, water_positions({2.0, 1.0, 1.0}, noise));
    system.disturb(0.0, 2.0, 12);
    return system;
}

double way_back(double tolerance, double dt, const std::vector<std::string>& solvers, int steps = 300,
                bool warm = false)
{
    Trajectory trajectory(molecules(), solvers, tolerance, 200.0, warm);
    const auto start = trajectory.atoms().x;
    trajectory.run(steps, dt);
    trajectory.reverse();
    trajectory.run(steps, dt);
    double worst = 0.0;
    for (std::size_t a = 0; a < start.size(); ++a)
        worst = std::max(worst, to_real(IVec3(trajectory.atoms().x[a] - start[a]), position_unit).norm());
    return worst;
}

TEST(Rattle, TimeReversesAsFarAsTheToleranceGoes)
{
    const auto solvers = iterative_solvers();
    const double loose = way_back(1e-6, 0.001, solvers), tight = way_back(1e-13, 0.001, solvers);
    EXPECT_LT(tight, 1e-11);
    EXPECT_GT(loose, 10.0 * tight);
    EXPECT_LT(loose, 1e-5);
}

TEST(Rattle, WayBackIsAsGoodAsTheToleranceOfShake)
{
    for (const bool warm : {false, true}) {
        const double spread = warm ? 1.2 : 0.7; // of decades: what a history does varies more
        double last = 0.0;
        for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
            const double error = way_back(tolerance, 0.001, {"shake"}, 500, warm);
            std::printf("shake-tol %.0e%s: %.1e nm after 500 steps and 500 back\n", tolerance,
                        warm ? ", warm start" : "", error);
            if (last > 0.0) {
                EXPECT_NEAR(std::log10(last / error), 2.0, spread) << tolerance;
            }
            last = error;
        }
    }
}

TEST(Rattle, TimeReversesExactlyWithNewton)
{
    EXPECT_LT(way_back(1e-4, 0.001, {"settle", "star", "newton"}, 500), 1e-11);
    EXPECT_LT(way_back(1e-4, 0.001, {"settle", "newton"}, 500), 1e-11);
    EXPECT_LT(way_back(1e-4, 0.001, {"newton"}, 500), 1e-11);
}

TEST(Rattle, EnergyErrorFallsFourfoldAsTheStepHalves)
{
    const auto fluctuation = [](double dt) {
        Trajectory trajectory(molecules(), iterative_solvers(), 1e-12);
        const double start = trajectory.energy();
        double sum = 0.0;
        const int samples = static_cast<int>(std::lround(0.4 / dt));
        for (int k = 0; k < samples; ++k) {
            trajectory.run(1, dt);
            sum += std::pow(trajectory.energy() - start, 2);
        }
        return std::sqrt(sum / samples);
    };
    const double coarse = fluctuation(0.002), fine = fluctuation(0.001);
    EXPECT_NEAR(coarse / fine, 4.0, 0.3);
}

TEST(Rattle, LengthsAndRatesHoldAtEveryStep)
{
    Trajectory trajectory(molecules(), iterative_solvers(), 1e-10);
    for (int k = 0; k < 100; ++k) {
        trajectory.run(1, 0.002);
        EXPECT_LT(trajectory.system().max_length_error(trajectory.atoms().x), 1.01e-10);
        EXPECT_LT(trajectory.system().max_rate(trajectory.atoms().x, trajectory.atoms().v) * 0.002, 1.01e-10);
    }
}

/// A free dumbbell turning at omega: its tension is mu omega^2 d, its constraint virial half that times d.
TEST(Rattle, TensionOfARotatingDumbbell)
{
    constexpr double d = 0.15, omega = 1.0, m1 = 12.0, m2 = 4.0;
    constexpr double mu = m1 * m2 / (m1 + m2);
    for (const char* solver : {"star", "m_shake", "shake", "newton"}) {
        ConstraintSystem system;
        system.add(molecule("Dumbbell", {m1, m2}, {{0, 1, d}}), 1, {{1.0, 1.0, 1.0}, {1.0 + d, 1.0, 1.0}});
        system.disturb(0.0, 0.0, 1);
        const double v = omega * d;
        system.v[0][1] = round_to_int(-v * m2 / (m1 + m2) / velocity_unit);
        system.v[1][1] = round_to_int(v * m1 / (m1 + m2) / velocity_unit);
        Trajectory trajectory(system, {solver}, 1e-13, 0.0);
        trajectory.run(100, 0.001);
        const double expected = 0.5 * mu * omega * omega * d * d;
        for (const auto& result : {trajectory.last_positions, trajectory.last_velocities}) {
            const double trace = result.virial[0].value() + result.virial[4].value() + result.virial[8].value();
            EXPECT_NEAR(trace, expected, 1e-6 * expected) << solver;
        }
    }
}

} // namespace
} // namespace holon::test
