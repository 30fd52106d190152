#include <holon/forces/pair_force.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/memory.hpp>
#include <holon/core/parallel.hpp>
#include <holon/system/thread_forces.hpp>

#include "overlap.hpp"
#include "wide_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace holon {

namespace {

using pair::Form;
using pair::Kind;
using pair::PlacePair;

constexpr int per_cluster = PairList::width;
constexpr int lanes = per_cluster * per_cluster;

/// As the kernels do it.
double inverse_distance(double r2, float r2_single)
{
    return pair::refine_inverse_sqrt(
        r2, static_cast<double>(pair::inverse_sqrt(r2_single, std::bit_cast<std::int32_t>(r2_single))));
}

} // namespace

struct PairForce::Impl {
    const NonbondedConstants constants;
    const Box& box;
    Precision precision;
    Form coulomb_form, vdw_form;
    pair::Constants<double> real;
    pair::Constants<float> single;
    pair::ForceTable table; // ewald only
    std::int32_t n_types;
    std::vector<double> c6, c12; // n_types x n_types; the last type has no interactions (unused places)
    std::vector<double> six_c6, twelve_c12;
    std::vector<pair::VdwOfTypes> of_types; // these for the kernel
    pair::CombinationRule rule;             // of these tables
    double charge_scale;

    /// Pairs that are left to the wide path: the first `size`. There is room for all close entries, of which hardly
    /// any are left to it.
    struct WideList {
        Room<pair::WidePairs> pairs;
        std::size_t size = 0;
    };

    /// What belongs to one list. Coulomb lists have charges, the others types.
    struct KindData {
        explicit KindData(Kind k) : kind(k) {}
        Kind kind;
        std::vector<std::int32_t> type;               // per place
        std::vector<float> charge_single;             // per place, times charge_scale
        std::vector<double> charge;                   // likewise
        std::vector<float> vdw_a, vdw_b;              // per place: numbers of the combination rule, if there is one
        std::vector<WideList> wide;                   // per part of the rows
        std::vector<pair::WideForces::Memory> memory; // likewise
        std::vector<pair::FullCluster> full;          // in double precision: positions
        std::vector<std::uint8_t> left_out;           // per cluster: a row whose energy is not that of the kernel
    };
    KindData coulomb{Kind::coulomb}, vdw{Kind::vdw};
    std::vector<pair::LaneForces> lane_forces; // per part of the rows and cluster; of one kind after the other
    ThreadForces thread_forces;

    Impl(const Topology& topology, const NonbondedConstants& n, Precision p, const Box& b)
        : constants(n), box(b), precision(p), coulomb_form(n.mesh ? Form::ewald : pair::form_of(n.coulomb_modifier)),
          vdw_form(pair::form_of(n.vdw_modifier)), real(n), single(n),
          n_types(static_cast<std::int32_t>(topology.atom_types.size()) + 1), charge_scale(std::sqrt(n.coulomb_factor))
    {
        if (coulomb_form == Form::ewald) table = pair::ForceTable(real);
        c6.assign(index(n_types * n_types), 0.0);
        c12 = c6;
        for (std::int32_t i = 0; i + 1 < n_types; ++i)
            for (std::int32_t j = 0; j + 1 < n_types; ++j) {
                c6[index(i * n_types + j)] = topology.c6[index(i * (n_types - 1) + j)];
                c12[index(i * n_types + j)] = topology.c12[index(i * (n_types - 1) + j)];
            }
        for (std::size_t t = 0; t < c6.size(); ++t) {
            six_c6.push_back(6.0 * c6[t]);
            twelve_c12.push_back(12.0 * c12[t]);
            of_types.push_back(pair::vdw_of_types(c6[t], c12[t]));
        }
        rule = pair::CombinationRule(c6, c12);
        const double root = std::sqrt(double{pair::vdw_scale});
        for (double& number : rule.b) number *= root;
        if (rule.combination == pair::Combination::geometric)
            for (double& number : rule.a) number *= root;
    }

    Form form(const KindData& own) const { return own.kind == Kind::coulomb ? coulomb_form : vdw_form; }

