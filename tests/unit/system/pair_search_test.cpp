// The searches of all instruction sets find the same, and what brute force finds.
#include <support/search_clusters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace holon::test {
namespace {

/// What a search is about, and what it is expected to find.
struct Partners {
    std::vector<std::int32_t> near, far;
    std::vector<PairList::Entry> close;
};

/// Half of them a tenth of a nanometre, others up to 0.3 nm.
std::vector<float> random_radii(std::mt19937& random, std::size_t n)
{
    std::uniform_real_distribution<float> any(0.1F, 0.3F);
    std::vector<float> radii;
    for (std::size_t c = 0; c < n; ++c) radii.push_back(c % 2 == 0 ? 0.1F : any(random));
    return radii;
}

/// Two columns of clusters, the second 2.75 nm along x, pairs of which some are left out or not used.
struct TwoColumns {
    static constexpr float reach = 0.8F, near_reach = 0.7F, apart = 0.2F;
    TestSet set{.low = {}, .high = {}, .top = {}, .begin = {0, n_clusters, 2 * n_clusters}};
    std::vector<Cluster> clusters;
    std::vector<std::uint32_t> used_rows, used, left_out;
    std::vector<float> radius;

    TwoColumns()
    {
        std::mt19937 random(1);
        clusters = random_clusters(random);
        const auto further = random_clusters(random, 11 << 20, 19 << 20);
        set.add(clusters);
        set.add(further);
        for (std::size_t k = 0; k < 3; ++k) {
            set.low[k].resize(2 * n_clusters + pair::search_width, 1e30F);
            set.high[k].resize(2 * n_clusters + pair::search_width, 1e30F);
        }
        clusters.insert(clusters.end(), further.begin(), further.end());
        used_rows.assign(clusters.size(), 0x1111);
        used.assign(clusters.size(), 0xf);
        left_out.resize(clusters.size());
        used[7] = 0x3;
        used_rows[7] = 0x0011;
        for (auto& pairs : left_out) pairs = random() % 4 == 0 ? static_cast<std::uint32_t>(random() & 0xffff) : 0;
        radius = random_radii(random, clusters.size());
    }

    const Cluster& cluster(std::int32_t c) const { return clusters[static_cast<std::size_t>(c)]; }

    /// Of three clusters that are looked for together.
    ClusterBounds bounds_from(std::int32_t first) const
    {
        ClusterBounds bounds = bounds_of(cluster(first));
        for (auto c = first + 1; c < std::min(first + 3, n_clusters); ++c) {
            const auto more = bounds_of(cluster(c));
            bounds.low = bounds.low.cwiseMin(more.low);
            bounds.high = bounds.high.cwiseMax(more.high);
        }
        return bounds;
    }

    std::vector<std::int32_t> clusters_near(const ClusterBounds& bounds, std::int32_t first) const
    {
        std::vector<std::int32_t> near;
        for (auto other = first; other < 2 * n_clusters; ++other) {
            const auto b = bounds_of(cluster(other));
            const Vec3 gap = (bounds.low - b.high).cwiseMax(b.low - bounds.high).cwiseMax(0.0);
            if (gap.norm() < reach) near.push_back(other);
        }
        return near;
    }

    Partners partners_of(std::int32_t own) const
    {
        Partners expected;
        for (auto other = own; other < 2 * n_clusters; ++other) {
            const auto o = static_cast<std::size_t>(other);
            const std::uint32_t all = used_rows[static_cast<std::size_t>(own)] * used[o];
            const std::uint32_t mask = all & ~left_out[o];
            const double r = distance(cluster(own), clusters[o], mask);
            if (r >= reach) continue;
            if (r < apart + radius[static_cast<std::size_t>(own)] + radius[o] || mask != all)
                expected.close.push_back({other, mask});
            else
                (r < near_reach ? expected.near : expected.far).push_back(other);
        }
        return expected;
    }

