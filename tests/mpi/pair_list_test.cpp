// RANKS 1 2 3 8
// Who computes which pair.
#include <holon/system/pair_list.hpp>

#include <support/distributed.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// How often each pair (i < j) within the cutoff, in any image, is in the lists of all ranks.
std::vector<std::int64_t> times_listed(const Distributed& d, const PairList& list, double cutoff)
{
    const auto n = d.system.size();
    std::vector<std::int64_t> count(n * n);
    for (std::size_t ci = 0; ci < list.rows().size(); ++ci)
        list.for_each_entry(ci, [&](PairList::Entry entry) {
            for (std::size_t l = 0; l < 16; ++l) {
                if ((entry.mask >> l & 1U) == 0) continue;
                const auto i = static_cast<std::size_t>(list.atoms()[4 * ci + l / 4]);
                const auto j =
                    static_cast<std::size_t>(list.atoms()[4 * static_cast<std::size_t>(entry.cluster) + l % 4]);
                const Vec3 apart = to_real(d.atoms.x[i] - d.atoms.x[j], position_unit);
                if (apart.norm() >= cutoff) continue;
                const auto a = static_cast<std::size_t>(d.atoms.id[i]), b = static_cast<std::size_t>(d.atoms.id[j]);
                ++count[std::min(a, b) * n + std::max(a, b)];
            }
        });
    d.comm.sum(std::span(count));
    return count;
}

std::vector<std::int64_t> times_wanted(const TestSystem& system, double cutoff)
{
    const auto n = system.size();
    std::vector<std::int64_t> count(n * n);
    for_each_pair_within(system, cutoff, [&](std::size_t i, std::size_t j, const Vec3&) {
        if (!excluded(*system.topology, i, j)) ++count[i * n + j];
    });
    return count;
}

void expect_same_pairs(const std::vector<std::int64_t>& listed, const std::vector<std::int64_t>& wanted, std::size_t n)
{
    std::int64_t missed = 0, too_often = 0;
    std::string example;
    for (std::size_t k = 0; k < n * n; ++k) {
        missed += listed[k] < wanted[k];
        too_often += listed[k] > wanted[k];
        if (listed[k] != wanted[k] && example.empty())
            example = std::to_string(k / n) + ", " + std::to_string(k % n) + ": " + std::to_string(listed[k]);
    }
    EXPECT_EQ(missed, 0) << "e.g. " << example;
    EXPECT_EQ(too_often, 0) << "e.g. " << example;
}

void build_of_all(PairList& list, const Distributed& d, double cutoff, double skin, double close)
{
    list.build(d.atoms, std::vector(d.atoms.id.size(), static_cast<float>(0.5 * close)), d.partition, cutoff, skin);
}

void expect_each_pair_once(const TestSystem& system, double cutoff, double skin)
{
    const auto comm = Communicator::world();
    const auto wanted = times_wanted(system, cutoff);
    for (const auto& grid : grids_of(comm.size())) {
        SCOPED_TRACE(text(grid) + " cutoff " + std::to_string(cutoff));
        Distributed d(system, comm, grid);
        d.distribute(cutoff + skin);
        PairList list(*system.topology);
        build_of_all(list, d, cutoff, skin, 0.3);
        expect_same_pairs(times_listed(d, list, cutoff), wanted, system.size());
    }
}

TEST(PairList, HasEachPairWithinTheCutoffOnOneRankOnce)
{
    for (const auto& system : all_systems())
        for (const double cutoff : {0.5, 0.9}) expect_each_pair_once(system, cutoff, 0.0); // the narrowest halo
}

TEST(PairList, HasEachPairOnceWhereverTheFacesOfDomainsAre)
{
    const auto comm = Communicator::world();
    for (const auto& system : {argon(cubic(2.1), 6), argon(octahedron(2.4), 6), water(cubic(2.4), 5, 2, 3.0),
                               water(octahedron(2.6), 5, 2, 3.0)})
        for (const double cutoff : {0.4, 0.9}) {
            const auto wanted = times_wanted(system, cutoff);
            for (const auto& grid : grids_of(comm.size())) {
                Distributed d(system, comm, grid);
                d.distribute(cutoff);
                for (unsigned seed = 1; seed <= 4; ++seed) {
                    SCOPED_TRACE(text(grid) + " cutoff " + std::to_string(cutoff) + " seed " + std::to_string(seed));
                    d.move_faces(seed);
                    d.partition.repartition(d.atoms, {cutoff, cutoff});
                    expect_sound(d);
                    PairList list(*system.topology);
                    build_of_all(list, d, cutoff, 0.0, 0.3);
                    expect_same_pairs(times_listed(d, list, cutoff), wanted, system.size());
                }
            }
        }
}

