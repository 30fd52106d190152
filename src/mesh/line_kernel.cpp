// Compiled once per instruction set: see kernel_variant.hpp.
#include "line_kernel.hpp"
#include "butterflies.hpp"

#include <holon/core/kernel_variant.hpp>

/// Stockham's autosort transform, by decimation in time: before a pass, place k of transform b is at [k * radix * count
/// + b], after it at [k * count + b]. Transforms of real lines have the same passes, but only the places up to the
/// middle, for X_(n-k) is the conjugate of X_k; their way back is the same way backwards. C. Van Loan, Computational
/// Frameworks for the Fast Fourier Transform (SIAM 1992), sections 1.7 and 4.3.
namespace holon::line {
namespace {

/// One pass over the first lanes of all lines. Each element is a vector of real parts and one of imaginary parts.
template <class V, int p>
struct Passing {
    using Real = NumberOf<V>;
    static constexpr std::ptrdiff_t width = lanes_in<V>;

    const Pass pass;
    const Real* const twiddles;
    const Real* const roots;
    Real* const memory;

    HOLON_INLINE Passing(const Pass& given, const Real* factors, Real* m)
        : pass(given), twiddles(factors + given.twiddles), roots(factors + given.roots), memory(m)
    {
    }

    HOLON_INLINE int radix() const
    {
        if constexpr (p > 0)
            return p;
        else
            return pass.radix;
    }
    HOLON_INLINE int points() const { return radix() * pass.length; }
    /// Of point r of the butterfly for place k, and of its result: place m of the longer transform.
    HOLON_INLINE std::ptrdiff_t short_place(int k, int r, int b) const
    {
        return 2 * width * (std::ptrdiff_t{k * radix() + r} * pass.count + b);
    }
    HOLON_INLINE std::ptrdiff_t long_place(int m, int b) const
    {
        return 2 * width * (std::ptrdiff_t{m} * pass.count + b);
    }
    HOLON_INLINE const Real* twiddle(int k) const { return twiddles + 2 * std::ptrdiff_t{k} * (radix() - 1) - 2; }

    template <class Use>
    HOLON_INLINE void for_each_point(Use use) const
    {
        const int n = radix();
#pragma GCC unroll 16
        for (int r = 0; r < n; ++r) use(r);
    }

    /// x_r exp(-2 pi i r k / points), for k > 0.
    HOLON_INLINE void twist(Values<V, p>& x, int k) const
    {
        const Real* const w = twiddle(k);
        for_each_point([&](int r) __attribute__((always_inline)) {
            if (r == 0) return;
            const V c = splat<V>(w[2 * r]), s = splat<V>(w[2 * r + 1]);
            x.set(r, x.re(r) * c - x.im(r) * s, x.re(r) * s + x.im(r) * c);
        });
    }

    HOLON_INLINE void load_short(Values<V, p>& x, const Real* in, int k, int b) const
    {
        for_each_point([&](int r) __attribute__((always_inline)) {
            const Real* const at = in + short_place(k, r, b);
            x.set(r, load<V>(at), load<V>(at + width));
        });
    }

    HOLON_INLINE void complex(const Real* in, Real* out) const
    {
        for (int k = 0; k < pass.length; ++k)
            for (int b = 0; b < pass.count; ++b) {
                Values<V, p> x(memory, radix());
                load_short(x, in, k, b);
                if (k > 0) twist(x, k);
                butterfly(
                    x, roots, [&](int q, V re, V im) __attribute__((always_inline)) {
                        Real* const at = out + long_place(k + pass.length * q, b);
                        store(at, re);
                        store(at + width, im);
                    });
            }
    }

