// The kernel of pairs in double: with every instruction set the bits of plain arithmetic, pair by pair.
#include <forces/pairs/wide_pairs.hpp>

#include <support/constraints/constraint_system.hpp>
#include <support/pair_settings.hpp>

#include <holon/core/instruction_sets.hpp>
#include <holon/core/lattice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace holon::test {
namespace {

using pair::Form;
using pair::FullCluster;
using pair::Kind;
using pair::PairBlock;
using pair::SinglePairs;
using pair::WideInteraction;

struct Variant {
    const char* name;
    void (*find_pairs)(const pair::WideRow&, SinglePairs&, SinglePairs&);
    bool (*forces)(const WideInteraction&, const SinglePairs&, std::int64_t* const[3]);
    void (*energies)(const WideInteraction&, const SinglePairs&, double*);
    bool (*row_forces)(const WideInteraction&, const pair::WideRow&, FullCluster*, SinglePairs&);
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", pair::find_pairs_baseline, pair::wide_forces_baseline,
                              pair::wide_energies_baseline, pair::row_forces_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3)
        all.push_back({"v3", pair::find_pairs_v3, pair::wide_forces_v3, pair::wide_energies_v3, pair::row_forces_v3});
    if (best_instruction_set() >= InstructionSet::v4)
        all.push_back({"v4", pair::find_pairs_v4, pair::wide_forces_v4, pair::wide_energies_v4, pair::row_forces_v4});
#endif
    return all;
}

constexpr int n_places = 13, n_types = 3;

/// Charges and types of a few places.
struct Tables {
    std::vector<double> charge, c6, c12, six_c6, twelve_c12;
    std::vector<std::int32_t> type;

    explicit Tables(int places = n_places)
    {
        for (int p = 0; p < places; ++p) {
            charge.push_back(std::sqrt(138.935) * (p % 2 == 0 ? -0.6 : 0.3 + 0.01 * (p % n_places)));
            type.push_back(p % n_types);
        }
        for (int t = 0; t < n_types * n_types; ++t) {
            c6.push_back(0.0026 * (t % 5));
            c12.push_back(2.6e-6 * (t % 4));
            six_c6.push_back(6.0 * c6.back());
            twelve_c12.push_back(12.0 * c12.back());
        }
    }
    WideInteraction interaction(Kind kind, Form form, const pair::Constants<double>& k) const
    {
        return {kind,    form,      k,          charge.data(), type.data(),
                n_types, c6.data(), c12.data(), six_c6.data(), twelve_c12.data()};
    }
    double qq(const SinglePairs& pairs, int p) const { return charge[index(pairs.i[p])] * charge[index(pairs.j[p])]; }
    std::size_t types(const SinglePairs& pairs, int p) const
    {
        return index(type[index(pairs.i[p])] * n_types + type[index(pairs.j[p])]);
    }
    /// On the first atom of a pair, by the radial functions.
    IVec3 force(const WideInteraction& of, const SinglePairs& pairs, int p) const
    {
        const Vec3 d(pairs.d[0][p], pairs.d[1][p], pairs.d[2][p]);
        const double r2 = std::max(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], pair::least_distance2);
        const double rinv = 1.0 / std::sqrt(r2);
        const auto t = types(pairs, p);
        const double over_r = pair::with_form(of.form, [&](auto f) {
            return of.kind == Kind::coulomb
                       ? pair::coulomb_force<f.value>(r2, rinv, qq(pairs, p), of.constants)
                       : pair::vdw_force<f.value>(r2, rinv, six_c6[t], twelve_c12[t], of.constants);
        });
        const double units = std::clamp(over_r / force_unit, -force_bound * rinv, force_bound * rinv);
        return {round_to_int(units * d[0]), round_to_int(units * d[1]), round_to_int(units * d[2])};
    }
};

/// Pairs from far too close, where forces are clamped, to beyond the usual distances; not a multiple of any vector.
struct Pairs {
    static constexpr int n = 45;
    PairBlock block;

