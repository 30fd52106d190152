#pragma once

#include <holon/core/vector_math.hpp>

#include <vector>

namespace holon::pair {

/// How the Lennard-Jones parameters of two types follow from those of each; table: not at all.
enum class Combination { table, lorentz_berthelot, geometric };

/// The rule that a table of parameters obeys: what is computed from numbers of the atoms need not be looked up for each
/// pair. Decided on the whole table, so by the topology alone.
///
/// With numbers a, b of each type: Lorentz-Berthelot, 6 c6 = b b' (a + a')^6 and 12 c12 = 2 * 6 c6 (a + a')^6, where a
/// = sigma / 2 [nm] and b = sqrt(24 epsilon); geometric, 6 c6 = a a' and 12 c12 = b b'.
struct CombinationRule {
    Combination combination = Combination::table;
    std::vector<double> a, b; // per type; empty of a table

    CombinationRule() = default;
    /// `c6`, `c12`: n_types x n_types, symmetric [kJ/mol nm^6, kJ/mol nm^12]. A rule holds if it is within 1e-7 of
    /// each.
    CombinationRule(const std::vector<double>& c6, const std::vector<double>& c12);
};

/// 6 c6 and 12 c12 of two types. Exchanging them changes no bit.
template <Combination combination, class T>
HOLON_INLINE void combine(T a, T b, T a2, T b2, T& six_c6, T& twelve_c12)
{
    static_assert(combination != Combination::table);
    if constexpr (combination == Combination::geometric) {
        six_c6 = a * a2;
        twelve_c12 = b * b2;
    } else {
        const T sigma = a + a2, sigma2 = sigma * sigma, sigma6 = sigma2 * sigma2 * sigma2;
        six_c6 = b * b2 * sigma6;
        twelve_c12 = (six_c6 + six_c6) * sigma6;
    }
}

} // namespace holon::pair
