#include <holon/io/text_file.hpp>

#include "mdp_case.hpp"

#include <filesystem>

namespace holon {
namespace {

using namespace test;

TEST(Mdp, AnEmptyTextGivesTheDefaultsOfGromacs)
{
    const RunSettings s = settings_of("; nothing\n\n");
    const Parameters& p = s.parameters;
    EXPECT_EQ(p.integrator, "md");
    EXPECT_EQ(p.dt, 0.001);
    EXPECT_EQ(p.nsteps, 0);
    EXPECT_EQ(p.nstcomm, 100);
    EXPECT_EQ(p.nstlog, 1000);
    EXPECT_EQ(p.nstenergy, 1000);
    EXPECT_EQ(p.nstxout + p.nstxout_compressed, 0);
    EXPECT_EQ(p.coulomb, CoulombKind::cutoff);
    EXPECT_EQ(p.epsilon_rf, 1.0) << "as GROMACS computes a plain cut-off";
    EXPECT_EQ(p.rcoulomb, 1.0);
    EXPECT_EQ(p.rvdw, 1.0);
    EXPECT_EQ(p.vdw_modifier, Modifier::potential_shift);
    EXPECT_EQ(p.dispersion_correction, DispersionCorrection::no);
    EXPECT_EQ(p.constraints, ConstraintKind::none);
    EXPECT_EQ(p.shake_tol, 1e-4);
    EXPECT_EQ(p.tcoupl, "no");
    EXPECT_TRUE(p.tc_groups.empty());
    ASSERT_EQ(p.comm_groups.size(), 1u);
    EXPECT_EQ(p.comm_groups[0].name, "System");
    EXPECT_FALSE(p.gen_vel);
    EXPECT_EQ(p.gen_temp, 300.0);
    EXPECT_TRUE(s.derive_ld_seed);
    EXPECT_TRUE(s.derive_gen_seed);
    EXPECT_EQ(p.maxh, -1.0);
    EXPECT_TRUE(p.domains.empty());
    EXPECT_EQ(p.checkpoint_interval, 1);
}

TEST(Mdp, KeysAndChoicesIgnoreCaseDashesAndUnderscores)
{
    const Parameters p =
        parameters_of("INTEGRATOR = MD_VV\nd_t=+2e-3 ; ps\nvdw-type = Cut_Off\nCoulombType=Reaction_field\n"
                      "epsilonRF=78\nTcoupl = V_Rescale\ntc_grps = Protein non-Protein\ntau_t = 0.1 -1\n"
                      "ref_t = 300 310\nconstraints = hbonds\ngen_vel = YES\ngen_seed = 42\n");
    EXPECT_EQ(p.integrator, "md-vv");
    EXPECT_EQ(p.dt, 0.002);
    EXPECT_EQ(p.coulomb, CoulombKind::reaction_field);
    EXPECT_EQ(p.epsilon_rf, 78.0);
    EXPECT_EQ(p.constraints, ConstraintKind::h_bonds);
    ASSERT_EQ(p.tc_groups.size(), 2u);
    EXPECT_EQ(p.tc_groups[1].atoms.name, "non-Protein");
    EXPECT_EQ(p.tc_groups[1].tau, -1.0);
    EXPECT_EQ(p.tc_groups[1].temperature, 310.0);
    EXPECT_TRUE(p.gen_vel);
    EXPECT_EQ(p.gen_seed, 42u);
}

TEST(Mdp, TheCommandLineWins)
{
    const RunSettings s =
        settings_of("coulombtype = PME\ndt = -1\n",
                    {option("dt", "0.004"), option("coulombtype", "reaction-field"), option("maxh", "0.5")});
    EXPECT_EQ(s.parameters.dt, 0.004);
    EXPECT_EQ(s.parameters.coulomb, CoulombKind::reaction_field);
    EXPECT_EQ(s.parameters.maxh, 0.5);
    expect_error("unconstrained_start = yes\ngen-vel = yes", "md.mdp:2: gen-vel = yes: a continuation");
    EXPECT_FALSE(settings_of("unconstrained_start = yes", {option("continuation", "no")}).parameters.continuation);
}

TEST(Mdp, AnEmptyValueIsTheDefault)
{
    EXPECT_EQ(parameters_of("dt =\ntc-grps =\ncoulombtype = ; none\n").dt, 0.001);
}

TEST(Mdp, SyntaxErrorsNameFileAndLine)
{
    expect_error("dt = 0.001\nnonsense\n", "md.mdp:2: expected 'key = value', found 'nonsense'");
    expect_error("\n= 3\n", "md.mdp:2: there is no key before '='");
    expect_error("dt = 1\ntinit = 0\nD_T = 2\n", "md.mdp:3: D_T = 2: the key is given twice; before: md.mdp:1: dt = 1");
    expect_error("nstxtcout = 1\nnstxout-compressed = 2\n", "md.mdp:2: nstxout-compressed = 2: the key is given twice");
    expect_error(std::string("\x7f\x45\x4c\x46\x02\x01\n"), "md.mdp:1: expected 'key = value', found '?ELF");
    expect_error("", "given twice", {option("dt", "1"), option("dt", "2")});
    EXPECT_EQ(parameters_of("\xef\xbb\xbf"
                            "dt = 0.5\r\n")
                  .dt,
              0.5);
}

TEST(Mdp, UnknownKeysGetTheNearestKnownOne)
{
    expect_error("rcolomb = 1\n", "md.mdp:1: rcolomb = 1: unknown key; did you mean rcoulomb?");
    expect_error("nsetps = 1\n", "did you mean nsteps?");
    expect_error("tc_groups = System\n", "did you mean tc-grps?");
    expect_error("checkpointing-interval = 1\n", "did you mean checkpoint-interval?");
    expect_error("somethingelse = 1\n", "unknown key; is it spelt as in GROMACS?");
}

TEST(Mdp, NumbersMustBeNumbersInRange)
{
    const std::pair<std::string, std::string> cases[] = {
        {"dt = 0", "must be more than 0"},
        {"dt = -0.002", "must be more than 0"},
        {"dt = nan", "expected a number"},
        {"dt = inf", "expected a number"},
        {"dt = 1e999", "the number is too large"},
        {"dt = 0.002ps", "expected a number"},
        {"dt = 0.001 0.002", "expected a number"},
        {"nsteps = -2", "must be at least -1"},
        {"nsteps = 10.5", "expected an integer"},
        {"nsteps = 1e3", "expected an integer"},
        {"nsteps = 99999999999999999999", "the number is too large"},
        {"nstlog = -1", "must be at least 0"},
        {"nstxout = -5", "must be at least 0"},
        {"init-step = -1", "must be at least 0"},
        {"rcoulomb = 0", "must be more than 0"},
        {"rvdw = -1", "must be more than 0"},
        {"epsilon-r = 0", "must be more than 0"},
        {"epsilon-rf = -1", "must be at least 0"},
        {"shake-tol = 0", "must be more than 0"},
        {"emtol = -1", "must be more than 0"},
        {"emstep = 0", "must be more than 0"},
        {"gen-temp = -1", "must be at least 0"},
        {"gen-seed = 1.5", "expected an integer"},
        {"ld-seed = 99999999999999999999", "the number is too large"},
        {"maxh = -2", "must be a number of hours, or -1 for no limit"},
        {"checkpoint-interval = -1", "must be at least 0"},
        {"domains = 2x2", "expected three numbers"},
        {"domains = 2x0x1", "must be at least 1"},
        {"domains = 2000000x1x1", "more domains"},
        {"domains = 2xfoox1", "expected an integer"},
        {"nstlist = ten", "expected an integer"},
        {"rlist = far", "expected a number"},
        {"pme-order = 2", "must be at least 3"},
        {"pme-order = 13", "must be at most 12"},
        {"pme-order = 4.5", "expected an integer"},
        {"fourierspacing = -0.1", "must be at least 0"},
        {"fourier-nx = -8", "must be at least 0"},
        {"fourier-nz = 20000", "must be at most 10000"},
        {"ewald-rtol = 0", "must be at least 1e-16"},
        {"ewald-rtol = 1", "must be at most 0.1"},
        {"mesh-accuracy = -1e-3", "must be at least 0"},
        {"mesh-accuracy = 0.5", "must be at most 0.1"},
        {"skin = 0", "must be at least 0.02"},
        {"ewald-beta = -1", "must be at least 0"},
        {"ewald-k-cutoff = far", "expected a number"},
    };
    for (const auto& [line, message] : cases) expect_error(line, "md.mdp:1: " + line + ": " + message);
}

TEST(Mdp, ChoicesThatAreNotThereNameThoseThatAre)
{
    expect_error("integrator = nm",
                 "md.mdp:1: integrator = nm: not available in this version; choose one of md, md-vv, "
                 "sd, baoab, bd, steep, cg, l-bfgs");
    expect_error("integrator = sd",
                 "tc-grps is not given: integrator = sd takes friction and temperature from tc-grps");
    expect_error("coulombtype = telepathy",
                 "choose one of cut-off, reaction-field, reaction-field-zero, PME, PME-Switch, P3M-AD, Ewald");
    expect_error("mesh = fft", "choose one of esp, spme");
    expect_error("vdwtype = PME", "choose one of cut-off, shift, switch");
    expect_error("coulomb-modifier = shift", "choose one of potential-shift");
    expect_error("coulomb-modifier = force-switch\nrcoulomb-switch = 1.5", "must be less than rcoulomb");
    expect_error("coulombtype = reaction-field\ncoulomb-modifier = force-switch", "take potential-shift");
    expect_error("tcoupl = maxwell",
                 "choose one of no, v-rescale, nose-hoover, berendsen, andersen, andersen-massive, yes");
    expect_error("constraints = everything",
                 "choose one of none, h-bonds, all-bonds, h-angles, all-angles, torsion-only");
    expect_error("constraint-algorithm = euler", "choose one of springs, settle, star, m-shake, lincs, shake, newton");
    expect_error("lincs-order = 0", "must be at least 1");
    expect_error("lincs-iter = 200", "must be at most 100; constraint-algorithm = newton is exact");
    expect_error("shake-omega = 2", "must be 0 (found out in every solution), or at least 1 and less than 2");
    expect_error("shake-omega = 0.9", "at least 1 and less than 2");
    expect_error("feedback-steps = 0.5", "must be 0 (no feedback) or at least 1");
    expect_error("lincs-warnangle = 91", "must be at most 90 degrees");
    expect_error("comm-mode = all", "choose one of linear, angular, none");
    expect_error("DispCorr = yes", "choose one of no, Ener, EnerPres, AllEner, AllEnerPres");
    expect_error("continuation = true", "choose one of no, yes");
    expect_error("precision = single", "choose one of mixed, double");
}

TEST(Mdp, AMinimisationNeedsNoTimeStep)
{
    EXPECT_GT(parameters_of("integrator = steep\ndt = 0").dt, 0.0);
    expect_error("integrator = steep\ndt = -0.001", "md.mdp:2: dt = -0.001: must be more than 0");
    for (const char* integrator : {"md", "md-vv", "sd"})
        expect_error(std::string("dt = 0\ntc-grps = System\ntau-t = 1\nref-t = 300\nintegrator = ") + integrator,
                     "md.mdp:1: dt = 0: must be more than 0");
}

TEST(Mdp, StepsAreCountedFromTheFirst)
{
    EXPECT_EQ(parameters_of("nsteps = 20").last_step(), 20);
    EXPECT_EQ(parameters_of("nsteps = 20\ninit-step = 10").last_step(), 30);
    EXPECT_EQ(parameters_of("init-step = 10").last_step(), 10);
    EXPECT_TRUE(parameters_of("nsteps = -1\ninit-step = 10").endless());
    EXPECT_EQ(parameters_of("nsteps = 9223372036854775797\ninit-step = 10").last_step(), 9223372036854775807);
    expect_error("nsteps = 9223372036854775797\ninit-step = 11",
                 "md.mdp:1: nsteps = 9223372036854775797: the last step");
}

TEST(Mdp, MessagesNameTheFileOfAKeyThatIsNotGiven)
{
    expect_error("coulombtype = PME\nrcoulomb = 0.9",
                 "md.mdp: rvdw is not given, and 1 by default: must not be more than rcoulomb, 0.9, with an Ewald sum");
    expect_error("rvdw =\ncoulombtype = PME\nrcoulomb = 0.9", "md.mdp:1: rvdw is not given, and 1 by default: must");
    expect_error("rcoulomb = 0.9", "md.mdp: rvdw is not given, and 1 by default: must not",
                 {option("coulombtype", "PME")});
    expect_error("integrator = sd", "md.mdp: tc-grps is not given: integrator = sd takes");
}

TEST(Mdp, MethodsThatHolonLacksAreAcceptedOnlyWhenOff)
{
    settings_of("pcoupl = No\npcoupltype = isotropic\ntau-p = 2\npbc = XYZ\nfree-energy = no\nsc-alpha = 0.5\n"
                "freezegrps =\nelectric-field-x = 0 0 0.0 0\npull = no\npull-group1-name = A\n"
                "pull-group2-name = B\nnwall = 0\ncutoff-scheme = verlet\nuserint1 = 7\nimplicit-solvent = no\n"
                "acc-grps = \ncos-acceleration = 0\nmts = no\nmts-levels = 2\nrotation = no\nrot-ngroups = 1");
    expect_error("pbc = no", "only pbc = xyz is available");
    expect_error("free-energy = yes", "free-energy perturbation is not available");
    expect_error("annealing = no single", "there is no thermostat whose temperature could change");
    expect_error("cutoff-scheme = group", "only Verlet");
    expect_error("pull = yes", "pulling is not available");
    expect_error("nwall = 2", "walls are not available");
    expect_error("implicit-solvent = GBSA", "only explicit solvent");
    expect_error("colvars-active = true", "not available");
    settings_of(
        "mass-repartition-factor = 1\ncolvars-active = false\ncolvars-seed = -1\nnnpot-active = no\n"
        "nnpot-modelfile = model.pt\nverlet-buffer-pressure-tolerance = 0.5\nensemble-temperature-setting = auto\n"
        "ensemble-temperature = -1\ndeform-init-flow = no\nuser1-grps = System\nnstcalcenergy = -1");
}

TEST(Mdp, NotesSayWhatHolonDoesInstead)
{
    EXPECT_EQ(note_of("nstlist = 10"), "") << "GROMACS' default needs no note";
    EXPECT_EQ(note_of("verlet-buffer-tolerance = 5e-3"), "");
    EXPECT_EQ(note_of("nstlist = 20").find("md.mdp:1: nstlist = 20: pair lists are renewed"), 0u);
    EXPECT_EQ(note_of("\nxtc-grps = Protein").find("md.mdp:2: xtc-grps = Protein: all atoms are written"), 0u);
    EXPECT_EQ(note_of("title = a = b"), "md.mdp:1: title = a = b: obsolete, ignored");
    EXPECT_EQ(note_of("constraints = all-bonds"), "");
    EXPECT_NE(note_of("epsilon-rf = 78").find("no effect"), std::string::npos);
}

TEST(Mdp, CoulombAndVanDerWaalsAsGromacsMapsThem)
{
    Parameters p = parameters_of("coulombtype = cut-off\nepsilon-r = 2\nepsilon-rf = 78\ncoulomb-modifier = none");
    EXPECT_EQ(p.coulomb, CoulombKind::cutoff);
    EXPECT_EQ(p.epsilon_rf, 2.0);
    EXPECT_EQ(p.coulomb_modifier, Modifier::none);
    p = parameters_of("coulombtype = reaction-field-zero\ncoulomb-modifier = none");
    EXPECT_EQ(p.coulomb, CoulombKind::reaction_field);
    EXPECT_EQ(p.epsilon_rf, 0.0);
    EXPECT_EQ(p.coulomb_modifier, Modifier::potential_shift) << "the reaction field has the shift in it";
    expect_error("coulombtype = reaction-field\nepsilon-rf = 0.5",
                 "md.mdp:2: epsilon-rf = 0.5: must be 0 (infinite) or at least");
    expect_error("coulombtype = reaction-field-zero\nepsilon-rf = 78", "must be 0 (infinite)");

    EXPECT_EQ(parameters_of("vdw-modifier = potential-shift-verlet").vdw_modifier, Modifier::potential_shift);
    EXPECT_EQ(parameters_of("vdw-modifier = none").vdw_modifier, Modifier::none);
    EXPECT_EQ(parameters_of("vdw-modifier = force-switch").vdw_modifier, Modifier::force_switch);
    EXPECT_EQ(parameters_of("vdwtype = shift\nrvdw-switch = 0.8").vdw_modifier, Modifier::force_switch);
    EXPECT_EQ(parameters_of("vdwtype = switch\nrvdw-switch = 0.8").vdw_modifier, Modifier::potential_switch);
    expect_error("vdwtype = switch\nrvdw-switch = 1", "md.mdp:2: rvdw-switch = 1: must be less than rvdw");
    expect_error("vdw-modifier = potential-switch",
                 "rvdw-switch is not given, and 0 by default: the potential must not be switched all the way");
    EXPECT_EQ(parameters_of("rvdw-switch = 5").rvdw_switch, 5.0) << "without a switch it means nothing";
}

TEST(Mdp, MeshElectrostaticsHasTheDefaultsOfGromacs)
{
    const Parameters p = parameters_of("coulombtype = PME");
    EXPECT_EQ(p.coulomb, CoulombKind::mesh);
    EXPECT_EQ(p.mesh, MeshKind::esp);
    EXPECT_EQ(p.mesh_accuracy, 0.0);
    EXPECT_EQ(p.fourier_spacing, 0.12);
    EXPECT_EQ(p.fourier_n, (std::array<int, 3>{0, 0, 0}));
    EXPECT_EQ(p.pme_order, 4);
    EXPECT_EQ(p.ewald_rtol, 1e-5);
    EXPECT_EQ(p.coulomb_modifier, Modifier::potential_shift);
    EXPECT_EQ(note_of("coulombtype = pme\nfourierspacing = 0.16\npme-order = 6\newald-geometry = 3d\n"
                      "epsilon-surface = 0\newald-rtol-lj = 1e-3\noptimize-fft ="),
              "");
}

TEST(Mdp, MeshAndEwaldSettings)
{
    Parameters p = parameters_of("coulombtype = PME\nmesh = SPME\nfourierspacing = 0\nfourier_nx = 30\n"
                                 "fourier_ny = 32\nfourier_nz = 36\npme-order = 12\newald_rtol = 1e-10\n"
                                 "coulomb-modifier = None\nrcoulomb = 1.2");
    EXPECT_EQ(p.mesh, MeshKind::spme);
    EXPECT_EQ(p.fourier_n, (std::array<int, 3>{30, 32, 36}));
    EXPECT_EQ(p.pme_order, 12);
    EXPECT_EQ(p.ewald_rtol, 1e-10);
    EXPECT_EQ(p.coulomb_modifier, Modifier::none);
    EXPECT_EQ(p.rcoulomb, 1.2) << "rcoulomb may be more than rvdw";
    p = parameters_of("coulombtype = Ewald\newald-beta = 2.8\newald-k-cutoff = 16.1");
    EXPECT_EQ(p.coulomb, CoulombKind::ewald);
    EXPECT_EQ(p.ewald_beta, 2.8);
    EXPECT_EQ(p.ewald_k_cutoff, 16.1);
    p = parameters_of("coulombtype = reaction-field\nmesh = spme\npme-order = 6\nfourier-nx = 3");
    EXPECT_EQ(p.coulomb, CoulombKind::reaction_field) << "what only a mesh needs is not looked at without one";
}

TEST(Mdp, MeshSettingsThatDoNotGoTogether)
{
    const std::string pme = "coulombtype = PME\n";
    for (const char* type : {"PME", "Ewald"}) {
        const std::string kind = std::string("coulombtype = ") + type + "\n";
        expect_error(kind + "coulomb-modifier = force-switch",
                     "md.mdp:2: coulomb-modifier = force-switch: the pair part");
        expect_error(kind + "rvdw = 1.1", "md.mdp:2: rvdw = 1.1: must not be more than rcoulomb, 1, with");
    }
    expect_error(pme + "pme-order = 5\nfourier-ny = 7",
                 "md.mdp:3: fourier-ny = 7: must be at least 2 (pme-order - 1) = 8");
    expect_error(pme + "fourierspacing = 0\nfourier-nx = 32\nfourier-nz = 32",
                 "md.mdp:2: fourierspacing = 0: must be more than 0 as fourier-ny is 0");
    expect_error(pme + "mesh-accuracy = 1e-8", "md.mdp:2: mesh-accuracy = 1e-8: must be at least 3e-7");
    expect_error(pme + "ewald-geometry = 3dc", "md.mdp:2: ewald-geometry = 3dc: only ewald-geometry = 3d");
    expect_error(pme + "epsilon-surface = 80", "md.mdp:2: epsilon-surface = 80: only conducting boundaries");

    EXPECT_EQ(note_of(pme + "epsilon-rf = 78"), "md.mdp:2: epsilon-rf = 78: has no effect without a reaction field");
    EXPECT_EQ(note_of(pme + "mesh-accuracy = 1e-4"), "");
    EXPECT_NE(note_of(pme + "mesh-accuracy = 1e-5").find("use precision = double"), std::string::npos);
    EXPECT_EQ(note_of(pme + "mesh-accuracy = 1e-5\nprecision = double"), "");
    EXPECT_NE(note_of(pme + "mesh-accuracy = 1e-4\nmesh = spme").find("no effect with mesh = spme"), std::string::npos);
    EXPECT_NE(note_of(pme + "ewald-beta = 3").find("coulombtype = Ewald only"), std::string::npos);
    EXPECT_NE(note_of(pme + "fourier-ny = 32").find("mesh = spme takes this one"), std::string::npos);
    EXPECT_EQ(note_of(pme + "fourier-nx = 32\nmesh = spme"), "");
}

TEST(Mdp, CoulombTypesThatHolonLacksNameTheOneToUse)
{
    for (const char* name : {"PME-Switch", "P3M-AD"}) {
        EXPECT_EQ(parameters_of(std::string("coulombtype = ") + name).coulomb, CoulombKind::mesh);
        EXPECT_NE(note_of(std::string("coulombtype = ") + name).find("as with PME"), std::string::npos);
    }
    for (const char* name : {"pme_user", "PPPM", "Poisson"})
        expect_error(std::string("coulombtype = ") + name, "use coulombtype = PME");
    expect_error("coulombtype = PME-User-Switch", "tabulated potentials are not available; use coulombtype = PME");
    expect_error("coulombtype = Shift", "use coulombtype = cut-off with coulomb-modifier = force-switch");
    expect_error("coulombtype = Generalized-Reaction-Field", "use coulombtype = reaction-field or PME");
}

TEST(Mdp, EachQuantityHasItsInterval)
{
    const auto p = parameters_of("nstxout = 100\nnstvout = 50\nnstfout = 30\nnstcfout = 7\nnstxout-compressed = 10");
    EXPECT_EQ(p.nstxout, 100);
    EXPECT_EQ(p.nstvout, 50);
    EXPECT_EQ(p.nstfout, 30);
    EXPECT_EQ(p.nstcfout, 7);
    EXPECT_EQ(p.nstxout_compressed, 10);
    EXPECT_EQ(note_of("nstxout = 100\nnstxout-compressed = 10"), "");
}

TEST(Mdp, TemperatureCouplingNeedsMatchingLists)
{
    expect_error("tcoupl = v-rescale", "md.mdp:1: tcoupl = v-rescale: tc-grps names no group");
    expect_error("tcoupl = v-rescale\ntc-grps = A B\ntau-t = 1\nref-t = 300 300",
                 "there are 2 tc-grps, 1 values of tau-t and 2 of ref-t");
    expect_error("tc-grps = System\ntau-t = 1\nref-t = -300", "md.mdp:3: ref-t = -300: must be at least 0");
    expect_error("tc-grps = System\ntau-t = 1x\nref-t = 300", "md.mdp:2: tau-t = 1x: expected a number");
    EXPECT_TRUE(parameters_of("tc-grps = System\ntau-t = 1\nref-t = 300").tc_groups.empty()) << "tcoupl is no";
    const std::string coupled = "tcoupl = v-rescale\ndt = 0.002\ntc-grps = A B\nref-t = 300 300\ntau-t = ";
    EXPECT_EQ(parameters_of(coupled + "1 1").nsttcouple, 10);
    EXPECT_EQ(parameters_of(coupled + "0.1 1").nsttcouple, 10);
    EXPECT_EQ(parameters_of(coupled + "1 0.05").nsttcouple, 5);
    EXPECT_EQ(parameters_of(coupled + "-1 0.001").nsttcouple, 1);
    EXPECT_EQ(parameters_of(coupled + "1 0.05\nnsttcouple = 20").nsttcouple, 20);
    EXPECT_EQ(parameters_of("nsttcouple = 20").nsttcouple, 1) << "tcoupl is no";
    expect_error(coupled + "1 1\nnsttcouple = 0", "must be a number of steps, or -1");
    expect_error(coupled + "1 1\nnsttcouple = -2", "nsttcouple");
    const auto sd = parameters_of("integrator = sd\ntcoupl = v-rescale\ntc-grps = System\ntau-t = 2\nref-t = 300");
    EXPECT_EQ(sd.tcoupl, "no");
    ASSERT_EQ(sd.tc_groups.size(), 1u);
    EXPECT_EQ(sd.tc_groups[0].tau, 2.0);
    EXPECT_EQ(parameters_of("integrator = steep\ntcoupl = v-rescale\ntc-grps = System\ntau-t = 1\nref-t = 300").tcoupl,
              "no");
}

TEST(Mdp, CentreOfMassMotion)
{
    EXPECT_EQ(parameters_of("comm-mode = Angular").comm_mode, CommMode::angular);
    EXPECT_EQ(parameters_of("nstcomm = 0").comm_mode, CommMode::none);
    EXPECT_EQ(parameters_of("nstcomm = -10").nstcomm, 10);
    EXPECT_NE(note_of("nstcomm = -10").find("comm-mode = angular"), std::string::npos);
    EXPECT_TRUE(parameters_of("comm-mode = none\ncomm-grps = Protein").comm_groups.empty());
    EXPECT_EQ(parameters_of("comm-grps = Protein Water").comm_groups.size(), 2u);
}

TEST(Mdp, DefinesAndIncludeFolders)
{
    Notes notes;
    RunOptions run;
    run.defines = {"FLEXIBLE", "SCALE=0.5"};
    const RunSettings s =
        read_settings("define = -DPOSRES -DFC=1000\ninclude = -I../toppar /opt/ff", "md.mdp", run, notes);
    EXPECT_EQ(s.defines, (std::vector<std::string>{"POSRES", "FC=1000", "FLEXIBLE", "SCALE=0.5"}));
    EXPECT_EQ(s.include_dirs, (std::vector<std::string>{"../toppar", "/opt/ff"}));
    Notes ignored;
    EXPECT_TRUE(read_settings("define = POSRES", "md.mdp", {}, ignored).defines.empty());
    EXPECT_NE(ignored.texts().at(0).find("'POSRES' is no -DNAME, and is ignored"), std::string::npos);
    expect_error("define = -D", "expected -DNAME");
    expect_error("define = -DX = 3", "expected -DNAME");
    expect_error("include = -I ..", "right behind -I");
}

TEST(Mdp, SeedsUseAll64BitsAndMinusOneIsDerived)
{
    EXPECT_TRUE(settings_of("ld-seed = -1").derive_ld_seed);
    EXPECT_EQ(settings_of("ld-seed = 18446744073709551615").parameters.ld_seed, ~std::uint64_t{0});
    EXPECT_FALSE(settings_of("ld-seed = 0").derive_ld_seed);
    EXPECT_EQ(settings_of("gen-seed = -2").parameters.gen_seed, ~std::uint64_t{0} - 1);
}

TEST(Mdp, LargeNonsenseIsRefusedQuickly)
{
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += "key" + std::to_string(i) + " = 1\n";
    expect_error(text, "md.mdp:1: key0 = 1: unknown key");
    expect_error(std::string(1 << 20, 'a') + " = 1", "unknown key");
}

TEST(Mdp, FilesOfRealSystemsRunAsTheyAre)
{
    const auto systems = std::filesystem::path(HOLON_SOURCE_DIR) / "../shared/systems";
    if (!std::filesystem::exists(systems)) GTEST_SKIP() << "the reference systems are not here";
    for (const char* name : {"spce-3852", "spce-23262", "dhfr", "lysozyme"}) {
        const std::string path = (systems / name / "md.mdp").string();
        const std::string text = read_text_file(path, "run parameters");
        const Parameters p =
            settings_of(text, {option("coulombtype", "reaction-field"), option("epsilon-rf", "78")}).parameters;
        EXPECT_EQ(settings_of(text).parameters.coulomb, CoulombKind::mesh) << path;
        EXPECT_EQ(p.dt, 0.002) << path;
        EXPECT_EQ(p.rcoulomb, 0.9) << path;
        EXPECT_EQ(p.nstxout_compressed, 5000) << path;
        EXPECT_EQ(p.constraints, ConstraintKind::h_bonds) << path;
    }
}

} // namespace
} // namespace holon
