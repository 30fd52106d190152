// Atoms that are frozen along some axes stay there under every integrator, thermostat and barostat, and what these do
// along the others is booked.
#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/scheme.hpp>
#include <holon/dynamics/thermostat.hpp>

#include <support/measured_run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace holon::test {
namespace {

std::vector<std::string> every_way()
{
    std::vector<std::string> list;
    for (const auto& scheme : schemes()) list.push_back("integrator = " + scheme.name + "\n");
    for (const auto& bath : thermostats()) list.push_back("integrator = md-vv\ntcoupl = " + bath.name + "\n");
    for (const auto& barostat : barostats())
        list.push_back("integrator = md\nref-p = 3000\ntau-p = 0.5\ncompressibility = 1e-4\nnstpcouple = 1\n"
                       "ensemble-temperature = 150\npcoupl = " +
                       barostat.name + "\n");
    return list;
}

TEST(FrozenAxes, AreKeptByEveryIntegratorThermostatAndBarostat)
{
    for (const auto& way : every_way()) {
        SCOPED_TRACE(way);
        MeasuredRun run(argon(octahedron(2.1), 5, 0.02), Communicator(),
                        "freezegrps = System\nfreezedim = N Y N\nprecision = double\ngen-vel = yes\ngen-temp = 200\n"
                        "emtol = 0.01\ndt = 0.002\ncomm-mode = none\ntc-grps = System\nref-t = 150\ntau-t = 0.1\n" +
                            way);
        const auto& system = run.system();
        const auto place = [&system](std::size_t i) {
            return IVec3(system.atoms.x[i] + system.box().shift(system.atoms.image[i]));
        };
        const auto n = static_cast<std::size_t>(system.atoms.n_owned);
        std::vector<IVec3> before(n); // by id
        const auto id = [&system](std::size_t i) { return static_cast<std::size_t>(system.atoms.id[i]); };
        for (std::size_t i = 0; i < n; ++i) before[id(i)] = place(i);
        const auto all = run.advance(60);
        IVec3 moved = IVec3::Zero();
        for (std::size_t i = 0; i < n; ++i) moved = moved.cwiseMax((place(i) - before[id(i)]).cwiseAbs());
        EXPECT_EQ(moved[1], 0);
        EXPECT_GT(moved[0] * position_unit, 1e-4);
        EXPECT_GT(moved[2] * position_unit, 1e-4);
        if (!run.verdict().empty() || way == "integrator = bd\n") continue; // nothing is conserved
        double change = 0.0;
        for (const auto& m : all) change = std::max(change, std::abs(m.conserved - all.front().conserved));
        EXPECT_LT(change, 0.006 * all.front().kinetic);
    }
}

/// Forces on what is frozen give the rest a momentum, of which only a part is removed.
TEST(FrozenAxes, KeepTheirShareOfTheMotionThatIsRemoved)
{
    for (const char* mode : {"linear", "angular"}) {
        const auto system = argon(octahedron(2.1), 5, 0.02);
        const auto half = static_cast<AtomId>(system.topology->n_atoms() / 2);
        MeasuredRun run(system, Communicator(),
                        std::string("integrator = md-vv\nfreezegrps = Half\nfreezedim = N Y N\nprecision = double\n"
                                    "gen-vel = yes\ngen-temp = 200\ndt = 0.002\nnstcomm = 1\ncomm-mode = ") +
                            mode + "\n",
                        {{"Half", {{0, half}}}});
        const auto all = run.advance(2000);
        const auto [least, most] = std::ranges::minmax(all, {}, &Measurement::conserved);
        EXPECT_LT(most.conserved - least.conserved, 0.02) << mode;
    }
}

} // namespace
} // namespace holon::test
