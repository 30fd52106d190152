// The sums over modes: against numbers that are rounded and added one by one, with every instruction set.
#include <holon/core/fixed_sum.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/units.hpp>

#include <mesh/influence_kernel.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace holon::test {
namespace {

using influence::Sums;

template <class Real>
struct Variant {
    const char* name;
    void (*sums)(const influence::Row<Real>&, Sums&);
};

template <class Real>
std::vector<Variant<Real>> variants()
{
    std::vector<Variant<Real>> all{{"baseline", influence::sums_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back({"v3", influence::sums_v3});
    if (best_instruction_set() >= InstructionSet::v4) all.push_back({"v4", influence::sums_v4});
#endif
    return all;
}

/// A row of n modes with numbers behind its end that must not count.
template <class Real>
struct Modes {
    std::vector<Real> charges, values, shapes;
    influence::Row<Real> row;

    Modes(int n, int first, int n_z)
    {
        std::mt19937 random(static_cast<unsigned>(n));
        std::uniform_real_distribution<Real> number(-1, 1);
        for (int i = 0; i < n; ++i) {
            charges.push_back(10 * number(random));
            charges.push_back(10 * number(random));
            values.push_back(std::abs(number(random)));
            shapes.push_back(number(random));
        }
        for (auto* numbers : {&charges, &values, &shapes})
            numbers->insert(numbers->end(), 16, std::numeric_limits<Real>::quiet_NaN());
        row = {.n = n,
               .first = static_cast<double>(first),
               .edge = 0.5 * n_z,
               .charges = charges.data(),
               .values = values.data(),
               .shapes = shapes.data(),
               .scale = 0.5 / 1024.0,
               .k = {.kx = 3.7, .ky = -1.9, .of_x = 0.11, .of_y = -0.23, .of_z = 0.31}};
    }

    /// Energy, xx, yx, yy, zx, zy, zz.
    std::vector<std::int64_t> sums() const
    {
        std::vector<FixedSum> sums(7);
        for (std::int64_t i = 0; i < row.n; ++i) {
            const double z = row.first + static_cast<double>(i);
            const double k[] = {row.k.kx, row.k.ky, 2.0 * units::pi * (row.k.of_x + (row.k.of_y + row.k.of_z * z))};
            const double re = row.charges[2 * i], im = row.charges[2 * i + 1];
            const double weight = z == 0.0 || z == row.edge ? 1.0 : 2.0;
            const double energy = row.scale * weight * static_cast<double>(row.values[i]) * (re * re + im * im);
            sums[0].add(energy);
            for (std::size_t a = 0, n = 1; a < 3; ++a)
                for (std::size_t b = 0; b <= a; ++b)
                    sums[n++].add((a == b ? -0.5 * energy : 0.0) +
                                  -0.5 * energy * static_cast<double>(row.shapes[i]) * (k[a] * k[b]));
        }
        std::vector<std::int64_t> raw;
        for (const auto& sum : sums) raw.push_back(static_cast<std::int64_t>(sum.raw()));
        return raw;
    }
};

template <class Real>
void check(int n, int first, int n_z)
{
    const Modes<Real> modes(n, first, n_z);
    const auto expected = modes.sums();
    for (const auto& [name, sums] : variants<Real>()) {
        Sums found;
        sums(modes.row, found);
        EXPECT_EQ(found.energy, expected[0]) << name << ", " << n;
        for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(found.virial[k], expected[k + 1]) << name << ", " << n;
        EXPECT_LT(found.bound, 0x1p50);
        for (const auto sum : expected) EXPECT_GE(found.bound * (1.0 + 1e-12) + n, std::abs(static_cast<double>(sum)));
    }
}

TEST(InfluenceKernel, SumsAreThoseOfOneModeAfterTheOther)
{
    for (const int n : {1, 7, 8, 9, 25, 33}) {
        check<float>(n, 0, 2 * (n - 1));
        check<double>(n, 0, 2 * (n - 1));
        check<float>(n, 0, 2 * n - 1); // none at the edge
        check<double>(n, 5, 2 * (n + 4));
    }
}

TEST(InfluenceKernel, SaysWhenSumsDoNotCount)
{
    for (const double charge : {1e9, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        for (const int of : {0, 17, 24}) {
            Modes<double> modes(25, 0, 48);
            modes.charges[static_cast<std::size_t>(2 * of)] = charge;
            for (const auto& variant : variants<double>()) {
                Sums found;
                variant.sums(modes.row, found);
                EXPECT_FALSE(found.bound < 0x1p50) << variant.name << ", " << charge;
            }
        }
}

} // namespace
} // namespace holon::test
