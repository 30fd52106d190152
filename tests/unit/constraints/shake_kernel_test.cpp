// The kernels of SHAKE: the same bits with every instruction set, and those of one constraint after the other, wherever
// a run begins and ends.
#include <holon/core/instruction_sets.hpp>

#include <support/constraints/constraint_system.hpp>

#include <constraints/shake/shake_kernel.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

namespace holon::test {
namespace {

constexpr std::size_t n_links = 21, n_places = 32; // no two share an atom
constexpr std::size_t within_tolerance = 4, turned = 9;
constexpr double least_cosine = 1e-6;

struct Variant {
    const char* name;
    decltype(&shake::correct_lengths_baseline) correct_lengths;
    decltype(&shake::correct_rates_baseline) correct_rates;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", shake::correct_lengths_baseline, shake::correct_rates_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3)
        all.push_back({"v3", shake::correct_lengths_v3, shake::correct_rates_v3});
    if (best_instruction_set() >= InstructionSet::v4)
        all.push_back({"v4", shake::correct_lengths_v4, shake::correct_rates_v4});
#endif
    return all;
}

struct State {
    std::vector<std::int32_t> i, j;
    std::vector<double> d2, inverse_mass_i, inverse_mass_j, factor, tolerance, r, rows, s, multiplier, error,
        displacement;
    bool operator==(const State&) const = default;

    State()
    {
        Noise noise(29);
        for (auto* ends : {&i, &j}) ends->resize(n_places);
        for (auto* numbers : {&d2, &inverse_mass_i, &inverse_mass_j, &factor, &tolerance, &multiplier, &error})
            numbers->resize(n_places);
        for (auto* vectors : {&r, &s}) vectors->resize(3 * n_places);
        rows.resize(4 * n_places);
        displacement.resize(4 * 2 * n_links);
        for (std::size_t k = 0; k < n_links; ++k) {
            i[k] = static_cast<std::int32_t>((5 * k) % n_links * 2); // in no order
            j[k] = i[k] + 1;
            d2[k] = 0.01 + 0.001 * noise();
            inverse_mass_i[k] = 0.08 + 0.01 * noise();
            inverse_mass_j[k] = 0.5 + 0.4 * noise();
            factor[k] = 1.2 + 0.1 * noise();
            tolerance[k] = k == within_tolerance ? 1.0 : 1e-6 * d2[k];
            multiplier[k] = noise();
            const Vec3 direction = std::sqrt(d2[k]) * noise.vector().normalized();
            const Vec3 trial = k == turned ? Vec3(-direction) : Vec3(direction + 0.02 * noise.vector());
            for (int c = 0; c < 3; ++c) {
                const auto row = static_cast<std::size_t>(c);
                r[row * n_places + k] = rows[4 * k + row] = direction[c];
                s[row * n_places + k] = trial[c];
                for (const auto atom : {i[k], j[k]})
                    displacement[4 * static_cast<std::size_t>(atom) + row] = 0.001 * noise();
            }
        }
    }

    shake::Links links()
    {
        return {n_places,
                i.data(),
                j.data(),
                d2.data(),
                inverse_mass_i.data(),
                inverse_mass_j.data(),
                factor.data(),
                tolerance.data(),
                r.data(),
                rows.data(),
                s.data(),
                multiplier.data(),
                error.data(),
                displacement.data()};
    }
    Vec3 at(const std::vector<double>& vectors, std::size_t k) const
    {
        return {vectors[k], vectors[n_places + k], vectors[2 * n_places + k]};
    }
    Vec3 displaced(std::int32_t atom) const
    {
        const auto* const row = &displacement[4 * static_cast<std::size_t>(atom)];
        return {row[0], row[1], row[2]};
    }
    void set_displaced(std::int32_t atom, const Vec3& x)
    {
        for (int c = 0; c < 3; ++c)
            displacement[4 * static_cast<std::size_t>(atom) + static_cast<std::size_t>(c)] = x[c];
    }

    /// One constraint, as the papers have it.
    void correct(std::size_t k, bool rates)
    {
        const Vec3 d_i = displaced(i[k]), d_j = displaced(j[k]), direction = at(r, k);
        const Vec3 present = at(s, k) + (d_j - d_i);
        const auto dot = [](const Vec3& a, const Vec3& b) {
            return std::fma(a[0], b[0], std::fma(a[1], b[1], a[2] * b[2]));
        };
        const auto displaced_by = [&](const Vec3& start, double by) {
            return Vec3(std::fma(by, direction[0], start[0]), std::fma(by, direction[1], start[1]),
                        std::fma(by, direction[2], start[2]));
        };
        const double g = rates ? dot(direction, present) : 0.5 * (dot(present, present) - d2[k]);
        error[k] = std::abs(g);
        if (error[k] <= tolerance[k]) return;
        const double projection = dot(rates ? direction : present, direction);
        if (!rates && !(projection > least_cosine * d2[k])) {
            multiplier[k] = std::numeric_limits<double>::quiet_NaN();
            return;
        }
        const double l = factor[k] * (g / ((inverse_mass_i[k] + inverse_mass_j[k]) * projection));
        multiplier[k] += l;
        set_displaced(i[k], displaced_by(d_i, l * inverse_mass_i[k]));
        set_displaced(j[k], displaced_by(d_j, -(l * inverse_mass_j[k])));
    }
};

/// NaN included.
std::vector<std::int64_t> bits(const std::vector<double>& values)
{
    std::vector<std::int64_t> all;
    for (const double x : values) all.push_back(std::bit_cast<std::int64_t>(x));
    return all;
}

TEST(ShakeKernel, CorrectsAsIfOneAfterTheOther)
{
    for (const auto& variant : variants())
        for (const bool rates : {false, true})
            for (const auto& [begin, end] :
                 {std::pair<std::size_t, std::size_t>{0, n_links}, {0, 8}, {3, 5}, {3, 19}, {13, 21}, {5, 5}}) {
                SCOPED_TRACE(std::string(variant.name) + (rates ? ", rates, " : ", lengths, ") + std::to_string(begin) +
                             " to " + std::to_string(end));
                State expected, state;
                for (auto k = begin; k < end; ++k) expected.correct(k, rates);
                const auto first = static_cast<std::int64_t>(begin), last = static_cast<std::int64_t>(end);
                const auto outcome = rates ? variant.correct_rates(state.links(), first, last)
                                           : variant.correct_lengths(state.links(), first, last, least_cosine);
                EXPECT_EQ(state.displacement, expected.displacement);
                EXPECT_EQ(state.error, expected.error);
                const bool fails = !rates && begin <= turned && turned < end;
                EXPECT_EQ(outcome.failed, fails);
                EXPECT_EQ(outcome.corrected, end > begin + (begin <= within_tolerance && within_tolerance < end));
                if (fails) {
                    EXPECT_TRUE(std::isnan(state.multiplier[turned]));
                    state.multiplier[turned] = expected.multiplier[turned] = 0.0;
                }
                EXPECT_EQ(bits(state.multiplier), bits(expected.multiplier));
            }
}

TEST(ShakeKernel, LeavesWhatIsDone)
{
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        State state;
        std::ranges::fill(state.tolerance, 1.0);
        const auto before = state;
        const auto outcome = variant.correct_lengths(state.links(), 0, n_links, least_cosine);
        EXPECT_FALSE(outcome.corrected || outcome.failed);
        state.error = before.error;
        EXPECT_EQ(state, before);
    }
}

} // namespace
} // namespace holon::test
