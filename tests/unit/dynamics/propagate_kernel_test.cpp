// The kernels of kicks and drifts: what round_to_int_clamped() makes of each number, with every instruction set.
#include <holon/core/instruction_sets.hpp>
#include <holon/core/lattice.hpp>

#include <dynamics/propagate_kernel.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace holon::test {
namespace {

struct Variant {
    const char* name;
    decltype(&propagate::kick_baseline) kick;
    decltype(&propagate::drift_baseline) drift;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", propagate::kick_baseline, propagate::drift_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back({"v3", propagate::kick_v3, propagate::drift_v3});
    if (best_instruction_set() >= InstructionSet::v4) all.push_back({"v4", propagate::kick_v4, propagate::drift_v4});
#endif
    return all;
}

/// Numbers of all sizes, some of them ties when halved.
std::vector<std::int64_t> numbers(std::size_t n, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> all;
    for (std::size_t k = 0; k < n; ++k) all.push_back(static_cast<std::int64_t>(random()) >> (1 + random() % 62));
    return all;
}

TEST(PropagateKernel, RoundsEachNumberOnceAndKeepsToItsAtoms)
{
    constexpr std::size_t room = 40;
    const auto f = numbers(3 * room, 1), start = numbers(3 * room, 2);
    std::vector<double> inverse_mass;
    for (std::size_t a = 0; a < room; ++a) inverse_mass.push_back(1.0 / (1.0 + 3.7 * static_cast<double>(a % 5)));
    for (const auto& variant : variants())
        for (const double scale : {0.5, -0.002, 1.0 / 3.0})
            for (std::size_t n = 0; n <= room; ++n) {
                SCOPED_TRACE(variant.name);
                auto kicked = start, drifted = numbers(3 * room, 3), in_place = start;
                const auto before = drifted;
                const auto count = static_cast<std::int64_t>(n);
                variant.kick(count, f.data(), inverse_mass.data(), scale, kicked.data());
                variant.drift(count, start.data(), f.data(), scale, drifted.data());
                variant.drift(count, in_place.data(), f.data(), scale, in_place.data());
                for (std::size_t k = 0; k < 3 * room; ++k) {
                    const bool moves = k < 3 * n;
                    const auto value = static_cast<double>(f[k]);
                    const auto change = round_to_int_clamped(value * (scale * inverse_mass[k / 3]));
                    ASSERT_EQ(kicked[k], moves ? start[k] + change : start[k]) << k << " of " << n;
                    const auto end = start[k] + round_to_int_clamped(value * scale);
                    ASSERT_EQ(drifted[k], moves ? end : before[k]) << k << " of " << n;
                    ASSERT_EQ(in_place[k], moves ? end : start[k]) << k << " of " << n;
                }
            }
}

TEST(PropagateKernel, StaysWithinBounds)
{
    constexpr auto bound = std::int64_t{1} << 58;
    const std::vector<std::int64_t> f{bound, -bound, 3, bound - 1, 1 - bound, 0, 0, 0, 0};
    const std::vector<double> inverse_mass{1e6, 1.0, std::numeric_limits<double>::quiet_NaN()};
    const std::vector<std::int64_t> expected{bound, -bound, 3000000, bound, -bound, 0, bound, bound, bound};
    for (const auto& variant : variants()) {
        std::vector<std::int64_t> v(9);
        variant.kick(3, f.data(), inverse_mass.data(), 1.0, v.data());
        EXPECT_EQ(v, expected) << variant.name;
    }
}

} // namespace
} // namespace holon::test
