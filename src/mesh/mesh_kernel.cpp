// Compiled once per instruction set, with HOLON_VARIANT naming it; see CMakeLists.txt.
#include "mesh_kernel.hpp"

#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if !defined(HOLON_VARIANT)
#define HOLON_VARIANT baseline
#endif
#define HOLON_JOIN(name, variant) name##_##variant
#define HOLON_NAME(name, variant) HOLON_JOIN(name, variant)
#define HOLON_INLINE inline __attribute__((always_inline))

namespace holon::mesh {
namespace {

template <class T, int lanes>
struct Vector {
    typedef T type __attribute__((vector_size(lanes * sizeof(T))));
};

template <class V, class T>
HOLON_INLINE V load(const T* p)
{
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

template <class V, class T>
HOLON_INLINE void store(T* p, V v)
{
    __builtin_memcpy(p, &v, sizeof v);
}

HOLON_INLINE float fused(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
HOLON_INLINE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/// a b + c, rounded once: written out, so that all instruction sets do the same; those without it do it slowly.
template <class V>
HOLON_INLINE V multiply_add(V a, V b, V c)
{
    [[maybe_unused]] constexpr bool is_float = sizeof(a[0]) == 4;
#if defined(__FMA__)
    if constexpr (is_float && sizeof(V) == 32) return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#endif
#if defined(__AVX512F__)
    if constexpr (is_float && sizeof(V) == 64) return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    if constexpr (!is_float && sizeof(V) == 64) return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
    V sum;
    for (unsigned l = 0; l < sizeof(V) / sizeof(a[0]); ++l) sum[l] = fused(a[l], b[l], c[l]);
    return sum;
}

/// Nearest integer in each lane, ties to even.
template <class VI, class V>
HOLON_INLINE VI round_to_integers(V x)
{
#if defined(__AVX2__)
    if constexpr (sizeof(x[0]) == 4 && sizeof(V) == 32) return (VI)_mm256_cvtps_epi32((__m256)x);
#endif
#if defined(__AVX512DQ__)
    if constexpr (sizeof(x[0]) == 8 && sizeof(V) == 64) return (VI)_mm512_cvtpd_epi64((__m512d)x);
#endif
    VI rounded;
    for (unsigned l = 0; l < sizeof(V) / sizeof(x[0]); ++l)
        rounded[l] = static_cast<std::remove_reference_t<decltype(rounded[l])>>(__builtin_llrint(x[l]));
    return rounded;
}

/// sum_p coefficients[p] s^p, the coefficients in the lanes.
template <class V, class Real>
HOLON_INLINE V polynomials(const Real* coefficients, int degree, Real s)
{
    constexpr int lanes = sizeof(V) / sizeof(Real);
    const V at = V{} + s;
    V sum = load<V>(coefficients + degree * lanes);
    for (int p = degree - 1; p >= 0; --p) sum = multiply_add(sum, at, load<V>(coefficients + p * lanes));
    return sum;
}

/// Likewise for one point and a block of atoms, with the atoms in the lanes.
template <int lanes, class V, class Real>
HOLON_INLINE V polynomial(const Real* coefficients, int degree, int point, V s)
{
    V sum = V{} + coefficients[degree * lanes + point];
    for (int p = degree - 1; p >= 0; --p) sum = multiply_add(sum, s, V{} + coefficients[p * lanes + point]);
    return sum;
}

/// `fixed`: the width, or 0 if it is not known when compiling.
template <int lanes, int fixed, class Real, class Int>
HOLON_INLINE void spread(const SpreadData<Real, Int>& k)
{
    using V = typename Vector<Real, lanes>::type;
    using VI = typename Vector<Int, lanes>::type;
    using Atoms = typename Vector<Real, block>::type;
    const int width = fixed > 0 ? fixed : k.window.width, degree = k.window.degree;
    alignas(64) Real wx[lanes][block], wy[lanes][block];
    for (std::int64_t begin = 0; begin < k.places.n_atoms; begin += block) {
        const Atoms charge = load<Atoms>(k.places.charge + begin);
        const Atoms at_x = load<Atoms>(k.places.offset[0] + begin), at_y = load<Atoms>(k.places.offset[1] + begin);
        for (int p = 0; p < width; ++p) {
            store(wx[p], polynomial<lanes>(k.window.value, degree, p, at_x) * charge);
            store(wy[p], polynomial<lanes>(k.window.value, degree, p, at_y));
        }
        const auto n = k.places.n_atoms - begin < block ? static_cast<int>(k.places.n_atoms - begin) : block;
        for (int i = 0; i < n; ++i) {
            const V wz = polynomials<V>(k.window.value, degree, k.places.offset[2][begin + i]);
            Int* plane = k.grid + k.places.first[begin + i];
            for (int x = 0; x < width; ++x, plane += k.shape.stride_x) {
                const V weight = wz * wx[x][i];
                Int* row = plane;
                for (int y = 0; y < width; ++y, row += k.shape.stride_y)
                    store(row, load<VI>(row) + round_to_integers<VI>(weight * wy[y][i]));
            }
        }
    }
}

/// By halves: an order in which a processor can do it fast.
template <class V>
HOLON_INLINE auto sum_of_lanes(V v)
{
    constexpr int lanes = sizeof(V) / sizeof(v[0]);
    using Real = std::remove_reference_t<decltype(v[0])>;
    Real part[lanes];
    store(part, v);
    for (int n = lanes / 2; n > 0; n /= 2)
        for (int l = 0; l < n; ++l) part[l] += part[l + n];
    return part[0];
}

template <int lanes, int fixed, class Real>
HOLON_INLINE void gather(const GatherData<Real>& k)
{
    using V = typename Vector<Real, lanes>::type;
    using Atoms = typename Vector<Real, block>::type;
    const int width = fixed > 0 ? fixed : k.window.width, degree = k.window.degree;
    alignas(64) Real wx[lanes][block], wy[lanes][block], dx[lanes][block], dy[lanes][block];
    for (std::int64_t begin = 0; begin < k.places.n_atoms; begin += block) {
        const Atoms at_x = load<Atoms>(k.places.offset[0] + begin), at_y = load<Atoms>(k.places.offset[1] + begin);
        for (int p = 0; p < width; ++p) {
            store(wx[p], polynomial<lanes>(k.window.value, degree, p, at_x));
            store(wy[p], polynomial<lanes>(k.window.value, degree, p, at_y));
            store(dx[p], polynomial<lanes>(k.window.slope, degree - 1, p, at_x));
            store(dy[p], polynomial<lanes>(k.window.slope, degree - 1, p, at_y));
        }
        const auto n = k.places.n_atoms - begin < block ? static_cast<int>(k.places.n_atoms - begin) : block;
        for (int i = 0; i < n; ++i) {
            const Real at_z = k.places.offset[2][begin + i];
            const V wz = polynomials<V>(k.window.value, degree, at_z);
            const V dz = polynomials<V>(k.window.slope, degree - 1, at_z);
            const Real* plane = k.potential + k.places.first[begin + i];
            V plain{}, along_x{}, along_y{};
            for (int x = 0; x < width; ++x, plane += k.shape.stride_x) {
                const Real* row = plane;
                V value{}, slope{};
                for (int y = 0; y < width; ++y, row += k.shape.stride_y) {
                    const V potential = load<V>(row);
                    value = multiply_add(potential, V{} + wy[y][i], value);
                    slope = multiply_add(potential, V{} + dy[y][i], slope);
                }
                plain = multiply_add(value, V{} + wx[x][i], plain);
                along_x = multiply_add(value, V{} + dx[x][i], along_x);
                along_y = multiply_add(slope, V{} + wx[x][i], along_y);
            }
            const Real q = k.places.charge[begin + i];
            k.gradient[0][begin + i] = sum_of_lanes(along_x * wz) * q;
            k.gradient[1][begin + i] = sum_of_lanes(along_y * wz) * q;
            k.gradient[2][begin + i] = sum_of_lanes(plain * dz) * q;
        }
    }
}

/// Calls use(lanes, fixed width) as constants.
template <class Use>
HOLON_INLINE void with_width(int width, Use use)
{
    using std::integral_constant;
    if (width == 4) return use(integral_constant<int, narrow>{}, integral_constant<int, 4>{});
    if (width == 5) return use(integral_constant<int, narrow>{}, integral_constant<int, 5>{});
    if (width == 6) return use(integral_constant<int, narrow>{}, integral_constant<int, 6>{});
    if (width <= narrow) return use(integral_constant<int, narrow>{}, integral_constant<int, 0>{});
    use(integral_constant<int, wide>{}, integral_constant<int, 0>{});
}

} // namespace

#define HOLON_DEFINE(Real, Int)                                                                                        \
    void HOLON_NAME(spread, HOLON_VARIANT)(const SpreadData<Real, Int>& data)                                          \
    {                                                                                                                  \
        with_width(data.window.width, [&](auto lanes, auto fixed) { spread<lanes.value, fixed.value>(data); });        \
    }                                                                                                                  \
    void HOLON_NAME(gather, HOLON_VARIANT)(const GatherData<Real>& data)                                               \
    {                                                                                                                  \
        with_width(data.window.width, [&](auto lanes, auto fixed) { gather<lanes.value, fixed.value>(data); });        \
    }
HOLON_DEFINE(float, std::int32_t)
HOLON_DEFINE(double, std::int64_t)
#undef HOLON_DEFINE

} // namespace holon::mesh
