#include "error_estimate.hpp"

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace holon {

namespace {

// Water: what a charge of root mean square size among charges that knew nothing of each other would feel, over the rms
// total force of 1100 kJ/mol/nm: 138.9 kJ/mol nm x 0.359 e^2 x (100 charges / nm^3)^1/2 / 1100.
constexpr double strength = 138.935458 * 0.359 * 10.0 / 1100.0; // [nm^1/2]

/// Structure factor of the charges of SPC/E, |sum q exp(i k r)|^2 / sum q^2: by the logarithm between these [1/nm],
/// from 3,852 atoms at 300 K. Water shields: at small k little is left, in proportion to k^2.
double structure_factor_at(double k)
{
    constexpr double shielded = 4e-5, at[] = {4.2,  5.9,  7.9,  9.7,  11.6, 13.3, 15.2, 17.1, 18.9, 20.8,
                                              22.6, 24.5, 26.4, 28.1, 30.0, 32.0, 33.7, 35.5, 40.0};
    constexpr double value[] = {7e-4,  1.3e-3, 3e-3, 4.3e-3, 8.1e-3, 0.012, 0.027, 0.056, 0.109, 0.2,
                                0.295, 0.47,   0.75, 1.03,   1.35,   1.6,   1.5,   1.15,  0.95};
    const auto above = std::upper_bound(std::begin(at), std::end(at), k) - std::begin(at);
    if (above == 0) return shielded * k * k;
    if (above == std::ssize(at)) return value[above - 1];
    const double t = (k - at[above - 1]) / (at[above] - at[above - 1]);
    return portable::exp((1.0 - t) * portable::log(value[above - 1]) + t * portable::log(value[above]));
}

/// The same in steps of 1/16 nm^-1: it is asked for often.
double structure_factor(double k)
{
    constexpr int per_unit = 16, n = 41 * per_unit;
    static const std::vector<double> table = [] {
        std::vector<double> values;
        for (int i = 0; i <= n; ++i) values.push_back(structure_factor_at((i + 0.5) / per_unit));
        return values;
    }();
    return table[index(std::min(static_cast<int>(k * per_unit), n))];
}

/// What the parts are multiplied by, fitted to single points of water (3,852 and 23,262 atoms), dhfr and lysozyme at
/// 150 settings.
constexpr double of_split = 1.15, of_spreading = 1.08, of_interpolation = 0.77;
constexpr double floor_beyond_09 = 3.7e-7; // what finer meshes do not take away, for radii from 0.9 nm on; more below

/// Points in the middle of n equal parts of [0, end].
std::vector<double> midpoints(double end, int n)
{
    std::vector<double> points;
    for (int i = 0; i < n; ++i) points.push_back((i + 0.5) * end / n);
    return points;
}

double square(double x)
{
    return x * x;
}

/// Where the modes end, or are hardly felt any more [1/nm].
double last_mode(const EwaldSplit& split)
{
    constexpr double negligible = 1e-5, step = 1.0;
    if (std::isfinite(split.k_max())) return split.k_max();
    double k = step;
    while (split.transform(k) > negligible) k += step;
    return k;
}

/// sin(x)/x - cos(x)
double falling(double x)
{
    const auto [sine, cosine] = portable::sine_cosine(x);
    return sine / x - cosine;
}

/// The square of the error of split and polynomial: that of the force between two charges, e(r), transformed, weighted
/// with the structure factor.
double split_error2(const EwaldSplit& split, const PairPolynomial& pair)
{
    constexpr int n_modes = 64;
    const double cutoff = pair.cutoff, nearest = 0.1 * cutoff, k_max = last_mode(split);
    // As far as waves have neighbours in water, and finely enough for the phase between the points of either kind.
    const double shortest = std::max(4.0 * k_max, 60.0), farthest = 2.5 * cutoff;
    const int n_radii = static_cast<int>(shortest * farthest / 0.7), n_waves = static_cast<int>(shortest * farthest);
    const auto modes = midpoints(k_max, n_modes), waves = midpoints(shortest, n_waves);
    std::vector<double> weights;
    for (const double k : modes) weights.push_back(2.0 / units::pi * split.transform(k) * k_max / n_modes);
    std::vector<double> radii = midpoints(farthest - nearest, n_radii), errors;
    const double apart = radii[1] - radii[0];
    for (double& r : radii) {
        r += nearest;
        double mesh = 0.0; // minus the derivative of 2/pi int chi(k) sin(k r)/(k r) dk, times r
        for (int i = 0; i < n_modes; ++i) {
            const double x = modes[index(i)] * r;
            mesh += weights[index(i)] * falling(x);
        }
        const double of_pair = r < cutoff ? 1.0 / (r * r) + r * pair.force_at(r * r) : 0.0;
        errors.push_back((of_pair + mesh / r - 1.0 / (r * r)) * r * r * apart);
    }
    double sum = 0.0;
    for (const double k : waves) {
        double transform = 0.0;
        for (int i = 0; i < n_radii; ++i) {
            const double x = k * radii[index(i)];
            transform += errors[index(i)] * falling(x) / x;
        }
        sum += square(4.0 * units::pi * transform * k) * structure_factor(k);
    }
    return sum * (waves[1] - waves[0]) / (2.0 * units::pi * units::pi);
}

/// int w(u) cos(x u) du of a window.
class WindowTransform {
public:
    explicit WindowTransform(const Window& window)
    {
        const double half = 0.5 * window.width();
        for (const double u : midpoints(half, n)) {
            u_.push_back(u);
            w_.push_back(window.value(u) * 2.0 * half / n);
        }
    }
    double operator()(double x) const
    {
        double sum = 0.0;
        for (std::size_t i = 0; i < u_.size(); ++i) sum += w_[i] * portable::cos(x * u_[i]);
        return sum;
    }

private:
    static constexpr int n = 96;
    std::vector<double> u_, w_;
};

/// The square of the error that a grid of this spacing along one axis makes: charges seen as their aliases, potentials
/// interpolated with theirs, and modes that the grid has not.
double grid_error2(const EwaldSplit& split, const WindowTransform& window, double spacing)
{
    constexpr int n_k = 40, n_along = 40;
    const double k_max = last_mode(split), highest = units::pi / spacing;
    // |k| and its component along the axis: its alias, the same for all k with that component, is computed once.
    struct Alias {
        double along, away, share2; // k_x, k_x of the alias, square of its share
    };
    std::vector<Alias> aliases;
    for (const double along : midpoints(std::min(k_max, highest), n_along)) {
        const double here = window(along * spacing);
        for (const int sign : {-1, 1}) {
            const double away = along + sign * 2.0 * units::pi / spacing;
            aliases.push_back({along, away, square(window(away * spacing) / here)});
        }
    }
    const double apart = std::min(k_max, highest) / n_along;
    double sum = 0.0;
    for (const double k : midpoints(k_max, n_k)) {
        // int d^3k = 2 pi k dk dk_x; twice for negative k_x
        const double weight = 4.0 * units::pi * k * k_max / n_k / portable::power(2.0 * units::pi, 3) *
                              square(4.0 * units::pi * split.transform(k) / (k * k));
        for (const auto& [along, away, share2] : aliases) {
            const double part = std::clamp((k - along) / apart + 0.5, 0.0, 1.0); // of this strip that belongs to k
            if (part == 0.0) continue;
            const double k_alias2 = k * k - along * along + away * away;
            const double spreading = square(of_spreading) * k * k * structure_factor(std::sqrt(k_alias2));
            const double interpolation = square(of_interpolation) * k_alias2 * structure_factor(k);
            sum += weight * part * apart * share2 * (spreading + interpolation);
        }
        if (k > highest) sum += weight * (k - highest) * k * k * structure_factor(k);
    }
    return sum;
}

} // namespace

double grid_length(const Box& box, int k)
{
    const double length = box.vectors().row(k).norm();
    return length / std::sqrt(box.height(k) / length);
}

double expected_error_in_water(const EwaldSplit& split, const PairPolynomial& pair, const Window& window,
                               const std::array<int, 3>& grid, const Box& box)
{
    double error2 = square(of_split) * split_error2(split, pair);
    const WindowTransform transform(window);
    double before = 0.0, of_axis = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double spacing = grid_length(box, k) / grid[index(k)];
        if (spacing != before) of_axis = grid_error2(split, transform, spacing);
        before = spacing;
        error2 += of_axis;
    }
    return std::sqrt(square(strength) * error2 + square(floor_beyond_09 * std::max(1.0, 0.9 / pair.cutoff)));
}

} // namespace holon
