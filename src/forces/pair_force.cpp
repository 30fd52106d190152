#include <holon/forces/pair_force.hpp>

#include <holon/core/error.hpp>

#include "pair_functions.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace holon {

namespace {

using pair::Form;
using F16 = float __attribute__((vector_size(64)));
using I16 = std::int32_t __attribute__((vector_size(64)));

constexpr int kernel_force_bits = 14; // 1 unit of a pair force = 2^-14 kJ/mol/nm
constexpr float wide_limit = 4096.0F; // [kJ/mol/nm] beyond: the wide path
constexpr int per_cluster = PairList::width;
constexpr int lanes = per_cluster * per_cluster;

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// One pair for the wide path: places in the list's cluster order.
struct WidePair {
    std::int32_t i, j;
};

/// Lane 4 a + b of a row's forces belongs to atom b of this cluster (as partner) until they are folded.
struct alignas(64) LaneForces {
    I16 x, y, z;
};

struct Kernel {
    const PairList& list;
    const std::vector<float>& charge;
    const std::vector<std::int32_t>& type;
    const std::vector<float>& c6;
    const std::vector<float>& c12;
    std::int32_t n_types;
    pair::Constants<float> constants;
    std::vector<LaneForces>& partner;               // per cluster
    std::vector<std::array<std::int32_t, 12>>& row; // per cluster: x, y, z of four atoms
    std::vector<WidePair>& wide;
};

inline __attribute__((always_inline)) F16 to_float(I16 x)
{
    return __builtin_convertvector(x, F16);
}

/// 1/sqrt by integer seed and three Newton steps: the same bits on any processor, unlike the hardware's estimates.
inline __attribute__((always_inline)) F16 rsqrt(F16 x)
{
    F16 y = (F16)(0x5f375a86 - ((I16)x >> 1));
    const F16 half = 0.5F * x;
    y = y * (1.5F - half * y * y);
    y = y * (1.5F - half * y * y);
    return y * (1.5F - half * y * y);
}

/// Nearest integer, halves away from zero: odd-symmetric.
inline __attribute__((always_inline)) I16 round_half_away(F16 x)
{
    const I16 half = ((I16)x & (I16{} - 0x7fffffff - 1)) | 0x3f000000;
    return __builtin_convertvector(x + (F16)half, I16);
}

inline __attribute__((always_inline)) I16 spread_rows(const std::int32_t* v)
{
    return I16{v[0], v[0], v[0], v[0], v[1], v[1], v[1], v[1], v[2], v[2], v[2], v[2], v[3], v[3], v[3], v[3]};
}

inline __attribute__((always_inline)) I16 spread_columns(const std::int32_t* v)
{
    return I16{v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3]};
}

inline __attribute__((always_inline)) F16 spread_columns(const float* v)
{
    return F16{v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3]};
}