    void set_up(KindData& own, const PairList& list, const Atoms& atoms)
    {
        const auto places = list.atoms().size();
        own.type.assign(places, n_types - 1);
        own.charge.assign(places, 0.0);
        for (std::size_t p = 0; p < places; ++p) {
            const auto atom = list.atoms()[p];
            if (atom < 0) continue;
            own.type[p] = atoms.type[index(atom)];
            own.charge[p] = atoms.charge[index(atom)] * charge_scale;
        }
        own.left_out.resize(list.clusters().size());
        own.memory.resize(std::max<std::size_t>(1, list.parts().size()));
        if (precision != Precision::mixed) return;
        own.charge_single.assign(own.charge.begin(), own.charge.end());
        if (own.kind == Kind::vdw && rule.combination != pair::Combination::table) {
            own.vdw_a.resize(places);
            own.vdw_b.resize(places);
            for (std::size_t p = 0; p < places; ++p) {
                own.vdw_a[p] = static_cast<float>(rule.a[index(own.type[p])]);
                own.vdw_b[p] = static_cast<float>(rule.b[index(own.type[p])]);
            }
        }
        const auto n_lane_forces = list.parts().size() * list.clusters().size();
        if (lane_forces.size() < n_lane_forces) {
            release(lane_forces); // before there are others
            lane_forces.resize(n_lane_forces);
        }
        own.wide.resize(list.parts().size());
    }

    void run_vectorised(KindData& own, const PairList& list, Atoms& atoms)
    {
        const auto n = list.clusters().size();
        const auto n_parts = static_cast<int>(list.parts().size());
        parallel_parts(n_parts, [&](int p, int) {
            const auto [first, last] = list.parts()[index(p)];
            auto& wide = own.wide[index(p)];
            std::size_t n_close = 0;
            for (auto c = first; c < last; ++c)
                n_close += index(list.rows()[index(c)].close_end - list.rows()[index(c)].close);
            wide.pairs.grow(n_close + 1);
            const pair::KernelData data{.clusters = {list.clusters().data()},
                                        .centred = list.centred(),
                                        .n_clusters = static_cast<std::int64_t>(n),
                                        .first = first,
                                        .last = last,
                                        .rows = list.rows().data(),
                                        .named = list.named(index(p)),
                                        .charge = own.charge_single.data(),
                                        .combination = rule.combination,
                                        .vdw_a = own.vdw_a.data(),
                                        .vdw_b = own.vdw_b.data(),
                                        .type = own.type.data(),
                                        .of_types = of_types.data(),
                                        .n_types = n_types,
                                        .constants = single,
                                        .table = &table,
                                        .forces = lane_forces.data() + index(p) * n,
                                        .wide = wide.pairs.data()};
            wide.size = HOLON_CALL(pair::run_kernel, own.kind, form(own), data);
        });
        parallel_for(n, PairList::few_clusters, [&](std::size_t begin, std::size_t end) {
            const pair::FoldData fold{.forces = lane_forces.data(),
                                      .n_clusters = static_cast<std::int64_t>(n),
                                      .begin = static_cast<std::int64_t>(begin),
                                      .end = static_cast<std::int64_t>(end),
                                      .parts = list.parts().data(),
                                      .n_parts = n_parts,
                                      .atoms = list.atoms().data(),
                                      .shift = force_bits - pair::kernel_force_bits,
                                      .f = atoms.f.data()->data()};
            HOLON_CALL(pair::fold, fold);
        });
    }

    /// More than the rounding of positions and box to their lattices makes of the square of a distance [nm^2].
    static constexpr double rounding = 1e-13;

    /// Calls use(places, d [nm]) for those pairs of two clusters that are within the cutoff.
    template <class Use>
    void for_each_pair(const KindData& own, const PairList& list, const Atoms& atoms, std::int32_t ci,
                       PairList::Entry entry, Use use) const
    {
        for (std::int32_t l = 0; l < lanes; ++l)
            if ((entry.mask >> l & 1U) != 0)
                one_pair(own, list, atoms, {ci * per_cluster + l / 4, entry.cluster * per_cluster + l % 4}, use);
    }

    /// Likewise for one row.
    template <class Use>
    void for_each_pair_of_row(const KindData& own, const PairList& list, const Atoms& atoms, std::size_t ci,
                              Use use) const
    {
        list.for_each_entry(ci, [&](PairList::Entry entry) {
            for_each_pair(own, list, atoms, static_cast<std::int32_t>(ci), entry, use);
        });
    }

