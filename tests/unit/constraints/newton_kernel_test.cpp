// The kernels of Newton's method at a leaf: the same bits with every instruction set, and the matrix, right side and
// moves of a chain as the formulas say.
#include <holon/core/instruction_sets.hpp>

#include <support/constraints/constraint_system.hpp>

#include <constraints/newton/newton_kernel.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace holon::test {
namespace {

using newton::Condition;
using newton::Coupling;
using newton::Errors;
using newton::Leaf;

constexpr std::int32_t n_own = 19, n_links = 20; // of a chain: the last one is a ghost
constexpr std::size_t n_places = 24, n_atoms = n_links + 1;
constexpr double scale = 0.5, least_cosine = 1e-6;

struct Variant {
    const char* name;
    decltype(&newton::set_pulls_baseline) set_pulls;
    decltype(&newton::set_right_side_baseline) set_right_side;
    decltype(&newton::set_rows_baseline) set_rows;
    decltype(&newton::update_baseline) update;
};

#define HOLON_VARIANT_OF(set)                                                                                          \
    Variant                                                                                                            \
    {                                                                                                                  \
#set, newton::set_pulls_##set, newton::set_right_side_##set, newton::set_rows_##set, newton::update_##set      \
    }

std::vector<Variant> variants()
{
    std::vector<Variant> all{HOLON_VARIANT_OF(baseline)};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back(HOLON_VARIANT_OF(v3));
    if (best_instruction_set() >= InstructionSet::v4) all.push_back(HOLON_VARIANT_OF(v4));
#endif
    return all;
}

/// Elements of the matrix lie row by row in the values, and a spare one behind them.
struct Chain {
    std::vector<std::int32_t> i, j, diagonal, bundle_links;
    std::vector<double> d2, per_d2, inverse_mass_i, inverse_mass_j, bundle_signs, pull;
    std::vector<double> r, s, rows, present, along, multiplier, move;
    std::vector<Coupling> couplings;
    std::int64_t n_at_first = 0;
    std::vector<double> rhs = std::vector<double>(n_places, 1.0), values = std::vector<double>(n_links * n_links + 1);

    Chain()
    {
        Noise noise(31);
        for (auto* numbers : {&i, &j}) numbers->resize(n_places);
        diagonal.resize(n_places, n_links * n_links);
        for (auto* numbers : {&d2, &per_d2, &inverse_mass_i, &inverse_mass_j, &along, &multiplier})
            numbers->resize(n_places);
        for (auto* vectors : {&r, &s, &present}) vectors->resize(3 * n_places);
        rows.resize(4 * n_places);
        move.resize(4 * n_atoms);
        for (std::size_t a = 0; a < n_atoms; ++a)
            for (std::size_t c = 0; c < 3; ++c) move[4 * a + c] = 0.002 * noise();
        for (std::int32_t k = 0; k < n_links; ++k) {
            const auto n = static_cast<std::size_t>(k);
            i[n] = k;
            j[n] = k + 1;
            diagonal[n] = k < n_own ? position(k, k) : n_links * n_links;
            d2[n] = 0.01 + 0.001 * noise();
            per_d2[n] = k < n_own ? 1.0 / d2[n] : 0.0;
            inverse_mass_i[n] = inverse_mass(k);
            inverse_mass_j[n] = inverse_mass(k + 1);
            const Vec3 direction = std::sqrt(d2[n]) * noise.vector().normalized();
            const Vec3 trial = direction + 0.01 * noise.vector();
            for (int c = 0; c < 3; ++c) {
                const auto part = static_cast<std::size_t>(c);
                r[part * n_places + n] = rows[4 * n + part] = direction[c];
                s[part * n_places + n] = trial[c];
            }
        }
        for (std::int32_t a = 1; a < n_links; ++a) { // atoms between two links
            bundle_links.insert(bundle_links.end(), {a - 1, a, 0, 0});
            bundle_signs.insert(bundle_signs.end(), {-inverse_mass(a), inverse_mass(a), 0.0, 0.0});
        }
        pull.resize(3 * bundle_links.size());
        constexpr std::int32_t spare = n_links * n_links;
        for (std::int32_t k = 1; k < n_own; ++k)
            couplings.push_back({k, k - 1, {position(k, k - 1), spare, spare, spare}});
        n_at_first = std::ssize(couplings);
        for (std::int32_t k = 0; k < n_own; ++k) couplings.push_back({k, k, {spare, position(k, k + 1), spare, spare}});
    }

    static double inverse_mass(std::int32_t atom) { return atom % 3 == 0 ? 1.0 : 1.0 / (12.0 + atom); }
    static std::int32_t position(std::int32_t row, std::int32_t column) { return row * n_links + column; }
    static Vec3 at(const std::vector<double>& vectors, std::int32_t k)
    {
        const auto n = static_cast<std::size_t>(k);
        return {vectors[n], vectors[n_places + n], vectors[2 * n_places + n]};
    }
    Vec3 moved(std::int32_t atom) const { return Eigen::Map<const Vec3>(&move[4 * static_cast<std::size_t>(atom)]); }
    Vec3 trial(std::int32_t k) const { return at(s, k) + (moved(k + 1) - moved(k)); }

