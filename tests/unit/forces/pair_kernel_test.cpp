// The kernels of all instruction sets do the same, and so does the arithmetic that they are made of.
#include <forces/pair_kernel.hpp>

#include <support/random_clusters.hpp>
#include <support/reference.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace holon::test {
namespace {

using pair::Form;

Parameters parameters(Modifier vdw, double switch_at)
{
    Parameters p;
    p.rcoulomb = 0.9;
    p.rvdw = 1.0;
    p.rvdw_switch = switch_at;
    p.vdw_modifier = vdw;
    p.coulomb = CoulombKind::reaction_field;
    p.epsilon_rf = 78.0;
    return p;
}

struct Setting {
    const char* name;
    Form form; // of Lennard-Jones
    Parameters parameters;

    Form coulomb() const { return parameters.coulomb == CoulombKind::mesh ? Form::ewald : Form::plain; }
    NonbondedConstants constants() const
    {
        if (coulomb() == Form::plain) return NonbondedConstants(parameters);
        return NonbondedConstants(parameters,
                                  std::make_shared<const MeshSettings>(choose_mesh(parameters, Box(cubic(3.0), 22))));
    }
};

Parameters mesh_parameters(double accuracy, Modifier vdw)
{
    auto p = parameters(vdw, 0.8);
    p.coulomb = CoulombKind::mesh;
    p.mesh_accuracy = accuracy;
    return p;
}

Parameters spme_parameters()
{
    auto p = mesh_parameters(0.0, Modifier::potential_shift);
    p.mesh = MeshKind::spme;
    return p;
}

std::vector<Setting> settings()
{
    return {{"plain", Form::plain, parameters(Modifier::none, 0.0)},
            {"shift", Form::plain, parameters(Modifier::potential_shift, 0.0)},
            {"force switch", Form::force_switch, parameters(Modifier::force_switch, 0.8)},
            {"force switch from 0", Form::force_switch, parameters(Modifier::force_switch, 0.0)},
            {"potential switch", Form::potential_switch, parameters(Modifier::potential_switch, 0.8)},
            {"ewald, coarse", Form::plain, mesh_parameters(1e-3, Modifier::potential_shift)},
            {"ewald, fine", Form::force_switch, mesh_parameters(1e-5, Modifier::force_switch)},
            {"ewald, finest", Form::potential_switch, mesh_parameters(1e-7, Modifier::potential_switch)},
            {"ewald, Gaussian", Form::plain, spme_parameters()}};
}

struct Forces {
    std::vector<pair::LaneForces> lanes;
    std::vector<pair::WidePairs> wide;
    std::vector<IVec3> atoms; // folded
};

using pair::Kind;
using Kernel = std::size_t (*)(Kind, Form, const pair::KernelData&);
using Fold = void (*)(const pair::FoldData&);
using Energies = int128 (*)(Kind, Form, const pair::EnergyData&);

constexpr Kind kinds[] = {Kind::coulomb, Kind::vdw};

Form form_of(const Setting& setting, Kind kind)
{
    return kind == Kind::coulomb ? setting.coulomb() : setting.form;
}

/// Rows in parts, as different threads take them, that begin with `part_begin`.
Forces run(Kernel kernel, Fold fold, Kind kind, const RandomClusters& c, const Setting& setting,
           const std::vector<std::int64_t>& part_begin = {0})
{
    constexpr auto n = static_cast<std::size_t>(RandomClusters::n);
    Forces result;
    result.lanes.resize(part_begin.size() * n);
    std::memset(result.lanes.data(), 1, sizeof(pair::LaneForces) * result.lanes.size()); // whatever was there before
    result.wide.resize(c.entries.size() + part_begin.size());
    std::memset(result.wide.data(), 1, sizeof(pair::WidePairs) * result.wide.size());
    const auto rows = c.rows();
    std::vector<PairList::Part> parts;
    std::size_t n_wide = 0;
    for (std::size_t p = 0; p < part_begin.size(); ++p) {
        parts.push_back({part_begin[p], p + 1 < part_begin.size() ? part_begin[p + 1] : RandomClusters::n, 0});
        std::vector<std::int32_t> named(n);
        for (auto r = parts[p].first; r < parts[p].last; ++r)
            for (const auto& entry : rows[static_cast<std::size_t>(r)].entries())
                ++named[static_cast<std::size_t>(entry.cluster)];
        n_wide += kernel(kind, form_of(setting, kind),
                         {.clusters = c.clusters.data(),
                          .n_clusters = RandomClusters::n,
                          .first = parts[p].first,
                          .last = parts[p].last,
                          .rows = rows.data(),
                          .named = named.data(),
                          .charge = c.charge_single.data(),
                          .type = c.type.data(),
                          .six_c6 = c.six_c6.data(),
                          .twelve_c12 = c.twelve_c12.data(),
                          .n_types = RandomClusters::n_types,
                          .constants = pair::Constants<float>(setting.constants()),
                          .forces = result.lanes.data() + p * n,
                          .wide = result.wide.data() + n_wide});
    }
    result.wide.resize(n_wide);
    std::vector<std::int32_t> places(4 * n);
    std::iota(places.begin(), places.end(), 0);
    places[5] = -1;
    result.atoms.assign(places.size(), IVec3::Constant(1000));
    fold({.forces = result.lanes.data(),
          .n_clusters = RandomClusters::n,
          .begin = 0,
          .end = RandomClusters::n,
          .parts = parts.data(),
          .n_parts = static_cast<int>(parts.size()),
          .atoms = places.data(),
          .scale = 8,
          .f = result.atoms.front().data()});
    return result;
}

struct EnergyResult {
    int128 sum = 0;
    std::vector<std::uint8_t> left_out;
};

EnergyResult run(Energies kernel, Kind kind, const RandomClusters& c, const Setting& setting)
{
    EnergyResult result{0, std::vector<std::uint8_t>(RandomClusters::n)};
    const NonbondedConstants constants = setting.constants();
    const auto rows = c.rows();
    result.sum = kernel(kind, form_of(setting, kind),
                        {.clusters = c.clusters.data(),
                         .first = 0,
                         .last = RandomClusters::n,
                         .rows = rows.data(),
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
    Kernel forces;
    Fold fold;
    Energies energies;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3"))
        all.push_back({"v3", pair::run_kernel_v3, pair::fold_v3, pair::run_energies_v3});
    if (__builtin_cpu_supports("x86-64-v4"))
        all.push_back({"v4", pair::run_kernel_v4, pair::fold_v4, pair::run_energies_v4});
#endif
    return all;
}

TEST(PairKernel, AllInstructionSetsGiveTheSameIntegers)
{
    for (unsigned seed = 1; seed <= 5; ++seed) {
        const RandomClusters clusters(seed);
        for (const auto& setting : settings())
            for (const auto kind : kinds) {
                const auto forces = run(pair::run_kernel_baseline, pair::fold_baseline, kind, clusters, setting);
                const auto energies = run(pair::run_energies_baseline, kind, clusters, setting);
                if (kind == Kind::vdw) {
                    EXPECT_FALSE(forces.wide.empty()) << "no pair overlaps";
                }
                EXPECT_GT(std::ranges::count(energies.left_out, 0), 0) << "all rows overlap";
                for (const auto& variant : variants()) {
                    SCOPED_TRACE(std::string(setting.name) + ", " + variant.name);
                    const auto other = run(variant.forces, variant.fold, kind, clusters, setting);
                    EXPECT_TRUE(same_bytes(other.lanes, forces.lanes));
                    EXPECT_TRUE(other.atoms == forces.atoms);
                    EXPECT_TRUE(same_bytes(other.wide, forces.wide));
                    const auto other_energies = run(variant.energies, kind, clusters, setting);
                    EXPECT_TRUE(other_energies.sum == energies.sum);
                    EXPECT_TRUE(other_energies.left_out == energies.left_out);
                }
            }
    }
}

TEST(PairKernel, PartsOfTheRowsGiveTheSameForcesTogether)
{
    const RandomClusters clusters(2);
    for (const auto& setting : settings())
        for (const auto kind : kinds) {
            SCOPED_TRACE(setting.name);
            const auto whole = run(pair::run_kernel_baseline, pair::fold_baseline, kind, clusters, setting);
            for (const std::vector<std::int64_t>& begin : {std::vector<std::int64_t>{0, 25}, {0, 1, 25, 25, 59}}) {
                const auto parts = run(pair::run_kernel_baseline, pair::fold_baseline, kind, clusters, setting, begin);
                EXPECT_TRUE(parts.atoms == whole.atoms);
                EXPECT_TRUE(same_bytes(parts.wide, whole.wide));
                for (const auto& variant : variants()) {
                    const auto other = run(variant.forces, variant.fold, kind, clusters, setting, begin);
                    EXPECT_TRUE(other.atoms == whole.atoms) << variant.name;
                }
            }
        }
}

/// Without their close entries, rows have no pair beyond the limit, and the path without a guard gives the same.
TEST(PairKernel, GuardChangesNothingWherePairsAreNotClose)
{
    RandomClusters clusters(3);
    std::vector<PairList::Entry> far;
    std::vector<std::int64_t> far_begin{0};
    for (std::size_t ci = 0; ci < RandomClusters::n; ++ci) {
        for (auto e = clusters.row_begin[ci]; e < clusters.row_begin[ci + 1]; ++e) {
            const auto entry = clusters.entries[static_cast<std::size_t>(e)];
            const auto& a = clusters.clusters[ci];
            const auto& b = clusters.clusters[static_cast<std::size_t>(entry.cluster)];
            double least = 1e9;
            for (std::size_t l = 0; l < 16; ++l)
                least = std::min(
                    least, Vec3(a.x[l / 4] - b.x[l % 4], a.y[l / 4] - b.y[l % 4], a.z[l / 4] - b.z[l % 4]).norm());
            if (least * kernel_unit > 0.35) far.push_back(entry);
        }
        far_begin.push_back(static_cast<std::int64_t>(far.size()));
    }
    clusters.entries = far;
    clusters.row_begin = far_begin;
    for (const auto& setting : settings())
        for (const auto kind : kinds) {
            SCOPED_TRACE(setting.name);
            clusters.row_close.assign(far_begin.begin(), far_begin.end() - 1);
            const auto guarded = run(pair::run_kernel_baseline, pair::fold_baseline, kind, clusters, setting);
            EXPECT_TRUE(guarded.wide.empty());
            clusters.row_close.assign(far_begin.begin() + 1, far_begin.end());
            const auto free = run(pair::run_kernel_baseline, pair::fold_baseline, kind, clusters, setting);
            EXPECT_TRUE(same_bytes(free.lanes, guarded.lanes));
            for (const auto& variant : variants()) {
                const auto other = run(variant.forces, variant.fold, kind, clusters, setting);
                EXPECT_TRUE(same_bytes(other.lanes, guarded.lanes)) << variant.name;
            }
        }
}

TEST(PairKernel, FoldTakesTheLanesOfAnAtomFromIt)
{
    const RandomClusters clusters(4);
    const auto forces =
        run(pair::run_kernel_baseline, pair::fold_baseline, Kind::coulomb, clusters, settings().front());
    for (std::size_t p = 0; p < forces.atoms.size(); ++p) {
        IVec3 expected = IVec3::Constant(1000);
        const auto& lanes = forces.lanes[p / 4];
        for (std::size_t l = p % 4; l < 16 && p != 5; l += 4) expected -= 8 * IVec3(lanes.x[l], lanes.y[l], lanes.z[l]);
        EXPECT_EQ(forces.atoms[p], expected) << p;
    }
}

TEST(PairKernel, ActionIsReactionToTheLastBit)
{
    const RandomClusters clusters(7);
    for (const auto& setting : settings())
        for (const auto kind : kinds) {
            const auto forces = run(pair::run_kernel_baseline, pair::fold_baseline, kind, clusters, setting);
            std::int64_t x = 0, y = 0, z = 0, largest = 0;
            for (std::size_t c = 0; c < RandomClusters::n; ++c) {
                for (const auto f : forces.lanes[c].x) largest = std::max(largest, std::abs(std::int64_t{f}));
                for (const auto f : forces.lanes[c].x) x += f;
                for (const auto f : forces.lanes[c].y) y += f;
                for (const auto f : forces.lanes[c].z) z += f;
            }
            EXPECT_GT(largest, 1 << pair::kernel_force_bits);
            EXPECT_LT(largest, 1 << 28); // no rounders left
            EXPECT_EQ(x, 0);
            EXPECT_EQ(y, 0);
            EXPECT_EQ(z, 0);
        }
}

/// Distances up to just below the cutoffs.
std::vector<double> distances(double cutoff)
{
    std::vector<double> all;
    for (double r = 0.15; r < cutoff; r += 0.0123) all.push_back(r);
    all.push_back(cutoff * (1.0 - 1e-9));
    return all;
}

template <Form form>
double lj_force(double r, double c6, double c12, const pair::Constants<double>& k)
{
    return r * pair::vdw_force<form>(r * r, 1.0 / r, 6.0 * c6, 12.0 * c12, k);
}

template <Form form>
void expect_lj_functions(const Parameters& p)
{
    const pair::Constants<double> k{NonbondedConstants(p)};
    const double c6 = 0.0062, c12 = 9.7e-6;
    for (const double r : distances(p.rvdw)) {
        const Dual expected = lj_potential(r, c6, c12, p);
        // What the terms that cancel leave of their rounding.
        const double scale = 1e-13 * (c12 * std::pow(r, -12) + c6 * std::pow(r, -6) + 1e-3);
        EXPECT_NEAR(pair::vdw_energy<form>(r * r, 1.0 / r, c6, c12, k), expected.value, scale) << "r = " << r;
        EXPECT_NEAR(lj_force<form>(r, c6, c12, k), -expected.slope, 20.0 / r * scale) << "r = " << r;
    }
}

TEST(PairFunctions, AreThoseOfTheManual)
{
    for (const auto& setting : settings()) {
        SCOPED_TRACE(setting.name);
        if (setting.form == Form::plain) expect_lj_functions<Form::plain>(setting.parameters);
        if (setting.form == Form::force_switch) expect_lj_functions<Form::force_switch>(setting.parameters);
        if (setting.form == Form::potential_switch) expect_lj_functions<Form::potential_switch>(setting.parameters);
    }
}

TEST(PairFunctions, ForceIsMinusTheSlopeOfTheEnergy)
{
    for (const auto& setting : settings()) {
        SCOPED_TRACE(setting.name);
        const pair::Constants<double> k{setting.constants()};
        const bool ewald = setting.coulomb() == Form::ewald;
        const auto energy = [&](double r) {
            const double coulomb = ewald ? pair::coulomb_energy<Form::ewald>(r * r, 1.0 / r, -1.3, k)
                                         : pair::coulomb_energy<Form::plain>(r * r, 1.0 / r, -1.3, k);
            if (setting.form == Form::force_switch)
                return coulomb + pair::vdw_energy<Form::force_switch>(r * r, 1.0 / r, 0.0062, 9.7e-6, k);
            if (setting.form == Form::potential_switch)
                return coulomb + pair::vdw_energy<Form::potential_switch>(r * r, 1.0 / r, 0.0062, 9.7e-6, k);
            return coulomb + pair::vdw_energy<Form::plain>(r * r, 1.0 / r, 0.0062, 9.7e-6, k);
        };
        const auto force = [&](double r) {
            const double coulomb = r * (ewald ? pair::coulomb_force<Form::ewald>(r * r, 1.0 / r, -1.3, k)
                                              : pair::coulomb_force<Form::plain>(r * r, 1.0 / r, -1.3, k));
            if (setting.form == Form::force_switch) return coulomb + lj_force<Form::force_switch>(r, 0.0062, 9.7e-6, k);
            if (setting.form == Form::potential_switch)
                return coulomb + lj_force<Form::potential_switch>(r, 0.0062, 9.7e-6, k);
            return coulomb + lj_force<Form::plain>(r, 0.0062, 9.7e-6, k);
        };
        for (double r = 0.25; r < 0.98; r += 0.0171) {
            const double h = 1e-5 * r;
            const double slope =
                (8.0 * (energy(r + h) - energy(r - h)) - (energy(r + 2.0 * h) - energy(r - 2.0 * h))) / (12.0 * h);
            EXPECT_NEAR(force(r), -slope, 1e-8 * std::max(1.0, std::abs(slope))) << "r = " << r;
        }
    }
}

template <Form form>
void expect_smooth_coulomb(Modifier modifier)
{
    Parameters p;
    p.coulomb = CoulombKind::cutoff;
    p.coulomb_modifier = modifier;
    p.rcoulomb = 0.9;
    p.rcoulomb_switch = 0.7;
    const pair::Constants<double> k{NonbondedConstants(p)};
    const auto energy = [&k](double r) { return pair::coulomb_energy<form>(r * r, 1.0 / r, -1.3, k); };
    const auto force = [&k](double r) { return r * pair::coulomb_force<form>(r * r, 1.0 / r, -1.3, k); };
    for (double r = 0.2; r < 0.9; r += 0.0171) {
        const double h = 1e-5 * r;
        EXPECT_NEAR(force(r), -(energy(r + h) - energy(r - h)) / (2.0 * h), 1e-7) << "r = " << r;
    }
    EXPECT_NEAR(energy(0.9), 0.0, 1e-14);
    EXPECT_NEAR(force(0.9), 0.0, 1e-13);
    // Inside the switching range nothing is left of it but a constant.
    EXPECT_NEAR(energy(0.3) - energy(0.5), -1.3 * (1.0 / 0.3 - 1.0 / 0.5), 1e-13);
}

TEST(PairFunctions, CoulombIsSwitchedOffSmoothly)
{
    expect_smooth_coulomb<Form::force_switch>(Modifier::force_switch);
    expect_smooth_coulomb<Form::potential_switch>(Modifier::potential_switch);
}

TEST(PairFunctions, GoToZeroAtTheCutoff)
{
    const double c6 = 0.0062, c12 = 9.7e-6, rc = 1.0;
    const auto at_cutoff = [&](const Setting& setting, auto form) {
        const pair::Constants<double> k{NonbondedConstants(setting.parameters)};
        return std::pair{pair::vdw_energy<form.value>(rc * rc, 1.0 / rc, c6, c12, k),
                         lj_force<form.value>(rc, c6, c12, k)};
    };
    const auto all = settings();
    const auto [plain, plain_force] = at_cutoff(all[0], std::integral_constant<Form, Form::plain>{});
    EXPECT_NEAR(plain, c12 - c6, 1e-15);
    const auto [shifted, shifted_force] = at_cutoff(all[1], std::integral_constant<Form, Form::plain>{});
    EXPECT_NEAR(shifted, 0.0, 1e-15);
    EXPECT_EQ(shifted_force, plain_force);
    for (const std::size_t switched : {2, 3}) {
        const auto [energy, force] = at_cutoff(all[switched], std::integral_constant<Form, Form::force_switch>{});
        EXPECT_NEAR(energy, 0.0, 1e-15);
        EXPECT_NEAR(force, 0.0, 1e-13);
    }
    const auto [energy, force] = at_cutoff(all[4], std::integral_constant<Form, Form::potential_switch>{});
    EXPECT_NEAR(energy, 0.0, 1e-15);
    EXPECT_NEAR(force, 0.0, 1e-13);
}

TEST(PairFunctions, EwaldEndsAtTheCutoff)
{
    for (const auto& setting : settings()) {
        if (setting.coulomb() != Form::ewald) continue;
        SCOPED_TRACE(setting.name);
        const pair::Constants<double> k{setting.constants()};
        const double rc = setting.parameters.rcoulomb;
        EXPECT_NEAR(pair::coulomb_energy<Form::ewald>(rc * rc, 1.0 / rc, 1.0, k), 0.0, 1e-7);
        const double force = rc * pair::coulomb_force<Form::ewald>(rc * rc, 1.0 / rc, 1.0, k);
        // A Gaussian split leaves a step: erfc(beta rc) / rc^2 + 2 beta / sqrt(pi) exp(-beta^2 rc^2) / rc.
        EXPECT_NEAR(force, 0.0, setting.parameters.mesh == MeshKind::spme ? 3e-4 : 1e-12);
    }
}

TEST(PairFunctions, ReactionFieldEndsAtTheCutoff)
{
    for (const double epsilon_rf : {0.0, 1.0, 78.0}) {
        auto p = parameters(Modifier::none, 0.0);
        p.epsilon_rf = epsilon_rf;
        const pair::Constants<double> k{NonbondedConstants(p)};
        const double rc = p.rcoulomb;
        EXPECT_NEAR(pair::coulomb_energy<Form::plain>(rc * rc, 1.0 / rc, 1.0, k), 0.0, 1e-15);
        const double force = rc * pair::coulomb_force<Form::plain>(rc * rc, 1.0 / rc, 1.0, k);
        // What remains of the force is the field that a dielectric lets through: 3 / (2 epsilon + 1).
        EXPECT_NEAR(force, epsilon_rf == 0.0 ? 0.0 : 3.0 / (2.0 * epsilon_rf + 1.0) / (rc * rc), 1e-15);
        for (const double r : distances(rc)) {
            const Dual expected = power({r, 1.0}, -1) + ReactionField(p)(r);
            EXPECT_NEAR(pair::coulomb_energy<Form::plain>(r * r, 1.0 / r, 1.0, k), expected.value, 1e-14);
            EXPECT_NEAR(r * pair::coulomb_force<Form::plain>(r * r, 1.0 / r, 1.0, k), -expected.slope, 1e-13);
        }
    }
}

TEST(PairFunctions, InverseSquareRoot)
{
    std::mt19937_64 random(3);
    for (int n = 0; n < 100000; ++n) {
        const double r2 = std::exp2(std::uniform_real_distribution<double>(-20.0, 6.0)(random));
        const auto single = static_cast<float>(r2);
        const float y = pair::inverse_sqrt(single, std::bit_cast<std::int32_t>(single));
        EXPECT_NEAR(y * std::sqrt(static_cast<double>(single)), 1.0, 8e-7);
        const double refined = pair::refine_inverse_sqrt(r2, static_cast<double>(y));
        EXPECT_NEAR(refined * std::sqrt(r2), 1.0, 1.5e-12);
    }
}

} // namespace
} // namespace holon::test
