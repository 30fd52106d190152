// Compiled once per instruction set: see kernel_variant.hpp.
#include "wide_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/lattice_units.hpp>
#include <holon/core/three.hpp>

namespace holon::pair {
namespace {

using F8 = Vector<double, 8>;
using L8 = Vector<std::int64_t, 8>;
using L4 = Vector<std::int64_t, 4>;
using I8 = Vector<std::int32_t, 8>;

HOLON_INLINE F8 square(F8 x, F8 y, F8 z)
{
    return x * x + y * y + z * z;
}

HOLON_INLINE F8 at_least(F8 r2)
{
    const F8 least = splat<F8>(least_distance2);
    return select(r2 > least, r2, least);
}

/// Eight pairs, the first of which is `first`.
class Pairs8 {
public:
    HOLON_INLINE Pairs8(const WideInteraction& of, const SinglePairs& pairs, std::int64_t first)
        : of_(of), i_(load<I8>(pairs.i + first)),
          j_(load<I8>(pairs.j + first)), d_{load<F8>(pairs.d[0] + first), load<F8>(pairs.d[1] + first),
                                            load<F8>(pairs.d[2] + first)}
    {
    }
    HOLON_INLINE const F8 (&d() const)[3] { return d_; }
    HOLON_INLINE F8 qq() const { return look_up<F8>(of_.charge, i_) * look_up<F8>(of_.charge, j_); }
    HOLON_INLINE I8 types() const { return look_up<I8>(of_.type, i_) * of_.n_types + look_up<I8>(of_.type, j_); }

private:
    const WideInteraction& of_;
    I8 i_, j_;
    F8 d_[3];
};

/// Force over distance of pairs that know their products of charges and types [kJ/mol/nm^2].
template <Kind kind, Form form, class Pairs>
HOLON_INLINE F8 force_over_distance(const WideInteraction& of, const Pairs& pairs, F8 r2, F8 rinv)
{
    if constexpr (kind == Kind::coulomb) {
        return coulomb_force<form>(r2, rinv, pairs.qq(), of.constants);
    } else {
        const I8 types = pairs.types();
        return vdw_force<form>(r2, rinv, look_up<F8>(of.six_c6, types), look_up<F8>(of.twelve_c12, types),
                               of.constants);
    }
}

/// Vectors may read what is beyond the last pair: something that is a pair.
HOLON_INLINE void fill_up(const SinglePairs& pairs)
{
    store(pairs.i + pairs.n, I8{});
    store(pairs.j + pairs.n, I8{});
    for (double* d : pairs.d) store(d + pairs.n, F8{});
}

/// F/r, in units of forces, made smaller where the force is beyond the bound, and where that is.
HOLON_INLINE F8 bounded(F8 f, F8 rinv, L8& beyond)
{
    const F8 most = force_bound * rinv;
    beyond = ~((L8)(f < most) & (L8)(f > -most)); // also NaN
    const F8 below = select(f < most, f, most);
    return select(below > -most, below, -most);
}

template <Kind kind, Form form>
HOLON_INLINE bool forces(const WideInteraction& of, const SinglePairs& pairs, std::int64_t* const force[3])
{
    const L8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    L8 clamped{};
    for (std::int64_t n = 0; n < pairs.n; n += lanes_in<F8>) {
        const Pairs8 p(of, pairs, n);
        const F8 r2 = at_least(square(p.d()[0], p.d()[1], p.d()[2])), rinv = 1.0 / square_root(r2);
        const F8 over_r = force_over_distance<kind, form>(of, p, r2, rinv);
        L8 beyond;
        const F8 kept = bounded(over_r * (1.0 / force_unit), rinv, beyond);
        clamped |= (lane < pairs.n - n) & beyond;
        for (int a = 0; a < 3; ++a) store(force[a] + n, round_to_integers<L8>(kept * p.d()[a]));
    }
    return any_bit(clamped);
}

template <Kind kind, Form form>
HOLON_INLINE void energies(const WideInteraction& of, const SinglePairs& pairs, double* energy)
{
    const auto& k = of.constants;
    for (std::int64_t n = 0; n < pairs.n; n += lanes_in<F8>) {
        const Pairs8 p(of, pairs, n);
        const F8 r2 = at_least(distance2(p.d()[0], p.d()[1], p.d()[2])), rinv = 1.0 / square_root(r2);
        if constexpr (kind == Kind::coulomb) {
            store(energy + n, coulomb_energy<form>(r2, rinv, p.qq(), k));
        } else {
            const I8 types = p.types();
            store(energy + n, vdw_energy<form>(r2, rinv, look_up<F8>(of.c6, types), look_up<F8>(of.c12, types), k));
        }
    }
}

/// Lane 4 a + b of two atoms a and four atoms b gets x[a].
template <class V>
HOLON_INLINE V of_rows(const NumberOf<V>* x)
{
    using Four = decltype(low_half(V{}));
    return joined<V>(splat<Four>(x[0]), splat<Four>(x[1]));
}
/// It gets x[b].
template <class V>
HOLON_INLINE V of_columns(const NumberOf<V>* x)
{
    const auto four = load<decltype(low_half(V{}))>(x);
    return joined<V>(four, four);
}
/// The sum of v[4 a + b] over a.
HOLON_INLINE L4 sum_of_rows(L8 v)
{
    return low_half(v) + high_half(v);
}
/// x[a] gets the sum of v[4 a + b] over b in addition.
HOLON_INLINE void add_to_rows(std::int64_t* x, L8 v)
{
    std::int64_t lanes[8];
    store(lanes, v);
    for (int l = 0; l < 8; ++l) x[l / 4] += lanes[l];
}

/// Atoms i and the next with those from j on.
class RowPairs8 {
public:
    HOLON_INLINE RowPairs8(const WideInteraction& of, std::int64_t i, std::int64_t j) : of_(of), i_(i), j_(j) {}
    HOLON_INLINE F8 qq() const { return of_rows<F8>(of_.charge + i_) * of_columns<F8>(of_.charge + j_); }
    HOLON_INLINE I8 types() const { return of_rows<I8>(of_.type + i_) * of_.n_types + of_columns<I8>(of_.type + j_); }

private:
    const WideInteraction& of_;
    std::int64_t i_, j_;
};

/// Pairs of two atoms of a row's cluster with the four of another one, in lanes as above.
struct Measured {
    Three<F8> d;     // [2^-48 nm]
    F8 r2;           // [nm^2]
    L8 sure, unsure; // within the cutoff; or that is for the caller to judge
};

/// Looks for the pairs of a row's cluster with others.
class Search {
public:
    HOLON_INLINE explicit Search(const WideRow& row)
        : clusters_(row.clusters), own_(row.clusters[row.ci]), sure_end_(row.cutoff2 - row.rounding),
          unsure_end_(row.cutoff2 + row.rounding), is_short_(row.cutoff2 < 49.0)
    {
    }

