#include <holon/forces/pair_force.hpp>

#include <holon/core/error.hpp>

#include "pair_kernel.hpp"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <type_traits>

namespace holon {

namespace {

using pair::Form;

constexpr int per_cluster = PairList::width;
constexpr int lanes = per_cluster * per_cluster;

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Two places in the list's cluster order.
struct PlacePair {
    std::int32_t i, j;
};

void run_kernel(Form coulomb, Form vdw, const pair::KernelData& data)
{
#if defined(HOLON_X86_KERNELS)
    if (__builtin_cpu_supports("x86-64-v4")) return pair::run_kernel_v4(coulomb, vdw, data);
    if (__builtin_cpu_supports("x86-64-v3")) return pair::run_kernel_v3(coulomb, vdw, data);
#endif
    pair::run_kernel_baseline(coulomb, vdw, data);
}

pair::EnergySums run_energies(Form coulomb, Form vdw, const pair::EnergyData& data)
{
#if defined(HOLON_X86_KERNELS)
    if (__builtin_cpu_supports("x86-64-v4")) return pair::run_energies_v4(coulomb, vdw, data);
    if (__builtin_cpu_supports("x86-64-v3")) return pair::run_energies_v3(coulomb, vdw, data);
#endif
    return pair::run_energies_baseline(coulomb, vdw, data);
}

/// As the kernels do it.
double inverse_distance(double r2, float r2_single)
{
    return pair::refine_inverse_sqrt(
        r2, static_cast<double>(pair::inverse_sqrt(r2_single, std::bit_cast<std::int32_t>(r2_single))));
}

/// Calls use(std::integral_constant<Form, form>).
template <class Use>
auto with_form(Form form, Use use)
{
    if (form == Form::force_switch) return use(std::integral_constant<Form, Form::force_switch>{});
    if (form == Form::potential_switch) return use(std::integral_constant<Form, Form::potential_switch>{});
    if (form == Form::ewald) return use(std::integral_constant<Form, Form::ewald>{});
    return use(std::integral_constant<Form, Form::plain>{});
}

} // namespace

struct PairForce::Impl {
    const NonbondedConstants constants;
    const Box& box;
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
    std::vector<pair::LaneForces> partner;
    std::vector<pair::RowForces> row;
    std::vector<std::uint8_t> row_has_wide;

    Impl(const Topology& topology, const NonbondedConstants& n, Precision p, const Box& b)
        : constants(n), box(b), precision(p), coulomb_form(n.mesh ? Form::ewald : pair::form_of(n.coulomb_modifier)),
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

    bool vectorised() const
    {
        return precision == Precision::mixed && (coulomb_form == Form::plain || coulomb_form == Form::ewald);
    }

    void run_vectorised(const PairList& list, Atoms& atoms)
    {
        const auto n = list.clusters().size();
        partner.assign(n, {});
        row.assign(n, {});
        row_has_wide.assign(n, 0);
        run_kernel(coulomb_form, vdw_form,
                   {.clusters = list.clusters().data(),
                    .n_clusters = static_cast<std::int64_t>(n),
                    .row_begin = list.row_begin().data(),
                    .entries = list.entries().data(),
                    .charge = charge_single.data(),
                    .type = type.data(),
                    .c6 = c6_single.data(),
                    .c12 = c12_single.data(),
                    .n_types = n_types,
                    .constants = single,
                    .partner = partner.data(),
                    .row = row.data(),
                    .row_has_wide = row_has_wide.data()});
        fold(list, atoms);
    }

    /// Adds what rows and partners have collected, in units of 2^-14, to the forces in units of 2^-28.
    void fold(const PairList& list, Atoms& atoms) const
    {
        constexpr std::int64_t scale = std::int64_t{1} << (force_bits - pair::kernel_force_bits);
        for (std::size_t c = 0; c < list.clusters().size(); ++c)
            for (std::size_t a = 0; a < 4; ++a) {
                const auto atom = list.atoms()[4 * c + a];
                if (atom < 0) continue;
                const auto total = [a](const std::int64_t* own, const std::int32_t* lane) {
                    std::int64_t sum = own[a];
                    for (std::size_t l = a; l < 16; l += 4) sum -= lane[l];
                    return sum * scale;
                };
                atoms.f[index(atom)] +=
                    IVec3(total(row[c].x, partner[c].x), total(row[c].y, partner[c].y), total(row[c].z, partner[c].z));
            }
    }