    /// `stride`: from one element of `in` to the next, of which only real parts count where k = 0.
    HOLON_INLINE void real(const Real* in, std::ptrdiff_t stride, Real* out) const
    {
        const auto put = [&](int m, int b, V re, V im) __attribute__((always_inline))
        {
            Real* const at = out + long_place(m, b);
            store(at, re);
            store(at + width, im);
        };
        for (int b = 0; b < pass.count; ++b) {
            Values<V, p> x(memory, radix());
            for_each_point([&](int r) __attribute__((always_inline)) {
                x.set(r, load<V>(in + stride * (std::ptrdiff_t{r} * pass.count + b)), V{});
            });
            real_butterfly(
                x, roots, [&](int q, V re, V im) __attribute__((always_inline)) { put(pass.length * q, b, re, im); });
        }
        for (int k = 1; 2 * k <= pass.length; ++k)
            for (int b = 0; b < pass.count; ++b) {
                Values<V, p> x(memory, radix());
                load_short(x, in, k, b);
                if (2 * k == pass.length)
                    for_each_point([&](int r) __attribute__((always_inline)) { x.set(r, x.re(r), V{}); });
                twist(x, k);
                butterfly(
                    x, roots, [&](int q, V re, V im) __attribute__((always_inline)) {
                        const int m = k + pass.length * q;
                        if (2 * m < points())
                            put(m, b, re, im);
                        else if (2 * m == points())
                            put(m, b, re, V{});
                        else if (2 * k < pass.length)
                            put(points() - m, b, re, -im);
                    });
            }
    }

    HOLON_INLINE void real_back(const Real* in, Real* out, std::ptrdiff_t stride) const
    {
        for (int b = 0; b < pass.count; ++b) {
            Values<V, p> x(memory, radix());
            const int half = radix() / 2;
#pragma GCC unroll 8
            for (int q = 0; q <= half; ++q) {
                const Real* const at = in + long_place(pass.length * q, b);
                x.set(q, load<V>(at), load<V>(at + width));
            }
            real_butterfly_back(
                x, roots, [&](int r, V value) __attribute__((always_inline)) {
                    store(out + stride * (std::ptrdiff_t{r} * pass.count + b), value);
                });
        }
        for (int k = 1; 2 * k <= pass.length; ++k)
            for (int b = 0; b < pass.count; ++b) {
                Values<V, p> x(memory, radix());
                for_each_point([&](int q) __attribute__((always_inline)) {
                    const int m = k + pass.length * q;
                    const bool beyond = 2 * m > points();
                    const Real* const at = in + long_place(beyond ? points() - m : m, b);
                    const V im = load<V>(at + width);
                    // real and imaginary parts exchanged, here and behind the butterfly: the inverse
                    x.set(q, 2 * m == points() ? V{} : beyond ? -im : im, load<V>(at));
                });
                const Real* const w = twiddle(k);
                butterfly(
                    x, roots, [&](int r, V im, V re) __attribute__((always_inline)) {
                        Real* const at = out + short_place(k, r, b);
                        if (r == 0) {
                            store(at, re);
                            store(at + width, im);
                        } else {
                            const V c = splat<V>(w[2 * r]), s = splat<V>(w[2 * r + 1]);
                            store(at, re * c + im * s);
                            store(at + width, im * c - re * s);
                        }
                    });
            }
    }
};

/// Calls use(pass) with its radix as a constant.
template <class V, class Use>
HOLON_INLINE void with_radix(const Pass& pass, const NumberOf<V>* factors, NumberOf<V>* memory, Use use)
{
    switch (pass.radix) {
    case 2:
        return use(Passing<V, 2>(pass, factors, memory));
    case 3:
        return use(Passing<V, 3>(pass, factors, memory));
    case 4:
        return use(Passing<V, 4>(pass, factors, memory));
    case 5:
        return use(Passing<V, 5>(pass, factors, memory));
    case 7:
        return use(Passing<V, 7>(pass, factors, memory));
    case 11:
        return use(Passing<V, 11>(pass, factors, memory));
    case 13:
        return use(Passing<V, 13>(pass, factors, memory));
    default:
        return use(Passing<V, 0>(pass, factors, memory));
    }
}

/// As many lines as fit into vectors of the processor's.
template <class Real>
using Native = Vector<Real, (native_bytes < lanes * sizeof(Real) ? native_bytes / sizeof(Real) : lanes)>;

/// Numbers one after another, real and imaginary in turns, as two vectors, and back.
template <class V>
HOLON_INLINE void load_complex(const NumberOf<V>* p, V& re, V& im)
{
    constexpr int n = lanes_in<V>;
    const V low = load<V>(p), high = load<V>(p + n);
    const auto take = [&]<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline))
    {
        re = shuffled<2 * l...>(low, high);
        im = shuffled<(2 * l + 1)...>(low, high);
    };
    take(std::make_integer_sequence<int, n>{});
}
template <class V>
HOLON_INLINE void store_complex(NumberOf<V>* p, V re, V im)
{
    constexpr int n = lanes_in<V>;
    const auto put = [&]<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline))
    {
        store(p, shuffled<(l / 2 + l % 2 * n)...>(re, im));
        store(p + n, shuffled<(n / 2 + l / 2 + l % 2 * n)...>(re, im));
    };
    put(std::make_integer_sequence<int, n>{});
}

