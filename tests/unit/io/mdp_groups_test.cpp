// Keys of restraints, of groups that stand still or are accelerated, and of fields.
#include "mdp_case.hpp"

namespace holon::test {
namespace {

TEST(MdpGroups, MinimisationsIgnoreCoupling)
{
    const std::string text = "pcoupl = Berendsen\nannealing = single\nintegrator = ";
    for (const char* integrator : {"steep", "Steep"}) settings_of(text + integrator);
    EXPECT_EQ(note_of("integrator = steep\npcoupl = C-rescale"),
              "md.mdp:2: pcoupl = C-rescale: the box of a minimisation stays as it is; ignored");
}

TEST(MdpGroups, GroupsAreFrozenAndAccelerated)
{
    auto p = parameters_of("freezegrps = Wall Ion\nfreezedim = Y Y Y N no yes\nacceleration-grps = Ion\n"
                           "accelerate = 0.1 0 -0.2");
    ASSERT_EQ(p.frozen_groups.size(), 2U);
    EXPECT_EQ(p.frozen_groups[0].atoms.name, "Wall");
    EXPECT_EQ(p.frozen_groups[0].axes, (std::array{true, true, true}));
    EXPECT_EQ(p.frozen_groups[1].axes, (std::array{false, false, true}));
    ASSERT_EQ(p.accelerated_groups.size(), 1U);
    EXPECT_EQ(p.accelerated_groups[0].acceleration, Vec3(0.1, 0.0, -0.2));
    p = parameters_of("freezegrps =\nfreezedim =\nacc-grps =\naccelerate =");
    EXPECT_TRUE(p.frozen_groups.empty() && p.accelerated_groups.empty());
    EXPECT_TRUE(parameters_of("freezedim = N N N\naccelerate = 0 0 0").frozen_groups.empty());
    EXPECT_TRUE(parameters_of("integrator = steep\nacc-grps = A\naccelerate = 1 1 1").accelerated_groups.empty());
    expect_error("freezegrps = Wall\nfreezedim = Y Y",
                 "md.mdp:2: freezedim = Y Y: there are 1 freezegrps, which take 3");
    expect_error("freezegrps = Wall\nfreezedim = 1 1 1", "expected Y or N");
    expect_error("acc-grps = A B\naccelerate = 1 1 1", "take 6 values");
    expect_error("freezedim = N N Y", "md.mdp:1: freezedim = N N Y: freezegrps names no groups");
    expect_error("acc-grps =\naccelerate = 0 0.1 0", "acc-grps names no groups");
}

TEST(MdpGroups, DistanceRestraints)
{
    EXPECT_EQ(parameters_of("disre = no\ndisre-tau = 1.25").disre, DistanceRestraints::no);
    const auto p = parameters_of("disre = simple\ndisre-fc = 500\ndisre-weighting = equal");
    EXPECT_EQ(p.disre, DistanceRestraints::simple);
    EXPECT_EQ(p.disre_weighting, RestraintWeighting::equal);
    EXPECT_EQ(p.disre_fc, 500.0);
    expect_error("disre = ensemble", "not available in this version; choose one of no, simple");
    EXPECT_EQ(parameters_of("disre = simple\ndisre-tau = 2").disre_tau, 2.0);
    EXPECT_TRUE(parameters_of("disre = simple\ndisre-tau = 2\ndisre-mixed = yes").disre_mixed);
    EXPECT_EQ(parameters_of("integrator = steep\ndisre = simple\ndisre-tau = 2").disre_tau, 0.0);
    expect_error("disre-tau = -1", "md.mdp:1: disre-tau = -1: must be 0, for no averages over time, or more");
    expect_error("integrator = md\nmts = yes\ndisre = simple\ndisre-tau = 2", "averages over time take every step");
}

TEST(MdpGroups, ElectricFields)
{
    const auto p = parameters_of("electric-field-x = 0.5\nelectric-field-z = 2 150 5 0.5");
    EXPECT_EQ(p.electric_field[0].amplitude, 0.5);
    EXPECT_EQ(p.electric_field[0].omega, 0.0);
    EXPECT_EQ(p.electric_field[1].amplitude, 0.0);
    EXPECT_EQ(p.electric_field[2].omega, 150.0);
    EXPECT_EQ(p.electric_field[2].t0, 5.0);
    EXPECT_EQ(p.electric_field[2].sigma, 0.5);
    expect_error("electric-field-x = 1 0.5", "expected an amplitude in V/nm, or four numbers");
    expect_error("electric-field-x = 1 0 0 -1", "sigma");
}

} // namespace
} // namespace holon::test
