#include <holon/mesh/mesh_settings.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include "error_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace holon {

namespace {

/// Prolate split and window that reach an error, nearly (see coarsest_mesh(), shortest_split()): band of the split,
/// window width, spacing over split radius, window band over width. Measured on water and solvated proteins at a radius
/// of 0.9 nm by tools/mesh_accuracy.
struct Choice {
    double error, band;
    int width;
    double spacing, window_band;
};
constexpr double radius_of_choices = 0.9; // [nm]

/// What the same choice errs at another radius: its error times this.
double error_factor(double radius)
{
    return portable::exp(2.1 * portable::log(radius_of_choices / radius));
}

constexpr Choice narrow_choices[] = {{8.7e-4, 9.25, 5, 0.383, 2.15}, {5.3e-4, 10.0, 5, 0.35, 2.15},
                                     {3.1e-4, 11.0, 5, 0.3, 2.2},    {2.3e-4, 11.0, 5, 0.272, 2.27},
                                     {1.6e-4, 11.3, 5, 0.247, 2.33}, {1.05e-4, 11.8, 5, 0.22, 2.42}};
constexpr Choice medium_choices[] = {
    {2.2e-4, 11.4, 6, 0.3, 2.1}, {1.1e-4, 12.02, 6, 0.278, 2.15}, {6.5e-5, 12.35, 6, 0.252, 2.2}};
constexpr Choice wide_choices[] = {{2.4e-5, 12.9, 8, 0.25, 1.85},
                                   {8.5e-6, 14.5, 8, 0.222, 1.85},
                                   {9.8e-7, 16.75, 8, 0.172, 2.15},
                                   {2e-7, 18.5, 8, 0.14, 2.2}};

/// Between two rows of one width, by the logarithm of their errors or by spacings; the ends hold beyond them.
Choice between(const Choice& coarse, const Choice& fine, double t)
{
    const auto mean = [t](double a, double b) { return a + t * (b - a); };
    const double error = portable::exp(mean(portable::log(coarse.error), portable::log(fine.error)));
    return {error, mean(coarse.band, fine.band), coarse.width, mean(coarse.spacing, fine.spacing),
            mean(coarse.window_band, fine.window_band)};
}

Choice choice_for_error(std::span<const Choice> rows, double error)
{
    if (error >= rows.front().error) return rows.front();
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (error >= rows[i].error)
            return between(rows[i - 1], rows[i],
                           portable::log(error / rows[i - 1].error) / portable::log(rows[i].error / rows[i - 1].error));
    return rows.back();
}

Choice choice_for_spacing(std::span<const Choice> rows, double spacing)
{
    if (spacing >= rows.front().spacing) return rows.front();
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (spacing >= rows[i].spacing)
            return between(rows[i - 1], rows[i],
                           (spacing - rows[i - 1].spacing) / (rows[i].spacing - rows[i - 1].spacing));
    return rows.back();
}

/// The first of grompp's lengths that has at least `least` points: beyond the small ones multiples of four only, and
/// not 140.
int gromacs_length(double least)
{
    constexpr int fewest[] = {6, 8, 10, 12, 14, 16, 20, 24, 25, 28, 32, 36, 40, 42, 44};
    constexpr int base[] = {48, 50, 52, 54, 56, 60, 64, 70, 72, 75, 80, 81, 84};
    for (const int points : fewest)
        if (points >= least) return points;
    for (int scale = 1;; scale *= 2)
        for (const int number : base)
            if (const int points = number * scale; points >= least && points % 4 == 0 && points != 140) return points;
}

/// Points along the box vectors for fourierspacing, where their number is not given: the grid that grompp prints, which
/// goes up to a thousandth of a spacing beyond it.
std::array<int, 3> gromacs_grid(const Parameters& p, const Box& box)
{
    auto n = p.fourier_n;
    for (std::size_t k = 0; k < 3; ++k) {
        if (n[k] > 0) continue;
        const double exact = box.vectors().row(static_cast<int>(k)).norm() / p.fourier_spacing;
        n[k] = gromacs_length(std::max(std::floor(exact + 0.999), 2.0 * (p.pme_order - 1)));
    }
    return n;
}

/// Whether the transforms have fast code for lines of this length.
bool smooth_length(int n)
{
    for (const int factor : {2, 3, 5, 7})
        while (n % factor == 0) n /= factor;
    return n == 1 || n == 11 || n == 13;
}

/// At least so fine.
std::array<int, 3> grid_for(const Box& box, double spacing)
{
    std::array<int, 3> n{};
    for (int k = 0; k < 3; ++k) {
        int& points = n[static_cast<std::size_t>(k)];
        points = std::max(4, static_cast<int>(std::ceil(grid_length(box, k) / spacing - 1e-6)));
        while (!smooth_length(points)) ++points;
    }
    return n;
}

/// What a choice expects to err.
double estimate(const Box& box, double radius, const Choice& choice, double fit_tolerance, int max_degree)
{
    const PlainProlateSplit split(radius, choice.band);
    const ProlateWindow window(choice.width, choice.window_band * choice.width);
    const auto pair = fit_pair_polynomial_to(split, radius, fit_tolerance, max_degree, true);
    return expected_error_in_water(split, pair, window, grid_for(box, choice.spacing * radius), box);
}

MeshSettings prolate_settings(const Box& box, double radius, const Choice& choice, double fit_tolerance, int max_degree)
{
    MeshSettings settings;
    settings.kind = MeshKind::esp;
    settings.split = std::make_shared<ProlateSplit>(radius, choice.band);
    settings.split_parameter = choice.band;
    settings.window_band = choice.window_band * choice.width;
    settings.window = std::make_shared<ProlateWindow>(choice.width, settings.window_band);
    settings.grid = grid_for(box, choice.spacing * radius);
    settings.expected_error = estimate(box, radius, choice, fit_tolerance, max_degree);
    settings.pair = fit_pair_polynomial_to(*settings.split, radius, fit_tolerance, max_degree, true);
    return settings;
}

/// Nanoseconds of a step on one processor with AVX-512: of the pairs within the radius and of the mesh. What matters is
/// their ratio.
double cost_of(const Box& box, double charge_density, double radius, const Choice& choice)
{
    constexpr double room = 0.05; // of pruned lists, beyond the radius [nm]
    const double charges = charge_density * box.volume(), reach = radius + room;
    const double pairs = 0.5 * charges * charge_density * 4.0 / 3.0 * units::pi * reach * reach * reach;
    const auto n = grid_for(box, choice.spacing * radius);
    const double points = 1.0 * n[0] * n[1] * n[2];
    const double of_charge = choice.width <= 5 ? 55.0 : choice.width <= 6 ? 68.0 : 120.0; // spread and interpolated
    return 0.8 * pairs + of_charge * charges + 14.0 * points;
}

/// A way to an error.
struct Plan {
    double radius; // of the split [nm]
    std::span<const Choice> rows;
    Choice choice; // of them
    double cost;
};

/// The cheapest with this radius.
Plan plan_at(const Box& box, double charge_density, double error, double radius)
{
    const double scaled = error / error_factor(radius);
    std::optional<Plan> best;
    for (const std::span<const Choice> rows :
         {std::span<const Choice>(narrow_choices), {medium_choices}, {wide_choices}}) {
        if (scaled < rows.back().error && rows.back().width < wide_choices[0].width) continue;
        const auto choice = choice_for_error(rows, scaled);
        const double cost = cost_of(box, charge_density, radius, choice);
        if (!best || cost < best->cost) best = {radius, rows, choice, cost};
    }
    return *best;
}

constexpr double radii_per_nm = 100.0;

/// The cheapest of all with radii up to `most` [nm].
Plan cheapest_plan(const Box& box, double charge_density, double error, double most)
{
    constexpr int shortest = 55; // with shorter ones hardly anything is won
    auto best = plan_at(box, charge_density, error, most);
    for (int k = shortest; k < most * radii_per_nm; ++k)
        if (const auto plan = plan_at(box, charge_density, error, k / radii_per_nm); plan.cost < best.cost) best = plan;
    return best;
}

int max_pair_degree(const Parameters& p)
{
    return p.precision == Precision::mixed ? 13 : 22;
}

/// The largest error of a pair: it makes 0.65 times as much of the forces.
double pair_tolerance(const Choice& choice)
{
    return 0.65 * choice.error;
}

double estimate(const Box& box, double radius, const Choice& choice, int max_degree)
{
    return estimate(box, radius, choice, pair_tolerance(choice), max_degree);
}

MeshSettings prolate_settings(const Box& box, double radius, const Choice& choice, int max_degree)
{
    return prolate_settings(box, radius, choice, pair_tolerance(choice), max_degree);
}

/// With this radius, the coarsest mesh that errs no more than asked for. The table knows neither what the grid gains by
/// whole numbers of points nor how errors change with the radius beyond a power law: it is asked for more or less, in
/// eighths of a factor of two, until the estimate fits.
MeshSettings coarsest_mesh(const Box& box, double charge_density, double error, double radius, int max_degree)
{
    constexpr int most = 8;
    const auto choice = [&](int n) {
        return plan_at(box, charge_density, error * portable::exp(n * portable::log(2.0) / 8.0), radius).choice;
    };
    const auto fits = [&](int n) { return estimate(box, radius, choice(n), max_degree) <= error; };
    int n = 0;
    if (fits(0)) {
        while (n < most && fits(n + 1)) ++n;
    } else {
        while (n > -most && !fits(--n)) {
        }
    }
    return prolate_settings(box, radius, choice(n), max_degree);
}

/// The largest spacing of the grid that is at least so fine.
double coarsest_spacing(const Box& box, double spacing)
{
    const auto n = grid_for(box, spacing);
    double coarsest = 0.0;
    for (int k = 0; k < 3; ++k) coarsest = std::max(coarsest, grid_length(box, k) / n[static_cast<std::size_t>(k)]);
    return coarsest;
}

double nearest_multiple(double step, double value)
{
    return step * std::round(value / step);
}

/// With the window and the grid of a plan, the shortest radius that errs no more than asked for, up to `most`: what
/// grids gain by whole numbers of points goes into fewer pairs. Bands are rounded so that boxes that differ little have
/// the same.
std::optional<MeshSettings> shortest_split(const Box& box, const Plan& plan, double error, double most, int max_degree)
{
    const double spacing = coarsest_spacing(box, plan.choice.spacing * plan.radius);
    const auto choice = [&](double radius) {
        auto found = choice_for_spacing(plan.rows, spacing / radius);
        found.spacing = spacing / radius;
        found.band = nearest_multiple(0.125, found.band);
        found.window_band = nearest_multiple(0.025, found.window_band);
        return found;
    };
    const auto fits = [&](int k) {
        const double radius = k / radii_per_nm;
        return estimate(box, radius, choice(radius), max_degree) <= error;
    };
    const int last = static_cast<int>(std::floor(most * radii_per_nm + 1e-6));
    int k = std::min(static_cast<int>(std::lround(plan.radius * radii_per_nm)), last);
    while (fits(k)) --k;
    do ++k;
    while (k <= last && !fits(k));
    if (k > last) return std::nullopt;
    const double radius = k / radii_per_nm;
    return prolate_settings(box, radius, choice(radius), max_degree);
}

/// The split of Ewald's and what pairs have of it, without a mesh.
MeshSettings gaussian_settings(const Parameters& p, double beta)
{
    MeshSettings settings;
    settings.kind = MeshKind::spme;
    settings.split = std::make_shared<GaussianSplit>(beta);
    settings.split_parameter = beta;
    const double tolerance = p.precision == Precision::mixed ? 2e-7 : 1e-11;
    settings.pair = fit_pair_polynomial_to(*settings.split, p.rcoulomb, tolerance, max_pair_degree(p), false);
    if (p.coulomb_modifier == Modifier::potential_shift)
        settings.potential_shift = 1.0 / p.rcoulomb - settings.split->smooth(p.rcoulomb);
    return settings;
}

/// Smooth PME as GROMACS understands the settings.
MeshSettings spme_settings(const Parameters& p, const Box& box)
{
    auto settings = gaussian_settings(p, GaussianSplit::beta_for(p.rcoulomb, p.ewald_rtol));
    settings.window = std::make_shared<SplineWindow>(p.pme_order);
    settings.grid = gromacs_grid(p, box);
    settings.expected_error =
        expected_error_in_water(*settings.split, settings.pair, *settings.window, settings.grid, box);
    return settings;
}

/// What is expected holds for water and what is dissolved in it. Where charges are sparser their order is another, and
/// errors are up to twice as large (waters and chains on jittered lattices).
double likeness_to_water(double charge_density)
{
    constexpr double of_water = 90.0; // charges per nm^3, or somewhat more
    return std::sqrt(std::clamp(charge_density / of_water, 0.25, 1.0));
}

/// The error, or up to a fiftieth less: boxes that differ little are to have the same mesh.
double in_steps(double error)
{
    constexpr double per_octave = 32.0;
    const double octave = portable::log(2.0);
    return portable::exp(std::floor(per_octave * portable::log(error) / octave) * octave / per_octave);
}

} // namespace