    template <class Use>
    void one_pair(const KindData& own, const PairList& list, const Atoms& atoms, PlacePair p, Use use) const
    {
        const bool is_coulomb = own.kind == Kind::coulomb;
        if (precision == Precision::mixed) {
            const auto& a = list.clusters()[index(p.i / 4)];
            const auto& b = list.clusters()[index(p.j / 4)];
            const auto i = p.i % 4, j = p.j % 4;
            const float dx = static_cast<float>(a.x[i] - b.x[j]) * kernel_unit;
            const float dy = static_cast<float>(a.y[i] - b.y[j]) * kernel_unit;
            const float dz = static_cast<float>(a.z[i] - b.z[j]) * kernel_unit;
            const float cutoff2 = is_coulomb ? single.rc2_coulomb : single.rc2_vdw;
            if (pair::distance2(dx, dy, dz) < cutoff2) use(p, Vec3(dx, dy, dz));
        } else {
            const Vec3 d = to_real(atoms.x[index(list.atoms()[index(p.i)])] - atoms.x[index(list.atoms()[index(p.j)])],
                                   position_unit);
            const double cutoff2 = is_coulomb ? real.rc2_coulomb : real.rc2_vdw;
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if ((std::abs(r2 - cutoff2) < rounding ? tie_distance2(list, atoms, p) : r2) < cutoff2) use(p, d);
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

    pair::WideInteraction interaction(const KindData& own) const
    {
        return {.kind = own.kind,
                .form = form(own),
                .constants = real,
                .charge = own.charge.data(),
                .type = own.type.data(),
                .n_types = n_types,
                .c6 = c6.data(),
                .c12 = c12.data(),
                .six_c6 = six_c6.data(),
                .twelve_c12 = twelve_c12.data()};
    }

    /// Takes positions over, for row().
    static void load_full(KindData& own, const PairList& list, const Atoms& atoms)
    {
        own.full.resize(list.clusters().size());
        parallel_for(own.full.size(), PairList::few_clusters, [&](std::size_t begin, std::size_t end) {
            for (std::size_t p = begin * per_cluster; p < end * per_cluster; ++p) {
                const auto atom = list.atoms()[p];
                const IVec3 x = atom < 0 ? IVec3::Zero() : atoms.x[index(atom)];
                auto& cluster = own.full[p / per_cluster];
                cluster.x[p % per_cluster] = x[0];
                cluster.y[p % per_cluster] = x[1];
                cluster.z[p % per_cluster] = x[2];
            }
        });
    }

    pair::WideRow row(const KindData& own, const PairList& list, std::int64_t ci) const
    {
        return {.clusters = own.full.data(),
                .ci = ci,
                .entries = list.rows()[index(ci)],
                .used_rows = list.used_rows().data(),
                .used = list.used().data(),
                .cutoff2 = own.kind == Kind::coulomb ? real.rc2_coulomb : real.rc2_vdw,
                .rounding = rounding};
    }

    std::string add_forces(KindData& own, const PairList& list, Atoms& atoms)
    {
        const auto of = interaction(own);
        if (precision == Precision::mixed) {
            run_vectorised(own, list, atoms);
            pair::WideForces forces(of, list, atoms, atoms.f, own.memory.front());
            for (const auto& wide : own.wide)
                for (const auto& w : std::span(wide.pairs.data(), wide.size))
                    for_each_pair(own, list, atoms, w.row, {w.cluster, w.mask},
                                  [&](PlacePair p, const Vec3& d) { forces.add(p, d); });
            return forces.finish();
        }
        load_full(own, list, atoms);
        std::vector<std::string> overlaps(list.parts().size());
        thread_forces.add(atoms.f, static_cast<int>(overlaps.size()), [&](int k, std::span<IVec3> f) {
            pair::WideForces forces(of, list, atoms, f, own.memory[index(k)]);
            const auto add = [&](PlacePair p, const Vec3& d) { forces.add(p, d); };
            const auto [first, last] = list.parts()[index(k)];
            for (auto ci = first; ci < last; ++ci)
                forces.add_row(row(own, list, ci), [&](PlacePair p) { one_pair(own, list, atoms, p, add); });
            overlaps[index(k)] = forces.finish();
        });
        for (const auto& overlap : overlaps)
            if (!overlap.empty()) return overlap;
        return {};
    }

    void add_energies(KindData& own, const PairList& list, const Atoms& atoms, ForceSums& sums) const
    {
        const auto term = own.kind == Kind::coulomb ? EnergyTerm::coulomb_short : EnergyTerm::lj;
        const auto of = interaction(own);
        std::vector<FixedSum> of_parts(list.parts().size()), excess(list.parts().size());
        parallel_parts(static_cast<int>(of_parts.size()), [&](int k, int) {
            const auto [first, last] = list.parts()[index(k)];
            FixedSum sum;
            if (precision == Precision::mixed) {
                const pair::EnergyData data{.clusters = list.clusters().data(),
                                            .first = first,
                                            .last = last,
                                            .rows = list.rows().data(),
                                            .used_rows = list.used_rows().data(),
                                            .used = list.used().data(),
                                            .charge = own.charge.data(),
                                            .type = own.type.data(),
                                            .c6 = c6.data(),
                                            .c12 = c12.data(),
                                            .n_types = n_types,
                                            .cutoffs = single,
                                            .constants = real,
                                            .row_left_out = own.left_out.data()};
                sum = FixedSum::from_raw(HOLON_CALL(pair::run_energies, own.kind, form(own), data));
            }
            const auto add = [&](PlacePair p, const Vec3& d, double value) {
                sum.add(value);
                if (std::abs(value) >= pair::energy_limit) excess[index(k)] += excess_of(own, p, d, value);
            };
            const auto add_one = [&](PlacePair p, const Vec3& d) { add(p, d, energy(own, p, d)); };
            pair::PairBlock found, unsure;
            Room<double> memory;
            for (auto ci = first; ci < last; ++ci) {
                if (precision == Precision::real64) {
                    pair::find_pairs(row(own, list, ci), found, unsure);
                    const auto values = pair::energies_of(of, found, memory);
                    const auto& [n, i, j, d] = found.pairs;
                    for (std::int64_t p = 0; p < n; ++p)
                        add({i[p], j[p]}, Vec3(d[0][p], d[1][p], d[2][p]), values[index(p)]);
                    for (std::int64_t p = 0; p < unsure.pairs.n; ++p)
                        one_pair(own, list, atoms, {unsure.pairs.i[p], unsure.pairs.j[p]}, add_one);
                } else if (own.left_out[index(ci)] != 0) {
                    for_each_pair_of_row(own, list, atoms, index(ci), add_one);
                }
            }
            of_parts[index(k)] = sum;
        });
        for (const auto& sum : of_parts) sums.energy[static_cast<std::size_t>(term)] += sum;
        for (const auto& sum : excess) sums.excess += sum;
    }

    /// Of one pair.
    FixedSum excess_of(const KindData& own, PlacePair p, const Vec3& d, double value) const
    {
        const double r = std::sqrt(std::max(pair::distance2(d[0], d[1], d[2]), pair::least_distance2));
        const double cutoff = own.kind == Kind::coulomb ? constants.r_coulomb : constants.r_vdw;
        const auto force_at = [&](double distance) { return force(own, p, distance); };
        const auto energy_at = [&](double distance) { return energy(own, p, Vec3(distance, 0.0, 0.0)); };
        if (!pair::is_clamped(force_at(r))) return {};
        const double kept = pair::energy_of_clamped_force(r, cutoff, force_at, energy_at);
        return FixedSum::from_raw(to_fixed(value) - to_fixed(kept));
    }

    /// Between two atoms at a distance, repulsion positive [kJ/mol/nm].
    double force(const KindData& own, PlacePair p, double r) const
    {
        const double r2 = r * r, rinv = 1.0 / r;
        if (own.kind == Kind::coulomb) {
            const double qq = own.charge[index(p.i)] * own.charge[index(p.j)];
            return r * pair::with_form(coulomb_form,
                                       [&](auto c) { return pair::coulomb_force<c.value>(r2, rinv, qq, real); });
        }
        const auto t = index(own.type[index(p.i)] * n_types + own.type[index(p.j)]);
        return r * pair::with_form(vdw_form, [&](auto v) {
                   return pair::vdw_force<v.value>(r2, rinv, six_c6[t], twelve_c12[t], real);
               });
    }

    double energy(const KindData& own, PlacePair p, const Vec3& d) const
    {
        const double r2 = std::max(pair::distance2(d[0], d[1], d[2]), pair::least_distance2);
        // In mixed precision the same bits as from the kernel: what else is in a row must not matter.
        const auto r2_single = [&d] {
            return std::max(
                pair::distance2(static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2])),
                static_cast<float>(pair::least_distance2));
        };
        const double rinv = precision == Precision::mixed ? inverse_distance(r2, r2_single()) : 1.0 / std::sqrt(r2);
        if (own.kind == Kind::coulomb) {
            const double qq = own.charge[index(p.i)] * own.charge[index(p.j)];
            return pair::with_form(coulomb_form,
                                   [&](auto c) { return pair::coulomb_energy<c.value>(r2, rinv, qq, real); });
        }
        const auto t = index(own.type[index(p.i)] * n_types + own.type[index(p.j)]);
        return pair::with_form(vdw_form,
                               [&](auto v) { return pair::vdw_energy<v.value>(r2, rinv, c6[t], c12[t], real); });
    }