    Pairs()
    {
        Noise noise(5);
        block.grow(n);
        block.pairs.n = n;
        for (int p = 0; p < n; ++p) {
            const Vec3 d = (1e-4 * std::pow(1.24, p)) * noise.vector().normalized();
            for (int k = 0; k < 3; ++k) block.pairs.d[k][p] = d[k];
            block.pairs.i[p] = p % n_places;
            block.pairs.j[p] = (5 * p + 1) % n_places;
        }
    }
    Vec3 d(int p) const { return {block.pairs.d[0][p], block.pairs.d[1][p], block.pairs.d[2][p]}; }
};

constexpr std::size_t room = Pairs::n + pair::room_beyond;

void expect_functions(Kind kind, Form form, const pair::Constants<double>& k)
{
    const Tables tables;
    const auto interaction = tables.interaction(kind, form, k);
    for (const auto& variant : variants()) {
        const Pairs pairs;
        const auto& all = pairs.block.pairs;
        std::vector<std::int64_t> force[3];
        for (auto& f : force) f.resize(room);
        std::int64_t* const result[3] = {force[0].data(), force[1].data(), force[2].data()};
        variant.forces(interaction, all, result);
        std::vector<double> energy(room);
        variant.energies(interaction, all, energy.data());
        for (int p = 0; p < Pairs::n; ++p) {
            SCOPED_TRACE(std::string(variant.name) + ", pair " + std::to_string(p));
            const Vec3 d = pairs.d(p);
            const double qq = tables.qq(all, p);
            const auto types = tables.types(all, p);
            const IVec3 of_pair = tables.force(interaction, all, p);
            for (int a = 0; a < 3; ++a) EXPECT_EQ(force[a][index(p)], of_pair[a]) << "axis " << a;
            const double r2_fused = std::max(pair::distance2(d[0], d[1], d[2]), pair::least_distance2);
            const double rinv_fused = 1.0 / std::sqrt(r2_fused);
            const double expected = pair::with_form(form, [&](auto f) {
                return kind == Kind::coulomb
                           ? pair::coulomb_energy<f.value>(r2_fused, rinv_fused, qq, k)
                           : pair::vdw_energy<f.value>(r2_fused, rinv_fused, tables.c6[types], tables.c12[types], k);
            });
            EXPECT_EQ(energy[index(p)], expected);
        }
    }
}

TEST(WideKernel, HasTheBitsOfTheRadialFunctions)
{
    for (const auto& setting : pair_settings()) {
        SCOPED_TRACE(setting.name);
        const pair::Constants<double> k{setting.constants()};
        expect_functions(Kind::coulomb, setting.coulomb(), k);
        expect_functions(Kind::vdw, setting.form, k);
    }
}

TEST(WideKernel, TellsOfClampedForcesOfItsPairsOnly)
{
    const auto setting = pair_settings().front();
    const pair::Constants<double> k{setting.constants()};
    Tables tables;
    std::ranges::fill(tables.twelve_c12, 12.0 * 2.6e-6);
    std::ranges::fill(tables.six_c6, 0.0);
    const auto interaction = tables.interaction(Kind::vdw, setting.form, k);
    for (const auto& variant : variants()) {
        PairBlock block;
        block.grow(4);
        auto& pairs = block.pairs;
        pairs.n = 3;
        for (int p = 0; p < 4; ++p) {
            pairs.i[p] = 0;
            pairs.j[p] = 1;
            for (int a = 0; a < 3; ++a) pairs.d[a][p] = 0.0;
            pairs.d[0][p] = p < 3 ? 0.3 : 0.01; // beyond n: of pairs before
        }
        std::vector<std::int64_t> force[3];
        for (auto& f : force) f.resize(room);
        std::int64_t* const result[3] = {force[0].data(), force[1].data(), force[2].data()};
        EXPECT_FALSE(variant.forces(interaction, pairs, result)) << variant.name;
        pairs.d[0][2] = 0.01;
        EXPECT_TRUE(variant.forces(interaction, pairs, result)) << variant.name;
        EXPECT_EQ(force[0][2], std::int64_t{1} << 53) << variant.name;
    }
}