/// All atoms are in the one list, oxygens in the other, too; either may be the one that reaches further.
TEST(PairList, OfEachKindIsCompleteInAHaloOfItsOwnWidth)
{
    const auto comm = Communicator::world();
    const std::vector<std::uint8_t> lists = {3, 1, 1};
    for (const auto& system : {water(cubic(2.4), 5, 2, 3.0), water(octahedron(2.6), 5, 2, 3.0)})
        for (const HaloWidths& widths : {HaloWidths{0.4, 0.9}, HaloWidths{0.9, 0.4}, HaloWidths{0.6, 0.6}})
            for (const auto& grid : grids_of(comm.size()))
                for (unsigned seed = 0; seed <= 2; ++seed) {
                    SCOPED_TRACE(text(grid) + " widths " + std::to_string(widths[0]) + " " + std::to_string(widths[1]) +
                                 " seed " + std::to_string(seed));
                    Distributed d(system, comm, grid, lists);
                    d.partition.distribute(system.share(comm), {}, d.atoms, widths);
                    if (seed > 0) {
                        d.move_faces(seed);
                        d.partition.repartition(d.atoms, widths);
                    }
                    expect_sound(d);
                    const auto of_list = d.partition.lists();
                    ASSERT_EQ(of_list.size(), d.atoms.id.size());
                    for (std::size_t i = static_cast<std::size_t>(d.atoms.n_owned); i < of_list.size(); ++i)
                        EXPECT_TRUE(of_list[i] != 0 || d.partition.zone()[i] == Partition::named);
                    for (std::size_t l = 0; l < widths.size(); ++l) {
                        std::vector<float> radii;
                        for (const auto bits : of_list)
                            radii.push_back((bits >> l & 1) != 0 ? 0.15F : PairList::no_radius);
                        PairList list(*system.topology);
                        list.build(d.atoms, radii, d.partition, widths[l], 0.0);
                        auto wanted = times_wanted(system, widths[l]);
                        const auto n = system.size();
                        for (std::size_t k = 0; k < n * n; ++k)
                            if ((lists[k / n % 3] & lists[k % n % 3]) >> l == 0) wanted[k] = 0;
                        expect_same_pairs(times_listed(d, list, widths[l]), wanted, n);
                    }
                }
}

TEST(PairList, KnowsThatMoleculesStickOutOfTheirDomains)
{
    for (const auto& system : {water(cubic(2.4), 5, 2, 3.0), water(octahedron(2.6), 5, 2, 3.0)})
        for (const double cutoff : {0.4, 0.6}) expect_each_pair_once(system, cutoff, 0.0);
}

TEST(PairList, IsCompleteUpToHalfTheBox)
{
    for (const auto& vectors : {cubic(1.7), dodecahedron(1.7), octahedron(1.7)}) {
        const auto system = argon(vectors, 4, 0.1);
        expect_each_pair_once(system, 0.9999 * system.box.max_cutoff(), 0.18);
    }
}

TEST(PairList, HandlesDomainsWithoutAtoms)
{
    TestSystem system(cubic(3.0));
    system.set_types({argon_lj});
    system.add(molecule("Argon", {40.0}, {}), {{0.1, 0.1, 0.1}, {2.9, 0.1, 0.1}, {0.2, 2.8, 2.9}, {1.4, 0.1, 0.2}});
    expect_each_pair_once(system, 1.4, 0.18);
}

TEST(PairList, StaysCompleteWhileAtomsMoveByHalfTheSkin)
{
    const auto comm = Communicator::world();
    const double cutoff = 0.8, skin = 0.18;
    for (const auto& start : {argon(cubic(2.1), 6), water(octahedron(2.3), 5)})
        for (const auto& grid : grids_of(comm.size())) {
            SCOPED_TRACE(text(grid));
            Distributed d(start, comm, grid);
            d.distribute(cutoff + skin);
            PairList list(*start.topology);
            build_of_all(list, d, cutoff, skin, 0.3);
            const auto x_at_build = d.atoms.x;
            constexpr unsigned n_steps = 6;
            for (unsigned step = 0; step < n_steps; ++step) {
                d.displace(list.allowed_displacement() / std::sqrt(3.0) / n_steps, 9 + step / 3); // straight, then not
                d.partition.halo().update_positions(d.atoms.x);
                list.load_positions(d.atoms);
                for (std::size_t i = 0; i < x_at_build.size(); ++i)
                    ASSERT_LE(to_real(d.atoms.x[i] - x_at_build[i], position_unit).norm(), list.allowed_displacement());
                TestSystem moved = start;
                moved.atoms = d.state();
                expect_same_pairs(times_listed(d, list, cutoff), times_wanted(moved, cutoff), start.size());
            }
        }
}

