#include <holon/core/box.hpp>
#include <holon/core/error.hpp>
#include <holon/core/fixed_sum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace holon {
namespace {

Mat3 rows(double ax, double bx, double by, double cx, double cy, double cz)
{
    return Mat3{{ax, 0.0, 0.0}, {bx, by, 0.0}, {cx, cy, cz}};
}

Mat3 dodecahedron(double d)
{
    return rows(d, 0.0, d, 0.5 * d, 0.5 * d, d * std::sqrt(0.5));
}

Mat3 octahedron(double d)
{
    return rows(d, d / 3.0, d * std::sqrt(8.0) / 3.0, -d / 3.0, d * std::sqrt(2.0) / 3.0, d * std::sqrt(6.0) / 3.0);
}

const Mat3 cells[] = {rows(3.1, 0.0, 4.2, 0.0, 0.0, 5.3), dodecahedron(4.0), octahedron(3.7),
                      rows(4.0, -1.9, 3.0, 1.7, -1.4, 2.5)};

IVec3 random_point(std::mt19937_64& random, double extent)
{
    std::uniform_real_distribution<double> uniform(-extent, extent);
    return to_lattice(Vec3(uniform(random), uniform(random), uniform(random)), position_unit);
}

TEST(Box, RoundsItsVectorsToTheLattice)
{
    const Mat3 master = octahedron(3.7);
    for (const int bits : {22, 44, 48}) {
        const Box box(master, bits);
        EXPECT_EQ(box.master(), master);
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i) {
                EXPECT_EQ(box.lattice_vector(k)[i] % (std::int64_t{1} << (position_bits - bits)), 0);
                EXPECT_NEAR(box.vectors()(k, i), master(k, i), 0.5 * std::ldexp(1.0, -bits));
            }
    }
}

