#pragma once

#include <holon/core/lattice.hpp>
#include <holon/core/wide_vector.hpp>

#include <cstdint>

namespace holon {

__extension__ typedef __int128 int128;

/// Contributions [units of the quantity] up to this are exact in a FixedSum; only overlapping atoms go beyond.
inline constexpr double largest_exact = 0x1p64;

/// A contribution in units of 2^-36, rounded once. Beyond largest_exact each doubling adds that much again: smaller
/// ones stay smaller, so that a minimisation sees its way, and a hundred thousand of any size do not overflow 128 bits.
/// NaN counts as infinite.
HOLON_INLINE int128 to_fixed(double contribution)
{
    const double units = contribution * (1.0 / energy_unit), size = __builtin_fabs(units);
    if (size < 0x1p62) [[likely]]
        return __builtin_llrint(units);
    if (size < largest_exact * (1.0 / energy_unit)) return static_cast<int128>(units); // a whole number
    // Exponent and mantissa, read as one integer, are a logarithm of the number, linear between powers of two.
    constexpr std::int64_t bits_of_largest_exact = std::int64_t{1023 + 64 + energy_bits} << 52;
    const int128 doublings = __builtin_bit_cast(std::int64_t, size) - bits_of_largest_exact; // in units of 2^-52
    const int128 result = (int128{1} << 100) + (doublings << 48);
    return units < 0.0 ? -result : result;
}

/// An order-independent sum of real numbers, each converted by to_fixed(), in 128 bits.
class FixedSum {
public:
    void add(double contribution) { value_ += to_fixed(contribution); }
    FixedSum& operator+=(const FixedSum& other)
    {
        value_ += other.value_;
        return *this;
    }
    bool operator==(const FixedSum&) const = default;
    double value() const { return static_cast<double>(value_) * energy_unit; }
    int128 raw() const { return value_; }
    static FixedSum from_raw(int128 raw)
    {
        FixedSum sum;
        sum.value_ = raw;
        return sum;
    }

private:
    int128 value_ = 0;
};

} // namespace holon
