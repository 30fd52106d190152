#include <holon/mesh/window.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

ProlateWindow::ProlateWindow(int width, double band) : width_(width), psi_(band), edge_(psi_.value(1.0)) {}

double ProlateWindow::value(double u) const
{
    return psi_.value(2.0 * u / width_) - edge_;
}

double ProlateWindow::slope(double u) const
{
    return psi_.slope(2.0 * u / width_) * 2.0 / width_;
}

double ProlateWindow::transform(int m, int n) const
{
    const double k = units::pi * width_ * m / n; // int w(u) cos(2 pi m u / n) du, u = width/2 x
    const double box = k == 0.0 ? 2.0 : 2.0 * portable::sin(k) / k;
    return 0.5 * width_ * (psi_.transform(k) - edge_ * box);
}

namespace {

/// The cardinal B-spline of order n on [0, n).
double spline(int n, double u)
{
    if (u < 0.0 || u >= n) return 0.0;
    if (n == 1) return 1.0;
    return (u * spline(n - 1, u) + (n - u) * spline(n - 1, u - 1.0)) / (n - 1);
}

} // namespace

double SplineWindow::value(double u) const
{
    return spline(order_, u + 0.5 * order_);
}

double SplineWindow::slope(double u) const
{
    const double v = u + 0.5 * order_;
    return spline(order_ - 1, v) - spline(order_ - 1, v - 1.0);
}

double SplineWindow::transform(int m, int n) const
{
    const auto at = [this, n](int mode) {
        double re = 0.0, im = 0.0;
        for (int k = 1; k < order_; ++k) {
            const auto [sine, cosine] = portable::sine_cosine_of_turns(static_cast<double>(mode * k) / n);
            const double weight = spline(order_, k);
            re += weight * cosine;
            im += weight * sine;
        }
        return re * re + im * im;
    };
    // Odd orders have no component at the highest mode: there the mean of its neighbours has to do.
    double square = at(m);
    if (square < 1e-7) square = 0.5 * (at(m - 1) + at(m + 1));
    return std::sqrt(square);
}

namespace {

/// Powers of (f - 1/2) of the polynomial that interpolates `function` at Chebyshev points of (0, 1).
template <class Function>
std::vector<double> interpolate(int degree, Function function)
{
    const int n = degree + 1;
    std::vector<double> x(static_cast<std::size_t>(n)), y(x.size());
    for (int i = 0; i < n; ++i) {
        x[static_cast<std::size_t>(i)] = 0.5 * portable::cos(units::pi * (i + 0.5) / n);
        y[static_cast<std::size_t>(i)] = function(x[static_cast<std::size_t>(i)] + 0.5);
    }
    // Newton's divided differences, then expanded.
    for (std::size_t order = 1; order < y.size(); ++order)
        for (std::size_t i = y.size() - 1; i >= order; --i) y[i] = (y[i] - y[i - 1]) / (x[i] - x[i - order]);
    std::vector<double> powers(y.size(), 0.0);
    for (std::size_t k = y.size(); k-- > 0;) {
        for (std::size_t i = powers.size() - 1; i > 0; --i) powers[i] = powers[i - 1] - x[k] * powers[i];
        powers[0] = y[k] - x[k] * powers[0];
    }
    return powers;
}

double evaluate(const std::vector<double>& powers, double s)
{
    double sum = 0.0;
    for (std::size_t k = powers.size(); k-- > 0;) sum = sum * s + powers[k];
    return sum;
}

} // namespace

WindowPieces::WindowPieces(const Window& window, double tolerance) : width_(window.width()), shift_(window.shift())
{
    constexpr int max_degree = 24;
    // An atom at fraction f of a spacing is at u = width/2 - 1 - k + f from its k-th point.
    const auto distance = [this](int k, double f) { return std::min(0.5 * width_ - 1.0 - k + f, 0.5 * width_); };
    for (int degree = 2; degree <= max_degree; ++degree) {
        value_.assign(static_cast<std::size_t>(degree) + 1, std::vector<double>(static_cast<std::size_t>(width_)));
        slope_.assign(static_cast<std::size_t>(degree), std::vector<double>(static_cast<std::size_t>(width_)));
        double error = 0.0;
        for (int k = 0; k < width_; ++k) {
            const auto powers = interpolate(degree, [&](double f) { return window.value(distance(k, f)); });
            for (int i = 0; i <= 16; ++i) {
                const double f = i / 16.0;
                error = std::max(error, std::abs(evaluate(powers, f - 0.5) - window.value(distance(k, f))));
            }
            const auto point = static_cast<std::size_t>(k);
            for (std::size_t p = 0; p < powers.size(); ++p) {
                value_[p][point] = powers[p];
                // The derivative of the piece itself: forces are the gradient of the energy that the mesh has.
                if (p > 0) slope_[p - 1][point] = static_cast<double>(p) * powers[p];
            }
        }
        if (error <= tolerance) return;
    }
}

} // namespace holon