/// Work space of one vector's lanes.
template <class V>
struct Work {
    using Real = NumberOf<V>;
    static constexpr std::ptrdiff_t width = lanes_in<V>;
    Real *here, *there, *memory;

    HOLON_INLINE explicit Work(const Lines<Real>& lines)
        : here(lines.work), there(here + 2 * width * lines.n), memory(there + 2 * width * lines.n)
    {
    }
    HOLON_INLINE void swap()
    {
        Real* const before = here;
        here = there;
        there = before;
    }
    HOLON_INLINE void load_all(const Real* in, int n, bool exchanged)
    {
        for (std::ptrdiff_t j = 0; j < n; ++j) {
            V re, im;
            load_complex(in + 2 * lanes * j, re, im);
            store(here + 2 * width * j, exchanged ? im : re);
            store(here + 2 * width * j + width, exchanged ? re : im);
        }
    }
    HOLON_INLINE void store_all(Real* out, int n, bool exchanged)
    {
        for (std::ptrdiff_t j = 0; j < n; ++j) {
            const V first = load<V>(here + 2 * width * j), second = load<V>(here + 2 * width * j + width);
            store_complex(out + 2 * lanes * j, exchanged ? second : first, exchanged ? first : second);
        }
    }
};

template <class Real>
HOLON_INLINE void complex_lines(const Lines<Real>& lines, bool back)
{
    using V = Native<Real>;
    for (int first = 0; first < lanes; first += lanes_in<V>) {
        Work<V> work(lines);
        work.load_all(lines.in + 2 * first, lines.n, back);
        for (int i = 0; i < lines.n_passes; ++i) {
            with_radix<V>(
                lines.passes[i], lines.factors, work.memory, [&](auto passing) __attribute__((always_inline)) {
                    passing.complex(work.here, work.there);
                });
            work.swap();
        }
        work.store_all(lines.out + 2 * first, lines.n, back);
    }
}

template <class Real>
HOLON_INLINE void real_to_modes(const Lines<Real>& lines)
{
    using V = Native<Real>;
    for (int first = 0; first < lanes; first += lanes_in<V>) {
        Work<V> work(lines);
        for (int i = 0; i < lines.n_passes; ++i) {
            const Real* const in = i == 0 ? lines.in + first : work.here;
            const std::ptrdiff_t stride = i == 0 ? lanes : 2 * lanes_in<V>;
            with_radix<V>(
                lines.passes[i], lines.factors, work.memory, [&](auto passing) __attribute__((always_inline)) {
                    passing.real(in, stride, work.there);
                });
            work.swap();
        }
        work.store_all(lines.out + 2 * first, lines.n / 2 + 1, false);
    }
}

template <class Real>
HOLON_INLINE void modes_to_real(const Lines<Real>& lines)
{
    using V = Native<Real>;
    for (int first = 0; first < lanes; first += lanes_in<V>) {
        Work<V> work(lines);
        work.load_all(lines.in + 2 * first, lines.n / 2 + 1, false);
        for (int i = lines.n_passes - 1; i >= 0; --i) {
            Real* const out = i == 0 ? lines.out + first : work.there;
            const std::ptrdiff_t stride = i == 0 ? lanes : 2 * lanes_in<V>;
            with_radix<V>(
                lines.passes[i], lines.factors, work.memory, [&](auto passing) __attribute__((always_inline)) {
                    passing.real_back(work.here, out, stride);
                });
            work.swap();
        }
    }
}

