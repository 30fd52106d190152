// The kernels that make bonds from the lattice and find their largest error: what the formulas say, to the last bit.
#include <holon/core/instruction_sets.hpp>

#include <support/constraints/constraint_system.hpp>

#include <constraints/bonds/bond_kernel.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace holon::test {
namespace {

constexpr int n_bonds = 19, n_places = 24, n_atoms = n_bonds + 1; // a chain

struct Variant {
    const char* name;
    decltype(&bonds::set_vectors_baseline) set_vectors;
    decltype(&bonds::largest_error_baseline) largest_error;
    decltype(&bonds::set_rows_baseline) set_rows;
    decltype(&bonds::apply_baseline) apply;
};

#define HOLON_VARIANT_OF(set)                                                                                          \
    Variant                                                                                                            \
    {                                                                                                                  \
#set, bonds::set_vectors_##set, bonds::largest_error_##set, bonds::set_rows_##set, bonds::apply_##set          \
    }

std::vector<Variant> variants()
{
    std::vector<Variant> all{HOLON_VARIANT_OF(baseline)};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back(HOLON_VARIANT_OF(v3));
    if (best_instruction_set() >= InstructionSet::v4) all.push_back(HOLON_VARIANT_OF(v4));
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
        const double product = dot(at(a, heavy), at(b, heavy));
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

TEST(BondKernel, SetsRows)
{
    Noise noise(19);
    std::vector<double> vectors(3 * n_places);
    for (auto& x : vectors) x = noise();
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        std::vector<double> rows(4 * n_places, 7.0);
        variant.set_rows(n_places, vectors.data(), rows.data());
        for (std::size_t k = 0; k < n_places; ++k) {
            EXPECT_EQ(Vec3(rows[4 * k], rows[4 * k + 1], rows[4 * k + 2]), at(vectors, k));
            EXPECT_EQ(rows[4 * k + 3], 0.0);
        }
    }
}

/// Neighbours in memory included; what is too long or not a number stays where it is.
TEST(BondKernel, MovesAtomsOntoTheLattice)
{
    constexpr std::size_t lost = 5, far = 11;
    constexpr double inverse_dt = 500.0;
    Noise noise(23);
    std::vector<Vec3> moves(n_atoms);
    for (auto& move : moves) move = 0.01 * noise.vector();
    moves[lost][1] = std::numeric_limits<double>::quiet_NaN();
    moves[far][2] = -2000.0;
    std::vector<std::int32_t> atoms(n_atoms);
    for (std::size_t k = 0; k < n_atoms; ++k) atoms[k] = k % 4 == 3 ? -1 : static_cast<std::int32_t>((7 * k) % n_atoms);
    std::vector<IVec3> start(n_atoms);
    for (auto& x : start) x = to_lattice(noise.vector(), position_unit);
    for (const bool velocities : {false, true})
        for (const int size : {3, 4})
            for (const auto& variant : variants()) {
                SCOPED_TRACE(variant.name + std::string(velocities ? ", velocities, " : ", positions, ") +
                             std::to_string(size));
                std::vector<double> numbers(n_atoms * static_cast<std::size_t>(size), 0.0);
                for (std::size_t k = 0; k < n_atoms; ++k)
                    for (std::size_t c = 0; c < 3; ++c)
                        numbers[k * static_cast<std::size_t>(size) + c] = moves[k][static_cast<Eigen::Index>(c)];
                const double unit = velocities ? velocity_unit : position_unit;
                auto values = start, other = start, here = start;
                variant.apply({.n = n_atoms,
                               .moves = numbers.data(),
                               .size = size,
                               .per_unit = 1.0 / unit,
                               .atoms = atoms.data(),
                               .values = values.front().data(),
                               .velocities = velocities ? nullptr : other.front().data(),
                               .inverse_dt = inverse_dt,
                               .here = here.front().data()});
                auto expected_values = start, expected_other = start, expected_here = start;
                for (std::size_t k = 0; k < n_atoms; ++k) {
                    if (k == lost || k == far) continue;
                    expected_here[k] += to_lattice(moves[k], unit);
                    if (atoms[k] < 0) continue;
                    const auto a = static_cast<std::size_t>(atoms[k]);
                    expected_values[a] += to_lattice(moves[k], unit);
                    if (!velocities) expected_other[a] += to_lattice(Vec3(moves[k] * inverse_dt), velocity_unit);
                }
                EXPECT_EQ(values, expected_values);
                EXPECT_EQ(other, expected_other);
                EXPECT_EQ(here, expected_here);
            }
}

} // namespace
} // namespace holon::test
