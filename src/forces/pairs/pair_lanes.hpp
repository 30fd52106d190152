#pragma once

#include <holon/system/cluster_lanes.hpp>

#include "pair_kernel.hpp"

/// The interactions of the pair kernel, for sources that are compiled once per instruction set: everything is inlined.
namespace holon::pair {

using lanes::F16, lanes::F4, lanes::I16, lanes::I4, lanes::Lanes, lanes::rows, lanes::columns, lanes::less, lanes::any,
    lanes::chosen;

inline constexpr float lattice_unit2 = kernel_unit * kernel_unit, lattice_unit3 = lattice_unit2 * kernel_unit;

/// A ForceTable for the lanes of a vector: in registers where two of them have room for all intervals, so that finding
/// a coefficient for all lanes is one instruction.
class TableLanes {
public:
#if defined(__AVX512F__)
    HOLON_INLINE explicit TableLanes(const ForceTable& table) : begin_(table.begin)
    {
        float of_power[n_powers][n];
        for (int i = 0; i < n; ++i)
            for (int p = 0; p < n_powers; ++p) of_power[p][i] = table.coefficients[i][p];
        for (int p = 0; p < n_powers; ++p) {
            first_[p] = load<F16>(of_power[p]);
            last_[p] = load<F16>(of_power[p] + n / 2);
        }
    }
#else
    HOLON_INLINE explicit TableLanes(const ForceTable& table) : begin_(table.begin), rows_(table.coefficients) {}
#endif
    HOLON_INLINE F16 begin() const
    {
        return splat<F16>(begin_);
    }

    /// Where the polynomials of these squares are. They pass through memory, for taking numbers out of a vector one by
    /// one takes longer; at() waits for them if it follows at once.
#if defined(__AVX512F__)
    struct Places {};
    HOLON_INLINE Places places(F16) const
    {
        return {};
    }
    HOLON_INLINE F16 at(F16 square, Places) const
    {
        return find(square, (I16)square);
    }
#else
    struct Places {
        std::int32_t bytes[16]; // from the first row
    };
    HOLON_INLINE Places places(F16 square) const
    {
        constexpr int size_bits = 4, size = 1 << size_bits;
        static_assert(sizeof rows_[0] == size);
        Places p;
        store(p.bytes, (I16)square >> (ForceTable::first_bit - size_bits) & (n - 1) * size);
        return p;
    }
    HOLON_INLINE F16 at(F16 square, const Places& places) const
    {
        return find(square, places.bytes);
    }
#endif

private:
    static constexpr int n = ForceTable::n_intervals, n_powers = 4;
    template <class V>
    HOLON_INLINE static V cubic(V x, V c0, V c1, V c2, V c3)
    {
        return multiply_add(multiply_add(multiply_add(c3, x, c2), x, c1), x, c0);
    }
#if defined(__AVX512F__)
    static_assert(n == 2 * lanes_in<F16>);
    HOLON_INLINE F16 find(F16 square, I16 bits) const
    {
        const I16 interval = bits >> ForceTable::first_bit; // and what is above it, which does not count
        const auto c = [&](int p) __attribute__((always_inline))
        {
            return (F16)_mm512_permutex2var_ps((__m512)first_[p], (__m512i)interval, (__m512)last_[p]);
        };
        return cubic(square, c(0), c(1), c(2), c(3));
    }
#else
    /// Reads four coefficients at once and transposes them by fours.
    template <class V>
    HOLON_INLINE V find(V square, const std::int32_t* places) const
    {
        const auto row = [&](int l) __attribute__((always_inline))
        {
            return load<F4>(reinterpret_cast<const char*>(rows_) + places[l]);
        };
        if constexpr (is_wide<V>) {
            return {find(square.low, places), find(square.high, places + lanes_in<V> / 2)};
        } else if constexpr (lanes_in<V> == 8) {
            const auto two_rows = [&](int l) __attribute__((always_inline))
            {
#if defined(__AVX__) // of which the second is read by the instruction that joins them
                return (V)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)row(l)), (__m128)row(l + 4), 1);
#else
                return joined<V>(row(l), row(l + 4));
#endif
            };
            const V a = two_rows(0), b = two_rows(1), c = two_rows(2), d = two_rows(3);
            const V low_ab = shuffled<0, 8, 1, 9, 4, 12, 5, 13>(a, b),
                    low_cd = shuffled<0, 8, 1, 9, 4, 12, 5, 13>(c, d),
                    high_ab = shuffled<2, 10, 3, 11, 6, 14, 7, 15>(a, b),
                    high_cd = shuffled<2, 10, 3, 11, 6, 14, 7, 15>(c, d);
            return cubic(square, shuffled<0, 1, 8, 9, 4, 5, 12, 13>(low_ab, low_cd),
                         shuffled<2, 3, 10, 11, 6, 7, 14, 15>(low_ab, low_cd),
                         shuffled<0, 1, 8, 9, 4, 5, 12, 13>(high_ab, high_cd),
                         shuffled<2, 3, 10, 11, 6, 7, 14, 15>(high_ab, high_cd));
        } else {
            const V a = row(0), b = row(1), c = row(2), d = row(3);
            const V low_ab = shuffled<0, 4, 1, 5>(a, b), low_cd = shuffled<0, 4, 1, 5>(c, d),
                    high_ab = shuffled<2, 6, 3, 7>(a, b), high_cd = shuffled<2, 6, 3, 7>(c, d);
            return cubic(square, shuffled<0, 1, 4, 5>(low_ab, low_cd), shuffled<2, 3, 6, 7>(low_ab, low_cd),
                         shuffled<0, 1, 4, 5>(high_ab, high_cd), shuffled<2, 3, 6, 7>(high_ab, high_cd));
        }
    }