    /// Of its atoms `first` and the next. `among`: bit 4 a + b, whether atom a with b of the other one is a pair.
    HOLON_INLINE Measured measure(int first, std::int32_t cj, std::uint32_t among) const
    {
        const FullCluster& other = clusters_[cj];
        Measured m;
        m.d = {distance(own_.x + first, other.x), distance(own_.y + first, other.y), distance(own_.z + first, other.z)};
        m.r2 = square(m.d.x, m.d.y, m.d.z) * (position_unit * position_unit);
        L8 near = (L8)(m.r2 < splat<F8>(unsure_end_));
        if (among != 0xffff) [[unlikely]]
            near &= lanes_of(among >> (4 * first));
        m.sure = near & (L8)(m.r2 <= splat<F8>(sure_end_)) & (L8)(m.r2 > F8{});
        m.unsure = near & ~m.sure;
        return m;
    }

private:
    /// Exact up to 2^51 units, 8 nm; what is further away stays at least as far away, or is none.
    HOLON_INLINE F8 distance(const std::int64_t* own, const std::int64_t* other) const
    {
        const L8 v = of_rows<L8>(own) - of_columns<L8>(other);
#if !defined(__AVX512DQ__)
        if (is_short_) [[likely]] {
            const F8 magic = splat<F8>(0x1.8p52);
            return (F8)(v + (L8)magic) - magic;
        }
#endif
        return to_doubles<F8>(v);
    }
    HOLON_INLINE static L8 lanes_of(std::uint32_t bits)
    {
        std::int64_t lanes[8];
        for (int l = 0; l < 8; ++l) lanes[l] = -static_cast<std::int64_t>(bits >> l & 1);
        return load<L8>(lanes);
    }

