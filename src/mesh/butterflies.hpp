#pragma once

#include <holon/core/wide_vector.hpp>

/// Fourier transforms of p points, for kernels that are compiled once per instruction set: everything is inlined. The
/// points are vectors, a line to each lane. Roots: exp(-2 pi i j / p) for each j, cosine and sine.
namespace holon::line {

/// What one butterfly takes: in registers if the radix p is known when compiling, else (p = 0) in memory.
template <class V, int p>
struct Values {
    V real[p], imaginary[p];
    HOLON_INLINE Values(NumberOf<V>*, int) {}
    HOLON_INLINE static constexpr int radix() { return p; }
    HOLON_INLINE V re(int j) const { return real[j]; }
    HOLON_INLINE V im(int j) const { return imaginary[j]; }
    HOLON_INLINE void set(int j, V re, V im)
    {
        real[j] = re;
        imaginary[j] = im;
    }
};
template <class V>
struct Values<V, 0> {
    NumberOf<V>* memory;
    int p;
    HOLON_INLINE Values(NumberOf<V>* m, int radix) : memory(m), p(radix) {}
    HOLON_INLINE int radix() const { return p; }
    HOLON_INLINE V re(int j) const { return load<V>(memory + 2 * lanes_in<V> * j); }
    HOLON_INLINE V im(int j) const { return load<V>(memory + 2 * lanes_in<V> * j + lanes_in<V>); }
    HOLON_INLINE void set(int j, V re, V im)
    {
        store(memory + 2 * lanes_in<V> * j, re);
        store(memory + 2 * lanes_in<V> * j + lanes_in<V>, im);
    }
};

/// Sums and differences of x_j and x_(p-j), in their places.
template <class V, int p>
HOLON_INLINE void fold(Values<V, p>& x)
{
    const int n = x.radix();
#pragma GCC unroll 8
    for (int j = 1; j <= n / 2; ++j) {
        const int opposite = n - j;
        const V re = x.re(j), im = x.im(j), other_re = x.re(opposite), other_im = x.im(opposite);
        x.set(j, re + other_re, im + other_im);
        x.set(opposite, re - other_re, im - other_im);
    }
}

/// Calls give(k, re, im) with sum_j x_j exp(-2 pi i j k / p), which changes x.
template <class V, int p, class Give>
HOLON_INLINE void butterfly(Values<V, p>& x, const NumberOf<V>* roots, Give give)
{
    if constexpr (p == 2) {
        give(0, x.re(0) + x.re(1), x.im(0) + x.im(1));
        give(1, x.re(0) - x.re(1), x.im(0) - x.im(1));
    } else if constexpr (p == 4) {
        const V even_re = x.re(0) + x.re(2), even_im = x.im(0) + x.im(2);
        const V apart_re = x.re(0) - x.re(2), apart_im = x.im(0) - x.im(2);
        const V odd_re = x.re(1) + x.re(3), odd_im = x.im(1) + x.im(3);
        const V turned_re = x.im(1) - x.im(3), turned_im = x.re(3) - x.re(1); // (x_1 - x_3) exp(-i pi/2)
        give(0, even_re + odd_re, even_im + odd_im);
        give(1, apart_re + turned_re, apart_im + turned_im);
        give(2, even_re - odd_re, even_im - odd_im);
        give(3, apart_re - turned_re, apart_im - turned_im);
    } else {
        const int n = x.radix();
        fold(x);
        V re = x.re(0), im = x.im(0);
#pragma GCC unroll 8
        for (int j = 1; j <= n / 2; ++j) {
            re += x.re(j);
            im += x.im(j);
        }
        give(0, re, im);
#pragma GCC unroll 8
        for (int k = 1; k <= n / 2; ++k) {
            V even_re = x.re(0), even_im = x.im(0), odd_re{}, odd_im{};
            int at = 0;
#pragma GCC unroll 8
            for (int j = 1; j <= n / 2; ++j) {
                at = at + k < n ? at + k : at + k - n; // j k modulo n
                const V c = splat<V>(roots[2 * at]), s = splat<V>(roots[2 * at + 1]);
                even_re += c * x.re(j);
                even_im += c * x.im(j);
                odd_re += s * x.re(n - j);
                odd_im += s * x.im(n - j);
            }
            give(k, even_re - odd_im, even_im + odd_re);
            give(n - k, even_re + odd_im, even_im - odd_re);
        }
    }
}

/// The same of real x, for k up to p/2; imaginary parts of x are not looked at.
template <class V, int p, class Give>
HOLON_INLINE void real_butterfly(Values<V, p>& x, const NumberOf<V>* roots, Give give)
{
    if constexpr (p == 2) {
        give(0, x.re(0) + x.re(1), V{});
        give(1, x.re(0) - x.re(1), V{});
    } else if constexpr (p == 4) {
        const V even = x.re(0) + x.re(2), odd = x.re(1) + x.re(3);
        give(0, even + odd, V{});
        give(1, x.re(0) - x.re(2), x.re(3) - x.re(1));
        give(2, even - odd, V{});
    } else {
        const int n = x.radix();
        V sum = x.re(0);
#pragma GCC unroll 8
        for (int j = 1; j <= n / 2; ++j) {
            const V first = x.re(j), second = x.re(n - j);
            x.set(j, first + second, first - second);
            sum += first + second;
        }
        give(0, sum, V{});
#pragma GCC unroll 8
        for (int k = 1; k <= n / 2; ++k) {
            V re = x.re(0), im{};
            int at = 0;
#pragma GCC unroll 8
            for (int j = 1; j <= n / 2; ++j) {
                at = at + k < n ? at + k : at + k - n;
                re += splat<V>(roots[2 * at]) * x.re(j);
                im += splat<V>(roots[2 * at + 1]) * x.im(j);
            }
            give(k, re, im);
        }
    }
}

/// Calls give(j, x_j) with the real sum_k X_k exp(+2 pi i j k / p), of X_k for k up to p/2, whose others are their
/// conjugates. The imaginary parts at 0 and p/2 are not looked at.
template <class V, int p, class Give>
HOLON_INLINE void real_butterfly_back(const Values<V, p>& x, const NumberOf<V>* roots, Give give)
{
    if constexpr (p == 2) {
        give(0, x.re(0) + x.re(1));
        give(1, x.re(0) - x.re(1));
    } else if constexpr (p == 4) {
        const V even = x.re(0) + x.re(2), apart = x.re(0) - x.re(2);
        const V re = x.re(1) + x.re(1), im = x.im(1) + x.im(1);
        give(0, even + re);
        give(1, apart - im);
        give(2, even - re);
        give(3, apart + im);
    } else {
        const int n = x.radix();
        V sum{};
#pragma GCC unroll 8
        for (int k = 1; k <= n / 2; ++k) sum += x.re(k);
        give(0, x.re(0) + (sum + sum));
#pragma GCC unroll 8
        for (int j = 1; j <= n / 2; ++j) {
            V re{}, im{};
            int at = 0;
#pragma GCC unroll 8
            for (int k = 1; k <= n / 2; ++k) {
                at = at + j < n ? at + j : at + j - n;
                re += splat<V>(roots[2 * at]) * x.re(k);
                im += splat<V>(roots[2 * at + 1]) * x.im(k);
            }
            const V even = x.re(0) + (re + re), odd = im + im;
            give(j, even + odd);
            give(n - j, even - odd);
        }
    }
}

} // namespace holon::line