    /// -1/2 sum over pairs of d (x) f = -1/2 sum over local atoms of x (x) f: with integer positions and forces the two
    /// are the same number, whatever the origin, because the forces of each rank's pairs sum to exactly zero.
    void add_virial(const Atoms& atoms, ForceSums& sums) const
    {
        const int drop = precision == Precision::mixed ? position_bits - kernel_bits : 4;
        sums.position_force_bits = position_bits - drop + force_bits;
        constexpr std::size_t few_atoms = 512;
        using Tensor = std::array<FixedSum, 9>;
        const auto add = [](Tensor& total, const Tensor& next) {
            for (std::size_t k = 0; k < next.size(); ++k) total[k] += next[k];
        };
        const auto sum = parallel_reduce(
            index(atoms.n_total), few_atoms,
            [&](std::size_t begin, std::size_t end) {
                Tensor slice;
                for (std::size_t i = begin; i < end; ++i) {
                    const IVec3& x = atoms.x[i];
                    const IVec3& f = atoms.f[i];
                    for (int a = 0; a < 3; ++a) {
                        const std::int64_t position = (x[a] + (std::int64_t{1} << (drop - 1))) >> drop;
                        for (int b = 0; b <= a; ++b) // above the diagonal but for the rounding of forces the same
                            slice[index(3 * a + b)] += FixedSum::from_raw(int128{position} * f[b]);
                    }
                }
                for (const auto& [above, below] : {std::pair(1, 3), {2, 6}, {5, 7}})
                    slice[index(above)] = slice[index(below)];
                return slice;
            },
            add);
        add(sums.position_force, sum);
    }
};