    const FullCluster* clusters_;
    const FullCluster& own_;
    double sure_end_, unsure_end_;   // of r2
    [[maybe_unused]] bool is_short_; // the cutoff
};

/// Appends the pairs with cluster cj that are in `lanes`.
HOLON_INLINE void append(SinglePairs& pairs, const Measured& m, L8 lanes, std::int64_t ci, int first, std::int32_t cj)
{
    if (!any_bit(lanes)) return;
    std::int64_t taken[8];
    double d[3][8];
    store(taken, lanes);
    store(d[0], m.d.x * position_unit);
    store(d[1], m.d.y * position_unit);
    store(d[2], m.d.z * position_unit);
    for (int l = 0; l < 8; ++l) {
        if (taken[l] == 0) continue;
        pairs.i[pairs.n] = static_cast<std::int32_t>(4 * ci) + first + l / 4;
        pairs.j[pairs.n] = 4 * cj + l % 4;
        for (int k = 0; k < 3; ++k) pairs.d[k][pairs.n] = d[k][l];
        ++pairs.n;
    }
}

/// Calls use(cluster, which pairs with it) for the entries of a row.
template <class Use>
HOLON_INLINE void for_each_entry(const WideRow& row, Use use)
{
    const auto& entries = row.entries;
    const std::uint32_t own = row.used_rows[row.ci];
    const std::int32_t* const far[][2] = {{entries.near, entries.near_end}, {entries.far, entries.far_end}};
    for (const auto& [begin, end] : far)
        for (const auto* e = begin; e != end; ++e) use(*e, own * row.used[*e]);
    for (const auto* e = entries.close; e != entries.close_end; ++e) use(e->cluster, e->mask);
}

/// Two atoms of a row's cluster with the four of another at a time, whether or not all of these are pairs: to bring
/// pairs together, and their forces back to where they belong, takes longer.
template <Kind kind, Form form>
HOLON_INLINE bool row_forces(const WideInteraction& interaction, const WideRow& row, FullCluster* forces,
                             SinglePairs& unsure)
{
    const WideInteraction of = interaction; // not to be read again after each store
    const Search search(row);
    Three<L8> own[2] = {};
    L8 clamped{};
    const auto add = [&](std::int32_t cj, std::uint32_t among) __attribute__((always_inline))
    {
        Three<L4> of_other{};
        for (int n = 0; n < 2; ++n) {
            const int first = 2 * n;
            const auto m = search.measure(first, cj, among);
            append(unsure, m, m.unsure, row.ci, first, cj);
            if (!any_bit(m.sure)) continue;
            const F8 r2 = at_least(m.r2), rinv = 1.0 / square_root(r2);
            const RowPairs8 pairs(of, 4 * row.ci + first, 4 * cj);
            const F8 f = force_over_distance<kind, form>(of, pairs, r2, rinv) * (1.0 / force_unit);
            Three<L8> force;
            if (any_bit(m.sure & ~(L8)(magnitude(f) < 0x1p50 * rinv))) [[unlikely]] { // also NaN
                L8 beyond;
                force = round_to_integers<L8>(kept_where(m.sure, bounded(f, rinv, beyond) * position_unit) * m.d);
                clamped |= beyond & m.sure;
            } else {
                force = round_small<L8>(kept_where(m.sure, f * position_unit) * m.d);
            }
            own[n] = own[n] + force;
            of_other = of_other + Three<L4>{sum_of_rows(force.x), sum_of_rows(force.y), sum_of_rows(force.z)};
        }
        FullCluster& other = forces[cj];
        store(other.x, load<L4>(other.x) - of_other.x);
        store(other.y, load<L4>(other.y) - of_other.y);
        store(other.z, load<L4>(other.z) - of_other.z);
    };
    for_each_entry(row, add);
    FullCluster& of_row = forces[row.ci];
    for (int n = 0; n < 2; ++n) {
        add_to_rows(of_row.x + 2 * n, own[n].x);
        add_to_rows(of_row.y + 2 * n, own[n].y);
        add_to_rows(of_row.z + 2 * n, own[n].z);
    }
    return any_bit(clamped);
}

} // namespace

void HOLON_NAME(find_pairs)(const WideRow& row, SinglePairs& found, SinglePairs& unsure)
{
    const Search search(row);
    const auto look_at = [&](std::int32_t cj, std::uint32_t among) __attribute__((always_inline))
    {
        for (const int first : {0, 2}) {
            const auto m = search.measure(first, cj, among);
            append(found, m, m.sure, row.ci, first, cj);
            append(unsure, m, m.unsure, row.ci, first, cj);
        }
    };
    for_each_entry(row, look_at);
}

bool HOLON_NAME(row_forces)(const WideInteraction& interaction, const WideRow& row, FullCluster* forces,
                            SinglePairs& unsure)
{
    const auto run = [&](auto kind, auto form) __attribute__((always_inline))
    {
        return row_forces<kind.value, form.value>(interaction, row, forces, unsure);
    };
    return with_constants(interaction.kind, interaction.form, run);
}

bool HOLON_NAME(wide_forces)(const WideInteraction& interaction, const SinglePairs& pairs, std::int64_t* const force[3])
{
    fill_up(pairs);
    const auto run = [&](auto kind, auto form) __attribute__((always_inline))
    {
        return forces<kind.value, form.value>(interaction, pairs, force);
    };
    return with_constants(interaction.kind, interaction.form, run);
}

void HOLON_NAME(wide_energies)(const WideInteraction& interaction, const SinglePairs& pairs, double* energy)
{
    fill_up(pairs);
    const auto run = [&](auto kind, auto form) __attribute__((always_inline))
    {
        energies<kind.value, form.value>(interaction, pairs, energy);
    };
    with_constants(interaction.kind, interaction.form, run);
}

} // namespace holon::pair