TEST(Box, Geometry)
{
    const Box cuboid(rows(3.0, 0.0, 4.0, 0.0, 0.0, 5.0), 44);
    EXPECT_TRUE(cuboid.orthorhombic());
    EXPECT_DOUBLE_EQ(cuboid.volume(), 60.0);
    EXPECT_DOUBLE_EQ(cuboid.height(1), 4.0);
    EXPECT_DOUBLE_EQ(cuboid.max_cutoff(), 1.5);

    const Box box(dodecahedron(4.0), 44);
    EXPECT_FALSE(box.orthorhombic());
    EXPECT_NEAR(box.volume(), 64.0 * std::sqrt(0.5), 1e-11);
    EXPECT_NEAR(box.height(0), 4.0 * std::sqrt(2.0 / 3.0), 1e-12);
    EXPECT_NEAR(box.height(2), 4.0 * std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(box.max_cutoff(), 2.0, 1e-12); // all twelve neighbours at the same distance
    EXPECT_NEAR(Box(octahedron(3.7), 44).max_cutoff(), 0.5 * 3.7, 1e-12);

    // A flat cell whose shortest vector is a combination: 2c - a - b.
    EXPECT_NEAR(Box(rows(10.0, 0.0, 10.0, 5.0, 5.0, 2.0), 44).max_cutoff(), 2.0, 1e-12);
}

TEST(Box, FractionalCoordinatesGiveThePointBack)
{
    std::mt19937_64 random(1);
    for (const Mat3& cell : cells) {
        const Box box(cell, 22);
        for (int n = 0; n < 100; ++n) {
            const IVec3 x = random_point(random, 20.0);
            const Vec3 back = box.vectors().transpose() * box.fractional(x);
            EXPECT_LT((back - to_real(x, position_unit)).norm(), 1e-13);
        }
    }
}

TEST(Box, WrapIsCanonicalAndExact)
{
    std::mt19937_64 random(2);
    std::uniform_int_distribution<int> count(-5, 5);
    for (const Mat3& cell : cells) {
        const Box box(cell, 44);
        for (int n = 0; n < 1000; ++n) {
            const IVec3 original = random_point(random, 30.0);
            IVec3 x = original;
            const Image image = box.wrap(x);
            for (int k = 0; k < 3; ++k) {
                EXPECT_GE(x[k], 0);
                EXPECT_LT(x[k], box.lattice_vector(k)[k]);
            }
            EXPECT_EQ(IVec3(x + box.shift(image)), original);

            const Image shift(count(random), count(random), count(random));
            IVec3 shifted = original + box.shift(shift);
            EXPECT_EQ(box.wrap(shifted), Image(image + shift));
            EXPECT_EQ(shifted, x);
        }
    }
}

TEST(Box, WrapIsExactFarAwayFromAFlatAndSkewedCell)
{
    const Box box(rows(8000.0, -4000.0, 8000.0, 4000.0, 4000.0, 0.001), 44);
    std::mt19937_64 random(3);
    for (int n = 0; n < 1000; ++n) {
        const IVec3 original = random_point(random, 30000.0);
        IVec3 x = original;
        const Image image = box.wrap(x);
        EXPECT_TRUE(box.inside(x));
        for (int j = 0; j < 3; ++j) {
            int128 sum = x[j]; // parts of it do not fit 64 bits
            for (int k = 0; k < 3; ++k) sum += int128{image[k]} * box.lattice_vector(k)[j];
            EXPECT_TRUE(sum == original[j]);
        }
    }
}

TEST(Box, WrapAtTheFaces)
{
    const Box box(cells[0], 22);
    IVec3 x = box.lattice_vector(0);
    EXPECT_EQ(box.wrap(x), Image(1, 0, 0));
    EXPECT_EQ(x, IVec3(0, 0, 0));
    x = IVec3(0, -1, 0);
    EXPECT_EQ(box.wrap(x), Image(0, -1, 0));
    EXPECT_EQ(x, IVec3(0, box.lattice_vector(1)[1] - 1, 0));
    x = IVec3(0, -box.lattice_vector(1)[1], 0);
    EXPECT_EQ(box.wrap(x), Image(0, -1, 0));
    EXPECT_EQ(x, IVec3(0, 0, 0));
}

TEST(Box, MinimumImageIsTheNearestOneAndExact)
{
    std::mt19937_64 random(3);
    std::uniform_int_distribution<int> count(-3, 3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const Mat3& cell : cells) {
        const Box box(cell, 22);
        const double reach = 0.499 * box.vectors().diagonal().minCoeff();
        for (int n = 0; n < 1000; ++n) {
            const Vec3 direction = Vec3(uniform(random), uniform(random), uniform(random)).normalized();
            const IVec3 near = to_lattice(reach * std::abs(uniform(random)) * direction, position_unit);
            const Image shift(count(random), count(random), count(random));
            EXPECT_EQ(box.minimum_image(near + box.shift(shift)), near);
            EXPECT_EQ(box.minimum_image(-near - box.shift(shift)), IVec3(-near));
            Image taken;
            EXPECT_EQ(box.minimum_image(near + box.shift(shift), taken), near);
            EXPECT_EQ(taken, shift);
        }
    }
}

TEST(Box, RefusesWhatIsNoCell)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const Mat3 bad[] = {Mat3::Zero(),
                        rows(3.0, 0.0, -3.0, 0.0, 0.0, 3.0),
                        rows(3.0, 0.0, 3.0, 0.0, 0.0, 0.0),
                        rows(3.0, 0.0, 3.0, 0.0, 0.0, 1e-9),
                        rows(3.0, 0.0, 3.0, 0.0, 0.0, 1e-5), // image counts of far positions would be beyond 2^31
                        rows(nan, 0.0, 3.0, 0.0, 0.0, 3.0),
                        rows(3.0, 0.0, 3.0, 0.0, 0.0, infinity),
                        rows(3.0, 0.0, 1e9, 0.0, 0.0, 3.0),
                        rows(3.0, 1.6, 3.0, 0.0, 0.0, 3.0),
                        rows(3.0, 0.0, 3.0, -1.6, 0.0, 3.0),
                        rows(3.0, 0.0, 3.0, 0.0, 1.6, 3.0),
                        Mat3{{3.0, 0.1, 0.0}, {0.0, 3.0, 0.0}, {0.0, 0.0, 3.0}}};
    for (const Mat3& cell : bad) EXPECT_THROW(Box(cell, 22), InputError) << cell;
    EXPECT_NO_THROW(Box(rows(3.0, 1.501, 3.0, -1.501, 1.501, 3.0), 22)); // rounded in a file
}

} // namespace
} // namespace holon
