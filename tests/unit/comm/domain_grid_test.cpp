#include <holon/comm/domain_grid.hpp>
#include <holon/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace holon {
namespace {

Box box_of(double a, double b, double c)
{
    return {Mat3(Vec3(a, b, c).asDiagonal()), 22};
}

Box skewed()
{
    Mat3 vectors;
    vectors << 3.0, 0.0, 0.0, 1.5, 2.5, 0.0, -1.0, 1.25, 4.0;
    return {vectors, 22};
}

TEST(DomainGrid, CellsAndRanksAreTheSameThing)
{
    const DomainGrid grid({2, 3, 4});
    EXPECT_EQ(grid.size(), 24);
    int rank = 0;
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 4; ++c, ++rank) {
                EXPECT_EQ(grid.rank({a, b, c}), rank);
                EXPECT_EQ(grid.cell(rank), (std::array<int, 3>{a, b, c}));
            }
}

TEST(DomainGrid, TakesTheGridThatIsAskedFor)
{
    const auto box = box_of(3, 3, 3);
    EXPECT_EQ(DomainGrid::choose(6, box, 1.0, {1, 6, 1}).n(), (std::array<int, 3>{1, 6, 1}));
    EXPECT_THROW(DomainGrid::choose(6, box, 1.0, {2, 2, 2}), InputError);
    EXPECT_THROW(DomainGrid::choose(6, box, 1.0, {6}), InputError);
    EXPECT_THROW(DomainGrid::choose(6, box, 1.0, {1, 1, 1, 6}), InputError);
    EXPECT_THROW(DomainGrid::choose(1, box, 1.0, {1 << 20, 1 << 12, 0}), InputError);
    EXPECT_THROW(DomainGrid::choose(1, box, 1.0, {1 << 20, 1 << 20, 1 << 20}), InputError);
}

TEST(DomainGrid, ChoosesTheGridThatImportsLeast)
{
    EXPECT_EQ(DomainGrid::choose(8, box_of(10, 10, 10), 1.0, {}).n(), (std::array<int, 3>{2, 2, 2}));
    EXPECT_EQ(DomainGrid::choose(4, box_of(2, 2, 40), 1.0, {}).n(), (std::array<int, 3>{1, 1, 4}));
    EXPECT_EQ(DomainGrid::choose(4, box_of(40, 2, 2), 1.0, {}).n(), (std::array<int, 3>{4, 1, 1}));
    EXPECT_EQ(DomainGrid::choose(4, box_of(10, 10, 2), 1.0, {}).n(), (std::array<int, 3>{2, 2, 1}));
    for (const int ranks : {1, 2, 3, 5, 7, 12, 24, 60, 97}) {
        EXPECT_EQ(DomainGrid::choose(ranks, skewed(), 1.0, {}).size(), ranks);
    }
}

TEST(DomainGrid, EveryPositionOfTheCellHasOneOwnerAtItsFractionalCoordinates)
{
    std::mt19937_64 random(5);
    for (const auto& box : {box_of(2, 3, 4), skewed()}) {
        const DomainGrid grid({3, 2, 5});
        std::vector<int> atoms(static_cast<std::size_t>(grid.size()));
        for (int n = 0; n < 3000; ++n) {
            IVec3 x;
            for (int k = 0; k < 3; ++k) x[k] = static_cast<std::int64_t>(random() >> 14) - (std::int64_t{1} << 49);
            box.wrap(x);
            const auto cell = grid.cell_of(box, x);
            // The canonical cell of a skewed box is a brick: the parallelepiped's image of x lies in the domain.
            const Vec3 s = box.fractional(x - box.shift(DomainGrid::parallelepiped_image(box, x)));
            for (std::size_t k = 0; k < 3; ++k) {
                ASSERT_GE(cell[k], 0);
                ASSERT_LT(cell[k], grid.n()[k]);
                const double in_cells = s[static_cast<int>(k)] * grid.n()[k];
                ASSERT_GE(in_cells, cell[k] - 1e-12);
                ASSERT_LT(in_cells, cell[k] + 1 + 1e-12);
            }
            ++atoms[static_cast<std::size_t>(grid.rank(cell))];
        }
        for (const int n : atoms) EXPECT_NEAR(n, 100, 50) << "all domains have the same volume";
    }
}

