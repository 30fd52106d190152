// The kernels of sparse elimination give the same bits with every instruction set, whatever the number of neighbours of
// a pivot. That they solve equations is in elimination_test.cpp.
#include <holon/core/instruction_sets.hpp>

#include <support/constraints/constraint_system.hpp>

#include <constraints/newton/elimination_kernel.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <vector>

namespace holon::test {
namespace {

struct Variant {
    const char* name;
    decltype(&elimination::factor_baseline) factor;
    decltype(&elimination::forward_baseline) forward;
    decltype(&elimination::backward_baseline) backward;
};

std::vector<Variant> variants()
{
    using namespace elimination;
    std::vector<Variant> all{{"baseline", factor_baseline, forward_baseline, backward_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back({"v3", factor_v3, forward_v3, backward_v3});
    if (best_instruction_set() >= InstructionSet::v4) all.push_back({"v4", factor_v4, forward_v4, backward_v4});
#endif
    return all;
}

constexpr std::int32_t pivots_per_run = 3, most_neighbours = 9;

/// Runs of pivots with 0 to 9 neighbours, which are among the unknowns that stay; what they change lies behind their
/// own numbers.
struct Numbers {
    std::vector<elimination::Run> runs;
    std::vector<std::int32_t> others, targets;
    std::vector<double> values, rhs, scale;

    Numbers()
    {
        constexpr std::int32_t n_pivots = pivots_per_run * (most_neighbours + 1);
        std::int64_t n_values = 0;
        for (std::int32_t n = 0; n <= most_neighbours; ++n) {
            runs.push_back({n, n * pivots_per_run, pivots_per_run, n_values, std::ssize(others), std::ssize(targets)});
            n_values += pivots_per_run * (1 + 2 * n);
            for (std::int32_t k = 0; k < pivots_per_run * n; ++k) others.push_back(n_pivots + k % n);
            targets.resize(targets.size() + static_cast<std::size_t>(pivots_per_run * n * n));
        }
        for (std::size_t t = 0; t < targets.size(); ++t)
            targets[t] = static_cast<std::int32_t>(n_values) + static_cast<std::int32_t>(t * t % 97);
        Noise noise(5);
        for (std::int64_t v = 0; v < n_values + 97; ++v) values.push_back(2.0 + noise());
        for (std::int32_t u = 0; u < n_pivots + most_neighbours; ++u) rhs.push_back(noise());
        for (std::int32_t p = 0; p < n_pivots; ++p) scale.push_back(1.0 + 0.1 * p);
    }
    elimination::Plan plan() const { return {runs.data(), std::ssize(runs), others.data(), targets.data()}; }
};

TEST(EliminationKernel, SameBitsWithEveryInstructionSet)
{
    const auto outcome = [](const Variant& variant) {
        Numbers n;
        const auto growth = variant.factor(n.plan(), n.values.data(), n.rhs.data(), n.scale.data(), 1e3);
        variant.forward(n.plan(), n.values.data(), n.rhs.data());
        variant.backward(n.plan(), n.values.data(), n.rhs.data());
        return std::tuple(n.values, n.rhs, growth.largest, growth.is_sound);
    };
    const auto expected = outcome(variants().front());
    EXPECT_TRUE(std::get<3>(expected));
    for (const auto& variant : variants()) EXPECT_EQ(outcome(variant), expected) << variant.name;
}

TEST(EliminationKernel, TellsOfPivotsThatAreNotSound)
{
    for (const auto& variant : variants())
        for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
            for (const std::size_t pivot : {0, 5, 17}) {
                Numbers n;
                const auto& run = n.runs[pivot / pivots_per_run];
                const auto stride = 1 + 2 * run.n;
                n.values[static_cast<std::size_t>(run.values + stride * static_cast<int>(pivot % pivots_per_run))] =
                    bad;
                EXPECT_FALSE(variant.factor(n.plan(), n.values.data(), n.rhs.data(), n.scale.data(), 1e3).is_sound)
                    << variant.name << ", " << bad << ", " << pivot;
            }
}

} // namespace
} // namespace holon::test
