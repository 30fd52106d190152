// The searches of all instruction sets find the same, and what brute force finds.
#include <system/pair_search.hpp>

#include <holon/core/vec3.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace holon::test {
namespace {

struct Variant {
    const char* name;
    std::size_t (*find_candidates)(const pair::Block&, const pair::ClusterSet&, std::int32_t*);
    pair::RowEntries (*find_entries)(const pair::RowSearch&, const pair::RowEntries&);
    void (*prune)(const pair::Prune&);
    void (*largest_steps)(const Cluster*, const Cluster*, std::int64_t, float*);
    void (*expected_steps)(const pair::Motion&);
    bool (*centre)(const Cluster*, const std::int32_t*, std::int64_t, CentredCluster*, CentredCluster*);
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", pair::find_candidates_baseline, pair::find_entries_baseline,
                              pair::prune_baseline, pair::largest_steps_baseline, pair::expected_steps_baseline,
                              pair::centre_baseline}};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3"))
        all.push_back({"v3", pair::find_candidates_v3, pair::find_entries_v3, pair::prune_v3, pair::largest_steps_v3,
                       pair::expected_steps_v3, pair::centre_v3});
    if (__builtin_cpu_supports("x86-64-v4"))
        all.push_back({"v4", pair::find_candidates_v4, pair::find_entries_v4, pair::prune_v4, pair::largest_steps_v4,
                       pair::expected_steps_v4, pair::centre_v4});
#endif
    return all;
}

constexpr std::int32_t n_clusters = 100;

Vec3 at(const Cluster& c, std::size_t a)
{
    return Vec3(c.x[a], c.y[a], c.z[a]) * double{kernel_unit};
}

double distance(const Cluster& a, const Cluster& b, std::uint32_t mask)
{
    double least = 1e9;
    for (std::size_t l = 0; l < 16; ++l)
        if ((mask >> l & 1U) != 0) least = std::min(least, (at(a, l / 4) - at(b, l % 4)).norm());
    return least;
}

/// Clusters 0.3 nm wide in a box of 2 nm, sorted upwards.
std::vector<Cluster> random_clusters(std::mt19937& random, std::int32_t left = 0, std::int32_t right = 8 << 20)
{
    std::uniform_int_distribution<std::int32_t> across(left, right), along(0, 8 << 20), near(-(5 << 17), 5 << 17);
    std::vector<Cluster> clusters(n_clusters);
    std::vector<std::int32_t> heights(n_clusters);
    for (auto& z : heights) z = along(random);
    std::ranges::sort(heights);
    for (std::size_t c = 0; c < n_clusters; ++c) {
        const std::int32_t x = across(random), y = along(random);
        for (std::size_t a = 0; a < 4; ++a) {
            clusters[c].x[a] = x + near(random);
            clusters[c].y[a] = y + near(random);
            // Lower ends in a column go upwards; those of three clusters are alike.
            clusters[c].z[a] = 4 * heights[c / 3 * 3] + static_cast<std::int32_t>(c * 4 + a * (c % 3 == 0 ? 1000 : 1));
        }
    }
    return clusters;
}

struct ClusterBounds {
    Vec3 low, high;
};

ClusterBounds bounds_of(const Cluster& c)
{
    ClusterBounds b{at(c, 0), at(c, 0)};
    for (std::size_t a = 1; a < 4; ++a) {
        b.low = b.low.cwiseMin(at(c, a));
        b.high = b.high.cwiseMax(at(c, a));
    }
    return b;
}

/// A set of clusters with its bounds by component.
struct TestSet {
    std::array<std::vector<float>, 3> low, high;
    std::vector<float> top;
    std::vector<std::int32_t> begin;