    Partners found(const SearchVariant& variant, std::int32_t own, const std::vector<std::int32_t>& candidates,
                   const CentredClusters& centred) const
    {
        const std::size_t room = candidates.size() + 1;
        Partners found{std::vector<std::int32_t>(room), std::vector<std::int32_t>(room),
                       std::vector<PairList::Entry>(room)};
        const auto end = variant.find_entries({.clusters = {clusters.data()},
                                               .centred = centred,
                                               .own = own,
                                               .reach = reach,
                                               .near = near_reach,
                                               .apart = apart,
                                               .radius = radius.data(),
                                               .candidates = candidates.data(),
                                               .n_candidates = candidates.size(),
                                               .used_rows = used_rows.data(),
                                               .used = used.data(),
                                               .left_out = left_out.data()},
                                              {found.near.data(), found.far.data(), found.close.data()});
        found.near.resize(static_cast<std::size_t>(end.near - found.near.data()));
        found.far.resize(static_cast<std::size_t>(end.far - found.far.data()));
        found.close.resize(static_cast<std::size_t>(end.close - found.close.data()));
        return found;
    }
};

TEST(PairSearch, FindsThePartnersOfBruteForce)
{
    const TwoColumns columns;
    constexpr std::int32_t middle[] = {9 << 20, 4 << 20, 16 << 20};
    const std::vector<std::uint8_t> frames_of_row(columns.clusters.size());
    std::size_t n_near = 0, n_far = 0, n_apart = 0, n_other_column = 0, n_close = 0;
    for (std::int32_t first = 0; first < n_clusters; first += 3) {
        const auto bounds = columns.bounds_from(first);
        const Eigen::Vector3f low = bounds.low.cast<float>(), high = bounds.high.cast<float>();
        const pair::Block block{.low = {low[0], low[1], low[2]},
                                .high = {high[0], high[1], high[2]},
                                .first = first,
                                .reach = TwoColumns::reach};
        const auto near = columns.clusters_near(bounds, first);
        n_apart += static_cast<std::size_t>(2 * n_clusters - first) - near.size();
        for (const auto& variant : search_variants()) {
            SCOPED_TRACE(std::string(variant.name) + ", cluster " + std::to_string(first));
            std::vector<CentredCluster> centred(columns.clusters.size());
            ASSERT_TRUE(variant.centre(columns.clusters.data(), middle, 2 * n_clusters, centred.data(), nullptr));
            const CentredClusters one_frame{{centred.data(), nullptr}, frames_of_row.data()};
            std::vector<std::int32_t> candidates(2 * n_clusters + pair::search_width);
            candidates.resize(variant.find_candidates(block, columns.set.view(0), candidates.data()));
            EXPECT_EQ(candidates, near);
            for (auto own = first; own < std::min(first + 3, n_clusters); ++own) {
                const auto found =
                    columns.found(variant, own, candidates, own % 2 == 0 ? CentredClusters{} : one_frame);
                const auto expected = columns.partners_of(own);
                EXPECT_EQ(found.near, expected.near);
                EXPECT_EQ(found.far, expected.far);
                EXPECT_TRUE(std::ranges::equal(found.close, expected.close, same_entry));
                n_near += found.near.size();
                n_far += found.far.size();
                n_close += found.close.size();
                const auto in_other = [](std::int32_t other) { return other >= n_clusters; };
                n_other_column += static_cast<std::size_t>(
                    std::ranges::count_if(found.near, in_other) + std::ranges::count_if(found.far, in_other) +
                    std::ranges::count_if(found.close, in_other, &PairList::Entry::cluster));
            }
        }
    }
    EXPECT_GT(n_near, std::size_t{n_clusters});
    EXPECT_GT(n_far, std::size_t{n_clusters});
    EXPECT_GT(n_other_column, std::size_t{0});
    EXPECT_GT(n_close, std::size_t{n_clusters});
    EXPECT_GT(n_apart, std::size_t{n_clusters});
}

/// Lists of one column, as a search with other margins might have left them, to be pruned.
struct ListsToPrune {
    static constexpr float cutoff = 0.7F, apart = 0.1F;
    std::vector<Cluster> clusters;
    std::vector<float> margin = std::vector<float>(n_clusters), radius;
    float largest_margin;
    std::vector<std::uint32_t> used_rows = std::vector<std::uint32_t>(n_clusters, 0x1111),
                               used = std::vector<std::uint32_t>(n_clusters, 0xf);
    std::vector<Partners> outer = std::vector<Partners>(n_clusters);
    std::vector<PairList::Row> rows;

