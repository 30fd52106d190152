// The force kernel's table has the force of the Ewald split's pair part.
#include <forces/pairs/force_table.hpp>

#include <support/pair_settings.hpp>

#include <holon/system/pair_list.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace holon::test {
namespace {

using pair::ForceTable;
using pair::Form;

constexpr double unit = kernel_unit;

/// As the kernel finds it, but for the rounding of its arithmetic: of unit charges, over the distance [1/nm^3].
double from_table(const ForceTable& table, float square, std::uint32_t interval)
{
    const auto& c = table.coefficients[interval % ForceTable::n_intervals];
    const double x = static_cast<double>(square);
    return (((c[3] * x + c[2]) * x + c[1]) * x + c[0]) * double{ForceTable::scale} / (unit * unit * unit);
}

std::uint32_t interval_of(float square)
{
    return std::bit_cast<std::uint32_t>(square) >> ForceTable::first_bit;
}

double exact(float square, const pair::Constants<double>& constants)
{
    const double r2 = static_cast<double>(square) * (unit * unit);
    return pair::coulomb_force<Form::ewald>(r2, 1.0 / std::sqrt(r2), 1.0, constants);
}

/// Calls use(constants, table) with each Ewald split of the settings, and with other cutoffs.
template <class Use>
void for_each_table(Use use)
{
    for (auto setting : pair_settings()) {
        if (setting.coulomb() != Form::ewald) continue;
        for (const double cutoff : {0.58, 0.63, 0.9, 1.4}) {
            setting.parameters.rcoulomb = cutoff;
            const pair::Constants<double> constants(setting.constants());
            SCOPED_TRACE(setting.name + (" with a cutoff of " + std::to_string(cutoff)));
            use(constants, ForceTable(constants));
        }
    }
}

TEST(ForceTable, HasTheForceUpToTheCutoff)
{
    int n_tables = 0;
    for_each_table([&](const pair::Constants<double>& constants, const ForceTable& table) {
        ++n_tables;
        const auto end = static_cast<float>(constants.rc2_coulomb / (unit * unit));
        ASSERT_LE(table.begin, end / 14.0F);
        double worst = 0.0;
        for (float square = table.begin; square < end; square *= 1.0003F) {
            const double r2 = static_cast<double>(square) * (unit * unit), of_charges = std::pow(r2, -1.5);
            const double error = from_table(table, square, interval_of(square)) - exact(square, constants);
            worst = std::max(worst, std::abs(error) / of_charges);
        }
        EXPECT_LT(worst, 5.5e-6);
        EXPECT_GT(worst, 1e-6); // what there is between the ends of the intervals
    });
    EXPECT_GE(n_tables, 4);
}

TEST(ForceTable, IsContinuousAndExactAtTheCutoff)
{
    for_each_table([](const pair::Constants<double>& constants, const ForceTable& table) {
        const auto first = interval_of(table.begin);
        for (std::uint32_t k = first + 1; k < first + ForceTable::n_intervals; ++k) {
            const float square = std::bit_cast<float>(k << ForceTable::first_bit);
            const double r2 = static_cast<double>(square) * (unit * unit);
            const double step = from_table(table, square, k) - from_table(table, square, k - 1);
            EXPECT_LT(std::abs(step), 1e-6 * std::pow(r2, -1.5)) << "r = " << std::sqrt(r2);
        }
        const double end2 = constants.rc2_coulomb;
        const auto last = static_cast<float>(end2 / (unit * unit));
        EXPECT_NEAR(from_table(table, last, interval_of(last)), exact(last, constants), 7e-7 * std::pow(end2, -1.5));
        const double shortest = ForceTable::shortest_distance(std::sqrt(end2));
        EXPECT_NEAR(shortest, std::sqrt(end2) / 4.0, 0.04);
        EXPECT_NEAR(shortest, std::sqrt(static_cast<double>(table.begin)) * unit, 1e-12);
    });
}

} // namespace
} // namespace holon::test
