// Compiled once per instruction set: see kernel_variant.hpp.
#include "bonded_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/lattice_units.hpp>

#include "function_types/excluded_pair.hpp"
#include "function_types/g96_angle.hpp"
#include "function_types/g96_bond.hpp"
#include "function_types/harmonic_angle.hpp"
#include "function_types/harmonic_bond.hpp"
#include "function_types/harmonic_improper.hpp"
#include "function_types/pair_14.hpp"
#include "function_types/periodic_dihedral.hpp"
#include "function_types/ryckaert_bellemans.hpp"
#include "function_types/urey_bradley.hpp"

#include <type_traits>

namespace holon::bonded {
namespace {

using N8 = Vector<std::int32_t, lanes>;
using U8 = Vector<std::uint64_t, lanes>;

using L3 = Three<I8>;

HOLON_INLINE L3 gather_atom(const std::int64_t* values, const LaneAtoms& at)
{
    if constexpr (native_bytes < sizeof(I8)) return load_three<I8>(values, at.lane);
    const auto of_all = [at = load<N8>(at.lane)](const std::int64_t* numbers) __attribute__((always_inline))
    {
        return look_up<I8>(numbers, at);
    };
    return {of_all(values), of_all(values + 1), of_all(values + 2)};
}

/// Box::minimum_image() in each lane; not often needed.
__attribute__((noinline)) L3 wrapped(L3 d, const KernelData& data)
{
    I8* const c[3] = {&d.x, &d.y, &d.z};
    for (int k = 2; k >= 0; --k)
        for (;;) {
            const I8 above = *c[k] > data.half_box[k], below = *c[k] < -data.half_box[k];
            if (!any_bit(above | below)) break;
            for (int i = 0; i <= k; ++i) *c[i] += (below & data.box[k][i]) - (above & data.box[k][i]);
        }
    return d;
}

HOLON_INLINE I8 outside(I8 d, std::int64_t half)
{
    return (I8)((U8)(d + half) > 2 * static_cast<std::uint64_t>(half));
}

/// Exact before it becomes real.
HOLON_INLINE V3<F8> nearest_difference(const L3& a, const L3& b, const KernelData& data)
{
    L3 d = a - b;
    if (any_bit(outside(d.x, data.half_box[0]) | outside(d.y, data.half_box[1]) | outside(d.z, data.half_box[2])))
        d = wrapped(d, data);
    return splat<F8>(position_unit) * to_doubles<F8>(d);
}

/// Clamped at force_bound; `clamped` collects where. Not often needed. [force_unit]
__attribute__((noinline)) L3 round_large_force(const V3<F8>& x, I8& clamped)
{
    const auto round = [&clamped](F8 component) __attribute__((always_inline))
    {
        clamped |= ~((component < force_bound) & (component > -force_bound)); // also NaN
        return round_clamped<I8>(component, force_bound);
    };
    return {round(x.x), round(x.y), round(x.z)};
}
HOLON_INLINE L3 round_force(const V3<F8>& f, I8& clamped)
{
    const V3<F8> x = splat<F8>(1.0 / force_unit) * f;
    static_assert(0x1p51 < force_bound);
    if (!all_small(x)) [[unlikely]]
        return round_large_force(x, clamped);
    return round_small<I8>(x);
}

template <int n>
HOLON_INLINE void add_lanes(std::int64_t* f, const LaneAtoms& at, const std::int64_t (&parts)[3][lanes])
{
#pragma GCC unroll 8
    for (int l = 0; l < n; ++l)
        for (int k = 0; k < 3; ++k) f[at.lane[l] + k] += parts[k][l];
}
HOLON_INLINE void add_to_atom(std::int64_t* f, const LaneAtoms& at, int n, const L3& force)
{
    std::int64_t parts[3][lanes];
    store(parts[0], force.x);
    store(parts[1], force.y);
    store(parts[2], force.z);
    if (n == lanes) return add_lanes<lanes>(f, at, parts);
    for (int l = 0; l < n; ++l)
        for (int k = 0; k < 3; ++k) f[at.lane[l] + k] += parts[k][l];
}

/// Of numbers of any size; not often needed.
__attribute__((noinline)) int128 sum_of_large(F8 v, const I8& used)
{
    int128 sum = 0;
    for (int l = 0; l < lanes; ++l)
        if (used[l] != 0) sum += to_fixed(v[l]);
    return sum;
}

/// Energies and virial of many terms, a sum in each lane: whole numbers, so that their order does not matter.
class LaneTotals {
public:
    /// `used`: all bits of the lanes that count. The virial of a term is rounded once, or where its forces are terms of
    /// their own, which elsewhere may come one by one, with each of them.
    template <bool of_several, int n_forces, int n_energies>
    HOLON_INLINE void add(Totals& totals, const TermForces<F8, n_forces, n_energies>& term, const I8& used)
    {
        static_assert(n_energies <= max_energies && n_forces <= most_forces);
        F8 energies[n_energies];
        for (int e = 0; e < n_energies; ++e) energies[e] = kept_where(used, units * term.energy[e]);
        add(energy_, totals.energy, energies, used);
        F8 tensor[n_tensor]{};
        for (int m = 0; m < n_forces; ++m) {
            const F8 d[3] = {term.d[m].x, term.d[m].y, term.d[m].z}, f[3] = {term.f[m].x, term.f[m].y, term.f[m].z};
            for (int i = 0; i < 3; ++i) {
                const F8 half = kept_where(used, (-0.5 * units) * d[i]);
                for (int j = 0; j <= i; ++j) {
                    F8& element = tensor[i * (i + 1) / 2 + j];
                    element = of_several || m == 0 ? half * f[j] : element + half * f[j];
                }
            }
            if (of_several || m + 1 == n_forces) add(virial_, totals.virial, tensor, used);
        }
        if (++n_terms_ == most_terms) move_to(totals);
    }

