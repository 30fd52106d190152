#pragma once

#include <cstddef>

/// Fourier transforms of eight lines side by side: one source, compiled once per instruction set, chosen when the
/// program starts. Each lane does the same sums and products in the same order, so that all variants give the same
/// bits, and a line the same at any place and beside any others.
namespace holon::line {

inline constexpr int lanes = 8; // lines at a time

/// A pass turns `radix` transforms of `length` points each into one of radix * length points, for each of `count`
/// places; n = radix * length * count. (The way back: one into `radix` of them.)
struct Pass {
    int radix, length, count;
    std::ptrdiff_t twiddles; // where exp(-2 pi i r k / (radix length)) begin: for each k all r from 1 on, cos and sin
    std::ptrdiff_t roots;    // where exp(-2 pi i j / radix) begin: for each j cos and sin; of odd radices
};

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
template <class Real>
struct Lines {
    int n, n_passes;
    const Pass* passes;
    const Real* factors; // the twiddles and roots of all passes
    Real* work;          // room for work_size(n, largest radix)
    const Real* in;      // element j of line w at [j * lanes + w], complex ones as two numbers
    Real* out;
};

/// Numbers of work space: two arrays of complex lines, and what one butterfly of any radix takes and gives.
constexpr std::size_t work_size(std::size_t n, std::size_t radix)
{
    return 2 * lanes * (2 * n + 2 * radix);
}

/// A complex number in double precision, to be moved.
struct alignas(16) DoubleMode {
    double re, im;
};

/// interleave: element j of eight rows to [j * lanes + w]. separate: back to the first `count` rows. Modes of single
/// precision are moved as doubles.
#define HOLON_DECLARE_ROWS(variant, T)                                                                                 \
    void interleave_##variant(const T* const* rows, int n, T* out);                                                    \
    void separate_##variant(const T* in, int n, int count, T* const* rows);
#define HOLON_DECLARE_REAL(variant, Real)                                                                              \
    void forward_##variant(const Lines<Real>&);       /* sum_j x_j exp(-2 pi i j k / n) */                             \
    void backward_##variant(const Lines<Real>&);      /* sum_k X_k exp(+2 pi i j k / n) */                             \
    void real_to_modes_##variant(const Lines<Real>&); /* forward, of real lines: k from 0 to n/2 */                    \
    void modes_to_real_##variant(const Lines<Real>&); /* backward, of such: imaginary parts at 0 and n/2 count not */
#define HOLON_DECLARE(variant)                                                                                         \
    HOLON_DECLARE_REAL(variant, float)                                                                                 \
    HOLON_DECLARE_REAL(variant, double)                                                                                \
    HOLON_DECLARE_ROWS(variant, float)                                                                                 \
    HOLON_DECLARE_ROWS(variant, double)                                                                                \
    HOLON_DECLARE_ROWS(variant, DoubleMode)
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE
#undef HOLON_DECLARE_REAL
#undef HOLON_DECLARE_ROWS

} // namespace holon::line
