// The kernel of single pairs: with every instruction set the bits of the radial functions, pair by pair.
#include <forces/pairs/wide_kernel.hpp>

#include <support/constraint_system.hpp>
#include <support/pair_settings.hpp>

#include <holon/core/instruction_sets.hpp>
#include <holon/core/lattice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace holon::test {
namespace {

using pair::Form;
using pair::Kind;
using pair::WideBlock;

struct Variant {
    const char* name;
    void (*forces)(Kind, Form, const pair::Constants<double>&, WideBlock&);
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", pair::wide_forces_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back({"v3", pair::wide_forces_v3});
    if (best_instruction_set() >= InstructionSet::v4) all.push_back({"v4", pair::wide_forces_v4});
#endif
    return all;
}

/// Pairs from far too close, where forces are clamped, to beyond the usual distances; not a multiple of any vector.
WideBlock pairs()
{
    constexpr int n = 45;
    static_assert(n <= WideBlock::size);
    Noise noise(5);
    WideBlock block;
    block.n = n;
    for (int p = 0; p < n; ++p) {
        const Vec3 d = (1e-4 * std::pow(1.24, p)) * noise.vector().normalized();
        for (int k = 0; k < 3; ++k) block.d[k][p] = d[k];
        block.qq[p] = 138.935 * (p % 2 == 0 ? -0.36 : 0.17);
        block.six_c6[p] = 6.0 * 0.0026 * (p % 5);
        block.twelve_c12[p] = 12.0 * 2.6e-6 * (p % 5);
    }
    return block;
}

void expect_forces_of_functions(Kind kind, Form form, const pair::Constants<double>& k)
{
    const WideBlock given = pairs();
    for (const auto& variant : variants()) {
        WideBlock found = given;
        variant.forces(kind, form, k, found);
        for (int p = 0; p < given.n; ++p) {
            const Vec3 d(given.d[0][p], given.d[1][p], given.d[2][p]);
            const double r2 = std::max(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], pair::least_distance2);
            const double rinv = 1.0 / std::sqrt(r2);
            const double over_r = pair::with_form(form, [&](auto f) {
                return kind == Kind::coulomb
                           ? pair::coulomb_force<f.value>(r2, rinv, given.qq[p], k)
                           : pair::vdw_force<f.value>(r2, rinv, given.six_c6[p], given.twelve_c12[p], k);
            });
            const double units = std::clamp(over_r / force_unit, -force_bound * rinv, force_bound * rinv);
            for (int a = 0; a < 3; ++a)
                EXPECT_EQ(found.force[a][p], round_to_int(units * d[a]))
                    << variant.name << ", pair " << p << ", axis " << a;
        }
    }
}

TEST(WideKernel, HasTheBitsOfTheRadialFunctions)
{
    for (const auto& setting : pair_settings()) {
        SCOPED_TRACE(setting.name);
        const pair::Constants<double> k{setting.constants()};
        expect_forces_of_functions(Kind::coulomb, setting.coulomb(), k);
        expect_forces_of_functions(Kind::vdw, setting.form, k);
    }
}

TEST(WideKernel, TellsOfClampedForcesOfItsPairsOnly)
{
    const auto setting = pair_settings().front();
    const pair::Constants<double> k{setting.constants()};
    for (const auto& variant : variants()) {
        WideBlock block;
        block.n = 3;
        for (int p = 0; p < 4; ++p) {
            block.d[0][p] = p < 3 ? 0.3 : 0.01; // beyond n: of pairs before
            block.twelve_c12[p] = 12.0 * 2.6e-6;
        }
        variant.forces(Kind::vdw, setting.form, k, block);
        EXPECT_FALSE(block.clamped) << variant.name;
        block.d[0][2] = 0.01;
        variant.forces(Kind::vdw, setting.form, k, block);
        EXPECT_TRUE(block.clamped) << variant.name;
        EXPECT_EQ(block.force[0][2], std::int64_t{1} << 53) << variant.name;
    }
}

} // namespace
} // namespace holon::test
