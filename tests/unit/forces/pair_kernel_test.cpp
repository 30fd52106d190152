// The kernels of all instruction sets do the same, whatever way they take.
#include <holon/core/instruction_sets.hpp>

#include <forces/pairs/pair_kernel.hpp>

#include <support/pair_settings.hpp>
#include <support/random_clusters.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace holon::test {
namespace {

using pair::Form;

struct Forces {
    std::vector<pair::WidePairs> wide;
    std::vector<IVec3> units; // of each place, in units of pair forces
    std::vector<IVec3> atoms; // added to 1000, times 8; place 5 is unused
};

using pair::Kind;
using Kernel = std::size_t (*)(Kind, Form, const pair::KernelData&);
using Fold = void (*)(const pair::FoldData&);
struct ForceKernel {
    Kernel pairs;
    Fold fold;
};
using Energies = int128 (*)(Kind, Form, const pair::EnergyData&);

constexpr ForceKernel baseline{pair::run_kernel_baseline, pair::fold_baseline};

constexpr Kind kinds[] = {Kind::coulomb, Kind::vdw};

using pair::Combination;
constexpr Combination combinations[] = {Combination::table, Combination::lorentz_berthelot, Combination::geometric};

Form form_of(const PairSetting& setting, Kind kind)
{
    return kind == Kind::coulomb ? setting.coulomb() : setting.form;
}

/// Rows in parts, as different threads take them, that begin with `part_begin`.
Forces run(const ForceKernel& kernel, Kind kind, const RandomClusters& c, const PairSetting& setting,
           const std::vector<std::int64_t>& part_begin = {0}, bool centred = false)
{
    constexpr auto n = static_cast<std::size_t>(RandomClusters::n);
    Forces result;
    std::vector<pair::LaneForces> lanes(part_begin.size() * n);
    std::memset(lanes.data(), 1, sizeof(pair::LaneForces) * lanes.size()); // whatever was there before
    result.wide.resize(c.close.size() + part_begin.size());
    std::memset(result.wide.data(), 1, sizeof(pair::WidePairs) * result.wide.size());
    const auto rows = c.rows();
    const auto table = setting.coulomb() == Form::ewald ? pair::ForceTable(pair::Constants<double>(setting.constants()))
                                                        : pair::ForceTable{};
    std::vector<PairList::Part> parts;
    std::size_t n_wide = 0;
    for (std::size_t p = 0; p < part_begin.size(); ++p) {
        parts.push_back({part_begin[p], p + 1 < part_begin.size() ? part_begin[p + 1] : RandomClusters::n});
        std::vector<std::int32_t> named(n);
        for (auto r = parts[p].first; r < parts[p].last; ++r) {
            const auto& row = rows[static_cast<std::size_t>(r)];
            for (const auto cluster : std::span(row.near, row.far_end)) ++named[static_cast<std::size_t>(cluster)];
            for (const auto& entry : std::span(row.close, row.close_end))
                ++named[static_cast<std::size_t>(entry.cluster)];
        }
        n_wide += kernel.pairs(kind, form_of(setting, kind),
                               {.clusters = {c.clusters.data()},
                                .centred = centred ? c.centred() : CentredClusters{},
                                .n_clusters = RandomClusters::n,
                                .first = parts[p].first,
                                .last = parts[p].last,
                                .rows = rows.data(),
                                .named = named.data(),
                                .charge = c.charge_single.data(),
                                .combination = c.rule.combination,
                                .vdw_a = c.vdw_a.data(),
                                .vdw_b = c.vdw_b.data(),
                                .type = c.type.data(),
                                .of_types = c.of_types.data(),
                                .n_types = RandomClusters::n_types,
                                .constants = pair::Constants<float>(setting.constants()),
                                .table = &table,
                                .forces = lanes.data() + p * n,
                                .wide = result.wide.data() + n_wide});
    }
    result.wide.resize(n_wide);
    std::vector<std::int32_t> places(4 * n);
    std::iota(places.begin(), places.end(), 0);
    const auto fold = [&](int shift, std::vector<IVec3>& f) {
        kernel.fold({.forces = lanes.data(),
                     .n_clusters = RandomClusters::n,
                     .begin = 0,
                     .end = RandomClusters::n,
                     .parts = parts.data(),
                     .n_parts = static_cast<int>(parts.size()),
                     .atoms = places.data(),
                     .shift = shift,
                     .f = f.front().data()});
    };
    result.units.assign(places.size(), IVec3::Zero());
    fold(0, result.units);
    places[5] = -1;
    result.atoms.assign(places.size(), IVec3::Constant(1000));
    fold(3, result.atoms);
    return result;
}

struct EnergyResult {
    int128 sum = 0;
    std::vector<std::uint8_t> left_out;
};

EnergyResult run(Energies kernel, Kind kind, const RandomClusters& c, const PairSetting& setting)
{
    EnergyResult result{0, std::vector<std::uint8_t>(RandomClusters::n)};
    const NonbondedConstants constants = setting.constants();
    const auto rows = c.rows();
    result.sum = kernel(kind, form_of(setting, kind),
                        {.clusters = c.clusters.data(),
                         .first = 0,
                         .last = RandomClusters::n,
                         .rows = rows.data(),
                         .used_rows = c.used_rows.data(),
                         .used = c.used.data(),
                         .charge = c.charge.data(),
                         .type = c.type.data(),
                         .c6 = c.c6.data(),
                         .c12 = c.c12.data(),
                         .n_types = RandomClusters::n_types,
                         .cutoffs = pair::Constants<float>(constants),
                         .constants = pair::Constants<double>(constants),
                         .row_left_out = result.left_out.data()});
    return result;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// The variants beside the baseline that this machine can run.
struct Variant {
    const char* name;
    ForceKernel forces;
    Energies energies;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all;
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3)
        all.push_back({"v3", {pair::run_kernel_v3, pair::fold_v3}, pair::run_energies_v3});
    if (best_instruction_set() >= InstructionSet::v4)
        all.push_back({"v4", {pair::run_kernel_v4, pair::fold_v4}, pair::run_energies_v4});
#endif
    return all;
}

TEST(PairKernel, AllInstructionSetsGiveTheSameIntegers)
{
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const RandomClusters clusters(seed, combinations[seed % 3]);
        for (const auto& setting : pair_settings())
            for (const auto kind : kinds) {
                const auto forces = run(baseline, kind, clusters, setting);
                const auto energies = run(pair::run_energies_baseline, kind, clusters, setting);
                if (kind == Kind::vdw) {
                    EXPECT_FALSE(forces.wide.empty()) << "no pair overlaps";
                }
                EXPECT_GT(std::ranges::count(energies.left_out, 0), 0) << "all rows overlap";
                for (const auto& variant : variants()) {
                    SCOPED_TRACE(std::string(setting.name) + ", " + variant.name);
                    const auto other = run(variant.forces, kind, clusters, setting);
                    EXPECT_TRUE(other.units == forces.units);
                    EXPECT_TRUE(other.atoms == forces.atoms);
                    EXPECT_TRUE(same_bytes(other.wide, forces.wide));
                    const auto centred = run(variant.forces, kind, clusters, setting, {0}, true);
                    EXPECT_TRUE(centred.units == forces.units);
                    EXPECT_TRUE(same_bytes(centred.wide, forces.wide));
                    const auto other_energies = run(variant.energies, kind, clusters, setting);
                    EXPECT_TRUE(other_energies.sum == energies.sum);
                    EXPECT_TRUE(other_energies.left_out == energies.left_out);
                }
            }
    }
}