    ListsToPrune()
    {
        std::mt19937 random(2);
        std::uniform_real_distribution<float> margin_of(0.0F, 0.05F);
        clusters = random_clusters(random);
        for (auto& m : margin) m = margin_of(random);
        largest_margin = *std::ranges::max_element(margin);
        radius = random_radii(random, n_clusters);
        used[5] = 0x7;
        used_rows[5] = 0x0111;
        for (std::size_t i = 0; i < outer.size(); ++i)
            for (auto j = i; j < outer.size(); ++j) {
                const auto all = all_pairs(i, j);
                const auto mask = random() % 4 == 0 ? static_cast<std::uint32_t>(random() & all) : all;
                const double r = distance(clusters[i], clusters[j], all);
                const auto other = static_cast<std::int32_t>(j);
                if (mask != all || r < close(i, j) + 0.1)
                    outer[i].close.push_back({other, mask});
                else
                    (random() % 8 == 0 ? outer[i].near : outer[i].far).push_back(other); // near ones stay
            }
        for (const auto& [near, far, maybe_close] : outer)
            rows.push_back({near.data(), near.data() + near.size(), far.data(), far.data() + far.size(),
                            maybe_close.data(), maybe_close.data() + maybe_close.size()});
    }

    std::uint32_t all_pairs(std::size_t i, std::size_t j) const { return used_rows[i] * used[j]; }
    double close(std::size_t i, std::size_t j) const { return apart + radius[i] + radius[j]; }