/// Faces drawn at random, in each row of domains others.
DomainGrid uneven(const DomainGrid::Cell& n, std::mt19937_64& random)
{
    DomainGrid grid(n);
    const auto draw = [&random](std::span<double> faces) {
        std::uniform_real_distribution<double> anywhere(0.0, 1.0);
        for (auto& face : faces.subspan(1, faces.size() - 2)) face = anywhere(random);
        std::ranges::sort(faces);
    };
    draw(grid.faces(0, {0, 0, 0}));
    for (int a = 0; a < n[0]; ++a) {
        draw(grid.faces(1, {a, 0, 0}));
        for (int b = 0; b < n[1]; ++b) draw(grid.faces(2, {a, b, 0}));
    }
    return grid;
}

TEST(DomainGrid, OwnersFollowTheFaces)
{
    std::mt19937_64 random(7);
    for (const auto& box : {box_of(2, 3, 4), skewed()}) {
        const auto grid = uneven({3, 2, 5}, random);
        for (int n = 0; n < 3000; ++n) {
            IVec3 x;
            for (int k = 0; k < 3; ++k) x[k] = static_cast<std::int64_t>(random() >> 14) - (std::int64_t{1} << 49);
            box.wrap(x);
            const auto cell = grid.cell_of(box, x);
            const Vec3 s = box.fractional(x - box.shift(DomainGrid::parallelepiped_image(box, x)));
            for (int k = 0; k < 3; ++k) {
                ASSERT_GE(cell[static_cast<std::size_t>(k)], 0);
                ASSERT_LT(cell[static_cast<std::size_t>(k)], grid.n()[static_cast<std::size_t>(k)]);
                ASSERT_GE(s[k], grid.lower(k, cell) - 1e-12);
                ASSERT_LT(s[k], grid.upper(k, cell) + 1e-12);
            }
        }
    }
}

TEST(DomainGrid, ImagesOfDomainsHaveTheFacesOfTheirOriginals)
{
    std::mt19937_64 random(8);
    const auto grid = uneven({2, 3, 4}, random);
    for (int rank = 0; rank < grid.size(); ++rank)
        for (int a = -2; a <= 2; ++a)
            for (int b = -2; b <= 2; ++b)
                for (int c = -2; c <= 2; ++c) {
                    const auto cell = grid.cell(rank);
                    const DomainGrid::Cell image{cell[0] + 2 * a, cell[1] + 3 * b, cell[2] + 4 * c};
                    EXPECT_NEAR(grid.lower(0, image), grid.lower(0, cell) + a, 1e-14);
                    EXPECT_NEAR(grid.lower(1, image), grid.lower(1, cell) + b, 1e-14);
                    EXPECT_NEAR(grid.lower(2, image), grid.lower(2, cell) + c, 1e-14);
                    EXPECT_NEAR(grid.upper(2, image), grid.upper(2, cell) + c, 1e-14);
                }
}

TEST(DomainGrid, CornersOfTheCellBelongToSomebody)
{
    const DomainGrid grid({4, 4, 4});
    const auto box = box_of(2, 3, 4);
    EXPECT_EQ(grid.cell_of(box, IVec3::Zero()), (std::array<int, 3>{0, 0, 0}));
    const IVec3 last(box.lattice_vector(0)[0] - 1, box.lattice_vector(1)[1] - 1, box.lattice_vector(2)[2] - 1);
    EXPECT_EQ(grid.cell_of(box, last), (std::array<int, 3>{3, 3, 3}));
    for (int a = 0; a < 4; ++a) {
        const IVec3 face = a * box.lattice_vector(0) / 4;
        EXPECT_EQ(grid.cell_of(box, face)[0], a);
        if (a > 0) {
            EXPECT_EQ(grid.cell_of(box, face - IVec3(1 << 10, 0, 0))[0], a - 1);
        }
    }
}

} // namespace
} // namespace holon
