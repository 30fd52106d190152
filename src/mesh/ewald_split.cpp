#include <holon/mesh/ewald_split.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

constexpr std::size_t intervals = 8192;

} // namespace

/// The transform is wanted at as many places as there are modes on the grid, again whenever the box changes.
ProlateSplit::ProlateSplit(double cutoff, double band) : PlainProlateSplit(cutoff, band)
{
    constexpr double apart = 1.0 / intervals;
    for (std::size_t n = 0; n <= intervals; ++n) {
        const double x = static_cast<double>(n) * apart;
        transform_.push_back({psi().value(x), psi().slope(x) * apart});
    }
}

double PlainProlateSplit::smooth(double r) const
{
    if (r >= cutoff_) return 1.0 / r;
    const double x = r / cutoff_;
    if (x < 1e-6) return 1.0 / (psi_.integral() * cutoff_); // psi(0) = 1
    return psi_.primitive(x) / (psi_.integral() * r);
}

double PlainProlateSplit::smooth_force(double r) const
{
    if (r >= cutoff_) return 1.0 / (r * r * r);
    // Near zero the difference below loses all digits; the function is flat there (even in r).
    const double x = std::max(r / cutoff_, 1e-3);
    return (psi_.primitive(x) - x * psi_.value(x)) / (psi_.integral() * x * x * x * cutoff_ * cutoff_ * cutoff_);
}

double PlainProlateSplit::transform(double k) const
{
    return k <= k_max() ? psi_.value(k / k_max()) : 0.0;
}

double PlainProlateSplit::transform_slope(double k) const
{
    const double x = k / k_max();
    return x <= 1.0 ? x * psi_.slope(x) / psi_.value(x) : 0.0;
}

/// Between two nodes; `at`: in intervals.
ProlateSplit::Node ProlateSplit::transform_at(double at) const
{
    const auto n = std::min(static_cast<std::size_t>(at), intervals - 1);
    const Node &here = transform_[n], &next = transform_[n + 1];
    const double t = at - static_cast<double>(n), step = next.value - here.value;
    const double bend = here.slope + next.slope - 2.0 * step, rise = 3.0 * step - 2.0 * here.slope - next.slope;
    return {here.value + t * (here.slope + t * (rise + t * bend)), here.slope + t * (2.0 * rise + t * 3.0 * bend)};
}

EwaldSplit::Transform ProlateSplit::transform_and_slope(double k) const
{
    const double at = k / k_max() * intervals;
    if (!(at <= intervals)) return {0.0, 0.0};
    const auto [value, slope] = transform_at(at);
    return {value, at * slope / value};
}

double GaussianSplit::beta_for(double cutoff, double tolerance)
{
    double low = 0.0, high = 1.0 / cutoff;
    while (portable::erfc(high * cutoff) > tolerance) high *= 2.0;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        (portable::erfc(middle * cutoff) > tolerance ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

double GaussianSplit::smooth(double r) const
{
    const double x = beta_ * r;
    if (x < 1e-6) return 2.0 * beta_ / std::sqrt(units::pi);
    return portable::erf(x) / r;
}

double GaussianSplit::smooth_force(double r) const
{
    const double x = beta_ * r, scale = beta_ * beta_ * beta_ * 2.0 / std::sqrt(units::pi);
    if (x < 0.1) // series of (erf(x) sqrt(pi)/2 - x exp(-x^2)) / x^3
        return scale * (2.0 / 3.0 - x * x * (2.0 / 5.0 - x * x * (1.0 / 7.0 - x * x * (1.0 / 27.0 - x * x / 132.0))));
    return (portable::erf(x) - 2.0 / std::sqrt(units::pi) * x * portable::exp(-x * x)) / (r * r * r);
}

double GaussianSplit::transform(double k) const
{
    return portable::exp(-k * k / (4.0 * beta_ * beta_));
}

double GaussianSplit::transform_slope(double k) const
{
    return -k * k / (2.0 * beta_ * beta_);
}

} // namespace holon
