// Compiled once per instruction set, with HOLON_VARIANT naming it; see CMakeLists.txt.
#include "mesh_kernel.hpp"

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

/// sum_p coefficients[p] s^p in each lane.
template <class V, class Real>
HOLON_INLINE V polynomial(const Real* coefficients, int degree, Real s)
{
    constexpr int lanes = sizeof(V) / sizeof(Real);
    V sum = load<V>(coefficients + degree * lanes);
    for (int p = degree - 1; p >= 0; --p) sum = sum * s + load<V>(coefficients + p * lanes);
    return sum;
}

/// Nearest integer, halves away from zero.
template <class VI, class V, class Real, class Int>
HOLON_INLINE VI round_half_away(V x)
{
    const V half = V{} + Real(0.5);
    const VI sign = (VI)x & (VI{} + Int(Int(1) << (8 * sizeof(Int) - 1)));
    return __builtin_convertvector(x + (V)((VI)half | sign), VI);
}

template <int lanes, class Real, class Int>
HOLON_INLINE void spread(const SpreadData<Real, Int>& k)
{
    using V = typename Vector<Real, lanes>::type;
    using VI = typename Vector<Int, lanes>::type;
    const int width = k.window.width;
    for (std::int64_t i = 0; i < k.places.n_atoms; ++i) {
        const Real* offset = k.places.offset + 3 * i;
        const std::int32_t* first = k.places.first + 3 * i;
        Real wx[lanes], wy[lanes];
        store(wx, polynomial<V>(k.window.value, k.window.degree, offset[0]) * k.places.charge[i]);
        store(wy, polynomial<V>(k.window.value, k.window.degree, offset[1]));
        const V wz = polynomial<V>(k.window.value, k.window.degree, offset[2]);
        Int* corner = k.grid + first[0] * k.shape.stride_x + first[1] * k.shape.stride_y + first[2];
        for (int x = 0; x < width; ++x) {
            Int* row = corner + x * k.shape.stride_x;
            for (int y = 0; y < width; ++y, row += k.shape.stride_y)
                store(row, load<VI>(row) + round_half_away<VI, V, Real, Int>((wx[x] * wy[y]) * wz));
        }
    }
}

template <class V>
HOLON_INLINE auto sum_of_lanes(V v)
{
    constexpr int lanes = sizeof(V) / sizeof(v[0]);
    auto sum = v[0] - v[0];
    // By halves: the order in which a processor can do it fast.
    using Real = decltype(sum);
    Real part[lanes];
    store(part, v);
    for (int n = lanes / 2; n > 0; n /= 2)
        for (int l = 0; l < n; ++l) part[l] += part[l + n];
    return part[0];
}

template <int lanes, class Real>
HOLON_INLINE void gather(const GatherData<Real>& k)
{
    using V = typename Vector<Real, lanes>::type;
    const int width = k.window.width, degree = k.window.degree;
    for (std::int64_t i = 0; i < k.places.n_atoms; ++i) {
        const Real* offset = k.places.offset + 3 * i;
        const std::int32_t* first = k.places.first + 3 * i;
        Real wx[lanes], wy[lanes], dx[lanes], dy[lanes];
        store(wx, polynomial<V>(k.window.value, degree, offset[0]));
        store(wy, polynomial<V>(k.window.value, degree, offset[1]));
        store(dx, polynomial<V>(k.window.slope, degree - 1, offset[0]));
        store(dy, polynomial<V>(k.window.slope, degree - 1, offset[1]));
        const V wz = polynomial<V>(k.window.value, degree, offset[2]);
        const V dz = polynomial<V>(k.window.slope, degree - 1, offset[2]);
        const Real* corner = k.potential + first[0] * k.shape.stride_x + first[1] * k.shape.stride_y + first[2];
        V plain{}, along_x{}, along_y{};
        for (int x = 0; x < width; ++x) {
            const Real* row = corner + x * k.shape.stride_x;
            V value{}, slope{};
            for (int y = 0; y < width; ++y, row += k.shape.stride_y) {
                const V potential = load<V>(row);
                value += potential * wy[y];
                slope += potential * dy[y];
            }
            plain += value * wx[x];
            along_x += value * dx[x];
            along_y += slope * wx[x];
        }
        const Real q = k.places.charge[i];
        Real* gradient = k.gradient + 3 * i;
        gradient[0] = sum_of_lanes(along_x * wz) * q;
        gradient[1] = sum_of_lanes(along_y * wz) * q;
        gradient[2] = sum_of_lanes(plain * dz) * q;
    }
}

} // namespace

#define HOLON_DEFINE(Real, Int)                                                                                        \
    void HOLON_NAME(spread, HOLON_VARIANT)(const SpreadData<Real, Int>& data)                                          \
    {                                                                                                                  \
        data.window.width <= narrow ? spread<narrow>(data) : spread<wide>(data);                                       \
    }                                                                                                                  \
    void HOLON_NAME(gather, HOLON_VARIANT)(const GatherData<Real>& data)                                               \
    {                                                                                                                  \
        data.window.width <= narrow ? gather<narrow>(data) : gather<wide>(data);                                       \
    }
HOLON_DEFINE(float, std::int32_t)
HOLON_DEFINE(double, std::int64_t)
#undef HOLON_DEFINE

} // namespace holon::mesh
