// Prolate functions, Ewald splits, windows and pair polynomials: against their definitions.
#include <holon/core/units.hpp>
#include <holon/mesh/mesh_settings.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace holon::test {
namespace {

/// Composite Gauss-Legendre rule.
double integrate(const std::function<double(double)>& f, double from, double to, int parts = 40)
{
    constexpr double node[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
    constexpr double weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
    double sum = 0.0;
    for (int p = 0; p < parts; ++p) {
        const double h = 0.5 * (to - from) / parts, middle = from + (2 * p + 1) * h;
        for (int i = 0; i < 4; ++i) sum += weight[i] * h * (f(middle - node[i] * h) + f(middle + node[i] * h));
    }
    return sum;
}

TEST(Prolate, IsItsOwnFourierTransform)
{
    for (const double band : {5.0, 11.0, 20.0, 35.0}) {
        const Prolate psi(band);
        EXPECT_NEAR(psi.value(0.0), 1.0, 1e-14);
        EXPECT_NEAR(psi.integral(), integrate([&](double x) { return psi.value(x); }, 0.0, 1.0), 1e-14);
        for (const double k : {0.0, 0.3 * band, 0.9 * band, band})
            EXPECT_NEAR(psi.transform(k),
                        2.0 * integrate([&](double x) { return psi.value(x) * std::cos(k * x); }, 0.0, 1.0), 1e-13);
        for (const double x : {0.0, 0.2, 0.7, 1.0}) {
            EXPECT_NEAR(psi.primitive(x), integrate([&](double y) { return psi.value(y); }, 0.0, x), 1e-14);
            const double h = 1e-5, inner = std::min(x, 1.0 - h);
            EXPECT_NEAR(psi.slope(inner), (psi.value(inner + h) - psi.value(inner - h)) / (2.0 * h), 1e-7 * band);
        }
        const auto x2 = [&](double x) { return x * x * psi.value(x); };
        EXPECT_NEAR(psi.second_moment(), integrate(x2, 0.0, 1.0) / psi.integral(), 1e-14);
    }
}

TEST(Prolate, IsConcentratedInItsBand)
{
    // Share of the energy inside: lambda^2 c / (2 pi). D. Slepian, H. O. Pollak (1961), table I: c = 4, 0.99589.
    const Prolate psi(4.0);
    const double eigenvalue = psi.transform(0.0);
    EXPECT_NEAR(eigenvalue * eigenvalue * 4.0 / (2.0 * units::pi), 0.99589, 1e-5);
}

void expect_consistent(const EwaldSplit& split, double cutoff, double tail)
{
    for (double r = 0.05; r < 1.3 * cutoff; r += 0.0371) {
        const double h = 1e-5;
        EXPECT_NEAR(split.smooth_force(r), -(split.smooth(r + h) - split.smooth(r - h)) / (2.0 * h * r), 1e-5)
            << "r = " << r;
    }
    EXPECT_NEAR(split.smooth(0.0), split.smooth(1e-4), 1e-5);
    EXPECT_NEAR(split.transform(0.0), 1.0, 1e-14);
    // 4 pi / k^2 (1 - chi) is the transform of the rest, (1 - Phi) / r.
    for (double k = 0.5; k < 12.0; k += 1.7) {
        const auto rest = [&](double r) { return (1.0 - r * split.smooth(r)) * std::sin(k * r) / k; };
        EXPECT_NEAR(integrate(rest, 1e-12, tail), (1.0 - split.transform(k)) / (k * k), 1e-11) << "k = " << k;
        const double h = 1e-5;
        const double slope = (split.transform(k + h) - split.transform(k - h)) / (2.0 * h);
        EXPECT_NEAR(split.transform_slope(k), k * slope / split.transform(k), 1e-7);
    }
    // The second moment of the density that screens a charge; 6 times that is what chi loses at small k.
    const double k = 1e-3;
    EXPECT_NEAR((1.0 - split.transform(k)) / (k * k), 0.5 * split.background(), 1e-5);
}

TEST(EwaldSplit, PartsAddUpToCoulomb)
{
    expect_consistent(ProlateSplit(0.9, 11.0), 0.9, 0.9);
    expect_consistent(ProlateSplit(1.2, 17.0), 1.2, 1.2);
    const double beta = GaussianSplit::beta_for(0.9, 1e-5);
    EXPECT_NEAR(std::erfc(beta * 0.9), 1e-5, 1e-18);
    expect_consistent(GaussianSplit(beta), 0.9, 2.5);
}

TEST(EwaldSplit, ProlateIsExactBeyondItsCutoff)
{
    const ProlateSplit split(0.9, 11.0);
    EXPECT_EQ(split.smooth(1.0), 1.0);
    EXPECT_NEAR(split.smooth(0.9 - 1e-9), 1.0 / 0.9, 1e-8);
    EXPECT_EQ(split.transform(1.0001 * split.k_max()), 0.0);
}

TEST(PairPolynomial, FollowsTheSplit)
{
    const double cutoff = 0.9;
    const ProlateSplit prolate(cutoff, 12.02);
    const GaussianSplit gaussian(GaussianSplit::beta_for(cutoff, 1e-5));
    for (const EwaldSplit* split :
         {static_cast<const EwaldSplit*>(&prolate), static_cast<const EwaldSplit*>(&gaussian)})
        for (const double tolerance : {1e-3, 1e-5, 1e-8}) {
            const auto pair = fit_pair_polynomial_to(*split, cutoff, tolerance, 22, false);
            for (double r = 0.1 * cutoff; r < cutoff; r += 0.013) {
                const double scale = r * cutoff * cutoff; // of the force, in units of 1/rc^2
                EXPECT_LT(std::abs(pair.force_at(r * r) + split->smooth_force(r)) * scale, 1.5 * tolerance);
                EXPECT_NEAR(pair.energy_at(r * r), -split->smooth(r), 4.0 * tolerance / cutoff);
            }
        }
}

TEST(PairPolynomial, ForceIsTheSlopeOfTheEnergyAndBothVanishAtTheCutoff)
{
    const double cutoff = 1.1;
    for (const int degree : {4, 7, 12}) {
        const auto pair = fit_pair_polynomial(ProlateSplit(cutoff, 11.0), cutoff, degree, true);
        EXPECT_EQ(static_cast<int>(pair.force.size()), degree + 1);
        for (double r = 0.05; r < cutoff; r += 0.0717) {
            const double h = 1e-5;
            const auto energy = [&](double x) { return pair.energy_at(x * x); };
            EXPECT_NEAR(pair.force_at(r * r), -(energy(r + h) - energy(r - h)) / (2.0 * h * r), 1e-7);
        }
        EXPECT_NEAR(pair.energy_at(cutoff * cutoff), -1.0 / cutoff, 1e-13);
        EXPECT_NEAR(pair.force_at(cutoff * cutoff), -1.0 / (cutoff * cutoff * cutoff), 1e-12);
    }
}

double sum(const WindowPieces& pieces, const std::vector<double>& (WindowPieces::*coefficients)(int) const, int degree,
           int point, double f)
{
    double value = 0.0;
    for (int p = degree; p >= 0; --p)
        value = value * (f - 0.5) + (pieces.*coefficients)(p)[static_cast<std::size_t>(point)];
    return value;
}

TEST(Window, PiecesFollowTheFunction)
{
    for (const int width : {4, 5, 8}) {
        const ProlateWindow prolate(width, 2.2 * width);
        const SplineWindow spline(width);
        for (const Window* window : {static_cast<const Window*>(&prolate), static_cast<const Window*>(&spline)}) {
            const WindowPieces pieces(*window, 1e-12);
            EXPECT_EQ(pieces.width(), width);
            for (int k = 0; k < width; ++k)
                for (double f = 0.0; f < 1.0; f += 0.0917) {
                    const double u = 0.5 * width - 1.0 - k + f;
                    EXPECT_NEAR(sum(pieces, &WindowPieces::value, pieces.degree(), k, f), window->value(u), 1e-11);
                    EXPECT_NEAR(sum(pieces, &WindowPieces::slope, pieces.degree() - 1, k, f), window->slope(u), 1e-9);
                }
        }
        EXPECT_EQ(WindowPieces(spline, 1e-12).degree(), width - 1);
        EXPECT_NEAR(prolate.value(0.5 * width), 0.0, 1e-15);
    }
}

TEST(Window, TransformIsThatOfTheFunction)
{
    const ProlateWindow window(5, 11.0);
    const int n = 24;
    for (const int m : {0, 3, 12}) {
        const auto f = [&](double u) { return window.value(u) * std::cos(2.0 * units::pi * m * u / n); };
        EXPECT_NEAR(window.transform(m, n), integrate(f, -2.5, 2.5, 200), 1e-13);
    }
}

TEST(Window, SplinesAddUpToOne)
{
    for (const int order : {3, 4, 7}) {
        const SplineWindow window(order);
        for (double f = 0.0; f < 1.0; f += 0.13) {
            double total = 0.0;
            for (int k = 0; k < order; ++k) total += window.value(0.5 * order - 1.0 - k + f);
            EXPECT_NEAR(total, 1.0, 1e-14);
        }
        EXPECT_NEAR(window.transform(0, 30), 1.0, 1e-14);
        EXPECT_GT(window.transform(15, 30), 0.0);
    }
}

Parameters mesh_parameters(MeshKind mesh)
{
    Parameters p;
    p.coulomb = CoulombKind::mesh;
    p.mesh = mesh;
    p.rcoulomb = 0.9;
    return p;
}

TEST(MeshSettings, SpmeTakesTheGridsOfGromacs)
{
    auto p = mesh_parameters(MeshKind::spme);
    const auto grid = [&p](double length) { return choose_mesh(p, Box(length * Mat3::Identity(), 22)).grid[0]; };
    EXPECT_EQ(grid(3.4), 32);
    EXPECT_EQ(grid(6.2), 52);
    EXPECT_EQ(grid(7.0), 60);
    p.fourier_spacing = 0.05;
    EXPECT_EQ(grid(6.2), 128);
    p.fourier_n = {33, 34, 35};
    EXPECT_EQ(choose_mesh(p, Box(6.2 * Mat3::Identity(), 22)).grid, (std::array{33, 34, 35}));
}

TEST(MeshSettings, EspNeedsTenTimesFewerPointsAndFinerGridsForSmallerErrors)
{
    auto p = mesh_parameters(MeshKind::esp);
    const Box box(6.2 * Mat3::Identity(), 22);
    const auto points = [&] {
        const auto n = choose_mesh(p, box).grid;
        return n[0] * n[1] * n[2];
    };
    p.coulomb_split_radius = p.rcoulomb;
    EXPECT_LE(10 * points(), 52 * 52 * 52);
    p.coulomb_split_radius = 0.0;
    EXPECT_LE(2 * points(), 52 * 52 * 52);
    EXPECT_LT(choose_mesh(p, box).pair.cutoff, 0.7);                    // pairs cost more than points
    EXPECT_GT(choose_mesh(p, box, 0.1).pair.cutoff, p.rcoulomb - 0.05); // where there are hardly any
    int before = 0;
    double band = 0.0;
    for (double accuracy = 1e-2; accuracy > 4e-7; accuracy /= 3.0) {
        p.mesh_accuracy = accuracy;
        const auto settings = choose_mesh(p, box);
        EXPECT_GE(settings.split_parameter, band);
        if (accuracy > 1e-6) {
            EXPECT_LT(settings.expected_error, accuracy) << accuracy;
        }
        band = settings.split_parameter;
        before = std::max(before, points());
    }
    EXPECT_GT(before, 30 * 30 * 30);
}

} // namespace
} // namespace holon::test