/// Rows and columns of eight vectors of eight change places.
template <class V>
HOLON_INLINE void transpose(V (&v)[lanes])
{
    V a[lanes], b[lanes];
    for (int r = 0; r < lanes; r += 2) {
        a[r] = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(v[r], v[r + 1]);
        a[r + 1] = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(v[r], v[r + 1]);
    }
    for (int r = 0; r < lanes; r += 4)
        for (int k = r; k < r + 2; ++k) {
            b[k] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(a[k], a[k + 2]);
            b[k + 2] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(a[k], a[k + 2]);
        }
    for (int k = 0; k < lanes / 2; ++k) {
        v[k] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(b[k], b[k + 4]);
        v[k + 4] = shuffled<4, 5, 6, 7, 12, 13, 14, 15>(b[k], b[k + 4]);
    }
}

template <class T>
constexpr bool in_vectors = sizeof(T) <= 8;

template <class T>
HOLON_INLINE void interleave_rows(const T* const* rows, int n, T* out)
{
    int j = 0;
    if constexpr (in_vectors<T>) {
        using V = Vector<T, lanes>;
        for (; j + lanes <= n; j += lanes) {
            V v[lanes];
            for (int w = 0; w < lanes; ++w) v[w] = load<V>(rows[w] + j);
            transpose(v);
            for (int k = 0; k < lanes; ++k) store(out + (j + k) * lanes, v[k]);
        }
    }
    for (; j < n; ++j)
        for (int w = 0; w < lanes; ++w) out[j * lanes + w] = rows[w][j];
}

template <class T>
HOLON_INLINE void separate_rows(const T* in, int n, int count, T* const* rows)
{
    int j = 0;
    if constexpr (in_vectors<T>) {
        using V = Vector<T, lanes>;
        for (; j + lanes <= n; j += lanes) {
            V v[lanes];
            for (int k = 0; k < lanes; ++k) v[k] = load<V>(in + (j + k) * lanes);
            transpose(v);
            for (int w = 0; w < count; ++w) store(rows[w] + j, v[w]);
        }
    }
    for (; j < n; ++j)
        for (int w = 0; w < count; ++w) rows[w][j] = in[j * lanes + w];
}

} // namespace

#define HOLON_DEFINE_ROWS(T)                                                                                           \
    void HOLON_NAME(interleave)(const T* const* rows, int n, T* out)                                                   \
    {                                                                                                                  \
        interleave_rows(rows, n, out);                                                                                 \
    }                                                                                                                  \
    void HOLON_NAME(separate)(const T* in, int n, int count, T* const* rows)                                           \
    {                                                                                                                  \
        separate_rows(in, n, count, rows);                                                                             \
    }
HOLON_DEFINE_ROWS(float)
HOLON_DEFINE_ROWS(double)
HOLON_DEFINE_ROWS(DoubleMode)
#undef HOLON_DEFINE_ROWS

#define HOLON_DEFINE(Real)                                                                                             \
    void HOLON_NAME(forward)(const Lines<Real>& lines)                                                                 \
    {                                                                                                                  \
        complex_lines(lines, false);                                                                                   \
    }                                                                                                                  \
    void HOLON_NAME(backward)(const Lines<Real>& lines)                                                                \
    {                                                                                                                  \
        complex_lines(lines, true);                                                                                    \
    }                                                                                                                  \
    void HOLON_NAME(real_to_modes)(const Lines<Real>& lines)                                                           \
    {                                                                                                                  \
        real_to_modes(lines);                                                                                          \
    }                                                                                                                  \
    void HOLON_NAME(modes_to_real)(const Lines<Real>& lines)                                                           \
    {                                                                                                                  \
        modes_to_real(lines);                                                                                          \
    }
HOLON_DEFINE(float)
HOLON_DEFINE(double)
#undef HOLON_DEFINE

} // namespace holon::line