TEST(PairKernel, RulesGiveTheForcesOfTheirTables)
{
    for (const auto combination : {Combination::lorentz_berthelot, Combination::geometric}) {
        RandomClusters clusters(8, combination);
        ASSERT_EQ(clusters.rule.combination, combination);
        for (const auto& setting : pair_settings()) {
            SCOPED_TRACE(setting.name);
            const auto by_rule = run(baseline, Kind::vdw, clusters, setting);
            auto looked_up = clusters;
            looked_up.rule = {};
            const auto by_table = run(baseline, Kind::vdw, looked_up, setting);
            ASSERT_TRUE(same_bytes(by_rule.wide, by_table.wide));
            double largest = 0.0;
            for (std::size_t p = 0; p < by_rule.atoms.size(); ++p) {
                const Vec3 difference = (by_rule.atoms[p] - by_table.atoms[p]).cast<double>() / 8.0;
                largest = std::max(largest, difference.norm());
                // Of up to 2047 kJ/mol/nm each, with a rounding error of some 1e-6.
                EXPECT_LT(difference.norm(), 2e-6 * std::exp2(pair::kernel_force_bits) * 2047.0 * 4.0);
            }
            EXPECT_GT(largest, 0.0) << "the rule was not used";
        }
    }
}

TEST(PairKernel, PartsOfTheRowsGiveTheSameForcesTogether)
{
    const RandomClusters clusters(2);
    for (const auto& setting : pair_settings())
        for (const auto kind : kinds) {
            SCOPED_TRACE(setting.name);
            const auto whole = run(baseline, kind, clusters, setting);
            for (const std::vector<std::int64_t>& begin : {std::vector<std::int64_t>{0, 25}, {0, 1, 25, 25, 59}}) {
                const auto parts = run(baseline, kind, clusters, setting, begin);
                EXPECT_TRUE(parts.atoms == whole.atoms);
                EXPECT_TRUE(same_bytes(parts.wide, whole.wide));
                for (const auto& variant : variants()) {
                    const auto other = run(variant.forces, kind, clusters, setting, begin);
                    EXPECT_TRUE(other.atoms == whole.atoms) << variant.name;
                }
            }
        }
}

