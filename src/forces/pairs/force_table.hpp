#pragma once

#include "pair_functions.hpp"

#include <cstdint>

namespace holon::pair {

/// The force of an Ewald split's pair part over the distance, of unit charges, by cubic polynomials of the square of
/// the distance: for the force kernel, where finding the polynomial takes less than computing r^-3 and the smooth part.
///
/// An octave of r^2 has eight intervals, told apart by the last two bits of the exponent and the first three of the
/// mantissa, so that a table covers four octaves up to the cutoff: r from a quarter of it. Each polynomial has the
/// force at both ends of its interval, so that the whole is continuous, and errs by up to 5e-6 of r^-3 between.
struct ForceTable {
    static constexpr int n_intervals = 32, first_bit = 20; // of the square
    /// Of distances on the kernel lattice, in units of `scale`; the constant coefficient first.
    static constexpr float scale = 0x1p-100F;
    alignas(64) float coefficients[n_intervals][4] = {};
    float begin = 0.0F; // from here on up to the cutoff: a square on the kernel lattice

    ForceTable() = default;
    explicit ForceTable(const Constants<double>& constants);
    /// Where a table with this cutoff begins; both in nm.
    static double shortest_distance(double cutoff);
};

} // namespace holon::pair