/// A pair with its distances.
using Found = std::tuple<std::int32_t, std::int32_t, double, double, double>;

std::set<Found> to_set(const SinglePairs& pairs)
{
    std::set<Found> all;
    for (std::int64_t n = 0; n < pairs.n; ++n)
        all.insert({pairs.i[n], pairs.j[n], pairs.d[0][n], pairs.d[1][n], pairs.d[2][n]});
    EXPECT_EQ(all.size(), index(pairs.n));
    return all;
}

/// Clusters with places unused, atoms at the same place and at the cutoff, and entries of all kinds for one of them.
struct SearchedRow {
    static constexpr std::int32_t n_clusters = 60, own = 7;
    static constexpr double cutoff = 0.75, rounding = 1e-13; // [nm]
    std::vector<FullCluster> clusters;
    std::vector<std::uint32_t> used_rows, used;
    std::vector<std::int32_t> near, far;
    std::vector<PairList::Entry> close;

    SearchedRow()
    {
        std::mt19937_64 random(11);
        std::uniform_int_distribution<std::int64_t> place(-(std::int64_t{1} << 48), std::int64_t{1} << 48); // 2 nm
        for (std::int32_t c = 0; c < n_clusters; ++c) {
            auto& cluster = clusters.emplace_back();
            for (auto* x : {cluster.x, cluster.y, cluster.z})
                for (int a = 0; a < 4; ++a) x[a] = place(random);
            const auto bits = static_cast<std::uint32_t>(c == own ? 0b1011 : random() % 16);
            used.push_back(bits);
            used_rows.push_back((bits & 1U) | (bits & 2U) << 3 | (bits & 4U) << 6 | (bits & 8U) << 9);
            if (c == own) continue;
            if (c % 3 == 0) near.push_back(c);
            if (c % 3 == 1) far.push_back(c);
            if (c % 3 == 2) close.push_back({c, static_cast<std::uint32_t>(random() % 65536)});
        }
        close[0].mask = 0xffff;
        for (auto [of, atom] : {std::pair{close[0].cluster, 0}, {close[0].cluster, 2}}) { // at the same place
            clusters[index(of)].x[atom] = clusters[own].x[1];
            clusters[index(of)].y[atom] = clusters[own].y[1];
            clusters[index(of)].z[atom] = clusters[own].z[1];
        }
        clusters[index(close[0].cluster)].x[2] += to_lattice(Vec3(cutoff, 0.0, 0.0), position_unit)[0]; // at the cutoff
    }
    pair::WideRow row() const
    {
        return {.clusters = clusters.data(),
                .ci = own,
                .entries = {.near = near.data(),
                            .near_end = near.data() + near.size(),
                            .far = far.data(),
                            .far_end = far.data() + far.size(),
                            .close = close.data(),
                            .close_end = close.data() + close.size()},
                .used_rows = used_rows.data(),
                .used = used.data(),
                .cutoff2 = cutoff * cutoff,
                .rounding = rounding};
    }
    /// By plain arithmetic: within the cutoff, and unsure.
    std::array<std::set<Found>, 2> expected() const
    {
        std::array<std::set<Found>, 2> all;
        const auto add = [&](std::int32_t cj, std::uint32_t mask) {
            for (int l = 0; l < 16; ++l) {
                if ((mask >> l & 1U) == 0) continue;
                const auto &a = clusters[own], &b = clusters[index(cj)];
                const auto i = l / 4, j = l % 4;
                const Vec3 d = to_real(IVec3(a.x[i] - b.x[j], a.y[i] - b.y[j], a.z[i] - b.z[j]), position_unit);
                const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                const bool unsure = r2 == 0.0 || std::abs(r2 - cutoff * cutoff) < rounding;
                if (unsure || r2 < cutoff * cutoff)
                    all[unsure ? 1 : 0].insert({4 * own + i, 4 * cj + j, d[0], d[1], d[2]});
            }
        };
        for (const auto c : near) add(c, used_rows[own] * used[index(c)]);
        for (const auto c : far) add(c, used_rows[own] * used[index(c)]);
        for (const auto& [c, mask] : close) add(c, mask);
        return all;
    }
};

