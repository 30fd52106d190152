// The kernels that make bonds from the lattice and find their largest error: what the formulas say, to the last bit.
#include <support/constraint_system.hpp>

#include <constraints/bond_kernel.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace holon::test {
namespace {

constexpr int n_bonds = 19, n_places = 24, n_atoms = n_bonds + 1; // a chain

struct Variant {
    const char* name;
    decltype(&bonds::set_vectors_baseline) set_vectors;
    decltype(&bonds::largest_error_baseline) largest_error;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", bonds::set_vectors_baseline, bonds::largest_error_baseline}};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3")) all.push_back({"v3", bonds::set_vectors_v3, bonds::largest_error_v3});
    if (__builtin_cpu_supports("x86-64-v4")) all.push_back({"v4", bonds::set_vectors_v4, bonds::largest_error_v4});
#endif
    return all;
}

Vec3 at(const std::vector<double>& vectors, std::size_t b)
{
    return {vectors[b], vectors[n_places + b], vectors[2 * n_places + b]};
}

/// Atoms that may lie several periods away from each other.
std::vector<IVec3> scattered_positions(const Box& box)
{
    Noise noise(11);
    std::vector<IVec3> x;
    for (int a = 0; a < n_atoms; ++a)
        x.push_back(to_lattice(3.0 * noise.vector(), position_unit) + box.shift({a % 3, 0, -(a % 2)}));
    return x;
}

TEST(BondKernel, TakesTheNearestImages)
{
    const Box box((Mat3() << 3.0, 0.0, 0.0, 0.7, 2.8, 0.0, -0.9, 1.1, 2.5).finished(), 40);
    const auto x = scattered_positions(box);
    std::array<std::int64_t, 9> rows{};
    for (int k = 0; k < 9; ++k) rows[static_cast<std::size_t>(k)] = box.lattice_vector(k / 3)[k % 3];
    std::vector<std::int32_t> from(n_places), to(n_places);
    std::iota(from.begin(), from.begin() + n_bonds, 0);
    std::iota(to.begin(), to.begin() + n_bonds, 1);
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        std::vector<double> vectors(3 * n_places), velocities(3 * n_places);
        bonds::Differences differences{n_places, x.front().data(), from.data(), to.data(), rows.data(), position_unit};
        variant.set_vectors(differences, vectors.data());
        differences.box = nullptr;
        differences.unit = velocity_unit;
        variant.set_vectors(differences, velocities.data());
        for (std::size_t b = 0; b < n_bonds; ++b) {
            const IVec3 d = x[b + 1] - x[b];
            EXPECT_EQ(at(vectors, b), to_real(box.minimum_image(d), position_unit));
            EXPECT_EQ(at(velocities, b), to_real(d, velocity_unit));
        }
    }
}

TEST(BondKernel, FindsTheLargestError)
{
    Noise noise(7);
    std::vector<double> a(3 * n_places), b(3 * n_places), wanted(n_places, 0.01), weight(n_places);
    for (std::size_t k = 0; k < n_bonds; ++k) {
        weight[k] = 2.0 + noise();
        for (std::size_t c = 0; c < 3; ++c) {
            a[c * n_places + k] = noise();
            b[c * n_places + k] = noise();
        }
    }
    for (std::size_t heavy : {0, 3, 18}) {
        weight[heavy] = 1e4;
        const double product = at(a, heavy).dot(at(b, heavy));
        for (const auto& variant : variants()) {
            SCOPED_TRACE(variant.name);
            EXPECT_EQ(variant.largest_error(n_places, a.data(), b.data(), nullptr, weight.data()),
                      1e4 * std::abs(product));
            EXPECT_EQ(variant.largest_error(n_places, a.data(), b.data(), wanted.data(), weight.data()),
                      1e4 * std::abs(product - 0.01));
        }
        weight[heavy] = 1.0;
    }
}

} // namespace
} // namespace holon::test
