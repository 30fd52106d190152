#pragma once

#include "lattice_lanes.hpp"

#include <utility>

/// Eight molecules of nine numbers that follow each other in memory, a molecule to each lane: 72 numbers, loaded and
/// stored as they lie. The number n of the molecule m is then in the lane n + m of the vector m or m + 1, so that no
/// lane holds two numbers of the same kind: blends bring them together, and one rotation puts them into order. Faster
/// than a transposition of rows where a vector register holds eight numbers.
namespace holon::lattice_lanes {

/// The lane l from the vector k + l, or k - l, of nine in a circle, to vector k: by powers of two.
template <bool back>
HOLON_INLINE void skew(I8 (&v)[9])
{
    const auto step = [&v]<int by, int... lane>(std::integral_constant<int, by>, std::integer_sequence<int, lane...>)
        __attribute__((always_inline))
    {
        I8 old[9];
        for (int k = 0; k < 9; ++k) old[k] = v[k];
        for (int k = 0; k < 9; ++k)
            v[k] = shuffled<((lane & by) != 0 ? 8 + lane : lane)...>(old[k], old[(k + (back ? 9 - by : by)) % 9]);
    };
    constexpr std::make_integer_sequence<int, 8> all;
    step(std::integral_constant<int, 1>{}, all);
    step(std::integral_constant<int, 2>{}, all);
    step(std::integral_constant<int, 4>{}, all);
}

/// Lane l from lane l + n, of eight in a circle.
template <int n>
HOLON_INLINE I8 rotated(I8 v)
{
    return [v]<int... lane>(std::integer_sequence<int, lane...>) __attribute__((always_inline))
    {
        return shuffled<((lane + n) & 7)...>(v, v);
    }
    (std::make_integer_sequence<int, 8>{});
}

/// Calls f<n>() for the nine numbers of a molecule.
template <class F>
HOLON_INLINE void for_nine(F f)
{
    [&f]<int... n>(std::integer_sequence<int, n...>) __attribute__((always_inline))
    {
        (f.template operator()<n>(), ...);
    }
    (std::make_integer_sequence<int, 9>{});
}

/// Differences of the second and of the third atom from the first, for eight molecules or twice as many. Exact before
/// they become real. [units of the lattice]
template <class F>
HOLON_INLINE void load_arms_of_run(const std::int64_t* values, Three<F> (&arms)[2])
{
    if constexpr (8 < lanes_in<F>) {
        V3 low[2], high[2];
        load_arms_of_run(values, low);
        load_arms_of_run(values + 72, high);
        for (int a = 0; a < 2; ++a) arms[a] = joined<F>(low[a], high[a]);
    } else {
        I8 v[9], number[9];
        for (int k = 0; k < 9; ++k) v[k] = holon::load<I8>(values + 8 * k);
        skew<false>(v);
        for_nine([&]<int n>() __attribute__((always_inline)) { number[n] = rotated<n>(v[(9 - n) % 9]); });
        for (int a = 0; a < 2; ++a) {
            const I8* const to = number + 3 * (a + 1);
            arms[a] = {to_doubles<F>(to[0] - number[0]), to_doubles<F>(to[1] - number[1]),
                       to_doubles<F>(to[2] - number[2])};
        }
    }
}

/// Adds to the numbers of three atoms, and if there are `others`, multiples to these.
template <class F>
HOLON_INLINE void add_three_to_run(std::int64_t* values, std::int64_t* others, double multiple,
                                   const Three<F> (&added)[3])
{
    if constexpr (8 < lanes_in<F>) {
        const V3 low[] = {low_half(added[0]), low_half(added[1]), low_half(added[2])};
        const V3 high[] = {high_half(added[0]), high_half(added[1]), high_half(added[2])};
        add_three_to_run(values, others, multiple, low);
        add_three_to_run(values + 72, others == nullptr ? nullptr : others + 72, multiple, high);
    } else {
        I8 v[9];
        for_nine([&]<int n>() __attribute__((always_inline)) {
            const V3& of = added[n / 3];
            v[(9 - n) % 9] = rotated<8 - n>((I8)(n % 3 == 0 ? of.x : n % 3 == 1 ? of.y : of.z));
        });
        skew<true>(v);
        const auto add = [](std::int64_t * to, F numbers) __attribute__((always_inline))
        {
            holon::store(to, holon::load<I8>(to) + round_to_integers<I8>(numbers));
        };
        for (int k = 0; k < 9; ++k) {
            add(values + 8 * k, (F)v[k]);
            if (others != nullptr) add(others + 8 * k, multiple * (F)v[k]);
        }
    }
}

} // namespace holon::lattice_lanes
