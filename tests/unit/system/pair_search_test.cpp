// The searches of all instruction sets find the same, and what brute force finds.
#include <system/pair_search.hpp>

#include <holon/core/vec3.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace holon::test {
namespace {

struct Variant {
    const char* name;
    std::size_t (*find_partners)(const pair::Search&, std::int32_t*);
    void (*prune)(const pair::Prune&);
    void (*largest_steps)(const Cluster*, const Cluster*, std::int64_t, float*);
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{
        {"baseline", pair::find_partners_baseline, pair::prune_baseline, pair::largest_steps_baseline}};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3"))
        all.push_back({"v3", pair::find_partners_v3, pair::prune_v3, pair::largest_steps_v3});
    if (__builtin_cpu_supports("x86-64-v4"))
        all.push_back({"v4", pair::find_partners_v4, pair::prune_v4, pair::largest_steps_v4});
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
std::vector<Cluster> random_clusters(std::mt19937& random)
{
    std::uniform_int_distribution<std::int32_t> place(0, 8 << 20), near(-(5 << 17), 5 << 17);
    std::vector<Cluster> clusters(n_clusters);
    std::vector<std::int32_t> heights(n_clusters);
    for (auto& z : heights) z = place(random);
    std::ranges::sort(heights);
    for (std::size_t c = 0; c < n_clusters; ++c) {
        const std::int32_t x = place(random), y = place(random);
        for (std::size_t a = 0; a < 4; ++a) {
            clusters[c].x[a] = x + near(random);
            clusters[c].y[a] = y + near(random);
            // Above all of the cluster before: bounds in a column are ordered.
            clusters[c].z[a] = 4 * heights[c] + static_cast<std::int32_t>(c * 4 + a);
        }
    }
    return clusters;
}

TEST(PairSearch, FindsThePartnersOfBruteForce)
{
    std::mt19937 random(1);
    const auto clusters = random_clusters(random);
    std::array<std::vector<float>, 3> low, high;
    for (const auto& c : clusters)
        for (int k = 0; k < 3; ++k) {
            const auto [least, most] = std::minmax({at(c, 0)[k], at(c, 1)[k], at(c, 2)[k], at(c, 3)[k]});
            low[static_cast<std::size_t>(k)].push_back(static_cast<float>(least));
            high[static_cast<std::size_t>(k)].push_back(static_cast<float>(most));
        }
    for (std::size_t k = 0; k < 3; ++k) {
        low[k].resize(n_clusters + pair::search_width, 1e30F);
        high[k].resize(n_clusters + pair::search_width, 1e30F);
    }
    const std::vector<std::int32_t> begin{0, n_clusters}; // one column
    std::size_t n_found = 0;
    for (std::int32_t own = 0; own < n_clusters; ++own) {
        const auto c = static_cast<std::size_t>(own);
        const pair::Search search{.low = {low[0][c], low[1][c], low[2][c]},
                                  .high = {high[0][c], high[1][c], high[2][c]},
                                  .reach = 0.8F,
                                  .clusters = clusters.data(),
                                  .own = own,
                                  .set_first = 0,
                                  .low_x = low[0].data(),
                                  .low_y = low[1].data(),
                                  .low_z = low[2].data(),
                                  .high_x = high[0].data(),
                                  .high_y = high[1].data(),
                                  .high_z = high[2].data(),
                                  .begin = begin.data(),
                                  .x_begin = 0,
                                  .x_end = 0,
                                  .y_begin = 0,
                                  .y_end = 0,
                                  .n_y = 1};
        std::vector<std::int32_t> expected;
        for (std::int32_t other = own; other < n_clusters; ++other)
            if (distance(clusters[c], clusters[static_cast<std::size_t>(other)], 0xffff) < 0.8)
                expected.push_back(other);
        n_found += expected.size();
        for (const auto& variant : variants()) {
            std::vector<std::int32_t> found(n_clusters + 1);
            found.resize(variant.find_partners(search, found.data()));
            EXPECT_EQ(found, expected) << variant.name << ", cluster " << own;
        }
    }
    EXPECT_GT(n_found, std::size_t{2 * n_clusters});
}

TEST(PairSearch, PrunesByMarginsAndPutsClosePairsLast)
{
    std::mt19937 random(2);
    std::uniform_real_distribution<float> margin_of(0.0F, 0.05F);
    const auto clusters = random_clusters(random);
    std::vector<float> margin(n_clusters);
    for (auto& m : margin) m = margin_of(random);
    std::vector<PairList::Entry> entries;
    std::vector<std::int64_t> row_begin{0};
    for (std::int32_t i = 0; i < n_clusters; ++i) {
        for (std::int32_t j = i; j < n_clusters; ++j)
            entries.push_back({j, static_cast<std::uint32_t>(random() & 0xffff)});
        row_begin.push_back(static_cast<std::int64_t>(entries.size()));
    }
    const float cutoff = 0.7F, close = 0.4F;
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        std::vector<PairList::Entry> kept(entries.size()), scratch(entries.size());
        std::vector<std::int32_t> named(clusters.size(), 99);
        std::vector<std::int64_t> kept_begin(n_clusters + 1), kept_close(n_clusters);
        variant.prune({.clusters = clusters.data(),
                       .n_clusters = n_clusters,
                       .row_begin = row_begin.data(),
                       .entries = entries.data(),
                       .margin = margin.data(),
                       .cutoff = cutoff,
                       .close = close,
                       .kept_row_begin = kept_begin.data(),
                       .kept_row_close = kept_close.data(),
                       .kept = kept.data(),
                       .scratch = scratch.data(),
                       .named = named.data()});
        std::int64_t n = 0;
        for (std::size_t i = 0; i < n_clusters; ++i) {
            ASSERT_EQ(kept_begin[i], n);
            for (const bool want_close : {false, true}) {
                if (want_close) {
                    ASSERT_EQ(kept_close[i], n);
                }
                for (auto e = row_begin[i]; e < row_begin[i + 1]; ++e) {
                    const auto entry = entries[static_cast<std::size_t>(e)];
                    const auto j = static_cast<std::size_t>(entry.cluster);
                    const double r = distance(clusters[i], clusters[j], entry.mask) - margin[i] - margin[j];
                    if (r >= cutoff || (r < close) != want_close) continue;
                    EXPECT_EQ(kept[static_cast<std::size_t>(n)].cluster, entry.cluster);
                    EXPECT_EQ(kept[static_cast<std::size_t>(n)].mask, entry.mask);
                    ++n;
                }
            }
        }
        EXPECT_EQ(kept_begin.back(), n);
        EXPECT_GT(n, std::int64_t{2 * n_clusters});
        for (std::int32_t c = 0; c < n_clusters; ++c)
            EXPECT_EQ(named[static_cast<std::size_t>(c)],
                      std::ranges::count(kept.begin(), kept.begin() + n, c, &PairList::Entry::cluster));
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

} // namespace
} // namespace holon::test