    HOLON_INLINE void move_to(Totals& totals)
    {
        for (int e = 0; e < max_energies; ++e) move(energy_[e], totals.energy[e]);
        for (int v = 0; v < n_tensor; ++v) move(virial_[v], totals.virial[v]);
        n_terms_ = 0;
    }

private:
    // 64 bits hold all the parts of so many terms that are smaller than this.
    static constexpr double small = 0x1p50;
    static constexpr int most_forces = 4, most_terms = (1 << 12) / most_forces;
    static constexpr double units = 1.0 / energy_unit; // a power of two: it may be multiplied by first

    /// `v`: [energy_unit], zero in lanes that do not count.
    template <int n>
    static HOLON_INLINE void add(I8* sums, int128* totals, const F8 (&v)[n], const I8& used)
    {
        I8 is_small = splat<I8>(-1);
        for (int k = 0; k < n; ++k) is_small = is_small & (I8)(magnitude(v[k]) < small);
        if (any_bit(~is_small)) [[unlikely]] {
            for (int k = 0; k < n; ++k) totals[k] += sum_of_large(v[k] * energy_unit, used);
            return;
        }
        for (int k = 0; k < n; ++k) sums[k] += round_small<I8>(v[k]);
    }
    static HOLON_INLINE void move(I8& sum, int128& total)
    {
        for (int l = 0; l < lanes; ++l) total += sum[l];
        sum = I8{};
    }

    I8 energy_[max_energies]{}, virial_[n_tensor]{};
    int n_terms_ = 0;
};

/// Each force is that of a pair of its own.
template <class Term>
constexpr bool has_pairs = requires
{
    Term::ends;
};

template <class Term>
constexpr Ends ends_of(int m)
{
    if constexpr (has_pairs<Term>)
        return Term::ends[m];
    else
        return {m, Term::n_atoms - 1};
}

struct Parameters {
    const LaneNumbers* const values;
    const int count;
    const Constants& constants;
    I8& reported;

    HOLON_INLINE F8 operator[](int k) const { return load<F8>(values[k].lane); }
    HOLON_INLINE void report(I8 mask) const { reported |= mask; }
};

template <class Term, bool want_totals>
Reported run(const KernelData& data)
{
    const std::int64_t n_full = data.n_terms - (lanes - 1) * data.n_batches; // so many batches have no empty lane
    constexpr std::int64_t numbers[lanes] = {0, 1, 2, 3, 4, 5, 6, 7};
    const I8 lane_numbers = load<I8>(numbers);
    LaneTotals sums;
    I8 reported{}, clamped{};
    for (std::int64_t b = data.first; b < data.last; ++b) {
        const LaneAtoms* const at = data.atoms + b * Term::n_atoms;
        const int n = b < n_full ? lanes : static_cast<int>((data.n_terms - 1 - b) / data.n_batches) + 1;
        L3 x[Term::n_atoms], f[Term::n_atoms]{};
        for (int a = 0; a < Term::n_atoms; ++a) x[a] = gather_atom(data.x, at[a]);
        const auto difference = [&](int i, int j) __attribute__((always_inline))
        {
            return nearest_difference(x[i], x[j], data);
        };
        const Parameters parameters{data.parameters + b * data.n_parameters, data.n_parameters, data.constants,
                                    reported};
        const auto term = Term::template compute<F8>(difference, parameters);
        constexpr int n_forces = std::extent_v<decltype(term.f)>;
#pragma GCC unroll 4
        for (int m = 0; m < n_forces; ++m) {
            const L3 force = round_force(term.f[m], clamped);
            const Ends ends = ends_of<Term>(m);
            f[ends.head] = f[ends.head] + force;
            f[ends.tail] = f[ends.tail] - force;
        }
#pragma GCC unroll 4
        for (int a = 0; a < Term::n_atoms; ++a) add_to_atom(data.f, at[a], n, f[a]);
        if constexpr (want_totals) sums.add<has_pairs<Term>>(*data.totals, term, lane_numbers < n);
    }
    if constexpr (want_totals) sums.move_to(*data.totals);
    return {any_bit(reported), any_bit(clamped)};
}

} // namespace

Reported HOLON_NAME(run)(Kernel kernel, const KernelData& data)
{
    switch (kernel) {
#define X(name, type)                                                                                                  \
    case Kernel::name:                                                                                                 \
        return data.totals != nullptr ? run<type, true>(data) : run<type, false>(data);
        HOLON_BONDED_KERNELS(X)
#undef X
    }
    return {};
}

} // namespace holon::bonded
