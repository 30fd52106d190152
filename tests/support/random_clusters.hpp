#pragma once

#include <forces/pairs/pair_kernel.hpp>
#include <system/pair_search.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace holon::test {

/// Lennard-Jones parameters of three types, the last of which has no interactions.
struct VdwTables {
    std::vector<double> c6, c12; // 3 x 3
};

inline VdwTables vdw_tables(pair::Combination combination)
{
    double c6 = 0.004, c12 = 5.0e-6; // any
    const double c6_1 = 0.0062, c12_1 = 9.7e-6, c6_2 = 0.0026, c12_2 = 2.6e-6;
    if (combination == pair::Combination::geometric) {
        c6 = std::sqrt(c6_1 * c6_2);
        c12 = std::sqrt(c12_1 * c12_2);
    } else if (combination == pair::Combination::lorentz_berthelot) {
        const double sigma = 0.5 * (std::pow(c12_1 / c6_1, 1.0 / 6.0) + std::pow(c12_2 / c6_2, 1.0 / 6.0));
        const double epsilon = std::sqrt(c6_1 * c6_1 / (4.0 * c12_1) * c6_2 * c6_2 / (4.0 * c12_2));
        c6 = 4.0 * epsilon * std::pow(sigma, 6);
        c12 = 4.0 * epsilon * std::pow(sigma, 12);
    }
    return {{c6_1, c6, 0.0, c6, c6_2, 0.0, 0.0, 0.0, 0.0}, {c12_1, c12, 0.0, c12, c12_2, 0.0, 0.0, 0.0, 0.0}};
}

/// Clusters at random places, dense enough for some pairs to overlap, with random masks.
struct RandomClusters {
    static constexpr std::int32_t n = 60, n_types = 3;
    std::vector<Cluster> clusters{static_cast<std::size_t>(n)};
    std::array<std::vector<CentredCluster>, 2> frames;   // about points nearby
    std::vector<std::uint8_t> frames_of_row;             // any
    pair::CombinationRule rule;                          // of the tables
    std::vector<float> vdw_a, vdw_b;                     // as kernels take them
    std::vector<std::int64_t> far_begin, close_begin{0}; // of each row; one more at the end
    std::vector<std::int32_t> far;                       // none
    std::vector<PairList::Entry> close;
    std::vector<std::uint32_t> used_rows, used; // all places
    std::vector<double> charge, c6, c12;
    std::vector<float> charge_single;
    std::vector<pair::VdwOfTypes> of_types; // as kernels take them
    std::vector<std::int32_t> type;

    explicit RandomClusters(unsigned seed, pair::Combination combination = pair::Combination::table)
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
        constexpr std::int32_t middles[2][3] = {{12345, -54321, 0}, {0, 1 << 22, -77}};
        for (std::size_t f = 0; f < 2; ++f) {
            frames[f].resize(clusters.size());
            pair::centre_baseline(clusters.data(), middles[f], n, frames[f].data(), nullptr);
        }
        for (std::int32_t c = 0; c < n; ++c) frames_of_row.push_back(static_cast<std::uint8_t>(c % 8));
        for (std::int32_t i = 0; i < n; ++i) {
            for (std::int32_t j = i; j < n; ++j) {
                std::uint32_t mask = static_cast<std::uint32_t>(random() & 0xffff);
                if (i == j) mask &= 0x08ce; // a < b only
                if (random() % 4 != 0) close.push_back({j, mask});
            }
            close_begin.push_back(static_cast<std::int64_t>(close.size()));
        }
        far_begin.assign(close_begin.size(), 0);
        used_rows.assign(static_cast<std::size_t>(n), 0x1111);
        used.assign(static_cast<std::size_t>(n), 0xf);
        c6 = vdw_tables(combination).c6;
        c12 = vdw_tables(combination).c12;
        rule = pair::CombinationRule(c6, c12);
        if (rule.combination != pair::Combination::table) {
            const double root = std::sqrt(double{pair::vdw_scale});
            const bool lengths = rule.combination == pair::Combination::lorentz_berthelot; // not scaled
            for (const auto t : type) {
                vdw_a.push_back(static_cast<float>(rule.a[static_cast<std::size_t>(t)] * (lengths ? 1.0 : root)));
                vdw_b.push_back(static_cast<float>(rule.b[static_cast<std::size_t>(t)] * root));
            }
        }
        charge_single.assign(charge.begin(), charge.end());
        for (std::size_t t = 0; t < c6.size(); ++t) of_types.push_back(pair::vdw_of_types(c6[t], c12[t]));
    }

    CentredClusters centred() const { return {{frames[0].data(), frames[1].data()}, frames_of_row.data()}; }

    std::vector<PairList::Row> rows() const
    {
        std::vector<PairList::Row> all;
        for (std::size_t c = 0; c + 1 < close_begin.size(); ++c) {
            const auto *begin = far.data() + far_begin[c], *end = far.data() + far_begin[c + 1];
            const auto* const middle = begin + static_cast<std::ptrdiff_t>(c) % (end - begin + 1); // anywhere
            all.push_back(
                {begin, middle, middle, end, close.data() + close_begin[c], close.data() + close_begin[c + 1]});
        }
        return all;
    }
};

} // namespace holon::test