template <Form vdw>
inline __attribute__((always_inline)) void run(const Kernel& k)
{
    const auto& clusters = k.list.clusters();
    const auto& begin = k.list.row_begin();
    const I16 lane_bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    const auto& c = k.constants;
    for (std::size_t ci = 0; ci + 1 < begin.size(); ++ci) {
        if (begin[ci] == begin[ci + 1]) continue;
        const I16 xi = spread_rows(clusters[ci].x), yi = spread_rows(clusters[ci].y), zi = spread_rows(clusters[ci].z);
        const float* q = &k.charge[ci * per_cluster];
        const F16 qi = {q[0], q[0], q[0], q[0], q[1], q[1], q[1], q[1], q[2], q[2], q[2], q[2], q[3], q[3], q[3], q[3]};
        std::array<const float*, 4> row6{}, row12{};
        for (std::size_t a = 0; a < 4; ++a) {
            row6[a] = &k.c6[index(k.type[ci * per_cluster + a] * k.n_types)];
            row12[a] = &k.c12[index(k.type[ci * per_cluster + a] * k.n_types)];
        }
        I16 fx_i{}, fy_i{}, fz_i{};
        for (auto e = begin[ci]; e < begin[ci + 1]; ++e) {
            const auto entry = k.list.entries()[index(e)];
            const auto cj = index(entry.cluster);
            const F16 dx = to_float(xi - spread_columns(clusters[cj].x)) * kernel_unit;
            const F16 dy = to_float(yi - spread_columns(clusters[cj].y)) * kernel_unit;
            const F16 dz = to_float(zi - spread_columns(clusters[cj].z)) * kernel_unit;
            const F16 r2 = dx * dx + dy * dy + dz * dz;
            const I16 listed = ((static_cast<std::int32_t>(entry.mask) & lane_bit) != 0);
            const F16 rinv = rsqrt(r2);
            const F16 qq = qi * spread_columns(&k.charge[cj * per_cluster]);
            const std::int32_t* tj = &k.type[cj * per_cluster];
            F16 c6{}, c12{};
            for (std::size_t l = 0; l < lanes; ++l) {
                c6[l] = row6[l / 4][tj[l % 4]];
                c12[l] = row12[l / 4][tj[l % 4]];
            }
            const F16 coulomb = pair::coulomb_force<Form::plain>(r2, rinv, qq, c);
            const F16 lj = pair::vdw_force<vdw>(r2, rinv, c6, c12, c);
            const F16 zero{};
            F16 f = (r2 < c.rc2_coulomb ? coulomb : zero) + (r2 < c.rc2_vdw ? lj : zero);
            f = listed ? f : zero;
            const I16 fits = f * f * r2 <= wide_limit * wide_limit; // false for NaN, too
            I16 unfit = ~fits & listed;
            unfit = unfit & ((r2 < c.rc2_coulomb) | (r2 < c.rc2_vdw));
            f = fits ? f : zero;
            f *= static_cast<float>(1 << kernel_force_bits);
            const I16 fx = round_half_away(f * dx), fy = round_half_away(f * dy), fz = round_half_away(f * dz);
            fx_i += fx;
            fy_i += fy;
            fz_i += fz;
            auto& partner = k.partner[cj];
            partner.x += fx;
            partner.y += fy;
            partner.z += fz;
            std::int32_t any = 0;
            for (int l = 0; l < lanes; ++l) any |= unfit[l];
            if (any != 0) [[unlikely]]
                for (std::int32_t l = 0; l < lanes; ++l)
                    if (unfit[l] != 0)
                        k.wide.push_back(
                            {static_cast<std::int32_t>(ci) * per_cluster + l / 4, entry.cluster * per_cluster + l % 4});
        }
        auto& row = k.row[ci];
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b) {
                row[a] += fx_i[4 * a + b];
                row[4 + a] += fy_i[4 * a + b];
                row[8 + a] += fz_i[4 * a + b];
            }
    }
}

#define HOLON_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
HOLON_DISPATCH void run_plain(const Kernel& k)
{
    run<Form::plain>(k);
}
HOLON_DISPATCH void run_force_switch(const Kernel& k)
{
    run<Form::force_switch>(k);
}
HOLON_DISPATCH void run_potential_switch(const Kernel& k)
{
    run<Form::potential_switch>(k);
}

} // namespace

struct PairForce::Impl {
    const NonbondedConstants constants;
    Precision precision;
    Form coulomb_form, vdw_form;
    pair::Constants<double> real;
    pair::Constants<float> single;
    std::int32_t n_types;
    std::vector<double> c6, c12; // n_types x n_types; the last type has no interactions (unused places)
    std::vector<float> c6_single, c12_single;
    double charge_scale;

    std::vector<std::int32_t> type;   // per place
    std::vector<float> charge_single; // per place, times charge_scale
    std::vector<double> charge;
    std::vector<LaneForces> partner;
    std::vector<std::array<std::int32_t, 12>> row;
    std::vector<WidePair> wide;

    Impl(const Topology& topology, const NonbondedConstants& n, Precision p)
        : constants(n), precision(p), coulomb_form(pair::form_of(n.coulomb_modifier)),
          vdw_form(pair::form_of(n.vdw_modifier)), real(n), single(n),
          n_types(static_cast<std::int32_t>(topology.atom_types.size()) + 1), charge_scale(std::sqrt(n.coulomb_factor))
    {
        c6.assign(index(n_types * n_types), 0.0);
        c12 = c6;
        for (std::int32_t i = 0; i + 1 < n_types; ++i)
            for (std::int32_t j = 0; j + 1 < n_types; ++j) {
                c6[index(i * n_types + j)] = topology.c6[index(i * (n_types - 1) + j)];
                c12[index(i * n_types + j)] = topology.c12[index(i * (n_types - 1) + j)];
            }
        c6_single.assign(c6.begin(), c6.end());
        c12_single.assign(c12.begin(), c12.end());
    }

    bool vectorised() const { return precision == Precision::mixed && coulomb_form == Form::plain; }

    void run_vectorised(const PairList& list, Atoms& atoms)
    {
        const auto n = list.clusters().size();
        partner.assign(n, LaneForces{});
        row.assign(n, {});
        wide.clear();
        const Kernel kernel{list, charge_single, type, c6_single, c12_single, n_types, single, partner, row, wide};
        if (vdw_form == Form::plain) run_plain(kernel);
        if (vdw_form == Form::force_switch) run_force_switch(kernel);
        if (vdw_form == Form::potential_switch) run_potential_switch(kernel);
        fold(list, atoms);
    }