MeshSettings choose_mesh(const Parameters& p, const Box& box, double charge_density)
{
    if (p.mesh == MeshKind::spme) return spme_settings(p, box);
    // Systems differ: what has been asked for is to be kept by all of them, as is that of smooth PME.
    const double asked = p.mesh_accuracy > 0.0 ? 0.75 * p.mesh_accuracy : 0.85 * spme_settings(p, box).expected_error;
    const double error = in_steps(asked * likeness_to_water(charge_density));
    const int max_degree = max_pair_degree(p);
    double radius = p.coulomb_split_radius;
    if (radius == 0.0) {
        const auto plan = cheapest_plan(box, charge_density, error, p.rcoulomb);
        if (auto shortest = shortest_split(box, plan, error, p.rcoulomb, max_degree)) return *shortest;
        radius = plan.radius;
    }
    return coarsest_mesh(box, charge_density, error, radius, max_degree);
}

MeshSettings reference_mesh(const Parameters& p, const Box& box, const MeshSettings& settings)
{
    constexpr Choice converged = {1e-8, 20.0, 14, 0.14, 2.0};
    const double error = settings.expected_error / 40.0;
    const double radius = settings.kind == MeshKind::esp ? settings.pair.cutoff : p.rcoulomb;
    const auto choice = error > 1e-6 ? plan_at(box, charges_of_liquids, error, radius).choice : converged;
    return prolate_settings(box, radius, choice, 1e-9, 22);
}

MeshSettings plain_ewald(const Parameters& p)
{
    return gaussian_settings(p, p.ewald_beta > 0.0 ? p.ewald_beta : GaussianSplit::beta_for(p.rcoulomb, p.ewald_rtol));
}

} // namespace holon