    Leaf leaf()
    {
        return {.n = n_places,
                .n_links = n_links,
                .n_own = n_own,
                .i = i.data(),
                .j = j.data(),
                .diagonal = diagonal.data(),
                .d2 = d2.data(),
                .per_d2 = per_d2.data(),
                .inverse_mass_i = inverse_mass_i.data(),
                .inverse_mass_j = inverse_mass_j.data(),
                .r = r.data(),
                .s = s.data(),
                .rows = rows.data(),
                .present = present.data(),
                .along = along.data(),
                .multiplier = multiplier.data(),
                .move = move.data(),
                .n_bundles = std::ssize(bundle_links) / newton::bundle_size,
                .links = bundle_links.data(),
                .signs = bundle_signs.data(),
                .pull = pull.data(),
                .n_couplings = std::ssize(couplings),
                .n_at_first = n_at_first,
                .couplings = couplings.data()};
    }
};

std::vector<double> outcome(const Variant& variant)
{
    std::vector<double> all;
    for (const auto condition : {Condition::length, Condition::square, Condition::rate}) {
        Chain chain;
        const auto leaf = chain.leaf();
        variant.set_pulls(leaf);
        const auto errors = variant.set_right_side(leaf, condition, scale, least_cosine, chain.rhs.data());
        variant.set_rows(leaf, condition == Condition::rate, chain.values.data());
        variant.update(leaf, chain.rhs.data());
        all.insert(all.end(), {errors.largest, static_cast<double>(errors.worst), static_cast<double>(errors.lost)});
        for (const auto* numbers : {&chain.pull, &chain.rhs, &chain.values, &chain.multiplier, &chain.move})
            all.insert(all.end(), numbers->begin(), numbers->end());
    }
    return all;
}

TEST(NewtonKernel, SameBitsWithEveryInstructionSet)
{
    const auto expected = outcome(variants().front());
    for (const auto& variant : variants()) EXPECT_EQ(outcome(variant), expected) << variant.name;
}

double g_of(Condition condition, const Vec3& s, const Vec3& r, double d2)
{
    if (condition == Condition::rate) return r.dot(s);
    return condition == Condition::length ? s.norm() * (s.norm() - std::sqrt(d2)) : 0.5 * (s.squaredNorm() - d2);
}

class NewtonKernelWith : public ::testing::TestWithParam<Condition> {};

TEST_P(NewtonKernelWith, FollowsTheFormulas)
{
    const auto condition = GetParam();
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        Chain chain;
        const Chain start;
        const auto leaf = chain.leaf();
        variant.set_pulls(leaf);
        const auto errors = variant.set_right_side(leaf, condition, scale, least_cosine, chain.rhs.data());
        variant.set_rows(leaf, false, chain.values.data());
        double largest = 0.0;
        for (std::int32_t k = 0; k < n_own; ++k) {
            const auto n = static_cast<std::size_t>(k);
            const Vec3 present = start.trial(k);
            const double g = g_of(condition, present, Chain::at(chain.r, k), chain.d2[n]);
            EXPECT_NEAR(chain.rhs[n], g, 1e-16);
            if (scale * std::abs(g) / chain.d2[n] > largest) {
                largest = scale * std::abs(g) / chain.d2[n];
                EXPECT_LE(k, errors.worst);
            }
            for (std::int32_t l = std::max(k - 1, 0); l <= std::min(k + 1, n_links - 1); ++l) {
                const Vec3 other = Chain::at(chain.r, l);
                const double mass =
                    l == k ? Chain::inverse_mass(k) + Chain::inverse_mass(k + 1) : -Chain::inverse_mass(std::max(k, l));
                EXPECT_NEAR(chain.values[static_cast<std::size_t>(Chain::position(k, l))], mass * present.dot(other),
                            1e-16);
            }
        }
        EXPECT_NEAR(errors.largest, largest, 1e-15);
        EXPECT_EQ(errors.lost, -1);

        variant.update(leaf, chain.rhs.data());
        for (std::int32_t a = 0; a < n_links; ++a) {
            Vec3 expected = start.moved(a);
            for (const auto k : {a - 1, a}) {
                if (k < 0) continue;
                const double l = chain.rhs[static_cast<std::size_t>(k)];
                expected += (k == a ? l : -l) * Chain::inverse_mass(a) * Chain::at(chain.r, k);
            }
            EXPECT_NEAR((chain.moved(a) - expected).norm(), 0.0, 1e-16);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, NewtonKernelWith,
                         ::testing::Values(Condition::length, Condition::square, Condition::rate));

TEST(NewtonKernel, NamesTheFirstLinkThatIsLost)
{
    for (const auto& variant : variants())
        for (const auto condition : {Condition::length, Condition::square, Condition::rate}) {
            SCOPED_TRACE(variant.name);
            Chain chain;
            for (const std::size_t k : {11, 14})
                for (std::size_t c = 0; c < 3; ++c)
                    chain.s[c * n_places + k] = condition == Condition::rate ? std::numeric_limits<double>::infinity()
                                                                             : -chain.r[c * n_places + k];
            EXPECT_EQ(variant.set_right_side(chain.leaf(), condition, scale, least_cosine, chain.rhs.data()).lost, 11);
        }
}

} // namespace
} // namespace holon::test