    /// Adds what rows and partners have collected, in units of 2^-14, to the forces in units of 2^-28.
    void fold(const PairList& list, Atoms& atoms) const
    {
        constexpr std::int64_t scale = std::int64_t{1} << (force_bits - kernel_force_bits);
        for (std::size_t c = 0; c < list.clusters().size(); ++c)
            for (std::size_t a = 0; a < 4; ++a) {
                const auto atom = list.atoms()[4 * c + a];
                if (atom < 0) continue;
                const auto total = [&](const I16& lane, std::size_t k) {
                    return row[c][4 * k + a] - (lane[a] + lane[4 + a] + lane[8 + a] + lane[12 + a]);
                };
                atoms.f[index(atom)] += IVec3(total(partner[c].x, 0) * scale, total(partner[c].y, 1) * scale,
                                              total(partner[c].z, 2) * scale);
            }
    }

    /// Calls use(place i, place j, d [nm], within the Coulomb cutoff, within the vdW cutoff) for all pairs of the list.
    template <class Use>
    void for_each_pair(const PairList& list, const Atoms& atoms, Use use) const
    {
        const auto& begin = list.row_begin();
        for (std::size_t ci = 0; ci + 1 < begin.size(); ++ci)
            for (auto e = begin[ci]; e < begin[ci + 1]; ++e) {
                const auto entry = list.entries()[index(e)];
                for (std::int32_t l = 0; l < lanes; ++l)
                    if ((entry.mask >> l & 1U) != 0)
                        one_pair(
                            list, atoms,
                            {static_cast<std::int32_t>(ci) * per_cluster + l / 4, entry.cluster * per_cluster + l % 4},
                            use);
            }
    }

    template <class Use>
    void one_pair(const PairList& list, const Atoms& atoms, WidePair p, Use use) const
    {
        if (precision == Precision::mixed) {
            const auto& a = list.clusters()[index(p.i / 4)];
            const auto& b = list.clusters()[index(p.j / 4)];
            const auto i = p.i % 4, j = p.j % 4;
            const float dx = static_cast<float>(a.x[i] - b.x[j]) * kernel_unit;
            const float dy = static_cast<float>(a.y[i] - b.y[j]) * kernel_unit;
            const float dz = static_cast<float>(a.z[i] - b.z[j]) * kernel_unit;
            const float r2 = dx * dx + dy * dy + dz * dz;
            const bool coulomb = r2 < single.rc2_coulomb, vdw = r2 < single.rc2_vdw;
            if (coulomb || vdw) use(p, Vec3(dx, dy, dz), coulomb, vdw);
        } else {
            const Vec3 d = to_real(atoms.x[index(list.atoms()[index(p.i)])] - atoms.x[index(list.atoms()[index(p.j)])],
                                   position_unit);
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const bool coulomb = r2 < real.rc2_coulomb, vdw = r2 < real.rc2_vdw;
            if (coulomb || vdw) use(p, d, coulomb, vdw);
        }
    }

    double force_over_r(WidePair p, double r2, bool coulomb, bool vdw) const
    {
        const double rinv = 1.0 / std::sqrt(r2);
        const double qq = charge[index(p.i)] * charge[index(p.j)];
        const auto t = index(type[index(p.i)] * n_types + type[index(p.j)]);
        double f = 0.0;
        if (coulomb) {
            if (coulomb_form == Form::plain) f += pair::coulomb_force<Form::plain>(r2, rinv, qq, real);
            if (coulomb_form == Form::force_switch) f += pair::coulomb_force<Form::force_switch>(r2, rinv, qq, real);
            if (coulomb_form == Form::potential_switch)
                f += pair::coulomb_force<Form::potential_switch>(r2, rinv, qq, real);
        }
        if (vdw) {
            if (vdw_form == Form::plain) f += pair::vdw_force<Form::plain>(r2, rinv, c6[t], c12[t], real);
            if (vdw_form == Form::force_switch) f += pair::vdw_force<Form::force_switch>(r2, rinv, c6[t], c12[t], real);
            if (vdw_form == Form::potential_switch)
                f += pair::vdw_force<Form::potential_switch>(r2, rinv, c6[t], c12[t], real);
        }
        return f;
    }