    /// What is to be left of a row, near ones apart; counts how often each cluster is named.
    Partners pruned(std::size_t i, std::vector<std::int32_t>& named) const
    {
        Partners expected;
        const auto within = [&](std::int32_t other, std::uint32_t mask) {
            const auto j = static_cast<std::size_t>(other);
            const bool is_one = distance(clusters[i], clusters[j], mask) < cutoff + margin[i] + margin[j];
            named[j] += is_one ? 1 : 0;
            return is_one;
        };
        for (const auto j : outer[i].far)
            if (within(j, 0xffff)) expected.far.push_back(j);
        for (const auto entry : outer[i].close) {
            const auto j = static_cast<std::size_t>(entry.cluster);
            if (!within(entry.cluster, entry.mask)) continue;
            if (entry.mask == all_pairs(i, j) &&
                distance(clusters[i], clusters[j], entry.mask) >= close(i, j) + margin[i] + largest_margin)
                expected.far.push_back(entry.cluster);
            else
                expected.close.push_back(entry);
        }
        return expected;
    }
};

TEST(PairSearch, PrunesByMarginsAndSetsClosePairsApart)
{
    const ListsToPrune lists;
    constexpr std::int32_t middle[] = {4 << 20, 4 << 20, 16 << 20};
    for (const auto& variant : search_variants())
        for (const bool use_centred : {false, true}) {
            SCOPED_TRACE(std::string(variant.name) + (use_centred ? ", centred" : ""));
            std::vector<CentredCluster> centred(lists.clusters.size());
            EXPECT_TRUE(variant.centre(lists.clusters.data(), middle, n_clusters, centred.data(), nullptr));
            const std::vector<std::uint8_t> frames_of_row(lists.clusters.size());
            const CentredClusters one_frame{{centred.data(), nullptr}, frames_of_row.data()};
            constexpr std::size_t room = static_cast<std::size_t>(n_clusters) * n_clusters;
            std::vector<std::int32_t> kept_far(room + 1);
            std::vector<PairList::Entry> kept_close(room + 1);
            constexpr std::int32_t named_before = 3;
            std::vector<std::int32_t> named(lists.clusters.size(), named_before), expected_named = named;
            std::vector<PairList::Row> kept_rows(n_clusters);
            constexpr std::int64_t first = 7, last = 90;
            variant.prune({.clusters = {lists.clusters.data()},
                           .centred = use_centred ? one_frame : CentredClusters{},
                           .first = first,
                           .last = last,
                           .rows = lists.rows.data(),
                           .kept_rows = kept_rows.data(),
                           .used_rows = lists.used_rows.data(),
                           .used = lists.used.data(),
                           .margin = lists.margin.data(),
                           .largest_margin = lists.largest_margin,
                           .cutoff = ListsToPrune::cutoff,
                           .apart = ListsToPrune::apart,
                           .radius = lists.radius.data(),
                           .kept_far = kept_far.data(),
                           .kept_close = kept_close.data(),
                           .named = named.data()});
            std::size_t n_far = 0, n_close = 0;
            for (std::size_t i = first; i < last; ++i) {
                const auto expected = lists.pruned(i, expected_named);
                const auto& row = kept_rows[i];
                EXPECT_TRUE(std::ranges::equal(std::span(row.far, row.far_end), expected.far)) << i;
                EXPECT_TRUE(std::ranges::equal(std::span(row.close, row.close_end), expected.close, same_entry)) << i;
                EXPECT_EQ(row.near, lists.rows[i].near);
                EXPECT_EQ(row.near_end, lists.rows[i].near_end);
                EXPECT_EQ(row.size(), lists.outer[i].near.size() + expected.far.size() + expected.close.size());
                n_far += lists.outer[i].near.size() + expected.far.size();
                n_close += expected.close.size();
            }
            EXPECT_EQ(named, expected_named);
            EXPECT_GT(n_far, std::size_t{2 * n_clusters});
            EXPECT_GT(n_close, std::size_t{n_clusters});
        }
}

TEST(PairSearch, CentredPositionsAreExactOrSaidNotToBe)
{
    std::mt19937 random(5);
    auto clusters = random_clusters(random);
    clusters[3].x[1] = -(1 << 28) - (1 << 26); // an unused place
    constexpr std::int32_t middle[] = {4 << 20, 4 << 20, 16 << 20};
    for (const auto& variant : search_variants()) {
        SCOPED_TRACE(variant.name);
        std::vector<CentredCluster> centred(clusters.size());
        EXPECT_TRUE(variant.centre(clusters.data(), middle, n_clusters, centred.data(), nullptr));
        for (std::size_t c = 0; c < clusters.size(); ++c)
            for (int a = 0; a < 4; ++a) {
                if (c == 3 && a == 1) continue;
                EXPECT_EQ(centred[c].x[a], static_cast<double>(clusters[c].x[a] - middle[0]));
                EXPECT_EQ(centred[c].y[a], static_cast<double>(clusters[c].y[a] - middle[1]));
                EXPECT_EQ(centred[c].z[a], static_cast<double>(clusters[c].z[a] - middle[2]));
            }
        auto wide = clusters;
        wide[50].y[2] = middle[1] + (1 << 24);
        EXPECT_TRUE(variant.centre(wide.data(), middle, n_clusters, centred.data(), nullptr));
        wide[50].y[2] += 1;
        EXPECT_FALSE(variant.centre(wide.data(), middle, n_clusters, centred.data(), nullptr));
        wide[50].y[2] = middle[1] - (1 << 24) - 1;
        EXPECT_FALSE(variant.centre(wide.data(), middle, n_clusters, centred.data(), nullptr));
    }
}

TEST(PairSearch, FramesHoldPositionsModuloTheirWidth)
{
    std::mt19937 random(6);
    auto clusters = random_clusters(random, -(1 << 27) + 1, (1 << 27) - 1); // 64 nm
    constexpr std::int32_t unused = -(1 << 28) - (1 << 26);
    clusters[3].x[1] = unused;
    constexpr std::int32_t middle[] = {4 << 20, 5, -(16 << 20)};
    constexpr double width = 0x1p25;
    for (const auto& variant : search_variants()) {
        SCOPED_TRACE(variant.name);
        std::vector<CentredCluster> first(clusters.size()), second(clusters.size());
        EXPECT_TRUE(variant.centre(clusters.data(), middle, n_clusters, first.data(), second.data()));
        std::size_t n_turned = 0;
        const auto check = [&](float in_frame, double from_middle) {
            EXPECT_LE(std::abs(in_frame), 0.5 * width);
            const double turns = (from_middle - in_frame) / width;
            EXPECT_EQ(turns, std::round(turns));
            n_turned += turns != 0.0 ? 1 : 0;
        };
        for (std::size_t c = 0; c < clusters.size(); ++c)
            for (int a = 0; a < 4; ++a) {
                const auto& [x, y, z] = clusters[c];
                if (x[a] == unused) {
                    EXPECT_LT(first[c].x[a], -0x1p27F);
                    EXPECT_LT(second[c].x[a], -0x1p27F);
                    continue;
                }
                check(first[c].x[a], static_cast<double>(x[a]) - middle[0]);
                check(first[c].y[a], static_cast<double>(y[a]) - middle[1]);
                check(first[c].z[a], static_cast<double>(z[a]) - middle[2]);
                check(second[c].x[a], static_cast<double>(x[a]) - middle[0] - 0.5 * width);
                check(second[c].y[a], static_cast<double>(y[a]) - middle[1] - 0.5 * width);
                check(second[c].z[a], static_cast<double>(z[a]) - middle[2] - 0.5 * width);
            }
        EXPECT_GT(n_turned, std::size_t{n_clusters});
    }
}

TEST(PairSearch, PlacesAtomsOnTheKernelLattice)
{
    std::mt19937 random(5);
    std::uniform_int_distribution<std::int64_t> anywhere(-(std::int64_t{1} << 56), std::int64_t{1} << 56);
    constexpr std::int32_t n_atoms = 50;
    std::vector<std::int64_t> x(3 * n_atoms);
    for (auto& number : x) number = anywhere(random);
    std::vector<std::int32_t> atoms(4 * n_clusters);
    for (auto& atom : atoms) atom = static_cast<std::int32_t>(random() % (n_atoms + 5)) - 5;
    for (auto& atom : atoms) atom = std::max(atom, -1);
    const std::array<std::int64_t, 3> origin = {-12345, (std::int64_t{1} << 31) + 7, -(std::int64_t{5} << 30)};
    for (const auto& variant : search_variants()) {
        std::vector<Cluster> clusters(n_clusters, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});
        const auto before = clusters;
        variant.place({.x = x.data(),
                       .atoms = atoms.data(),
                       .origin = {static_cast<std::int32_t>(origin[0]), static_cast<std::int32_t>(origin[1]),
                                  static_cast<std::int32_t>(origin[2])},
                       .n_clusters = n_clusters,
                       .clusters = clusters.data()});
        for (std::size_t p = 0; p < atoms.size(); ++p) {
            const auto c = p / 4, a = p % 4;
            const std::int32_t found[] = {clusters[c].x[a], clusters[c].y[a], clusters[c].z[a]};
            const std::int32_t was[] = {before[c].x[a], before[c].y[a], before[c].z[a]};
            for (std::size_t k = 0; k < 3; ++k) {
                if (atoms[p] < 0) {
                    EXPECT_EQ(found[k], was[k]) << variant.name;
                    continue;
                }
                const auto at = to_kernel_lattice(x[3 * static_cast<std::size_t>(atoms[p]) + k]) - origin[k];
                EXPECT_EQ(found[k], static_cast<std::int32_t>(at)) << variant.name;
            }
        }
    }
}