    /// Whether the vectorised kernel has left the pair out: the kernel's own expression in one lane.
    bool left_out(PlacePair p, const Vec3& d, bool coulomb, bool vdw) const
    {
        const auto dx = static_cast<float>(d[0]), dy = static_cast<float>(d[1]), dz = static_cast<float>(d[2]);
        const float r2 = dx * dx + dy * dy + dz * dz;
        const float rinv = pair::inverse_sqrt(r2, std::bit_cast<std::int32_t>(r2));
        const auto t = index(type[index(p.i)] * n_types + type[index(p.j)]);
        const float qq = charge_single[index(p.i)] * charge_single[index(p.j)];
        const float lj = with_form(
            vdw_form, [&](auto f) { return pair::vdw_force<f.value>(r2, rinv, c6_single[t], c12_single[t], single); });
        const float q =
            with_form(coulomb_form, [&](auto c) { return pair::coulomb_force<c.value>(r2, rinv, qq, single); });
        const float f = (coulomb ? q : 0.0F) + (vdw ? lj : 0.0F);
        return !(f * f * r2 <= pair::wide_limit * pair::wide_limit);
    }

    /// Calls use(places, d [nm], within the Coulomb cutoff, within the vdW cutoff) for the pairs of one row.
    template <class Use>
    void for_each_pair_of_row(const PairList& list, const Atoms& atoms, std::size_t ci, Use use) const
    {
        for (auto e = list.row_begin()[ci]; e < list.row_begin()[ci + 1]; ++e) {
            const auto entry = list.entries()[index(e)];
            for (std::int32_t l = 0; l < lanes; ++l)
                if ((entry.mask >> l & 1U) != 0)
                    one_pair(list, atoms,
                             {static_cast<std::int32_t>(ci) * per_cluster + l / 4, entry.cluster * per_cluster + l % 4},
                             use);
        }
    }