PairForce::PairForce(const Topology& topology, const NonbondedConstants& constants, Precision precision, const Box& box)
    : impl_(std::make_unique<Impl>(topology, constants, precision, box))
{
}
PairForce::~PairForce() = default;

void PairForce::set_up(const PairLists& lists, const Atoms& atoms)
{
    impl_->set_up(impl_->coulomb, lists.coulomb, atoms);
    impl_->set_up(impl_->vdw, lists.vdw, atoms);
}

std::string PairForce::add_coulomb(const PairLists& lists, Atoms& atoms)
{
    return impl_->add_forces(impl_->coulomb, lists.coulomb, atoms);
}

std::string PairForce::add_vdw(const PairLists& lists, Atoms& atoms)
{
    return impl_->add_forces(impl_->vdw, lists.vdw, atoms);
}

void PairForce::add_totals(const PairLists& lists, const Atoms& atoms, ForceSums& sums, bool energies) const
{
    if (energies) {
        impl_->add_energies(impl_->coulomb, lists.coulomb, atoms, sums);
        impl_->add_energies(impl_->vdw, lists.vdw, atoms, sums);
    }
    impl_->add_virial(atoms, sums);
}

void PairForce::for_each_energy(const PairLists& lists, const Atoms& atoms, const PairEnergy& coulomb,
                                const PairEnergy& vdw) const
{
    for (const auto& [own, list, use] :
         {std::tie(impl_->coulomb, lists.coulomb, coulomb), {impl_->vdw, lists.vdw, vdw}})
        for (std::size_t ci = 0; ci < list.rows().size(); ++ci)
            impl_->for_each_pair_of_row(own, list, atoms, ci, [&](PlacePair p, const Vec3& d) {
                use(list.atoms()[index(p.i)], list.atoms()[index(p.j)], impl_->energy(own, p, d));
            });
}

} // namespace holon