#endif
    float begin_;
#if defined(__AVX512F__)
    F16 first_[n_powers], last_[n_powers];
#else
    const float (*const rows_)[n_powers];
#endif
};

/// Forces of the pairs of one row's cluster with others, over the distance on the kernel lattice, in units of pair
/// forces. Everything that the loop needs is copied here: behind a reference it would have to be read again after each
/// store. Lengths are counted on the lattice; scaling by powers of two changes no other bit. `Ahead`: what depends on
/// the distances alone. `close_force`, where there is one: of lanes that may be closer than force() allows. Of the pair
/// part of an Ewald split.
class EwaldCoulomb {
public:
    using Ahead = TableLanes::Places;
    HOLON_INLINE explicit EwaldCoulomb(const KernelData& data)
        : k_(data.constants), charge_(data.charge), table_(*data.table)
    {
        k_.rc2_coulomb *= 1.0F / lattice_unit2;
        k_.inverse_rc2 *= lattice_unit2;
        for (int p = 0; p <= k_.degree; ++p) k_.ewald_force[p] *= lattice_unit3 / ForceTable::scale;
    }
    HOLON_INLINE void set_row(std::int64_t ci)
    {
        qi_ = rows(load<F4>(charge_ + 4 * ci)) * (vdw_scale / lattice_unit3 * ForceTable::scale);
    }
    HOLON_INLINE Ahead ahead(F16 r2) const { return table_.places(r2); }
    HOLON_INLINE F16 force(F16 r2, const Ahead& ahead, std::int64_t cj) const
    {
        return charges(cj) * table_.at(r2, ahead);
    }
    /// The same of lanes that may be below the table.
    HOLON_INLINE F16 close_force(F16 r2, const Ahead& ahead, std::int64_t cj, Lanes taken) const
    {
        const Lanes below = less(taken, r2, table_.begin());
        F16 of_unit_charges = table_.at(r2, ahead);
        if (any(below)) [[unlikely]] {
            const auto [y3, factor] = inverse_cube(r2, (I16)r2);
            const F16 direct = multiply_add(y3 * (1.0F / ForceTable::scale), factor, smooth_part<Form::ewald>(r2, k_));
            of_unit_charges = chosen(below, direct, of_unit_charges);
        }
        return charges(cj) * of_unit_charges;
    }
    HOLON_INLINE F16 cutoff2() const { return splat<F16>(k_.rc2_coulomb); }

private:
    HOLON_INLINE F16 charges(std::int64_t cj) const { return qi_ * columns(load<F4>(charge_ + 4 * cj)); }
    Constants<float> k_;
    const float* const charge_;
    const TableLanes table_;
    F16 qi_{};
};

