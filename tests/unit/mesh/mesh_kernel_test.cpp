// The kernels of the mesh: the same bits with every instruction set, and the sums that they are to be.
#include <holon/core/instruction_sets.hpp>
#include <holon/core/lattice.hpp>

#include <mesh/mesh_kernel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace holon::test {
namespace {

using mesh::BrickShape;
using mesh::GatherData;
using mesh::Locate;
using mesh::Places;
using mesh::SpreadData;
using mesh::WindowData;

constexpr std::int64_t n_atoms = 37; // not a multiple of what is done at a time
constexpr std::int32_t brick = 28;   // points along each axis

template <class Real, class Int>
struct Variant {
    const char* name;
    void (*locate)(const Locate<Real>&);
    void (*spread)(const SpreadData<Real, Int>&);
    void (*gather)(const GatherData<Real>&);
    void (*add_forces)(const mesh::ForceData<Real>&);
};

template <class Real, class Int>
std::vector<Variant<Real, Int>> variants()
{
    std::vector<Variant<Real, Int>> all{
        {"baseline", mesh::locate_baseline, mesh::spread_baseline, mesh::gather_baseline, mesh::add_forces_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3)
        all.push_back({"v3", mesh::locate_v3, mesh::spread_v3, mesh::gather_v3, mesh::add_forces_v3});
    if (best_instruction_set() >= InstructionSet::v4)
        all.push_back({"v4", mesh::locate_v4, mesh::spread_v4, mesh::gather_v4, mesh::add_forces_v4});
#endif
    return all;
}

/// Results of the kernels for atoms in a brick.
template <class Real, class Int>
struct Run {
    static constexpr int degree = 7;
    static constexpr std::int64_t room = (n_atoms + mesh::block - 1) / mesh::block * mesh::block;
    int width;
    int lanes = width <= mesh::narrow ? mesh::narrow : mesh::wide;
    std::int64_t row = brick + lanes;
    std::vector<std::int64_t> x, forces;
    std::array<std::vector<std::int32_t>, 3> whole;
    std::array<std::vector<Real>, 3> offset, gradient;
    std::vector<std::int32_t> first = std::vector<std::int32_t>(room);
    std::vector<Real> charge = std::vector<Real>(room), value, slope, potential;
    std::vector<Int> grid = std::vector<Int>(static_cast<std::size_t>(brick * brick * row));

    Run(int width_, const Variant<Real, Int>& variant) : width(width_)
    {
        std::mt19937_64 random(17);
        const auto number = [&] { return static_cast<Real>(std::ldexp(static_cast<double>(random()), -63) - 1.0); };
        for (std::int64_t k = 0; k < 3 * n_atoms; ++k)
            x.push_back(static_cast<std::int64_t>(random() >> 24)); // below 2^40
        for (auto& q : std::span(charge).first(n_atoms)) q = 1000 * number();
        for (int p = 0; p <= degree; ++p)
            for (int k = 0; k < lanes; ++k) value.push_back(k < width ? number() : Real(0));
        for (int p = 0; p < degree; ++p)
            for (int k = 0; k < lanes; ++k) slope.push_back(k < width ? number() : Real(0));
        for (std::size_t k = 0; k < grid.size(); ++k) potential.push_back(number());
        Locate<Real> locate{n_atoms, x.data(), {{8, 2, -1}, {0, 7, 1}, {0, 0, 9}}, -0.25, {}, {}};
        for (std::size_t a = 0; a < 3; ++a) {
            whole[a].resize(room);
            offset[a].resize(room);
            gradient[a].resize(room);
            locate.whole[a] = whole[a].data();
            locate.offset[a] = offset[a].data();
            for (double& factor : locate.to_grid[a]) factor = std::ldexp(factor, -40);
        }
        variant.locate(locate);
        for (std::size_t i = 0; i < n_atoms; ++i)
            first[i] = static_cast<std::int32_t>(((whole[0][i] + 2) * brick + whole[1][i] + 2) * row + whole[2][i] + 2);
        const WindowData<Real> window{width, degree, value.data(), slope.data()};
        const Places<Real> places{
            n_atoms, first.data(), {offset[0].data(), offset[1].data(), offset[2].data()}, charge.data()};
        const BrickShape shape{brick * row, row};
        variant.spread({window, places, shape, grid.data()});
        variant.gather(
            {window, places, shape, potential.data(), {gradient[0].data(), gradient[1].data(), gradient[2].data()}});
        for (std::int64_t k = 0; k < 3 * n_atoms; ++k) forces.push_back(100 * k);
        mesh::ForceData<Real> force{
            n_atoms, {gradient[0].data(), gradient[1].data(), gradient[2].data()}, {}, forces.data()};
        for (std::size_t k = 0; k < 3; ++k) std::ranges::copy(to_force[k], force.to_force[k]);
        variant.add_forces(force);
    }
    static constexpr std::array<std::array<double, 3>, 3> to_force = {{{3.1, 0, 0}, {-0.2, 2.9, 0}, {0.3, -0.7, 1e30}}};
};

/// The window or its slope at one of the points: sum_p coefficients[p][point] s^p.
template <class Real>
double polynomial(const std::vector<Real>& coefficients, int lanes, int point, double s)
{
    double sum = 0.0;
    for (std::size_t p = coefficients.size() / static_cast<std::size_t>(lanes); p-- > 0;)
        sum = sum * s + coefficients[p * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(point)];
    return sum;
}

template <class Real, class Int>
void check(int width)
{
    const auto all = variants<Real, Int>();
    const Run<Real, Int> expected(width, all.front());
    for (const auto& variant : all) {
        const Run<Real, Int> run(width, variant);
        EXPECT_EQ(run.whole, expected.whole) << variant.name << ' ' << width;
        EXPECT_EQ(run.offset, expected.offset) << variant.name << ' ' << width;
        EXPECT_EQ(run.grid, expected.grid) << variant.name << ' ' << width;
        EXPECT_EQ(run.gradient, expected.gradient) << variant.name << ' ' << width;
        EXPECT_EQ(run.forces, expected.forces) << variant.name << ' ' << width;
    }

    const double digits = sizeof(Real) == 4 ? 1e-4 : 1e-12;
    std::vector<double> grid(expected.grid.size());
    for (std::size_t i = 0; i < n_atoms; ++i) {
        const double x = std::ldexp(static_cast<double>(expected.x[3 * i]), -40),
                     y = std::ldexp(static_cast<double>(expected.x[3 * i + 1]), -40),
                     z = std::ldexp(static_cast<double>(expected.x[3 * i + 2]), -40);
        const std::array u{8 * x + 2 * y - z, 7 * y + z, 9 * z};
        std::array<double, 3> gradient{};
        for (std::size_t a = 0; a < 3; ++a) {
            EXPECT_EQ(expected.whole[a][i], std::floor(u[a] - 0.25));
            EXPECT_NEAR(expected.offset[a][i], u[a] - 0.25 - std::floor(u[a] - 0.25) - 0.5, 1e-6);
        }
        for (int px = 0; px < width; ++px)
            for (int py = 0; py < width; ++py)
                for (int pz = 0; pz < width; ++pz) {
                    const std::array point{px, py, pz};
                    std::array<double, 3> w{}, slope{};
                    for (std::size_t a = 0; a < 3; ++a) {
                        w[a] = polynomial(expected.value, expected.lanes, point[a], expected.offset[a][i]);
                        slope[a] = polynomial(expected.slope, expected.lanes, point[a], expected.offset[a][i]);
                    }
                    const auto at = static_cast<std::size_t>(expected.first[i] + (px * brick + py) * expected.row + pz);
                    const double q = expected.charge[i], potential = expected.potential[at];
                    grid[at] += q * w[0] * w[1] * w[2];
                    gradient[0] += q * potential * slope[0] * w[1] * w[2];
                    gradient[1] += q * potential * w[0] * slope[1] * w[2];
                    gradient[2] += q * potential * w[0] * w[1] * slope[2];
                }
        for (std::size_t a = 0; a < 3; ++a) {
            EXPECT_NEAR(expected.gradient[a][i], gradient[a], digits * 1e4) << width;
            double force = 0.0;
            for (std::size_t b = 0; b < 3; ++b) force += expected.to_force[a][b] * double{expected.gradient[b][i]};
            const auto before = 100 * static_cast<std::int64_t>(3 * i + a);
            EXPECT_EQ(expected.forces[3 * i + a], before + round_to_int_clamped(force)) << width;
        }
    }
    for (std::size_t p = 0; p < grid.size(); ++p)
        EXPECT_NEAR(static_cast<double>(expected.grid[p]), grid[p], 0.5 * n_atoms + 1e4 * digits) << width;
}

TEST(MeshKernel, SameBitsWithEveryInstructionSet)
{
    for (const int width : {4, 5, 6, 7, 8, 9, 12}) {
        check<float, std::int32_t>(width);
        check<double, std::int64_t>(width);
    }
}

} // namespace
} // namespace holon::test