/// Where rows have no pair beyond the limit, the path without a guard gives the same.
TEST(PairKernel, GuardChangesNothingWherePairsAreNotClose)
{
    RandomClusters all_close(3);
    std::vector<std::int32_t> far;
    std::vector<std::int64_t> far_begin{0};
    for (std::size_t ci = 0; ci < RandomClusters::n; ++ci) {
        for (auto e = all_close.close_begin[ci]; e < all_close.close_begin[ci + 1]; ++e) {
            const auto entry = all_close.close[static_cast<std::size_t>(e)];
            const auto& a = all_close.clusters[ci];
            const auto& b = all_close.clusters[static_cast<std::size_t>(entry.cluster)];
            double least = 1e9;
            for (std::size_t l = 0; l < 16; ++l)
                least = std::min(
                    least, Vec3(a.x[l / 4] - b.x[l % 4], a.y[l / 4] - b.y[l % 4], a.z[l / 4] - b.z[l % 4]).norm());
            if (least * kernel_unit > 0.35) far.push_back(entry.cluster);
        }
        far_begin.push_back(static_cast<std::int64_t>(far.size()));
    }
    ASSERT_GT(far.size(), std::size_t{RandomClusters::n});
    RandomClusters all_far = all_close;
    all_far.far = far;
    all_far.far_begin = all_close.close_begin = far_begin;
    all_far.close.clear();
    all_far.close_begin.assign(far_begin.size(), 0);
    all_close.close.clear();
    for (const auto cluster : far) all_close.close.push_back({cluster, 0xffff});
    for (const auto& setting : pair_settings())
        for (const auto kind : kinds) {
            SCOPED_TRACE(setting.name);
            const auto guarded = run(baseline, kind, all_close, setting);
            EXPECT_TRUE(guarded.wide.empty());
            const auto free = run(baseline, kind, all_far, setting);
            EXPECT_TRUE(free.units == guarded.units);
            const auto energy = run(pair::run_energies_baseline, kind, all_close, setting);
            EXPECT_TRUE(run(pair::run_energies_baseline, kind, all_far, setting).sum == energy.sum);
            for (const auto& variant : variants())
                for (const bool centred : {false, true}) {
                    const auto other = run(variant.forces, kind, all_far, setting, {0}, centred);
                    EXPECT_TRUE(other.units == guarded.units) << variant.name;
                }
        }
}

