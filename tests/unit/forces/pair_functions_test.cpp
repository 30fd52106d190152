// The radial functions of the pair interactions are those of the manual.
#include <forces/pairs/pair_functions.hpp>

#include <support/pair_settings.hpp>
#include <support/reference.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace holon::test {
namespace {

using pair::Form;

/// Distances up to just below the cutoffs.
std::vector<double> distances(double cutoff)
{
    std::vector<double> all;
    for (double r = 0.15; r < cutoff; r += 0.0123) all.push_back(r);
    all.push_back(cutoff * (1.0 - 1e-9));
    return all;
}

template <Form form>
double lj_force(double r, double c6, double c12, const pair::Constants<double>& k)
{
    return r * pair::vdw_force<form>(r * r, 1.0 / r, 6.0 * c6, 12.0 * c12, k);
}

template <Form form>
void expect_lj_functions(const Parameters& p)
{
    const pair::Constants<double> k{NonbondedConstants(p)};
    const double c6 = 0.0062, c12 = 9.7e-6;
    for (const double r : distances(p.rvdw)) {
        const Dual expected = lj_potential(r, c6, c12, p);
        // What the terms that cancel leave of their rounding.
        const double scale = 1e-13 * (c12 * std::pow(r, -12) + c6 * std::pow(r, -6) + 1e-3);
        EXPECT_NEAR(pair::vdw_energy<form>(r * r, 1.0 / r, c6, c12, k), expected.value, scale) << "r = " << r;
        EXPECT_NEAR(lj_force<form>(r, c6, c12, k), -expected.slope, 20.0 / r * scale) << "r = " << r;
    }
}

TEST(PairFunctions, AreThoseOfTheManual)
{
    for (const auto& setting : pair_settings()) {
        SCOPED_TRACE(setting.name);
        if (setting.form == Form::plain) expect_lj_functions<Form::plain>(setting.parameters);
        if (setting.form == Form::force_switch) expect_lj_functions<Form::force_switch>(setting.parameters);
        if (setting.form == Form::potential_switch) expect_lj_functions<Form::potential_switch>(setting.parameters);
    }
}

TEST(PairFunctions, ForceIsMinusTheSlopeOfTheEnergy)
{
    for (const auto& setting : pair_settings()) {
        SCOPED_TRACE(setting.name);
        const pair::Constants<double> k{setting.constants()};
        const bool ewald = setting.coulomb() == Form::ewald;
        const auto energy = [&](double r) {
            const double coulomb = ewald ? pair::coulomb_energy<Form::ewald>(r * r, 1.0 / r, -1.3, k)
                                         : pair::coulomb_energy<Form::plain>(r * r, 1.0 / r, -1.3, k);
            if (setting.form == Form::force_switch)
                return coulomb + pair::vdw_energy<Form::force_switch>(r * r, 1.0 / r, 0.0062, 9.7e-6, k);
            if (setting.form == Form::potential_switch)
                return coulomb + pair::vdw_energy<Form::potential_switch>(r * r, 1.0 / r, 0.0062, 9.7e-6, k);
            return coulomb + pair::vdw_energy<Form::plain>(r * r, 1.0 / r, 0.0062, 9.7e-6, k);
        };
        const auto force = [&](double r) {
            const double coulomb = r * (ewald ? pair::coulomb_force<Form::ewald>(r * r, 1.0 / r, -1.3, k)
                                              : pair::coulomb_force<Form::plain>(r * r, 1.0 / r, -1.3, k));
            if (setting.form == Form::force_switch) return coulomb + lj_force<Form::force_switch>(r, 0.0062, 9.7e-6, k);
            if (setting.form == Form::potential_switch)
                return coulomb + lj_force<Form::potential_switch>(r, 0.0062, 9.7e-6, k);
            return coulomb + lj_force<Form::plain>(r, 0.0062, 9.7e-6, k);
        };
        for (double r = 0.25; r < 0.98; r += 0.0171) {
            const double h = 1e-5 * r;
            const double slope =
                (8.0 * (energy(r + h) - energy(r - h)) - (energy(r + 2.0 * h) - energy(r - 2.0 * h))) / (12.0 * h);
            EXPECT_NEAR(force(r), -slope, 1e-8 * std::max(1.0, std::abs(slope))) << "r = " << r;
        }
    }
}

template <Form form>
void expect_smooth_coulomb(Modifier modifier)
{
    Parameters p;
    p.coulomb = CoulombKind::cutoff;
    p.coulomb_modifier = modifier;
    p.rcoulomb = 0.9;
    p.rcoulomb_switch = 0.7;
    const pair::Constants<double> k{NonbondedConstants(p)};
    const auto energy = [&k](double r) { return pair::coulomb_energy<form>(r * r, 1.0 / r, -1.3, k); };
    const auto force = [&k](double r) { return r * pair::coulomb_force<form>(r * r, 1.0 / r, -1.3, k); };
    for (double r = 0.2; r < 0.9; r += 0.0171) {
        const double h = 1e-5 * r;
        EXPECT_NEAR(force(r), -(energy(r + h) - energy(r - h)) / (2.0 * h), 1e-7) << "r = " << r;
    }
    EXPECT_NEAR(energy(0.9), 0.0, 1e-14);
    EXPECT_NEAR(force(0.9), 0.0, 1e-13);
    // Inside the switching range nothing is left of it but a constant.
    EXPECT_NEAR(energy(0.3) - energy(0.5), -1.3 * (1.0 / 0.3 - 1.0 / 0.5), 1e-13);
}

TEST(PairFunctions, CoulombIsSwitchedOffSmoothly)
{
    expect_smooth_coulomb<Form::force_switch>(Modifier::force_switch);
    expect_smooth_coulomb<Form::potential_switch>(Modifier::potential_switch);
}

TEST(PairFunctions, GoToZeroAtTheCutoff)
{
    const double c6 = 0.0062, c12 = 9.7e-6, rc = 1.0;
    const auto at_cutoff = [&](const PairSetting& setting, auto form) {
        const pair::Constants<double> k{NonbondedConstants(setting.parameters)};
        return std::pair{pair::vdw_energy<form.value>(rc * rc, 1.0 / rc, c6, c12, k),
                         lj_force<form.value>(rc, c6, c12, k)};
    };
    const auto all = pair_settings();
    const auto [plain, plain_force] = at_cutoff(all[0], std::integral_constant<Form, Form::plain>{});
    EXPECT_NEAR(plain, c12 - c6, 1e-15);
    const auto [shifted, shifted_force] = at_cutoff(all[1], std::integral_constant<Form, Form::plain>{});
    EXPECT_NEAR(shifted, 0.0, 1e-15);
    EXPECT_EQ(shifted_force, plain_force);
    for (const std::size_t switched : {2, 3}) {
        const auto [energy, force] = at_cutoff(all[switched], std::integral_constant<Form, Form::force_switch>{});
        EXPECT_NEAR(energy, 0.0, 1e-15);
        EXPECT_NEAR(force, 0.0, 1e-13);
    }
    const auto [energy, force] = at_cutoff(all[4], std::integral_constant<Form, Form::potential_switch>{});
    EXPECT_NEAR(energy, 0.0, 1e-15);
    EXPECT_NEAR(force, 0.0, 1e-13);
}

TEST(PairFunctions, EwaldEndsAtTheCutoff)
{
    for (const auto& setting : pair_settings()) {
        if (setting.coulomb() != Form::ewald) continue;
        SCOPED_TRACE(setting.name);
        const auto constants = setting.constants();
        const pair::Constants<double> k{constants};
        const double rc = constants.r_coulomb;
        EXPECT_NEAR(pair::coulomb_energy<Form::ewald>(rc * rc, 1.0 / rc, 1.0, k), 0.0, 1e-7);
        const double force = rc * pair::coulomb_force<Form::ewald>(rc * rc, 1.0 / rc, 1.0, k);
        // A Gaussian split leaves a step: erfc(beta rc) / rc^2 + 2 beta / sqrt(pi) exp(-beta^2 rc^2) / rc.
        EXPECT_NEAR(force, 0.0, setting.parameters.mesh == MeshKind::spme ? 3e-4 : 1e-12);
    }
}

TEST(PairFunctions, ReactionFieldEndsAtTheCutoff)
{
    for (const double epsilon_rf : {0.0, 1.0, 78.0}) {
        auto p = pair_parameters(Modifier::none, 0.0);
        p.epsilon_rf = epsilon_rf;
        const pair::Constants<double> k{NonbondedConstants(p)};
        const double rc = p.rcoulomb;
        EXPECT_NEAR(pair::coulomb_energy<Form::plain>(rc * rc, 1.0 / rc, 1.0, k), 0.0, 1e-15);
        const double force = rc * pair::coulomb_force<Form::plain>(rc * rc, 1.0 / rc, 1.0, k);
        // What remains of the force is the field that a dielectric lets through: 3 / (2 epsilon + 1).
        EXPECT_NEAR(force, epsilon_rf == 0.0 ? 0.0 : 3.0 / (2.0 * epsilon_rf + 1.0) / (rc * rc), 1e-15);
        for (const double r : distances(rc)) {
            const Dual expected = power({r, 1.0}, -1) + ReactionField(p)(r);
            EXPECT_NEAR(pair::coulomb_energy<Form::plain>(r * r, 1.0 / r, 1.0, k), expected.value, 1e-14);
            EXPECT_NEAR(r * pair::coulomb_force<Form::plain>(r * r, 1.0 / r, 1.0, k), -expected.slope, 1e-13);
        }
    }
}

TEST(PairFunctions, InversePowers)
{
    std::mt19937_64 random(4);
    double worst_cube = 0.0, worst = 0.0;
    for (int n = 0; n < 300000; ++n) {
        // Squares of distances in units of the kernel lattice, and in nm.
        const auto x = static_cast<float>(std::exp2(std::uniform_real_distribution<double>(-20.0, 50.0)(random)));
        const auto cube = pair::inverse_cube(x, std::bit_cast<std::int32_t>(x));
        const double exact = std::pow(static_cast<double>(x), -1.5);
        worst_cube = std::max(worst_cube, std::abs(static_cast<double>(cube.y3) * cube.factor / exact - 1.0));
        const double inverse = pair::inverse<0>(x, std::bit_cast<std::int32_t>(x));
        worst = std::max(worst, std::abs(inverse * x - 1.0));
        ASSERT_EQ(pair::inverse<10>(x, std::bit_cast<std::int32_t>(x)), inverse * 0x1p10) << "x = " << x;
    }
    EXPECT_LT(worst_cube, 6e-7);
    EXPECT_LT(worst, 1.5e-7);
}

TEST(PairFunctions, InverseSquareRoot)
{
    std::mt19937_64 random(3);
    for (int n = 0; n < 100000; ++n) {
        const double r2 = std::exp2(std::uniform_real_distribution<double>(-20.0, 6.0)(random));
        const auto single = static_cast<float>(r2);
        const float y = pair::inverse_sqrt(single, std::bit_cast<std::int32_t>(single));
        EXPECT_NEAR(y * std::sqrt(static_cast<double>(single)), 1.0, 8e-7);
        const double refined = pair::refine_inverse_sqrt(r2, static_cast<double>(y));
        EXPECT_NEAR(refined * std::sqrt(r2), 1.0, 1.5e-12);
    }
}

} // namespace
} // namespace holon::test
