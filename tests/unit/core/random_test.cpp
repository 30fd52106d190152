#include <holon/core/instruction_sets.hpp>
#include <holon/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <span>
#include <vector>

namespace holon {
namespace {

// Known answers published with the Random123 paper (Salmon et al. 2011): kat_vectors, philox4x32 10.
TEST(Philox, KnownAnswers)
{
    EXPECT_EQ(Philox::encrypt({0, 0, 0, 0}, {0, 0}), (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(Philox::encrypt({ones, ones, ones, ones}, {ones, ones}),
              (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(Philox::encrypt({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, KeyAndCounterAreLaidOutAsDocumented)
{
    EXPECT_EQ(Philox(0x299f31d0a4093822)(0x85a308d3243f6a88, 0x13198a2e, 0x03707344),
              (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, EveryArgumentMatters)
{
    const std::set<Philox::Block> blocks{Philox(1)(2, 3, 4),
                                         Philox(2)(2, 3, 4),
                                         Philox(1 | std::uint64_t{1} << 40)(2, 3, 4),
                                         Philox(1)(3, 3, 4),
                                         Philox(1)(2 | std::uint64_t{1} << 40, 3, 4),
                                         Philox(1)(2, 4, 4),
                                         Philox(1)(2, 3, 5)};
    EXPECT_EQ(blocks.size(), 7u);
}

TEST(Uniform, StaysInsideTheOpenInterval)
{
    EXPECT_GT(uniform_pair({0, 0, 0, 0})[0], 0.0);
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_LT(uniform_pair({ones, ones, ones, ones})[1], 1.0);
    EXPECT_DOUBLE_EQ(uniform_pair({0, 0x80000000, 0, 0x40000000})[0], 0.5);
    EXPECT_DOUBLE_EQ(uniform_pair({0, 0x80000000, 0, 0x40000000})[1], 0.25);
}

/// Means of the first four moments over many counters, within five standard errors of the exact values.
TEST(Normal, HasTheMomentsOfTheNormalDistribution)
{
    constexpr int n = 100000;
    const Philox philox(42);
    double moment[5] = {};
    double product = 0.0;
    for (int i = 0; i < n; ++i) {
        const auto pair = normal_pair(philox(7, static_cast<std::uint32_t>(i), 0));
        for (const double z : pair)
            for (int m = 1; m <= 4; ++m) moment[m] += std::pow(z, m) / (2.0 * n);
        product += pair[0] * pair[1] / n;
    }
    const double root = std::sqrt(2.0 * n);
    EXPECT_NEAR(moment[1], 0.0, 5.0 * 1.0 / root);
    EXPECT_NEAR(moment[2], 1.0, 5.0 * std::sqrt(2.0) / root);
    EXPECT_NEAR(moment[3], 0.0, 5.0 * std::sqrt(15.0) / root);
    EXPECT_NEAR(moment[4], 3.0, 5.0 * std::sqrt(96.0) / root);
    EXPECT_NEAR(product, 0.0, 5.0 / std::sqrt(n));
}

/// With every instruction set, for any number of atoms: the same bits.
TEST(NormalVectors, AreThoseOfNormalPairs)
{
    const auto best = best_instruction_set();
    for (const auto set : {InstructionSet::baseline, InstructionSet::v3, InstructionSet::v4}) {
        if (set > best) continue;
        use_instruction_set(set);
        for (const std::uint64_t seed : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x123456789abcdef}})
            for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{7} << 31, ~std::uint64_t{0}})
                for (const std::size_t n : {1, 7, 8, 9, 4001}) {
                    SCOPED_TRACE(name_of(set));
                    const Philox random(seed);
                    std::vector<std::int32_t> ids;
                    for (std::size_t k = 0; k < n; ++k)
                        ids.push_back(static_cast<std::int32_t>(2147483647 - 53687 * static_cast<std::int64_t>(k)));
                    std::vector<Vec3> deviates(n + 1, Vec3::Constant(7.0));
                    normal_vectors(random, step, Stream::friction, 3, ids, std::span(deviates).first(n));
                    EXPECT_EQ(deviates.back(), Vec3::Constant(7.0));
                    for (std::size_t k = 0; k < n; ++k) {
                        const auto id = static_cast<std::uint32_t>(ids[k]);
                        const auto first = normal_pair(random(step, id, Stream::friction, 3)),
                                   second = normal_pair(random(step, id, Stream::friction, 4));
                        ASSERT_EQ(deviates[k], Vec3(first[0], first[1], second[0])) << id;
                    }
                }
    }
    use_instruction_set(best);
}

} // namespace
} // namespace holon