TEST(PairSearch, LargestDistanceIsThatOfAnyTwoPositions)
{
    std::mt19937 random(6);
    std::uniform_int_distribution<std::int64_t> step(-(std::int64_t{1} << 47), std::int64_t{1} << 47);
    for (const std::size_t n : {0, 1, 7, 8, 9, 16, 29})
        for (std::size_t farthest = 0; farthest < std::max<std::size_t>(n, 1); ++farthest) {
            std::vector<std::int64_t> a(3 * n), b;
            for (auto& x : a) x = step(random);
            b = a;
            for (std::size_t k = 0; k < 3 * n; ++k) b[k] += step(random) >> (k / 3 == farthest ? 0 : 3);
            double expected = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                double sum = 0.0;
                for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) sum += std::pow(static_cast<double>(a[k] - b[k]), 2);
                expected = std::max(expected, sum);
            }
            for (const auto& variant : search_variants()) {
                const double found = variant.largest_distance2(a.data(), b.data(), static_cast<std::int64_t>(n));
                EXPECT_NEAR(found, expected, 1e-14 * expected) << variant.name << " " << n;
            }
        }
}

TEST(PairSearch, LargestStepIsThatOfTheFarthestAtom)
{
    std::mt19937 random(3);
    const auto then = random_clusters(random);
    auto now = then;
    std::uniform_int_distribution<std::int32_t> step(-(1 << 17), 1 << 17);
    for (auto& c : now)
        for (auto* x : {c.x, c.y, c.z})
            for (int a = 0; a < 4; ++a) x[a] += step(random);
    for (const auto& variant : search_variants()) {
        std::vector<float> steps(n_clusters);
        variant.largest_steps(now.data(), then.data(), n_clusters, steps.data());
        for (std::size_t c = 0; c < n_clusters; ++c) {
            double largest = 0.0;
            for (std::size_t a = 0; a < 4; ++a) largest = std::max(largest, (at(now[c], a) - at(then[c], a)).norm());
            EXPECT_NEAR(steps[c], largest, 1e-7) << variant.name;
        }
    }
}