    template <class Use>
    void one_pair(const PairList& list, const Atoms& atoms, PlacePair p, Use use) const
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
            const auto within = [&](double rc2) {
                constexpr double rounding = 1e-13; // [nm^2] more than that of positions and box to their lattices
                return (std::abs(r2 - rc2) < rounding ? tie_distance2(list, atoms, p) : r2) < rc2;
            };
            const bool coulomb = within(real.rc2_coulomb), vdw = within(real.rc2_vdw);
            if (coulomb || vdw) use(p, d, coulomb, vdw);
        }
    }

    /// Square of a distance that is the cutoff within rounding, from the coordinates as decimal numbers (1e-12 nm) and
    /// the box as given, in plain double arithmetic: what a program that does not round to a lattice would compare.
    double tie_distance2(const PairList& list, const Atoms& atoms, PlacePair p) const
    {
        IVec3 a = atoms.x[index(list.atoms()[index(p.i)])], b = atoms.x[index(list.atoms()[index(p.j)])];
        const Image image = box.wrap(a) - box.wrap(b);
        const auto decimal = [](std::int64_t x) {
            return std::nearbyint(static_cast<double>(x) * position_unit * 1e12) / 1e12;
        };
        double r2 = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = decimal(a[k]) - decimal(b[k]);
            for (int v = k; v < 3; ++v) d += image[v] * box.master()(v, k);
            r2 += d * d;
        }
        return r2;
    }

    double force_over_r(PlacePair p, double r2, bool coulomb, bool vdw) const
    {
        const double rinv = 1.0 / std::sqrt(r2);
        const double qq = charge[index(p.i)] * charge[index(p.j)];
        const auto t = index(type[index(p.i)] * n_types + type[index(p.j)]);
        double f = 0.0;
        if (coulomb)
            f += with_form(coulomb_form, [&](auto c) { return pair::coulomb_force<c.value>(r2, rinv, qq, real); });
        if (vdw)
            f += with_form(vdw_form, [&](auto v) { return pair::vdw_force<v.value>(r2, rinv, c6[t], c12[t], real); });
        return f;
    }

    /// Adds the force of one pair in double, 64-bit sums.
    void add_wide(const PairList& list, Atoms& atoms, PlacePair p, const Vec3& d, bool coulomb, bool vdw,
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

    void add_energies(const PairList& list, const Atoms& atoms, ForceSums& sums)
    {
        std::vector<std::uint8_t> left_out_rows(list.clusters().size(), 1);
        if (vectorised()) {
            const auto total = run_energies(coulomb_form, vdw_form,
                                            {.clusters = list.clusters().data(),
                                             .n_clusters = static_cast<std::int64_t>(list.clusters().size()),
                                             .row_begin = list.row_begin().data(),
                                             .entries = list.entries().data(),
                                             .charge = charge.data(),
                                             .type = type.data(),
                                             .c6 = c6.data(),
                                             .c12 = c12.data(),
                                             .n_types = n_types,
                                             .cutoffs = single,
                                             .constants = real,
                                             .row_left_out = left_out_rows.data()});
            sums.energy[static_cast<std::size_t>(EnergyTerm::coulomb_short)] += FixedSum::from_raw(total.coulomb);
            sums.energy[static_cast<std::size_t>(EnergyTerm::lj)] += FixedSum::from_raw(total.lj);
        }
        for (std::size_t ci = 0; ci < left_out_rows.size(); ++ci)
            if (left_out_rows[ci] != 0) add_row_energies(list, atoms, ci, sums);
    }

    void add_row_energies(const PairList& list, const Atoms& atoms, std::size_t ci, ForceSums& sums) const
    {
        for_each_pair_of_row(list, atoms, ci, [&](PlacePair p, const Vec3& d, bool coulomb, bool vdw) {
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const Eigen::Vector3f s = d.cast<float>();
            const double rinv = inverse_distance(r2, s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
            const auto t = index(type[index(p.i)] * n_types + type[index(p.j)]);
            const double qq = charge[index(p.i)] * charge[index(p.j)];
            if (coulomb)
                sums.add(EnergyTerm::coulomb_short, with_form(coulomb_form, [&](auto c) {
                             return pair::coulomb_energy<c.value>(r2, rinv, qq, real);
                         }));
            if (vdw)
                sums.add(EnergyTerm::lj, with_form(vdw_form, [&](auto v) {
                             return pair::vdw_energy<v.value>(r2, rinv, c6[t], c12[t], real);
                         }));
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

PairForce::PairForce(const Topology& topology, const NonbondedConstants& constants, Precision precision, const Box& box)
    : impl_(std::make_unique<Impl>(topology, constants, precision, box))
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
    const auto add_wide = [&](PlacePair p, const Vec3& d, bool coulomb, bool vdw) {
        self.add_wide(list, atoms, p, d, coulomb, vdw, failure);
    };
    if (self.vectorised()) {
        self.run_vectorised(list, atoms);
        for (std::size_t ci = 0; ci < self.row_has_wide.size(); ++ci)
            if (self.row_has_wide[ci] != 0)
                self.for_each_pair_of_row(list, atoms, ci, [&](PlacePair p, const Vec3& d, bool coulomb, bool vdw) {
                    if (self.left_out(p, d, coulomb, vdw)) add_wide(p, d, coulomb, vdw);
                });
    } else {
        for (std::size_t ci = 0; ci < list.clusters().size(); ++ci)
            self.for_each_pair_of_row(list, atoms, ci, add_wide);
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
    return -0.5 * constants.coulomb_factor * constants.c_rf * sum_q2;
}

} // namespace holon