    /// Columns of 3 nm along x.
    pair::ClusterSet view(std::int32_t first) const
    {
        return {.first = first,
                .low_x = low[0].data(),
                .low_y = low[1].data(),
                .low_z = low[2].data(),
                .high_x = high[0].data(),
                .high_y = high[1].data(),
                .high_z = high[2].data(),
                .top = top.data(),
                .begin = begin.data(),
                .column_low = {-0.5F, -1.0F},
                .column_size = {3.0F, 4.0F},
                .n = {static_cast<int>(begin.size()) - 1, 1}};
    }
    void add(const std::vector<Cluster>& clusters)
    {
        for (const auto& c : clusters)
            for (std::size_t k = 0; k < 3; ++k) {
                low[k].push_back(static_cast<float>(bounds_of(c).low[static_cast<int>(k)]));
                high[k].push_back(static_cast<float>(bounds_of(c).high[static_cast<int>(k)]));
            }
        // Of slabs of three.
        for (std::size_t c = 0; c < clusters.size(); ++c) {
            double highest = 0.0;
            for (std::size_t d = 0; d < std::min(c / 3 * 3 + 3, clusters.size()); ++d)
                highest = std::max(highest, bounds_of(clusters[d]).high[2]);
            top.push_back(static_cast<float>(highest));
        }
    }
};

bool same_entry(const PairList::Entry& a, const PairList::Entry& b)
{
    return a.cluster == b.cluster && a.mask == b.mask;
}

TEST(PairSearch, FindsThePartnersOfBruteForce)
{
    std::mt19937 random(1);
    auto clusters = random_clusters(random);
    const auto further = random_clusters(random, 11 << 20, 19 << 20); // 2.75 nm along x
    TestSet set{.low = {}, .high = {}, .top = {}, .begin = {0, n_clusters, 2 * n_clusters}};
    set.add(clusters);
    set.add(further);
    for (std::size_t k = 0; k < 3; ++k) {
        set.low[k].resize(2 * n_clusters + pair::search_width, 1e30F);
        set.high[k].resize(2 * n_clusters + pair::search_width, 1e30F);
    }
    clusters.insert(clusters.end(), further.begin(), further.end());
    const float reach = 0.8F, near_reach = 0.7F, close = 0.5F;
    std::vector<std::uint32_t> used_rows(clusters.size(), 0x1111), used(clusters.size(), 0xf),
        left_out(clusters.size());
    used[7] = 0x3;
    used_rows[7] = 0x0011;
    for (auto& pairs : left_out) pairs = random() % 4 == 0 ? static_cast<std::uint32_t>(random() & 0xffff) : 0;

    std::size_t n_near = 0, n_far = 0, n_apart = 0, n_other_column = 0, n_close = 0;
    for (std::int32_t first = 0; first < n_clusters; first += 3) {
        ClusterBounds bounds = bounds_of(clusters[static_cast<std::size_t>(first)]);
        for (auto c = first + 1; c < std::min(first + 3, n_clusters); ++c) {
            const auto more = bounds_of(clusters[static_cast<std::size_t>(c)]);
            bounds.low = bounds.low.cwiseMin(more.low);
            bounds.high = bounds.high.cwiseMax(more.high);
        }
        const Eigen::Vector3f low = bounds.low.cast<float>(), high = bounds.high.cast<float>();
        const pair::Block block{
            .low = {low[0], low[1], low[2]}, .high = {high[0], high[1], high[2]}, .first = first, .reach = reach};
        std::vector<std::int32_t> near;
        for (auto other = first; other < 2 * n_clusters; ++other) {
            const auto b = bounds_of(clusters[static_cast<std::size_t>(other)]);
            const Vec3 gap = (bounds.low - b.high).cwiseMax(b.low - bounds.high).cwiseMax(0.0);
            if (gap.norm() < reach) near.push_back(other);
            n_apart += gap.norm() >= reach ? 1 : 0;
        }
        for (const auto& variant : variants()) {
            SCOPED_TRACE(std::string(variant.name) + ", cluster " + std::to_string(first));
            constexpr std::int32_t middle[] = {9 << 20, 4 << 20, 16 << 20};
            std::vector<CentredCluster> centred(clusters.size());
            ASSERT_TRUE(variant.centre(clusters.data(), middle, 2 * n_clusters, centred.data(), nullptr));
            const std::vector<std::uint8_t> frames_of_row(clusters.size());
            const CentredClusters one_frame{{centred.data(), nullptr}, frames_of_row.data()};
            std::vector<std::int32_t> candidates(2 * n_clusters + pair::search_width);
            candidates.resize(variant.find_candidates(block, set.view(0), candidates.data()));
            EXPECT_EQ(candidates, near);
            for (auto own = first; own < std::min(first + 3, n_clusters); ++own) {
                const std::size_t room = candidates.size() + 1;
                std::vector<std::int32_t> found_near(room), found_far(room);
                std::vector<PairList::Entry> found_close(room);
                const auto end = variant.find_entries({.clusters = {clusters.data()},
                                                       .centred = own % 2 == 0 ? CentredClusters{} : one_frame,
                                                       .own = own,
                                                       .reach = reach,
                                                       .near = near_reach,
                                                       .close = close,
                                                       .candidates = candidates.data(),
                                                       .n_candidates = candidates.size(),
                                                       .used_rows = used_rows.data(),
                                                       .used = used.data(),
                                                       .left_out = left_out.data()},
                                                      {found_near.data(), found_far.data(), found_close.data()});
                found_near.resize(static_cast<std::size_t>(end.near - found_near.data()));
                found_far.resize(static_cast<std::size_t>(end.far - found_far.data()));
                found_close.resize(static_cast<std::size_t>(end.close - found_close.data()));
                std::vector<std::int32_t> expected_near, expected_far;
                std::vector<PairList::Entry> expected_close;
                for (auto other = own; other < 2 * n_clusters; ++other) {
                    const auto o = static_cast<std::size_t>(other);
                    const std::uint32_t all = used_rows[static_cast<std::size_t>(own)] * used[o];
                    const std::uint32_t mask = all & ~left_out[o];
                    const double r = distance(clusters[static_cast<std::size_t>(own)], clusters[o], mask);
                    if (r >= reach) continue;
                    n_other_column += other >= n_clusters ? 1 : 0;
                    if (r < close || mask != all)
                        expected_close.push_back({other, mask});
                    else
                        (r < near_reach ? expected_near : expected_far).push_back(other);
                }
                EXPECT_EQ(found_near, expected_near);
                EXPECT_EQ(found_far, expected_far);
                EXPECT_TRUE(std::ranges::equal(found_close, expected_close, same_entry));
                n_near += found_near.size();
                n_far += found_far.size();
                n_close += found_close.size();
            }
        }
    }
    EXPECT_GT(n_near, std::size_t{n_clusters});
    EXPECT_GT(n_far, std::size_t{n_clusters});
    EXPECT_GT(n_other_column, std::size_t{0});
    EXPECT_GT(n_close, std::size_t{n_clusters});
    EXPECT_GT(n_apart, std::size_t{n_clusters});
}