/// Of the plain form likewise.
class PlainCoulomb {
public:
    using Ahead = F16; // the force of unit charges
    HOLON_INLINE explicit PlainCoulomb(const KernelData& data)
        : cutoff2_(data.constants.rc2_coulomb / lattice_unit2), two_k_rf_(data.constants.two_k_rf * lattice_unit3),
          charge_(data.charge)
    {
    }
    HOLON_INLINE void set_row(std::int64_t ci) { qi_ = rows(load<F4>(charge_ + 4 * ci)) * (vdw_scale / lattice_unit3); }
    HOLON_INLINE Ahead ahead(F16 r2) const
    {
        const auto [y3, factor] = inverse_cube(r2, (I16)r2);
        return multiply_add(y3, factor, splat<F16>(-two_k_rf_));
    }
    HOLON_INLINE F16 force(F16, Ahead of_unit_charges, std::int64_t cj) const
    {
        return qi_ * columns(load<F4>(charge_ + 4 * cj)) * of_unit_charges;
    }
    HOLON_INLINE F16 cutoff2() const { return splat<F16>(cutoff2_); }

private:
    const float cutoff2_, two_k_rf_;
    const float* const charge_;
    F16 qi_{};
};

/// Of Coulomb with a switch likewise, with distances in nm in between.
template <Form form>
class SwitchedCoulomb {
public:
    using Ahead = F16; // 1/r
    HOLON_INLINE explicit SwitchedCoulomb(const KernelData& data) : k_(data.constants), charge_(data.charge) {}
    HOLON_INLINE void set_row(std::int64_t ci) { qi_ = rows(load<F4>(charge_ + 4 * ci)) * vdw_scale; }
    HOLON_INLINE Ahead ahead(F16 r2) const
    {
        const F16 r2_nm = r2 * lattice_unit2;
        return inverse_sqrt(r2_nm, (I16)r2_nm);
    }
    HOLON_INLINE F16 force(F16 r2, Ahead rinv, std::int64_t cj) const
    {
        const F16 qq = qi_ * columns(load<F4>(charge_ + 4 * cj));
        return coulomb_force<form>(r2 * lattice_unit2, rinv, qq, k_);
    }
    HOLON_INLINE F16 cutoff2() const { return splat<F16>(k_.rc2_coulomb / lattice_unit2); }

private:
    const Constants<float> k_;
    const float* const charge_;
    F16 qi_{};
};

