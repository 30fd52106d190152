// Keys of boxes that change and of longer time steps.
#include "mdp_case.hpp"

namespace holon::test {
namespace {

TEST(MdpEnsembles, PressureCoupling)
{
    const std::string bath = "tcoupl = v-rescale\ntc-grps = System\ntau-t = 0.1\nref-t = 310\n";
    const auto p = settings_of(bath + "pcoupl = c-rescale\ntau_p = 2\nref-p = 1.01325\ncompressibility = 4.5e-5\n"
                                      "dt = 0.002\nrefcoord_scaling = com")
                       .parameters;
    EXPECT_EQ(p.pcoupl, "C-rescale");
    EXPECT_EQ(p.pcoupltype, CouplingType::isotropic);
    EXPECT_EQ(p.nstpcouple, 10);
    EXPECT_EQ(p.ref_p, std::vector{1.01325});
    EXPECT_EQ(p.ensemble_temperature, 310.0);
    EXPECT_EQ(p.refcoord_scaling, RefcoordScaling::com);
    EXPECT_TRUE(p.changes_box());

    const std::string one = "ref-p = 1\ncompressibility = 4.5e-5\n", two = "ref-p = 1 1\ncompressibility = 4.5e-5 0\n";
    const auto interval = [&](const std::string& text) { return settings_of(bath + text).parameters.nstpcouple; };
    EXPECT_EQ(interval("pcoupl = Parrinello-Rahman\ndt = 0.002\ntau-p = 2\n" + one), 5);
    EXPECT_EQ(parameters_of(bath + "pcoupl = Isotropic\n" + one).pcoupl, "Berendsen"); // of GROMACS 3
    EXPECT_EQ(interval("pcoupl = ParrinelloRahman\ndt = 0.002\ntau-p = 0.1\n" + one), 1);
    EXPECT_EQ(interval("pcoupl = MTTK\ndt = 0.002\ntau-p = 2\nnstpcouple = 20\n" + one), 20);

    EXPECT_EQ(parameters_of(bath + "pcoupl = Berendsen\ncompressibility = 3e-4 4e-4\nref-p = 1 2").compressibility,
              std::vector{3e-4});
    expect_error(bath + "pcoupl = Berendsen", "compressibility is not given: expected 1 value");
    expect_error(bath + "pcoupl = C-rescale\npcoupltype = semiisotropic\n" + one, "expected 2 values");
    expect_error(bath + "pcoupl = MTTK\npcoupltype = semiisotropic\n" + two, "must be isotropic");
    expect_error(bath + "pcoupl = C-rescale\ntau-p = 0\n" + one, "must be more than 0");
    expect_error(bath + "pcoupl = C-rescale\nref-p = 1\ncompressibility = 0\n", "nothing can change");
    expect_error(bath + "pcoupl = C-rescale\nnstpcouple = 0\n" + one, "must be a number of steps");
    expect_error(bath + "pcoupl = C-rescale\ntau-p = 0.1\ndt = 0.002\nnstpcouple = 100\n" + one, "a fifth of tau-p");
    expect_error("pcoupl = C-rescale\n" + one, "needs a temperature");
    expect_error("deform = 1 2 3", "expected six numbers");
    expect_error(bath + "deform = 0 0 0 1 0 0\npcoupl = C-rescale\n" + one, "at the same time");
    EXPECT_EQ(settings_of("pcoupl = Parrinello-Rahman\n" + one).parameters.ensemble_temperature, -1.0);
    EXPECT_FALSE(settings_of("integrator = steep\npcoupl = C-rescale\n").parameters.changes_box());
}

TEST(MdpEnsembles, MultipleTimeSteps)
{
    const std::string mesh = "coulombtype = PME\nmts = yes\n";
    const auto p = settings_of(mesh).parameters;
    EXPECT_EQ(p.mts_factor, 2);
    EXPECT_EQ(p.group_of_force_term, (GroupOfTerm{0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(settings_of("mts-level2-factor = 4").parameters.mts_factor, 1);
    EXPECT_EQ(settings_of(mesh + "mts-level2-forces = longrange-nonbonded nonbonded").parameters.group_of_force_term,
              (GroupOfTerm{1, 0, 0, 0, 0, 1}));
    expect_error(mesh + "mts-level2-forces = nonbonded", "must be in level 2");
    EXPECT_EQ(settings_of(mesh + "mts-level2-forces = longrange-nonbonded pair dihedral angle")
                  .parameters.group_of_force_term,
              (GroupOfTerm{0, 0, 1, 1, 1, 1}));
    expect_error(mesh + "mts-level2-forces = longrange-nonbonded pull", "'pull': there are no such forces");
    expect_error(mesh + "mts-level2-forces = longrange-nonbonded bond", "'bond' is none of");
    expect_error(mesh + "nstfout = 3", "multiple of mts-level2-factor = 2");
    expect_error(mesh + "mts-levels = 3", "mts-levels");
    expect_error(mesh + "mts-level2-factor = 1", "mts-level2-factor");
    expect_error("integrator = sd\ntc-grps = System\ntau-t = 1\nref-t = 300\nmts = yes", "takes all forces");
}

} // namespace
} // namespace holon::test
