// Compiled once per instruction set: see kernel_variant.hpp.
#include "lincs_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "bonds/lattice_lanes.hpp"

namespace holon::lincs {
namespace {

using lattice_lanes::add_multiples;
using lattice_lanes::difference_of_rows;
using lattice_lanes::F8;
using lattice_lanes::fused_dot;
using lattice_lanes::I8;
using lattice_lanes::load_vectors;
using lattice_lanes::V3;
static_assert(lincs::lanes == lattice_lanes::lanes);

HOLON_INLINE F8 gather(const double* values, const std::int32_t* indices)
{
    return look_up<F8>(values, load<Vector<std::int32_t, lanes>>(indices));
}

/// The vectors of eight bonds.
HOLON_INLINE V3 gather_vectors(const double* values, std::int64_t n, const std::int32_t* bonds)
{
    return {gather(values, bonds), gather(values + n, bonds), gather(values + 2 * n, bonds)};
}
/// S x; zero in empty places, whatever the atom is that they are said to join.
HOLON_INLINE void set_rhs(const Bonds& b, std::int64_t first, F8 x)
{
    const F8 scale = load<F8>(b.scale + first);
    store(b.rhs + first, kept_where((I8)(scale != 0.0), scale * x));
}

/// Eight bonds, or relative velocities, as displaced so far.
HOLON_INLINE V3 displaced(const Bonds& b, std::int64_t first)
{
    return load_vectors(b.bond, b.n, first) +
           difference_of_rows<Vector<double, 4>, 4>(b.displacement, b.i + first, b.j + first);
}

} // namespace

void HOLON_NAME(set_directions)(const Bonds& b)
{
    for (std::int64_t first = 0; first < b.n; first += lanes) {
        const V3 r = load_vectors(b.reference, b.n, first);
        const F8 square = fused_dot(r, r);
        const V3 direction = kept_where((I8)(square != 0.0), (1.0 / square_root(square)) * r);
        store(b.direction + first, direction.x);
        store(b.direction + b.n + first, direction.y);
        store(b.direction + 2 * b.n + first, direction.z);
    }
}

void HOLON_NAME(set_couplings)(const Bonds& b, const Matrix& factors, double* entries)
{
    for (std::int64_t block = 0; block < factors.n_blocks; ++block) {
        const V3 own = load_vectors(b.direction, b.n, block * lanes);
        for (std::int64_t e = factors.begin[block] * lanes; e < factors.begin[block + 1] * lanes; e += lanes) {
            const V3 other = gather_vectors(b.direction, b.n, factors.column + e);
            store(entries + e, load<F8>(factors.value + e) * fused_dot(own, other));
        }
    }
}

void HOLON_NAME(set_excess)(const Bonds& b, bool positions)
{
    const F8 wanted = F8{} + (positions ? 1.0 : 0.0);
    for (std::int64_t first = 0; first < b.n; first += lanes) {
        const F8 along = fused_dot(load_vectors(b.direction, b.n, first), displaced(b, first));
        set_rhs(b, first, along - wanted * load<F8>(b.length + first));
    }
}

void HOLON_NAME(set_lengthening)(const Bonds& b)
{
    for (std::int64_t first = 0; first < b.n; first += lanes) {
        const V3 s = displaced(b, first);
        const F8 d = load<F8>(b.length + first), left = 2.0 * (d * d) - fused_dot(s, s);
        const F8 projection = square_root(kept_where((I8)(left > 0.0), left));
        set_rhs(b, first, d - projection);
    }
}

void HOLON_NAME(add_term)(const Matrix& matrix, const double* term, double* next, double* solution)
{
    for (std::int64_t block = 0; block < matrix.n_blocks; ++block) {
        F8 sum = {};
        for (std::int64_t e = matrix.begin[block] * lanes; e < matrix.begin[block + 1] * lanes; e += lanes)
            sum = multiply_add(load<F8>(matrix.value + e), gather(term, matrix.column + e), sum);
        store(next + block * lanes, sum);
        store(solution + block * lanes, load<F8>(solution + block * lanes) + sum);
    }
}

void HOLON_NAME(displace)(const Bonds& b, const double* solution)
{
    for (std::int64_t first = 0; first < b.n_inner; first += lanes) {
        const F8 multiplier = load<F8>(solution + first) * load<F8>(b.scale + first);
        store(b.multiplier + first, load<F8>(b.multiplier + first) + multiplier);
        add_multiples(b.displacement, {b.i + first, b.j + first, lanes}, b.rows + 4 * first,
                      multiplier * load<F8>(b.inverse_mass_i + first), multiplier * load<F8>(b.inverse_mass_j + first));
    }
}

bool HOLON_NAME(any_unusual)(const Bonds& b, double cosine2, double part)
{
    I8 unusual = {};
    for (std::int64_t first = 0; first < b.n_inner; first += lanes) {
        const V3 s = displaced(b, first);
        const F8 along = fused_dot(load_vectors(b.direction, b.n, first), s), square = fused_dot(s, s);
        const F8 d = load<F8>(b.length + first), d2 = d * d;
        const I8 usual =
            (I8)(along > 0.0) & (I8)(along * along >= cosine2 * square) & (I8)(magnitude(square - d2) <= part * d2);
        unusual |= ~usual & (I8)(load<F8>(b.scale + first) != 0.0);
    }
    return any_bit(unusual);
}

bool HOLON_NAME(all_finite)(const Bonds& b)
{
    I8 finite = ~I8{};
    for (std::int64_t first = 0; first < b.n_inner; first += lanes) {
        const V3 s = displaced(b, first);
        const F8 square = fused_dot(s, s);
        finite &= (I8)(square - square == 0.0) | (I8)(load<F8>(b.scale + first) == 0.0);
    }
    return !any_bit(~finite);
}

} // namespace holon::lincs