/// Far entries have no masks: a place that is not used must add nothing to one that is, nor to the energy.
TEST(PairKernel, UnusedPlacesOfFarEntriesDoNotCount)
{
    RandomClusters clusters(3);
    const auto unused = [&](std::size_t c, std::size_t a) {
        clusters.clusters[c].x[a] = -(1 << 28) - static_cast<std::int32_t>(a) * (1 << 26);
        clusters.clusters[c].y[a] = clusters.clusters[c].z[a] = 0;
        clusters.used_rows[c] &= ~(1U << 4 * a);
        clusters.used[c] &= ~(1U << a);
    };
    for (const std::size_t c : {1, 2}) {
        clusters.clusters[c] = {.x = {0, 1 << 18, 0, 0}, .y = {}, .z = {}};
        for (auto& z : clusters.clusters[c].z) z = static_cast<std::int32_t>(c) << 21; // 0.5 nm apart
        unused(c, 2);
        unused(c, 3);
    }
    const auto with_entry = [&](bool far) {
        auto one = clusters;
        one.far.assign(far ? 1 : 0, 2);
        one.close.assign(far ? 0 : 1, {2, 0x0033});
        for (std::size_t row = 0; row < one.far_begin.size(); ++row) {
            one.far_begin[row] = far && row > 1 ? 1 : 0;
            one.close_begin[row] = !far && row > 1 ? 1 : 0;
        }
        return one;
    };
    for (const auto& setting : pair_settings())
        for (const auto kind : kinds) {
            SCOPED_TRACE(setting.name);
            const auto expected = run(baseline, kind, with_entry(false), setting);
            const auto energy = run(pair::run_energies_baseline, kind, with_entry(false), setting);
            for (const auto& variant : variants()) {
                const auto found = run(variant.forces, kind, with_entry(true), setting);
                for (const std::size_t atom : {4, 8, 9}) // 5 is not folded
                    EXPECT_EQ(found.atoms[atom], expected.atoms[atom]) << variant.name << " " << atom;
                EXPECT_TRUE(run(variant.energies, kind, with_entry(true), setting).sum == energy.sum) << variant.name;
            }
            if (kind == Kind::coulomb) {
                EXPECT_NE(expected.atoms[8], IVec3::Constant(1000));
            }
        }
}

TEST(PairKernel, FoldScalesAndLeavesOutUnusedPlaces)
{
    const RandomClusters clusters(4);
    const auto forces = run(baseline, Kind::coulomb, clusters, pair_settings().front());
    EXPECT_NE(forces.units[5], IVec3::Zero());
    for (std::size_t p = 0; p < forces.atoms.size(); ++p)
        EXPECT_EQ(forces.atoms[p], IVec3(IVec3::Constant(1000) + (p == 5 ? 0 : 8) * forces.units[p])) << p;
}

TEST(PairKernel, ActionIsReactionToTheLastBit)
{
    const RandomClusters clusters(7);
    for (const auto& setting : pair_settings())
        for (const auto kind : kinds) {
            const auto forces = run(baseline, kind, clusters, setting);
            IVec3 sum = IVec3::Zero();
            std::int64_t largest = 0;
            for (const auto& f : forces.units) {
                sum += f;
                largest = std::max(largest, f.cwiseAbs().maxCoeff());
            }
            EXPECT_GT(largest, 1 << pair::kernel_force_bits);
            EXPECT_LT(largest, 1 << 28); // no rounders left
            EXPECT_EQ(sum, IVec3::Zero());
        }
}

TEST(CombinationRule, IsWhatTheTableObeys)
{
    for (const auto combination : combinations) {
        const auto [c6, c12] = vdw_tables(combination);
        const pair::CombinationRule rule(c6, c12);
        EXPECT_EQ(rule.combination, combination);
        EXPECT_EQ(rule.a.size(), combination == Combination::table ? 0 : 3);
    }
    auto tables = vdw_tables(Combination::lorentz_berthelot);
    tables.c6[1] = tables.c6[3] *= 1.0 + 1e-6;
    EXPECT_EQ(pair::CombinationRule(tables.c6, tables.c12).combination, Combination::table) << "a pair of its own";
    tables = vdw_tables(Combination::geometric);
    tables.c6[4] *= -1.0;
    EXPECT_EQ(pair::CombinationRule(tables.c6, tables.c12).combination, Combination::table) << "no real number";
    EXPECT_EQ(pair::CombinationRule({0.006}, {0.0}).combination, Combination::geometric) << "no repulsion";
    EXPECT_NE(pair::CombinationRule({0.0}, {0.0}).combination, Combination::table) << "nothing to look up";
}

} // namespace
} // namespace holon::test
