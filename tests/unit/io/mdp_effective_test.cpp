#include <holon/core/error.hpp>
#include <holon/io/options.hpp>

#include <gtest/gtest.h>

namespace holon {
namespace {

/// Settings of a text and options as the command line gives them.
RunSettings settings_of(const std::string& text, const std::vector<Setting>& options = {})
{
    Notes unused;
    RunOptions run;
    run.settings = options;
    return read_settings(text, "md.mdp", run, unused);
}

Setting option(const std::string& key, const std::string& value)
{
    return {key, value, "command line"};
}

/// A text that sets every key away from its default.
const std::string everything =
    "include = -Iff\ndefine = -DPOSRES -DA=1\nintegrator = md-vv\ntinit = 0.1\ndt = 0.0015\nnsteps = -1\ninit-step = "
    "7\n"
    "continuation = yes\nnstcomm = 3\ncomm-grps = Protein Water\nemtol = 1\nemstep = 0.03\nnstxout = 5\nnstvout = 5\n"
    "nstfout = 5\nnstcfout = 2\nnstxout-compressed = 50\nnstlog = 7\nnstenergy = 9\ncoulombtype = "
    "Reaction-Field\nrcoulomb = 0.9\n"
    "epsilon-r = 1.1\nepsilon-rf = 0\nvdwtype = switch\nrvdw = 0.95\nrvdw-switch = 0.8333333333333333\nDispCorr = "
    "EnerPres\n"
    "tcoupl = v-rescale\ntc-grps = Protein Water\ntau-t = 0.1 0.3\nref-t = 300 1e2\nld-seed = 12345678901234567890\n"
    "gen-temp = 10\ngen-seed = 9\nconstraints = all-bonds\nconstraint-algorithm = shake\nshake-tol = 1e-10\n"
    "shake-sor = yes\nshake-omega = 1.3\nfeedback-steps = 20\nshake-warm-start = yes\n"
    "precision = double\ndomains = 1X2x3\ndlb = no\nskin = 0.15\ncheckpoint-interval = 0\ncheckpoint-sync = 2.5\nmaxh "
    "= 23.9\n";

TEST(EffectiveMdp, ReadsBackAsTheSameParameters)
{
    const RunSettings first = settings_of(everything);
    const std::string text = effective_mdp(first);
    const RunSettings second = settings_of(text);
    EXPECT_EQ(effective_mdp(second), text);
    EXPECT_NE(effective_mdp(settings_of("")), text);

    const Parameters& p = second.parameters;
    EXPECT_EQ(p.dt, 0.0015);
    EXPECT_EQ(p.rvdw_switch, 0.8333333333333333);
    EXPECT_EQ(p.vdw_modifier, Modifier::potential_switch);
    EXPECT_EQ(p.epsilon_rf, 0.0);
    EXPECT_EQ(p.shake_sor, OverRelaxation::yes);
    EXPECT_TRUE(p.shake_warm_start);
    EXPECT_EQ(p.shake_omega, 1.3);
    EXPECT_EQ(p.feedback_steps, 20.0);
    EXPECT_EQ(p.nstxout, 5);
    EXPECT_EQ(p.nstcfout, 2);
    EXPECT_EQ(p.ld_seed, 12345678901234567890u);
    EXPECT_EQ(p.precision, Precision::real64);
    EXPECT_EQ(p.domains, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(p.load_balancing, LoadBalancing::no);
    EXPECT_EQ(p.skin, 0.15);
    EXPECT_EQ(p.tc_groups[1].temperature, 100.0);
    EXPECT_EQ(second.defines, first.defines);
    EXPECT_EQ(second.include_dirs, first.include_dirs);
}

TEST(EffectiveMdp, HoldsTheTemperatureSettings)
{
    for (const char* more : {"tcoupl = nose-hoover\nintegrator = md-vv\nnh-chain-length = 4", "tcoupl = yes",
                             "integrator = bd\nbd-fric = 7", "integrator = baoab\ngeodesic-steps = 3"}) {
        const RunSettings first = settings_of(
            "tc-grps = A B\ntau-t = 1 1\nref-t = 300 310\nannealing = periodic no\nannealing-npoints = 2 5\n"
            "annealing-time = 0 2\nannealing-temp = 10 20\nemtol = 3\nnstcgsteep = 5\nnbfgscorr = 7\ncomm-mode = "
            "angular\n" +
            std::string(more));
        const std::string text = effective_mdp(first);
        const RunSettings second = settings_of(text);
        EXPECT_EQ(effective_mdp(second), text);
        const auto &p = second.parameters, &q = first.parameters;
        EXPECT_EQ(p.tcoupl, q.tcoupl);
        EXPECT_EQ(p.nh_chain_length, q.nh_chain_length);
        EXPECT_EQ(p.bd_fric, q.bd_fric);
        EXPECT_EQ(p.geodesic_steps, q.geodesic_steps);
        EXPECT_EQ(p.nstcgsteep, 5);
        EXPECT_EQ(p.nbfgscorr, 7);
        EXPECT_EQ(p.tc_groups[0].temperature_at(3.0), 15.0);
        EXPECT_EQ(p.tc_groups[1].temperature_at(3.0), 310.0);
    }
}

TEST(EffectiveMdp, HoldsTheMeshSettings)
{
    const RunSettings first = settings_of(
        "coulombtype = PME\nmesh = spme\nmesh-accuracy = 3e-4\nfourierspacing = 0.1\nfourier-nx = 40\nfourier-ny = 41\n"
        "fourier-nz = 42\npme-order = 6\newald-rtol = 1e-6\newald-beta = 3.1\newald-k-cutoff = 20\nepsilon-rf = 78\n"
        "coulomb-modifier = none\n");
    const std::string text = effective_mdp(first);
    const RunSettings second = settings_of(text);
    EXPECT_EQ(effective_mdp(second), text);
    const Parameters& p = second.parameters;
    EXPECT_EQ(p.coulomb, CoulombKind::mesh);
    EXPECT_EQ(p.mesh, MeshKind::spme);
    EXPECT_EQ(p.mesh_accuracy, 3e-4);
    EXPECT_EQ(p.fourier_spacing, 0.1);
    EXPECT_EQ(p.fourier_n, (std::array<int, 3>{40, 41, 42}));
    EXPECT_EQ(p.pme_order, 6);
    EXPECT_EQ(p.ewald_rtol, 1e-6);
    EXPECT_EQ(p.ewald_beta, 3.1);
    EXPECT_EQ(p.ewald_k_cutoff, 20.0);
    EXPECT_EQ(p.coulomb_modifier, Modifier::none);
}

TEST(EffectiveMdp, HoldsTheCommandLineAndDerivedSeeds)
{
    RunSettings s = settings_of("dt = 0.002", {option("dt", "0.001")});
    EXPECT_NE(effective_mdp(s).find("ld-seed                  = -1\n"), std::string::npos);
    s.parameters.ld_seed = 77;
    s.derive_ld_seed = false;
    const RunSettings again = settings_of(effective_mdp(s));
    EXPECT_EQ(again.parameters.dt, 0.001);
    EXPECT_EQ(again.parameters.ld_seed, 77u);
    EXPECT_FALSE(again.derive_ld_seed);
    EXPECT_TRUE(again.derive_gen_seed);
}

void expect_refused(const std::string& stored, const RunSettings& wanted, const std::string& message)
{
    try {
        continue_settings(stored, wanted);
        ADD_FAILURE() << "expected: " << message;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
}

TEST(Continuation, TakesOnlyWhatMayChange)
{
    const std::string stored = effective_mdp(settings_of(everything));
    const RunSettings more = continue_settings(
        stored, settings_of(stored, {option("nsteps", "500"), option("domains", "4x1x1"), option("maxh", "-1"),
                                     option("nstxout", "0"), option("nstvout", "0"), option("nstfout", "0"),
                                     option("nstcfout", "0"), option("checkpoint-interval", "10"),
                                     option("dt", "0.00150"), option("dlb", "yes"), option("skin", "0.3")}));
    EXPECT_EQ(more.parameters.nsteps, 500);
    EXPECT_EQ(more.parameters.nstxout, 0);
    EXPECT_EQ(more.parameters.nstxout_compressed, 50);
    EXPECT_EQ(more.parameters.dt, 0.0015);
    EXPECT_EQ(more.parameters.load_balancing, LoadBalancing::yes);
    expect_refused(stored, settings_of(stored, {option("dt", "0.001")}),
                   "command line: dt = 0.001: the run goes on with dt = 0.0015; only nsteps, ");
    expect_refused(stored, settings_of(stored, {option("precision", "mixed")}), "precision = mixed");
    expect_refused(stored, settings_of(stored, {option("ld-seed", "1")}), "ld-seed = 1");
}

TEST(Continuation, ResumedInputMayAskForDerivedSeedsAgain)
{
    RunSettings started = settings_of("dt = 0.002");
    started.parameters.ld_seed = 77;
    started.derive_ld_seed = false;
    const RunSettings resumed = continue_settings(effective_mdp(started), settings_of("dt = 0.002\nnsteps = 9"));
    EXPECT_EQ(resumed.parameters.ld_seed, 77u);
    EXPECT_FALSE(resumed.derive_ld_seed);
    EXPECT_TRUE(resumed.derive_gen_seed);
    EXPECT_EQ(resumed.parameters.nsteps, 9);
    EXPECT_NE(effective_mdp(resumed).find("ld-seed                  = 77\n"), std::string::npos);
    expect_refused(effective_mdp(started), settings_of("dt = 0.002\nrvdw = 2"),
                   "md.mdp:2: rvdw = 2: the run goes on with rvdw = 1");
}

} // namespace
} // namespace holon
