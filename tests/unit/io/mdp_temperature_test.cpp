#include "mdp_case.hpp"

namespace holon {
namespace {

using namespace test;

const std::string bath = "dt = 0.002\ntc-grps = A B\nref-t = 300 310\ntau-t = 1 2\ntcoupl = ";

TEST(MdpTemperature, ThermostatsUnderAllTheirNames)
{
    EXPECT_EQ(parameters_of(bath + "Yes").tcoupl, "berendsen");
    EXPECT_EQ(parameters_of(bath + "BERENDSEN").tcoupl, "berendsen");
    EXPECT_EQ(parameters_of(bath + "Nose_Hoover").tcoupl, "nose-hoover");
    EXPECT_EQ(parameters_of(bath + "vrescale").tcoupl, "v-rescale");
    EXPECT_NE(note_of(bath + "berendsen").find("fluctuations"), std::string::npos);
    EXPECT_EQ(note_of(bath + "v-rescale"), "");
}

TEST(MdpTemperature, IntervalOfThermostats)
{
    const std::string fast = "dt = 0.002\ntc-grps = A B\nref-t = 300 310\ntau-t = 1 0.1\ntcoupl = ";
    EXPECT_EQ(parameters_of(fast + "berendsen").nsttcouple, 10);
    const std::string vv = "nose-hoover\nintegrator = md-vv";
    EXPECT_EQ(parameters_of(fast + vv).nsttcouple, 2);
    EXPECT_EQ(parameters_of(bath + vv).nsttcouple, 10);
    EXPECT_EQ(parameters_of(bath + "nose-hoover").nsttcouple, 10);
    EXPECT_EQ(note_of(bath + "nose-hoover\nnsttcouple = 5"), "");
    EXPECT_NE(note_of(fast + vv + "\nnsttcouple = 5").find("at least 20 times nsttcouple x dt, 0.01 ps"),
              std::string::npos);
    expect_error(fast + "nose-hoover\nnsttcouple = 20", "must be at least 4 times nsttcouple x dt, 0.04 ps");
    Notes notes;
    settings_of(fast + "berendsen\nnsttcouple = 20", {}, &notes);
    ASSERT_EQ(notes.texts().size(), 2u) << "one on its ensemble";
    EXPECT_NE(notes.texts()[1].find("at least 5 times"), std::string::npos);
    EXPECT_EQ(note_of(fast + "v-rescale\nnsttcouple = 20"), "");
}

TEST(MdpTemperature, NoseHooverChains)
{
    EXPECT_EQ(parameters_of(bath + "nose-hoover").nh_chain_length, 1);
    EXPECT_EQ(parameters_of(bath + "nose-hoover\nintegrator = md-vv").nh_chain_length, 10);
    EXPECT_EQ(parameters_of(bath + "nose-hoover\nintegrator = md-vv\nnh-chain-length = 4").nh_chain_length, 4);
    EXPECT_NE(note_of(bath + "nose-hoover\nnh-chain-length = 4").find("no chains"), std::string::npos);
    expect_error(bath + "nose-hoover\nnh-chain-length = 0", "must be at least 1");
    expect_error("tcoupl = nose-hoover\ntc-grps = System\ntau-t = 1\nref-t = 0", "must be more than 0");
    EXPECT_EQ(parameters_of("tcoupl = nose-hoover\ntc-grps = System\ntau-t = 0\nref-t = 300").tc_groups[0].tau, -1.0);
}

TEST(MdpTemperature, VelocitiesAreDrawnAnewAtWholeStepsOnly)
{
    const std::string one = "dt = 0.002\ntc-grps = A B\nref-t = 300 310\ntau-t = 1 1\n", vv = "integrator = md-vv\n";
    expect_error(one + "tcoupl = andersen", "md.mdp:5: tcoupl = andersen: it draws velocities of whole steps; use");
    expect_error(bath + "andersen\n" + vv, "must be the same for all groups");
    expect_error(one + vv + "tcoupl = andersen", "must be 1 with tcoupl = andersen");
    EXPECT_EQ(parameters_of(one + vv + "tcoupl = andersen\nnstcomm = 1\nnsttcouple = 7").nsttcouple, 1);
    EXPECT_EQ(parameters_of(one + vv + "tcoupl = andersen\ncomm-mode = none").tcoupl, "andersen");
    EXPECT_EQ(parameters_of(one + vv + "tcoupl = Andersen-Massive").tcoupl, "andersen-massive");
    expect_error(one + vv + "tcoupl = andersen-massive\nnstcomm = 300", "every tau-t / dt = 500 steps");
}

TEST(MdpTemperature, AnnealingOfGroups)
{
    const std::string two = bath + "v-rescale\nannealing = single no\n";
    const auto p =
        parameters_of(two + "annealing-npoints = 3 2\nannealing-time = 0 5 10\nannealing-temp = 300 280 270");
    EXPECT_EQ(p.tc_groups[0].annealing.times, (std::vector<double>{0.0, 5.0, 10.0}));
    EXPECT_EQ(p.tc_groups[0].temperature_at(7.5), 275.0);
    EXPECT_EQ(p.tc_groups[1].temperature_at(7.5), 310.0);
    const auto both = parameters_of(bath + "v-rescale\nannealing = single Periodic\nannealing-npoints = 2 3\n"
                                           "annealing-time = 0 5 0 1 2\nannealing-temp = 300 280 1 2 1");
    EXPECT_TRUE(both.tc_groups[1].annealing.periodic);
    EXPECT_EQ(both.tc_groups[1].temperature_at(3.0), 2.0);
    EXPECT_TRUE(parameters_of("annealing = no no").tc_groups.empty());
    EXPECT_TRUE(parameters_of(bath + "v-rescale\nannealing = no").tc_groups[0].annealing.times.empty());
    expect_error("annealing = single", "there is no thermostat");
    expect_error(bath + "v-rescale\nannealing = single", "there are 2 tc-grps, 1 values of annealing and 0 of");
    expect_error(two + "annealing-npoints = 1 0\nannealing-time = 0\nannealing-temp = 300", "at least two points");
    expect_error(two + "annealing-npoints = 2 0\nannealing-time = 0\nannealing-temp = 300 1", "asks for 2 in all");
    expect_error(two + "annealing-npoints = 2 0\nannealing-time = 3 4\nannealing-temp = 300 1",
                 "not be later than the");
    expect_error(two + "annealing-npoints = 2 0\nannealing-time = 0 -1\nannealing-temp = 300 1", "must be in order");
    expect_error(two + "annealing-npoints = 2 0\nannealing-time = 0 1\nannealing-temp = 300 -1", "must be at least 0");
    expect_error(bath + "v-rescale\nannealing = single twice\nannealing-npoints = 2 2", "choose one of no, single");
}

TEST(MdpTemperature, BrownianDynamics)
{
    const std::string bd = "integrator = bd\ntc-grps = System\nref-t = 300\n";
    EXPECT_EQ(parameters_of(bd + "tau-t = 0\nbd-fric = 1000").bd_fric, 1000.0);
    EXPECT_EQ(parameters_of(bd + "tau-t = 2").comm_mode, CommMode::none);
    expect_error(bd + "tau-t = 0", "must be more than 0 with integrator = bd and bd-fric = 0");
    expect_error("integrator = bd", "integrator = bd takes friction and temperature from tc-grps");
}

} // namespace
} // namespace holon
