// What thermostats promise: a conserved energy of second order, temperatures, distributions.
#include <holon/core/units.hpp>

#include <support/measured_run.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

const std::string groups = "tc-grps = System\nref-t = 150\ntau-t = ";

/// Root mean square fluctuation of the conserved energy over 1.6 ps [kJ/mol].
double conserved_error(const std::string& mdp, int steps_per_ps)
{
    MeasuredRun run(argon(octahedron(2.1), 5, 0.02), Communicator(),
                    "precision = double\ngen-vel = yes\ngen-temp = 200\ndt = " + std::to_string(1.0 / steps_per_ps) +
                        "\n" + mdp);
    return spread(run.advance(steps_per_ps * 16 / 10), [](const Measurement& m) { return m.conserved; }).deviation;
}

TEST(Thermostats, TheConservedEnergyIsOfSecondOrder)
{
    const std::string vv = "integrator = md-vv\n", every = "nsttcouple = 1\n" + groups;
    for (const auto& mdp :
         {"integrator = md\ntcoupl = nose-hoover\n" + every + "0.5\n",
          "integrator = md\ntcoupl = nose-hoover\nnsttcouple = 6\n" + groups + "0.5\n",
          vv + "tcoupl = nose-hoover\n" + every + "0.5\n",
          vv + "tcoupl = nose-hoover\nnh-chain-length = 1\n" + every + "0.5\n",
          vv + "tcoupl = berendsen\n" + every + "0.2\n", vv + "tcoupl = v-rescale\n" + every + "0.2\n",
          vv +
              "tcoupl = nose-hoover\nannealing = single\nannealing-npoints = 2\nannealing-time = 0 1\n"
              "annealing-temp = 200 100\n" +
              every + "0.5\n"}) {
        const double coarse = conserved_error(mdp, 125), fine = conserved_error(mdp, 250);
        EXPECT_GT(fine, 1e-4) << mdp;
        EXPECT_NEAR(coarse / fine, 4.0, 0.8) << mdp << coarse;
    }
}

/// Heat is booked by the energy that the scheme conserves, H but for a term that comes and goes with fast vibrations;
/// what is not booked is of fourth order. So the conserved energy of waters goes nowhere: means over 100 steps agree
/// much better than single values.
TEST(Thermostats, TheConservedEnergyDoesNotWander)
{
    for (const char* bath : {"md-vv\ntcoupl = andersen\ntau-t = 0.04", "md-vv\ntcoupl = andersen-massive\ntau-t = 0.1",
                             "md-vv\ntcoupl = berendsen\ntau-t = 0.02", "md-vv\ntcoupl = v-rescale\ntau-t = 0.01",
                             "md-vv\ntcoupl = nose-hoover\ntau-t = 0.2", "md\ntcoupl = berendsen\ntau-t = 0.02",
                             "md\ntcoupl = v-rescale\ntau-t = 0.01"}) {
        MeasuredRun run(water(cubic(1.24), 4, 3), Communicator(),
                        std::string("precision = double\ngen-vel = yes\ndt = 0.002\n"
                                    "coulombtype = PME\nrcoulomb = 0.5\nrvdw = 0.5\nrvdw-switch = 0.4\ncomm-mode = "
                                    "none\nnsttcouple = 2\ntc-grps = System\nref-t = 300\nintegrator = ") +
                            bath + "\n");
        run.advance(1000);
        double variance = 0.0;
        std::vector<Measurement> means;
        for (int block = 0; block < 30; ++block) {
            const auto all = run.advance(100);
            const auto found = spread(all, [](const Measurement& m) { return m.conserved; });
            variance += found.deviation * found.deviation / 30.0;
            means.push_back(all.back());
            means.back().conserved = found.mean;
        }
        const auto of_means = spread(means, [](const Measurement& m) { return m.conserved; });
        EXPECT_LT(of_means.deviation, 0.5 * std::sqrt(variance)) << bath;
    }
}

/// Weak coupling alone decides on the temperature of a gas without forces: T' = T + dt/tau (T0 - T).
TEST(Thermostats, BerendsenRelaxesExponentially)
{
    auto gas = argon(cubic(4.0), 5);
    gas.topology->c6 = gas.topology->c12 = {0.0};
    MeasuredRun run(gas, Communicator(),
                    "integrator = md-vv\ndt = 0.01\ngen-vel = yes\ngen-temp = 600\ntcoupl = berendsen\nnsttcouple = 1\n"
                    "comm-mode = none\ntc-grps = System\nref-t = 300\ntau-t = 0.1\n");
    const auto all = run.advance(30);
    for (std::size_t k = 1; k < all.size(); ++k)
        EXPECT_NEAR(all[k].temperature - 300.0, 0.9 * (all[k - 1].temperature - 300.0), 1e-6) << k;
    for (const auto& m : all) EXPECT_NEAR(m.conserved, all.front().conserved, 1e-6);
}