TEST(PairSearch, ExpectedStepsAreThoseOfSteadyAcceleration)
{
    std::mt19937 random(4);
    const auto now = random_clusters(random);
    // Per step: 3e-3 nm and a third of that.
    std::uniform_int_distribution<std::int32_t> velocity_of(-12000, 12000), acceleration_of(-4000, 4000);
    constexpr int last_ago = 2, before_ago = 5, n_steps = 3;
    auto last = now, before = now;
    std::vector<double> expected(n_clusters);
    for (std::size_t c = 0; c < n_clusters; ++c) {
        double farthest = 0.0, largest_acceleration = 0.0;
        for (std::size_t a = 0; a < 4; ++a) {
            Vec3 velocity, acceleration;
            for (int k = 0; k < 3; ++k) {
                const std::int32_t v = velocity_of(random), half = acceleration_of(random) / 2;
                const auto set = [&](Cluster& cluster, int ago) {
                    (k == 0 ? cluster.x : k == 1 ? cluster.y : cluster.z)[a] += -v * ago + half * ago * ago;
                };
                set(last[c], last_ago);
                set(before[c], before_ago);
                velocity[k] = v * double{kernel_unit};
                acceleration[k] = 2 * half * double{kernel_unit};
            }
            for (int n = 1; n <= n_steps; ++n)
                farthest = std::max(farthest, (n * velocity + 0.5 * n * n * acceleration).norm());
            largest_acceleration = std::max(largest_acceleration, acceleration.norm());
        }
        expected[c] = farthest + 0.25 * n_steps * n_steps * largest_acceleration;
    }
    for (const auto& variant : search_variants()) {
        std::vector<float> farthest(n_clusters);
        variant.expected_steps({.now = now.data(),
                                .last = last.data(),
                                .before = before.data(),
                                .n_clusters = n_clusters,
                                .last_ago = last_ago,
                                .before_ago = before_ago,
                                .n_steps = n_steps,
                                .farthest = farthest.data()});
        for (std::size_t c = 0; c < n_clusters; ++c) EXPECT_NEAR(farthest[c], expected[c], 1e-7) << variant.name;
    }
}

} // namespace
} // namespace holon::test
