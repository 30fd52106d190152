#pragma once

#include <forces/pair_kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace holon::test {

/// Clusters at random places, dense enough for some pairs to overlap, with random masks.
struct RandomClusters {
    static constexpr std::int32_t n = 60, n_types = 3;
    std::vector<Cluster> clusters{static_cast<std::size_t>(n)};
    std::vector<std::int64_t> row_begin{0};
    std::vector<std::int64_t> row_close; // all entries
    std::vector<PairList::Entry> entries;
    std::vector<double> charge, c6, c12;
    std::vector<float> charge_single, six_c6, twelve_c12; // the latter as kernels take them
    std::vector<std::int32_t> type;

    explicit RandomClusters(unsigned seed)
    {
        std::mt19937 random(seed);
        std::uniform_int_distribution<std::int32_t> place(0, 6 << 20); // 1.5 nm
        for (auto& cluster : clusters) {
            const std::int32_t x = place(random), y = place(random), z = place(random);
            std::uniform_int_distribution<std::int32_t> near(-(1 << 20), 1 << 20);
            for (std::size_t a = 0; a < 4; ++a) {
                cluster.x[a] = x + near(random);
                cluster.y[a] = y + near(random);
                cluster.z[a] = z + near(random);
                type.push_back(static_cast<std::int32_t>(random() % n_types));
                charge.push_back(11.8 * (static_cast<double>(random() % 1000) / 1000.0 - 0.5));
            }
        }
        for (std::int32_t i = 0; i < n; ++i) {
            for (std::int32_t j = i; j < n; ++j) {
                std::uint32_t mask = static_cast<std::uint32_t>(random() & 0xffff);
                if (i == j) mask &= 0x08ce; // a < b only
                if (random() % 4 != 0) entries.push_back({j, mask});
            }
            row_begin.push_back(static_cast<std::int64_t>(entries.size()));
        }
        row_close.assign(row_begin.begin(), row_begin.end() - 1);
        c6 = {0.0062, 0.004, 0.0, 0.004, 0.0026, 0.0, 0.0, 0.0, 0.0};
        c12 = {9.7e-6, 5.0e-6, 0.0, 5.0e-6, 2.6e-6, 0.0, 0.0, 0.0, 0.0};
        charge_single.assign(charge.begin(), charge.end());
        for (const double c : c6) six_c6.push_back(6.0F * pair::vdw_scale * static_cast<float>(c));
        for (const double c : c12) twelve_c12.push_back(12.0F * pair::vdw_scale * static_cast<float>(c));
    }

    std::vector<PairList::Row> rows() const
    {
        std::vector<PairList::Row> all;
        for (std::size_t c = 0; c + 1 < row_begin.size(); ++c)
            all.push_back(
                {entries.data() + row_begin[c], entries.data() + row_close[c], entries.data() + row_begin[c + 1]});
        return all;
    }
};

} // namespace holon::test
