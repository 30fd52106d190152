#pragma once

#include <holon/core/lattice.hpp>

#include <cstdint>

namespace holon {

__extension__ typedef __int128 int128;

/// An order-independent sum of real numbers: every contribution is rounded once to 2^-36 (clamped at 2^22 = 4e6 units
/// of the quantity, which only overlapping atoms reach) and added in 128 bits, which nothing can overflow.
class FixedSum {
public:
    void add(double contribution) { value_ += round_to_int_clamped(contribution * 0x1p36); }
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