/// The table of Lennard-Jones by types as a row's cluster sees it.
class TypeRows {
public:
    HOLON_INLINE explicit TypeRows(const KernelData& data)
        : types_(data.type), n_types_(data.n_types), table_(data.of_types)
    {
    }
#if defined(__AVX512F__)
    HOLON_INLINE void set_row(std::int64_t ci)
    {
        first_ = rows(load<I4>(types_ + 4 * ci)) * n_types_;
    }
    /// Both numbers of a pair are one of 64 bits for the gathering instruction, which takes its time by numbers.
    HOLON_INLINE void find(std::int64_t cj, F16& six_c6, F16& twelve_c12) const
    {
        const I16 place = first_ + columns(load<I4>(types_ + 4 * cj));
        const auto gathered = [this](auto places) __attribute__((always_inline))
        {
            return (F16)_mm512_i32gather_pd((__m256i)places, table_, sizeof(VdwOfTypes));
        };
        const F16 first = gathered(low_half(place)), last = gathered(high_half(place));
        six_c6 = shuffled<0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30>(first, last);
        twelve_c12 = shuffled<1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31>(first, last);
    }
#else
    HOLON_INLINE void set_row(std::int64_t ci)
    {
        for (int a = 0; a < 4; ++a) rows_[a] = table_ + std::int64_t{types_[4 * ci + a]} * n_types_;
    }
    HOLON_INLINE void find(std::int64_t cj, F16& six_c6, F16& twelve_c12) const
    {
        const std::int32_t* const others = types_ + 4 * cj;
        F4 six[4], twelve[4];
        for (int a = 0; a < 4; ++a) {
            const auto two = [ row = rows_[a], others ](int b) __attribute__((always_inline))
            {
                return (F4)Vector<double, 2>{both(row + others[b]), both(row + others[b + 1])};
            };
            const F4 first = two(0), last = two(2);
            six[a] = shuffled<0, 2, 4, 6>(first, last);
            twelve[a] = shuffled<1, 3, 5, 7>(first, last);
        }
        six_c6 = of_rows(six);
        twelve_c12 = of_rows(twelve);
    }
#endif

private:
#if defined(__AVX512F__)
    I16 first_{};
#else
    /// The bits of both numbers.
    HOLON_INLINE static double both(const VdwOfTypes* numbers)
    {
        double bits;
        static_assert(sizeof bits == sizeof *numbers);
        __builtin_memcpy(&bits, numbers, sizeof bits);
        return bits;
    }
    HOLON_INLINE static F16 of_rows(const F4 (&v)[4])
    {
        using F8 = Vector<float, 8>;
        return joined<F16>(joined<F8>(v[0], v[1]), joined<F8>(v[2], v[3]));
    }
    const VdwOfTypes* rows_[4] = {};
#endif
    const std::int32_t* const types_;
    const std::int32_t n_types_;
    const VdwOfTypes* const table_;
};

/// Of Lennard-Jones likewise, with distances in nm in between: r^-14 would leave the range of float.
template <Form form, Combination combination>
class Vdw {
public:
    using Ahead = F16; // 1/r^2 of the plain form, 1/r of others
    HOLON_INLINE explicit Vdw(const KernelData& data) : k_(data.constants), a_(data.vdw_a), b_(data.vdw_b), types_(data)
    {
    }
    HOLON_INLINE void set_row(std::int64_t ci)
    {
        if constexpr (combination == Combination::table) {
            types_.set_row(ci);
        } else {
            ai_ = rows(load<F4>(a_ + 4 * ci));
            bi_ = rows(load<F4>(b_ + 4 * ci));
        }
    }
    HOLON_INLINE Ahead ahead(F16 r2) const
    {
        if constexpr (form == Form::plain) return inverse<2 * kernel_bits>(r2, (I16)r2);
        const F16 r2_nm = r2 * lattice_unit2;
        return inverse_sqrt(r2_nm, (I16)r2_nm);
    }
    HOLON_INLINE F16 force(F16 r2, Ahead ahead, std::int64_t cj) const
    {
        F16 six_c6, twelve_c12;
        if constexpr (combination == Combination::table) {
            types_.find(cj, six_c6, twelve_c12);
        } else {
            const F16 aj = columns(load<F4>(a_ + 4 * cj)), bj = columns(load<F4>(b_ + 4 * cj));
            combine<combination>(ai_, bi_, aj, bj, six_c6, twelve_c12);
        }
        if constexpr (form == Form::plain) return plain_vdw_force(ahead, six_c6, twelve_c12);
        return vdw_force<form>(r2 * lattice_unit2, ahead, six_c6, twelve_c12, k_);
    }
    HOLON_INLINE F16 cutoff2() const { return splat<F16>(k_.rc2_vdw / lattice_unit2); }

private:
    const Constants<float> k_;
    const float *const a_, *const b_;
    TypeRows types_;
    F16 ai_{}, bi_{};
};

} // namespace holon::pair