/// Kinetic energies with velocities drawn anew are gamma distributed with half as many degrees of freedom, constraints
/// or not: mean and variance, and those of whole molecules.
TEST(Thermostats, AndersenDrawsTheConstrainedMaxwellDistribution)
{
    for (const char* which : {"andersen", "andersen-massive"}) {
        MeasuredRun run(trimers(cubic(7.2), 3, false), Communicator(),
                        std::string("integrator = md-vv\ndt = 0.01\ngen-vel = yes\ngen-temp = 30\nconstraint-algorithm "
                                    "= newton\nnstcomm = 1\ntc-grps = System\nref-t = 300\ntau-t = 0.02\ntcoupl = ") +
                            which);
        run.advance(100);
        std::vector<Measurement> samples; // independent ones
        double translation = 0.0;
        constexpr int n = 600, molecules = 27;
        for (int k = 0; k < n; ++k) {
            samples.push_back(run.advance(which == std::string("andersen") ? 12 : 2).back());
            const auto& atoms = run.system().atoms;
            std::vector<Vec3> momentum(molecules, Vec3::Zero());
            for (std::size_t i = 0; i < 3 * molecules; ++i)
                momentum[static_cast<std::size_t>(atoms.id[i] / 3)] +=
                    atoms.mass[i] * to_real(atoms.v[i], velocity_unit);
            for (const auto& p : momentum) translation += 0.5 * p.squaredNorm() / 45.0 / (n * molecules);
        }
        const double mean = 0.5 * run.dof() * units::boltzmann * 300.0, deviation = mean * std::sqrt(2.0 / run.dof());
        const auto found = spread(samples, [](const Measurement& m) { return m.kinetic; });
        EXPECT_NEAR(found.mean, mean, 4.0 * deviation / std::sqrt(n)) << which;
        EXPECT_NEAR(found.deviation, deviation, 4.0 * deviation / std::sqrt(2.0 * n)) << which;
        EXPECT_NEAR(samples.back().conserved, samples.front().conserved, 2.0) << "heat is booked";
        const double expected = 1.5 * units::boltzmann * 300.0 * (molecules - 1.0) / molecules;
        EXPECT_NEAR(translation, expected, 4.0 * expected * std::sqrt(2.0 / 3.0 / (n * molecules))) << which;
    }
}

/// Each group goes to its own temperature; one that is not coupled keeps its energy.
TEST(Thermostats, GroupsHaveTheirOwnTemperatures)
{
    auto gas = trimers(cubic(7.2), 4, false);
    gas.topology->blocks = {{0, 32, 0, 0}, {0, 32, 96, 32}};
    for (const char* which : {"md\ntcoupl = v-rescale", "md\ntcoupl = berendsen", "md-vv\ntcoupl = andersen-massive",
                              "md-vv\ntcoupl = v-rescale", "baoab", "sd"}) {
        Notes notes;
        auto settings = read_settings(std::string("rcoulomb = 0.5\nrvdw = 0.5\ndt = 0.01\ngen-vel = yes\ngen-temp = "
                                                  "100\ngen-seed = 1\nld-seed = 2\ncomm-mode = none\ntc-grps = One "
                                                  "Two\nref-t = 300 900\ntau-t = 0.05 0.05\nconstraint-algorithm = "
                                                  "newton\nintegrator = ") +
                                          which + "\n",
                                      "test.mdp", {}, notes);
        const std::vector<AtomGroup> halves = {{"One", {{0, 96}}}, {"Two", {{96, 192}}}};
        resolve_groups(settings, *gas.topology, halves);
        System system(Communicator(), gas.topology, settings.parameters, gas.box);
        system.distribute(gas.share(Communicator()));
        prepare_start(system, settings.parameters, 0);
        Dynamics dynamics(system, settings.parameters, 0);
        Recorder nobody;
        double sums[2] = {};
        constexpr int n = 100;
        dynamics.run(100, nobody);
        for (int k = 0; k < n; ++k) {
            dynamics.run(dynamics.clock().step + 10, nobody);
            const auto energies = group_kinetic_energies(system.atoms, 2, Communicator());
            for (std::size_t g = 0; g < 2; ++g) sums[g] += energies[g] / n;
        }
        for (std::size_t g = 0; g < 2; ++g) {
            const double target = 0.5 * (96 * 3 - 64) * units::boltzmann * (g == 0 ? 300.0 : 900.0);
            EXPECT_NEAR(sums[g] / target, 1.0, 0.05) << which;
        }
    }
}

} // namespace
} // namespace holon::test
