#include <holon/core/error.hpp>
#include <holon/core/units.hpp>
#include <holon/forces/cmap_surface.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace holon {
namespace {

template <class Function>
CmapSurface surface_of(int size, Function&& energy)
{
    CmapGrid grid{size, {}};
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j)
            grid.energy.push_back(
                energy(2.0 * units::pi * i / size - units::pi, 2.0 * units::pi * j / size - units::pi));
    return CmapSurface(grid);
}

double rough(double phi, double psi)
{
    return std::sin(37.0 * phi) + std::cos(91.0 * psi + 5.0 * phi); // far above the resolution: any grid values
}

double smooth(double phi, double psi)
{
    return 3.0 * std::sin(phi + 0.3) * std::cos(2.0 * psi) + 2.0 * std::cos(phi - psi);
}

TEST(Cmap, PassesThroughTheGrid)
{
    const int size = 24;
    const CmapSurface surface = surface_of(size, rough);
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            const double phi = 2.0 * units::pi * i / size - units::pi, psi = 2.0 * units::pi * j / size - units::pi;
            EXPECT_NEAR(surface(phi, psi).energy, rough(phi, psi), 1e-12);
        }
}

TEST(Cmap, ReproducesASmoothSurfaceWithItsDerivatives)
{
    const auto worst = [](int size) {
        const CmapSurface surface = surface_of(size, smooth);
        double energy = 0.0, slope = 0.0;
        for (double phi = -3.1; phi < 3.1; phi += 0.37)
            for (double psi = -3.1; psi < 3.1; psi += 0.41) {
                const auto v = surface(phi, psi);
                const double by_phi = 3.0 * std::cos(phi + 0.3) * std::cos(2.0 * psi) - 2.0 * std::sin(phi - psi);
                const double by_psi = -6.0 * std::sin(phi + 0.3) * std::sin(2.0 * psi) + 2.0 * std::sin(phi - psi);
                energy = std::max(energy, std::abs(v.energy - smooth(phi, psi)));
                slope = std::max({slope, std::abs(v.phi - by_phi), std::abs(v.psi - by_psi)});
            }
        return std::pair(energy, slope);
    };
    const auto coarse = worst(24), fine = worst(48);
    EXPECT_LT(coarse.first, 2e-3);
    EXPECT_LT(coarse.second, 5e-2);
    EXPECT_LT(fine.first, coarse.first / 12.0);  // fourth order
    EXPECT_LT(fine.second, coarse.second / 6.0); // third order
}

TEST(Cmap, IsSmoothAcrossCellsAndPeriods)
{
    const CmapSurface surface = surface_of(24, rough);
    const double spacing = 2.0 * units::pi / 24.0, step = 1e-9;
    for (int cell = -12; cell <= 12; ++cell)
        for (const double other : {-2.9, 0.1, 1.3}) {
            const double at = cell * spacing;
            const auto below = surface(at - step, other), above = surface(at + step, other);
            EXPECT_NEAR(below.energy, above.energy, 1e-7);
            EXPECT_NEAR(below.phi, above.phi, 1e-6);
            EXPECT_NEAR(below.psi, above.psi, 1e-6);
            const auto left = surface(other, at - step), right = surface(other, at + step);
            EXPECT_NEAR(left.energy, right.energy, 1e-7);
            EXPECT_NEAR(left.psi, right.psi, 1e-6);
        }
    const auto here = surface(0.3, -1.2), around = surface(0.3 + 2.0 * units::pi, -1.2 - 4.0 * units::pi);
    EXPECT_NEAR(here.energy, around.energy, 1e-12);
}

TEST(Cmap, FirstDihedralIsTheRow)
{
    const CmapSurface surface = surface_of(24, [](double phi, double) { return std::cos(phi); });
    EXPECT_NEAR(surface(0.0, 1.1).energy, 1.0, 1e-12);
    EXPECT_NEAR(surface(units::pi, 1.1).energy, -1.0, 1e-12);
    EXPECT_NEAR(surface(0.4, 1.1).psi, 0.0, 1e-12);
    EXPECT_LT(surface(0.4, 1.1).phi, -0.3);
}

TEST(Cmap, RefusesABrokenGrid)
{
    EXPECT_THROW(CmapSurface(CmapGrid{24, std::vector<double>(575)}), InputError);
    EXPECT_THROW(CmapSurface(CmapGrid{0, {}}), InputError);
    EXPECT_THROW(CmapSurface(CmapGrid{-3, std::vector<double>(9)}), InputError);
}

} // namespace
} // namespace holon