TEST(PairSearch, PrunesByMarginsAndSetsClosePairsApart)
{
    std::mt19937 random(2);
    std::uniform_real_distribution<float> margin_of(0.0F, 0.05F);
    const auto clusters = random_clusters(random);
    std::vector<float> margin(n_clusters);
    for (auto& m : margin) m = margin_of(random);
    const float cutoff = 0.7F, close = 0.4F, largest_margin = *std::ranges::max_element(margin);
    std::vector<std::uint32_t> used_rows(n_clusters, 0x1111), used(n_clusters, 0xf);
    used[5] = 0x7;
    used_rows[5] = 0x0111;
    const auto all_pairs = [&](std::size_t i, std::size_t j) { return used_rows[i] * used[j]; };
    struct Lists {
        std::vector<std::int32_t> near, far;
        std::vector<PairList::Entry> close;
    };
    std::vector<Lists> outer(n_clusters);
    for (std::int32_t i = 0; i < n_clusters; ++i) {
        auto& lists = outer[static_cast<std::size_t>(i)];
        for (std::int32_t j = i; j < n_clusters; ++j) {
            const auto all = all_pairs(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            const auto mask = random() % 4 == 0 ? static_cast<std::uint32_t>(random() & all) : all;
            const double r =
                distance(clusters[static_cast<std::size_t>(i)], clusters[static_cast<std::size_t>(j)], all);
            if (mask != all || r < close + 0.1)
                lists.close.push_back({j, mask});
            else
                (random() % 8 == 0 ? lists.near : lists.far).push_back(j); // these stay wherever they are
        }
    }
    std::vector<PairList::Row> rows;
    for (const auto& [near, far, maybe_close] : outer)
        rows.push_back({near.data(), near.data() + near.size(), far.data(), far.data() + far.size(), maybe_close.data(),
                        maybe_close.data() + maybe_close.size()});
    constexpr std::int32_t middle[] = {4 << 20, 4 << 20, 16 << 20};
    for (const auto& variant : variants())
        for (const bool use_centred : {false, true}) {
            SCOPED_TRACE(std::string(variant.name) + (use_centred ? ", centred" : ""));
            std::vector<CentredCluster> centred(clusters.size());
            EXPECT_TRUE(variant.centre(clusters.data(), middle, n_clusters, centred.data(), nullptr));
            const std::vector<std::uint8_t> frames_of_row(clusters.size());
            const CentredClusters one_frame{{centred.data(), nullptr}, frames_of_row.data()};
            constexpr std::size_t room = static_cast<std::size_t>(n_clusters) * n_clusters;
            std::vector<std::int32_t> kept_far(room + 1);
            std::vector<PairList::Entry> kept_close(room + 1);
            constexpr std::int32_t named_before = 3;
            std::vector<std::int32_t> named(clusters.size(), named_before), expected_named = named;
            std::vector<PairList::Row> kept_rows(n_clusters);
            constexpr std::int64_t first = 7, last = 90;
            variant.prune({.clusters = {clusters.data()},
                           .centred = use_centred ? one_frame : CentredClusters{},
                           .first = first,
                           .last = last,
                           .rows = rows.data(),
                           .kept_rows = kept_rows.data(),
                           .used_rows = used_rows.data(),
                           .used = used.data(),
                           .margin = margin.data(),
                           .largest_margin = largest_margin,
                           .cutoff = cutoff,
                           .close = close,
                           .kept_far = kept_far.data(),
                           .kept_close = kept_close.data(),
                           .named = named.data()});
            std::size_t n_far = 0, n_close = 0;
            for (std::size_t i = first; i < last; ++i) {
                Lists expected;
                const auto within = [&](std::int32_t other, std::uint32_t mask) {
                    const auto j = static_cast<std::size_t>(other);
                    const bool is_one = distance(clusters[i], clusters[j], mask) < cutoff + margin[i] + margin[j];
                    expected_named[j] += is_one ? 1 : 0;
                    return is_one;
                };
                for (const auto j : outer[i].far)
                    if (within(j, 0xffff)) expected.far.push_back(j);
                for (const auto entry : outer[i].close) {
                    const auto j = static_cast<std::size_t>(entry.cluster);
                    if (!within(entry.cluster, entry.mask)) continue;
                    if (entry.mask == all_pairs(i, j) &&
                        distance(clusters[i], clusters[j], entry.mask) >= close + margin[i] + largest_margin)
                        expected.far.push_back(entry.cluster);
                    else
                        expected.close.push_back(entry);
                }
                const auto& row = kept_rows[i];
                EXPECT_TRUE(std::ranges::equal(std::span(row.far, row.far_end), expected.far)) << i;
                EXPECT_TRUE(std::ranges::equal(std::span(row.close, row.close_end), expected.close, same_entry)) << i;
                EXPECT_EQ(row.near, rows[i].near);
                EXPECT_EQ(row.near_end, rows[i].near_end);
                EXPECT_EQ(row.size(), outer[i].near.size() + expected.far.size() + expected.close.size());
                n_far += outer[i].near.size() + expected.far.size();
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
    for (const auto& variant : variants()) {
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
    for (const auto& variant : variants()) {
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

TEST(PairSearch, LargestStepIsThatOfTheFarthestAtom)
{
    std::mt19937 random(3);
    const auto then = random_clusters(random);
    auto now = then;
    std::uniform_int_distribution<std::int32_t> step(-(1 << 17), 1 << 17);
    for (auto& c : now)
        for (auto* x : {c.x, c.y, c.z})
            for (int a = 0; a < 4; ++a) x[a] += step(random);
    for (const auto& variant : variants()) {
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
    for (const auto& variant : variants()) {
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
