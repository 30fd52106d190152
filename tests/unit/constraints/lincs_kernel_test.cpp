// The kernels of LINCS: the same bits with every instruction set, and what the formulas say.
#include <holon/core/instruction_sets.hpp>

#include <support/constraints/constraint_system.hpp>

#include <constraints/lincs/lincs_kernel.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace holon::test {
namespace {

using lincs::Bonds;
using lincs::Matrix;

constexpr int n_bonds = 19, n_places = 24, n_atoms = n_bonds + 1; // a chain
constexpr std::int32_t no_bond = n_bonds;

struct Variant {
    const char* name;
    decltype(&lincs::set_directions_baseline) set_directions;
    decltype(&lincs::set_couplings_baseline) set_couplings;
    decltype(&lincs::set_excess_baseline) set_excess;
    decltype(&lincs::set_lengthening_baseline) set_lengthening;
    decltype(&lincs::add_term_baseline) add_term;
    decltype(&lincs::displace_baseline) displace;
    decltype(&lincs::any_unusual_baseline) any_unusual;
    decltype(&lincs::all_finite_baseline) all_finite;
};

#define HOLON_VARIANT_OF(set)                                                                                          \
    Variant                                                                                                            \
    {                                                                                                                  \
#set, lincs::set_directions_##set, lincs::set_couplings_##set, lincs::set_excess_##set,                        \
            lincs::set_lengthening_##set, lincs::add_term_##set, lincs::displace_##set, lincs::any_unusual_##set,      \
            lincs::all_finite_##set                                                                                    \
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

/// A chain of bonds, each coupled to its neighbours.
struct Chain {
    std::vector<std::int32_t> i, j;
    std::vector<double> length, scale, reference, bond, inverse_mass_i, inverse_mass_j, direction, rows, rhs,
        multiplier, displacement;
    std::vector<std::int64_t> coupling_begin{0};
    std::vector<std::int32_t> coupled;
    std::vector<double> factor;

    Chain()
    {
        Noise noise(7);
        const auto random = [&noise] { return noise.vector()[0]; };
        i.resize(n_places);
        j.resize(n_places);
        for (auto* values : {&length, &scale, &inverse_mass_i, &inverse_mass_j, &rhs, &multiplier})
            values->resize(n_places);
        for (auto* values : {&reference, &bond, &direction}) values->resize(3 * n_places);
        rows.resize(4 * n_places);
        displacement.resize(4 * n_atoms);
        for (std::size_t b = 0; b < n_bonds; ++b) {
            i[b] = static_cast<std::int32_t>(b);
            j[b] = i[b] + 1;
            length[b] = 0.15 + 0.01 * random();
            scale[b] = 2.0 + 0.5 * random();
            inverse_mass_i[b] = 0.08 + 0.01 * random();
            inverse_mass_j[b] = 0.5 + 0.1 * random();
            for (std::size_t k = 0; k < 3; ++k) {
                reference[k * n_places + b] = 0.1 * random();
                bond[k * n_places + b] = reference[k * n_places + b] + 0.01 * random();
            }
        }
        for (auto& x : displacement) x = 0.001 * random();
        for (std::int32_t block = 0; block < n_places / lincs::lanes; ++block) {
            for (const std::int32_t side : {-1, 1})
                for (std::int32_t b = block * lincs::lanes; b < (block + 1) * lincs::lanes; ++b) {
                    const bool is_there = b < n_bonds && b + side >= 0 && b + side < n_bonds;
                    coupled.push_back(is_there ? b + side : no_bond);
                    factor.push_back(is_there ? 0.4 + 0.1 * random() : 0.0);
                }
            coupling_begin.push_back(2 * (block + 1));
        }
    }

    Bonds bonds()
    {
        return {.n = n_places,
                .n_inner = n_places,
                .i = i.data(),
                .j = j.data(),
                .length = length.data(),
                .scale = scale.data(),
                .reference = reference.data(),
                .bond = bond.data(),
                .inverse_mass_i = inverse_mass_i.data(),
                .inverse_mass_j = inverse_mass_j.data(),
                .direction = direction.data(),
                .rows = rows.data(),
                .rhs = rhs.data(),
                .multiplier = multiplier.data(),
                .displacement = displacement.data()};
    }
    void set_rows()
    {
        for (std::size_t b = 0; b < n_bonds; ++b)
            for (std::size_t k = 0; k < 3; ++k) rows[4 * b + k] = direction[k * n_places + b];
    }
    Matrix couplings(const std::vector<double>& values) const
    {
        return {n_places / lincs::lanes, coupling_begin.data(), coupled.data(), values.data()};
    }
    Vec3 at(const std::vector<double>& vectors, std::size_t b) const
    {
        return {vectors[b], vectors[n_places + b], vectors[2 * n_places + b]};
    }
    Vec3 displaced(std::size_t b) const
    {
        const auto of = [this](std::int32_t a) -> Vec3 {
            return Eigen::Map<const Vec3>(&displacement[4 * static_cast<std::size_t>(a)]);
        };
        return at(bond, b) + of(j[b]) - of(i[b]);
    }
};

/// All that the kernels write, one after another.
std::vector<double> outcome(const Variant& variant)
{
    Chain chain;
    const auto bonds = chain.bonds();
    std::vector<double> all, entries(chain.factor.size()), next(n_places), solution(n_places);
    const auto keep = [&all](const std::vector<double>& values) {
        all.insert(all.end(), values.begin(), values.end());
    };
    variant.set_directions(bonds);
    keep(chain.direction);
    variant.set_couplings(bonds, chain.couplings(chain.factor), entries.data());
    keep(entries);
    variant.set_lengthening(bonds);
    keep(chain.rhs);
    for (const bool positions : {false, true}) {
        variant.set_excess(bonds, positions);
        keep(chain.rhs);
    }
    variant.add_term(chain.couplings(entries), chain.rhs.data(), next.data(), solution.data());
    keep(next);
    keep(solution);
    chain.set_rows();
    variant.displace(bonds, next.data());
    keep(chain.multiplier);
    keep(chain.displacement);
    return all;
}

TEST(LincsKernel, FindsWhatIsUnusual)
{
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        Chain chain;
        chain.bond = chain.reference; // displaced by a per cent or so
        for (std::size_t b = 0; b < n_bonds; ++b) chain.length[b] = chain.at(chain.reference, b).norm();
        const auto bonds = chain.bonds();
        variant.set_directions(bonds);
        double worst_cosine = 1.0, worst_part = 0.0;
        for (std::size_t b = 0; b < n_bonds; ++b) {
            const Vec3 s = chain.displaced(b);
            worst_cosine = std::min(worst_cosine, s.normalized().dot(chain.at(chain.direction, b)));
            worst_part = std::max(worst_part, std::abs(s.squaredNorm() / std::pow(chain.length[b], 2) - 1.0));
        }
        const double cosine2 = worst_cosine * worst_cosine;
        ASSERT_GT(worst_cosine, 0.5);
        EXPECT_FALSE(variant.any_unusual(bonds, 0.999 * cosine2, 1.01 * worst_part));
        EXPECT_TRUE(variant.any_unusual(bonds, 1.0 - 0.5 * (1.0 - cosine2), 1.01 * worst_part));
        EXPECT_TRUE(variant.any_unusual(bonds, 0.999 * cosine2, 0.99 * worst_part));
        EXPECT_TRUE(variant.all_finite(bonds));
        chain.bond[n_places + n_bonds - 1] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_TRUE(variant.any_unusual(bonds, 0.999 * cosine2, 1.01 * worst_part));
        EXPECT_FALSE(variant.all_finite(bonds));
        chain.bond[n_places + n_bonds - 1] = 0.0;
        chain.bond[n_bonds] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_TRUE(variant.all_finite(bonds)) << "an empty place";
    }
}

TEST(LincsKernel, SameBitsWithEveryInstructionSet)
{
    const auto expected = outcome(variants().front());
    for (const auto& variant : variants()) EXPECT_EQ(outcome(variant), expected) << variant.name;
}

TEST(LincsKernel, FollowsTheFormulas)
{
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        Chain chain;
        const auto bonds = chain.bonds();
        std::vector<double> entries(chain.factor.size()), next(n_places), solution(n_places, 1.0);
        variant.set_directions(bonds);
        variant.set_couplings(bonds, chain.couplings(chain.factor), entries.data());
        variant.set_lengthening(bonds);
        for (std::size_t b = 0; b < n_bonds; ++b) {
            EXPECT_NEAR((chain.at(chain.direction, b) - chain.at(chain.reference, b).normalized()).norm(), 0.0, 1e-15);
            const double d = chain.length[b], left = 2.0 * d * d - chain.displaced(b).squaredNorm();
            EXPECT_NEAR(chain.rhs[b], chain.scale[b] * (d - std::sqrt(std::max(left, 0.0))), 1e-15);
        }
        variant.set_excess(bonds, true);
        const auto rhs = chain.rhs;
        variant.add_term(chain.couplings(entries), rhs.data(), next.data(), solution.data());
        for (std::size_t b = 0; b < n_bonds; ++b) {
            const Vec3 direction = chain.at(chain.direction, b);
            EXPECT_NEAR(rhs[b], chain.scale[b] * (direction.dot(chain.displaced(b)) - chain.length[b]), 1e-15);
            double sum = 0.0;
            for (std::size_t e = 0; e < chain.coupled.size(); ++e) {
                const std::size_t row = e / (2 * lincs::lanes) * lincs::lanes + e % lincs::lanes;
                const auto other = static_cast<std::size_t>(chain.coupled[e]);
                if (row == b && other < n_bonds)
                    sum += chain.factor[e] * direction.dot(chain.at(chain.direction, other)) * rhs[other];
            }
            EXPECT_NEAR(next[b], sum, 1e-15);
            EXPECT_NEAR(solution[b], 1.0 + sum, 1e-15);
        }
        const Chain start;
        chain.set_rows();
        variant.displace(bonds, next.data());
        for (std::size_t a = 0; a < n_atoms; ++a) {
            Vec3 moved = Vec3::Zero();
            const auto add = [&](std::size_t b, double inverse_mass) {
                EXPECT_EQ(chain.multiplier[b], chain.scale[b] * next[b]);
                moved += inverse_mass * chain.multiplier[b] * chain.at(chain.direction, b);
            };
            if (a < n_bonds) add(a, chain.inverse_mass_i[a]);
            if (a > 0) add(a - 1, -chain.inverse_mass_j[a - 1]);
            for (std::size_t k = 0; k < 3; ++k)
                EXPECT_NEAR(chain.displacement[4 * a + k] - start.displacement[4 * a + k],
                            moved[static_cast<Eigen::Index>(k)], 1e-15);
        }
        for (std::size_t b = n_bonds; b < n_places; ++b) EXPECT_EQ(chain.rhs[b], 0.0) << "an empty place";
    }
}

} // namespace
} // namespace holon::test