    /// Adds the force of one pair in double, 64-bit sums.
    void add_wide(const PairList& list, Atoms& atoms, WidePair p, const Vec3& d, bool coulomb, bool vdw,
                  std::string& failure) const
    {
        const auto i = index(list.atoms()[index(p.i)]), j = index(list.atoms()[index(p.j)]);
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 == 0.0) {
            if (failure.empty())
                failure = fmt::format("atoms {} and {} are at the same place", std::min(atoms.id[i], atoms.id[j]) + 1,
                                      std::max(atoms.id[i], atoms.id[j]) + 1);
            return;
        }
        const double f = force_over_r(p, r2, coulomb, vdw);
        IVec3 force;
        for (int k = 0; k < 3; ++k) force[k] = round_to_int_clamped(f * d[k] / force_unit);
        atoms.f[i] += force;
        atoms.f[j] -= force;
    }

    void add_energies(const PairList& list, const Atoms& atoms, ForceSums& sums) const
    {
        for_each_pair(list, atoms, [&](WidePair p, const Vec3& d, bool coulomb, bool vdw) {
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const auto t = index(type[index(p.i)] * n_types + type[index(p.j)]);
            const double qq = charge[index(p.i)] * charge[index(p.j)];
            if (coulomb && qq != 0.0)
                sums.add(EnergyTerm::coulomb_short, pair::coulomb_energy(coulomb_form, r2, qq, real));
            if (vdw && (c6[t] != 0.0 || c12[t] != 0.0))
                sums.add(EnergyTerm::lj, pair::vdw_energy(vdw_form, r2, c6[t], c12[t], real));
        });
    }

    /// -1/2 sum over pairs of d (x) f = -1/2 sum over local atoms of x (x) f: with integer positions and forces the two
    /// are the same number, whatever the origin, because the forces of each rank's pairs sum to exactly zero.
    void add_virial(const PairList& list, const Atoms& atoms, ForceSums& sums) const
    {
        const int drop = precision == Precision::mixed ? position_bits - kernel_bits : 4;
        sums.position_force_bits = position_bits - drop + force_bits;
        for (const auto atom : list.atoms()) {
            if (atom < 0) continue;
            const IVec3& x = atoms.x[index(atom)];
            const IVec3& f = atoms.f[index(atom)];
            for (int a = 0; a < 3; ++a) {
                const int128 position = (x[a] + (std::int64_t{1} << (drop - 1))) >> drop;
                for (int b = 0; b < 3; ++b)
                    sums.position_force[index(3 * a + b)] += FixedSum::from_raw(position * f[b]);
            }
        }
    }
};

PairForce::PairForce(const Topology& topology, const NonbondedConstants& constants, Precision precision)
    : impl_(std::make_unique<Impl>(topology, constants, precision))
{
}
PairForce::~PairForce() = default;

void PairForce::set_up(const PairList& list, const Atoms& atoms)
{
    auto& self = *impl_;
    const auto places = list.atoms().size();
    self.type.assign(places, self.n_types - 1);
    self.charge.assign(places, 0.0);
    for (std::size_t p = 0; p < places; ++p) {
        const auto atom = list.atoms()[p];
        if (atom < 0) continue;
        self.type[p] = atoms.type[index(atom)];
        self.charge[p] = atoms.charge[index(atom)] * self.charge_scale;
    }
    self.charge_single.assign(self.charge.begin(), self.charge.end());
}

std::string PairForce::add_forces(const PairList& list, Atoms& atoms, ForceSums* sums)
{
    auto& self = *impl_;
    std::string failure;
    const auto add_wide = [&](WidePair p, const Vec3& d, bool coulomb, bool vdw) {
        self.add_wide(list, atoms, p, d, coulomb, vdw, failure);
    };
    if (self.vectorised()) {
        self.run_vectorised(list, atoms);
        for (const auto& p : self.wide) self.one_pair(list, atoms, p, add_wide);
    } else {
        self.for_each_pair(list, atoms, add_wide);
    }
    if (sums != nullptr) {
        self.add_energies(list, atoms, *sums);
        self.add_virial(list, atoms, *sums);
    }
    return failure;
}

double PairForce::self_energy(const Topology& topology, const NonbondedConstants& constants)
{
    double sum_q2 = 0.0;
    for (const auto& block : topology.blocks) {
        double molecule = 0.0;
        for (const auto& atom : topology.molecule_types[index(block.type)].atoms) molecule += atom.charge * atom.charge;
        sum_q2 += molecule * static_cast<double>(block.count);
    }
    // Only the reaction field acts on a charge by itself; a plain cut-off has none.
    return constants.reaction_field ? -0.5 * constants.coulomb_factor * constants.c_rf * sum_q2 : 0.0;
}

} // namespace holon
