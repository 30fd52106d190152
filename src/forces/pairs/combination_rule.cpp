#include "combination_rule.hpp"

#include <holon/core/portable_math.hpp>

#include <cmath>
#include <cstddef>

namespace holon::pair {

namespace {

/// Numbers of one type by Lorentz and Berthelot, or NaN where there are none.
void set_lorentz_berthelot(double c6, double c12, double& a, double& b)
{
    a = b = 0.0;
    if (c6 == 0.0 && c12 == 0.0) return;
    a = 0.5 * portable::root(c12 / c6, 6);
    b = c6 * std::sqrt(6.0 / c12);
}

void set_geometric(double c6, double c12, double& a, double& b)
{
    a = std::sqrt(6.0 * c6);
    b = std::sqrt(12.0 * c12);
}

template <Combination combination>
bool obeys(const CombinationRule& rule, const std::vector<double>& c6, const std::vector<double>& c12)
{
    constexpr double tolerance = 1e-7; // that of the kernels' arithmetic
    const auto same = [](double x, double y) { return std::abs(x - y) <= tolerance * std::abs(y); }; // not NaN
    const std::size_t n = rule.a.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double six_c6 = 0.0, twelve_c12 = 0.0;
            combine<combination>(rule.a[i], rule.b[i], rule.a[j], rule.b[j], six_c6, twelve_c12);
            if (!same(six_c6, 6.0 * c6[i * n + j]) || !same(twelve_c12, 12.0 * c12[i * n + j])) return false;
        }
    return true;
}

} // namespace

CombinationRule::CombinationRule(const std::vector<double>& c6, const std::vector<double>& c12)
{
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(c6.size()))));
    a.resize(n);
    b.resize(n);
    const auto set = [&](auto set_numbers) {
        for (std::size_t i = 0; i < n; ++i) set_numbers(c6[i * (n + 1)], c12[i * (n + 1)], a[i], b[i]);
    };
    set(set_lorentz_berthelot);
    if (obeys<Combination::lorentz_berthelot>(*this, c6, c12)) {
        combination = Combination::lorentz_berthelot;
        return;
    }
    set(set_geometric);
    if (obeys<Combination::geometric>(*this, c6, c12)) {
        combination = Combination::geometric;
        return;
    }
    *this = {};
}

} // namespace holon::pair
