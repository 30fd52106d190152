// Compiled once per instruction set: see kernel_variant.hpp.
#include "influence_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/lattice_units.hpp>
#include <holon/core/vector_math.hpp>

namespace holon::influence {
namespace {

constexpr int lanes = 8;
using F8 = Vector<double, lanes>;
using I8 = Vector<std::int64_t, lanes>;
using U8 = Vector<std::uint64_t, lanes>;

template <class Real>
HOLON_INLINE F8 real(const Real* p)
{
    return converted<F8>(load<Vector<Real, lanes>>(p));
}

/// Of eight modes.
struct Charges {
    F8 re, im;
};

template <class Real>
HOLON_INLINE Charges charges_of(const Real* p)
{
    const F8 a = real(p), b = real(p + lanes);
    return {shuffled<0, 2, 4, 6, 8, 10, 12, 14>(a, b), shuffled<1, 3, 5, 7, 9, 11, 13, 15>(a, b)};
}

HOLON_INLINE std::int64_t total(U8 v)
{
    std::uint64_t sum = 0;
    for (int l = 0; l < lanes; ++l) sum += v[l];
    return static_cast<std::int64_t>(sum);
}

template <class Real>
class Summation {
public:
    HOLON_INLINE explicit Summation(const Row<Real>& row)
        : row_(row), z_(F8{0, 1, 2, 3, 4, 5, 6, 7} + splat<F8>(row.first))
    {
    }

    /// The next eight.
    HOLON_INLINE void add(const Real* charges, const Real* values, const Real* shapes)
    {
        const double units = row_.scale * (1.0 / energy_unit); // by a power of two, so that no bit changes
        const F8 own = splat<F8>(units), twice = splat<F8>(units * 2.0);
        // Of k and -k, which a real transform leaves out, each.
        const auto alone = (z_ == splat<F8>(0.0)) | (z_ == splat<F8>(row_.edge));
        const auto [re, im] = charges_of(charges);
        const F8 energy = select(alone, own, twice) * real(values) * (re * re + im * im);
        const auto share = share_of(row_.k, z_, energy, real(shapes));
        add(energy_, share.energy);
        for (int k = 0; k < 6; ++k) add(virial_[k], share.virial[k]);
        bound_ = bound_ + share.bound;
        z_ = z_ + splat<F8>(lanes);
    }

    HOLON_INLINE void finish(Sums& sums) const
    {
        sums.energy = total(energy_);
        for (int k = 0; k < 6; ++k) sums.virial[k] = total(virial_[k]);
        sums.bound = 0.0;
        for (int l = 0; l < lanes; ++l) sums.bound += bound_[l];
    }

private:
    /// What does not fit need not be right: the bound tells.
    static HOLON_INLINE void add(U8& sum, F8 value) { sum = sum + (U8)round_small<I8>(value); }

    const Row<Real>& row_;
    F8 z_, bound_ = {};
    U8 energy_ = {}, virial_[6] = {};
};

template <class Real>
HOLON_INLINE void sum_up(const Row<Real>& row, Sums& sums)
{
    Summation summation(row);
    std::int64_t z = 0;
    for (; z + lanes <= row.n; z += lanes) summation.add(row.charges + 2 * z, row.values + z, row.shapes + z);
    if (z < row.n) {
        Real charges[2 * lanes] = {}, values[lanes] = {}, shapes[lanes] = {};
        for (int l = 0; z + l < row.n; ++l) {
            charges[2 * l] = row.charges[2 * (z + l)];
            charges[2 * l + 1] = row.charges[2 * (z + l) + 1];
            values[l] = row.values[z + l];
            shapes[l] = row.shapes[z + l];
        }
        summation.add(charges, values, shapes);
    }
    summation.finish(sums);
}

} // namespace

void HOLON_NAME(sums)(const Row<float>& row, Sums& sums)
{
    sum_up(row, sums);
}

void HOLON_NAME(sums)(const Row<double>& row, Sums& sums)
{
    sum_up(row, sums);
}

} // namespace holon::influence