TEST(WideKernel, FindsThePairsOfARowAndThoseToBeJudged)
{
    const SearchedRow searched;
    const auto [within, unsure] = searched.expected();
    EXPECT_GT(within.size(), 20U);
    EXPECT_EQ(unsure.size(), 2U);
    const auto row = searched.row();
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        PairBlock found, other;
        for (auto* block : {&found, &other}) block->grow(16 * row.entries.size());
        variant.find_pairs(row, found.pairs, other.pairs);
        EXPECT_EQ(to_set(found.pairs), within);
        EXPECT_EQ(to_set(other.pairs), unsure);
    }
}

/// Forces on clusters as numbers, one behind the other.
std::vector<std::int64_t> numbers(const std::vector<FullCluster>& forces)
{
    std::vector<std::int64_t> all;
    for (const auto& cluster : forces)
        for (const auto* axis : {cluster.x, cluster.y, cluster.z}) all.insert(all.end(), axis, axis + 4);
    return all;
}

TEST(WideKernel, AddsTheForcesOfARowsPairs)
{
    SearchedRow searched;
    const Tables tables(4 * SearchedRow::n_clusters);
    const auto row = searched.row();
    // Far apart; then with one at which forces are no longer small, and clamped.
    for (const double distance : {0.0, 2e-3, 1e-7}) {
        if (distance > 0.0) {
            auto& other = searched.clusters[index(searched.close[1].cluster)];
            const auto& own = searched.clusters[SearchedRow::own];
            other.x[3] = own.x[0] + to_lattice(Vec3(distance, 0.0, 0.0), position_unit)[0];
            other.y[3] = own.y[0];
            other.z[3] = own.z[0];
            searched.close[1].mask |= 8U;
        }
        for (const auto& setting : pair_settings())
            for (const auto kind : {Kind::coulomb, Kind::vdw}) {
                const pair::Constants<double> k{setting.constants()};
                const auto form = kind == Kind::coulomb ? setting.coulomb() : setting.form;
                const auto interaction = tables.interaction(kind, form, k);
                PairBlock found, unsure;
                pair::find_pairs(row, found, unsure);
                const std::vector<FullCluster> before(SearchedRow::n_clusters,
                                                      {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});
                auto expected = before;
                std::vector<std::int64_t> force[3];
                for (auto& f : force) f.resize(index(found.pairs.n + pair::room_beyond));
                std::int64_t* const result[3] = {force[0].data(), force[1].data(), force[2].data()};
                const bool clamped = pair::wide_forces_baseline(interaction, found.pairs, result);
                if (kind == Kind::vdw) {
                    EXPECT_EQ(clamped, distance > 0.0);
                }
                const auto add = [&](std::int32_t place, const IVec3& f) {
                    auto& [x, y, z] = expected[index(place / 4)];
                    x[place % 4] += f[0];
                    y[place % 4] += f[1];
                    z[place % 4] += f[2];
                };
                for (int p = 0; p < found.pairs.n; ++p) {
                    const IVec3 f = tables.force(interaction, found.pairs, p);
                    add(found.pairs.i[p], f);
                    add(found.pairs.j[p], -f);
                }
                for (const auto& variant : variants()) {
                    SCOPED_TRACE(std::string(variant.name) + ", " + setting.name);
                    auto forces = before;
                    PairBlock others;
                    others.grow(16 * row.entries.size());
                    EXPECT_EQ(variant.row_forces(interaction, row, forces.data(), others.pairs), clamped);
                    EXPECT_EQ(numbers(forces), numbers(expected));
                    EXPECT_EQ(to_set(others.pairs), to_set(unsure.pairs));
                }
            }
    }
}

} // namespace
} // namespace holon::test