TEST(PairList, PositionsAreExactInTheFramesOfLargeDomains)
{
    const auto comm = Communicator::world();
    const double cutoff = 0.9, skin = 0.1;
    const auto start = argon(cubic(8.9), 14);
    for (const auto& grid : grids_of(comm.size())) {
        SCOPED_TRACE(text(grid));
        Distributed d(start, comm, grid);
        d.distribute(cutoff + skin);
        PairList list(*start.topology);
        build_of_all(list, d, cutoff, skin, 0.3);
        EXPECT_EQ(list.centred().frames[1] != nullptr, std::ranges::count(grid, 1) > 0); // wider than 8 nm
        for (unsigned step = 0; step < 3; ++step) {
            d.displace(list.allowed_displacement() / std::sqrt(3.0) / 3, 9);
            d.partition.halo().update_positions(d.atoms.x);
            list.load_positions(d.atoms);
            ASSERT_NE(list.centred().frames[0], nullptr);
            std::int64_t n_pairs = 0, n_expected = 0;
            for (std::size_t ci = 0; ci < list.rows().size(); ++ci)
                list.for_each_entry(ci, [&](PairList::Entry entry) {
                    const auto cj = static_cast<std::size_t>(entry.cluster);
                    for (std::size_t l = 0; l < 16; ++l) {
                        if ((entry.mask >> l & 1U) == 0) continue;
                        const auto difference = [l](const auto& a, const auto& b) {
                            return Vec3(static_cast<float>(a.x[l / 4] - b.x[l % 4]),
                                        static_cast<float>(a.y[l / 4] - b.y[l % 4]),
                                        static_cast<float>(a.z[l / 4] - b.z[l % 4]));
                        };
                        const auto of_row = [&](int k) {
                            return list.centred().of_row(static_cast<std::int64_t>(ci), k);
                        };
                        const Vec3 exact = difference(list.clusters()[ci], list.clusters()[cj]);
                        const Vec3 found(difference(of_row(0)[ci], of_row(0)[cj])[0],
                                         difference(of_row(1)[ci], of_row(1)[cj])[1],
                                         difference(of_row(2)[ci], of_row(2)[cj])[2]);
                        const bool is_pair = exact.norm() * double{kernel_unit} < cutoff;
                        n_pairs += is_pair ? 1 : 0;
                        if (is_pair)
                            EXPECT_EQ(found, exact);
                        else
                            EXPECT_GE(found.norm() * double{kernel_unit}, cutoff);
                    }
                });
            TestSystem moved = start;
            moved.atoms = d.state();
            for_each_pair_within(moved, cutoff, [&](std::size_t, std::size_t, const Vec3&) { ++n_expected; });
            EXPECT_EQ(comm.sum(n_pairs), n_expected);
        }
    }
}

/// Positions of clusters have 32 bits, 1,024 nm.
TEST(PairList, GoesOnBeyondTheRangeOfPositions)
{
    const Mat3 vectors = Vec3(1030.0, 3.0, 3.0).asDiagonal();
    TestSystem system(vectors);
    system.set_types({argon_lj});
    std::vector<Vec3> places;
    for (const double x : {0.1, 127.7, 255.7, 511.7, 600.0})
        for (int n = 0; n < 8; ++n) places.emplace_back(x + 0.1 * n, 1.0 + 0.3 * (n % 3), 1.5 + 0.2 * (n % 2));
    system.add(molecule("Argon", {40.0}, {}), places);
    expect_each_pair_once(system, 1.2, 0.18);
}

/// Few atoms far apart make clusters wider than a frame: integers hold any. (Alone in its cluster an atom has one.)
TEST(PairList, GasInALargeBoxHasNoFrames)
{
    const double cutoff = 1.0, skin = 0.1;
    const auto system = argon(cubic(30.0), 3);
    Distributed d(system, Communicator::world(), {});
    d.distribute(cutoff + skin);
    PairList list(*system.topology);
    build_of_all(list, d, cutoff, skin, 0.3);
    list.load_positions(d.atoms);
    const bool alone = d.comm.size() == 1;
    EXPECT_TRUE(!alone || list.centred().frames[0] == nullptr);
}

/// As when the faces of domains move and a rank is left without charged atoms for a while.
TEST(PairList, MayBeEmptyBetweenTwoBuilds)
{
    const auto system = argon(cubic(2.1), 6);
    const double cutoff = 0.8;
    Distributed d(system, Communicator::world(), {});
    d.distribute(cutoff);
    PairList list(*system.topology);
    for (const float radius : {0.15F, PairList::no_radius, 0.0F}) {
        list.build(d.atoms, std::vector(d.atoms.id.size(), radius), d.partition, cutoff, 0.0);
        for (int step = 0; step < 5; ++step) {
            list.load_positions(d.atoms);
            ASSERT_EQ(list.clusters().size(), list.rows().size());
            ASSERT_EQ(4 * list.clusters().size(), list.atoms().size());
        }
        auto wanted = times_wanted(system, cutoff);
        if (radius < 0.0F) std::ranges::fill(wanted, 0);
        expect_same_pairs(times_listed(d, list, cutoff), wanted, system.size());
    }
}

TEST(PairList, SetsPairsThatMayComeCloseApart)
{
    const auto system = water(cubic(2.4), 5);
    Distributed d(system, Communicator::world(), {});
    d.distribute(0.8 + 0.2);
    std::vector<float> radii; // 0.1 nm, of every thirtieth atom 0.2 nm
    for (const auto id : d.atoms.id) radii.push_back(id % 30 == 0 ? 0.2F : 0.1F);
    PairList list(*system.topology);
    list.build(d.atoms, radii, d.partition, 0.8, 0.2);
    std::int64_t n_far = 0, n_between = 0;
    for (unsigned step = 0; step < 5; ++step) {
        for (std::size_t c = 0; c < list.clusters().size(); ++c) {
            const auto& row = list.rows()[c];
            n_far += row.far_end - row.far;
            for (const auto cj : std::span(row.far, row.far_end)) {
                const auto &own = list.clusters()[c], &other = list.clusters()[static_cast<std::size_t>(cj)];
                for (std::size_t l = 0; l < 16; ++l) {
                    const auto i = list.atoms()[4 * c + l / 4],
                               j = list.atoms()[4 * static_cast<std::size_t>(cj) + l % 4];
                    if (i < 0 || j < 0) continue;
                    const Vec3 between(own.x[l / 4] - other.x[l % 4], own.y[l / 4] - other.y[l % 4],
                                       own.z[l / 4] - other.z[l % 4]);
                    const double r = between.norm() * kernel_unit;
                    EXPECT_GE(r, radii[static_cast<std::size_t>(i)] + radii[static_cast<std::size_t>(j)]);
                    n_between += r < 0.3;
                }
            }
        }
        d.displace(0.01, step);
        d.partition.halo().update_positions(d.atoms.x);
        list.load_positions(d.atoms);
    }
    if (d.atoms.n_owned > 0) {
        EXPECT_GT(n_far, 0);
    }
    EXPECT_GT(d.comm.sum(n_between), 0); // a large atom is close only where it is
}

TEST(PairList, ClusterCoordinatesAreThePositionsOnTheKernelLattice)
{
    const auto system = water(octahedron(2.3), 4);
    Distributed d(system, Communicator::world(), {});
    d.distribute(0.88);
    PairList list(*system.topology);
    build_of_all(list, d, 0.7, 0.18, 0.3);
    d.displace(0.02, 4);
    d.partition.halo().update_positions(d.atoms.x);
    list.load_positions(d.atoms);
    std::vector<int> seen(static_cast<std::size_t>(d.atoms.n_total));
    for (std::size_t p = 0; p < list.atoms().size(); ++p) {
        if (list.atoms()[p] < 0) continue;
        const auto atom = static_cast<std::size_t>(list.atoms()[p]);
        ++seen[atom];
        const auto& cluster = list.clusters()[p / 4];
        const IVec3 kernel = IVec3(cluster.x[p % 4], cluster.y[p % 4], cluster.z[p % 4]) + list.origin();
        for (int k = 0; k < 3; ++k)
            EXPECT_EQ(kernel[k], std::llround(std::ldexp(static_cast<double>(d.atoms.x[atom][k]), kernel_bits - 48)));
    }
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], d.partition.zone()[i] != Partition::named ? 1 : 0);
}

} // namespace
} // namespace holon::test
