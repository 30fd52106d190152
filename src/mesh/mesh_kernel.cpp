// Compiled once per instruction set, with HOLON_VARIANT naming it; see CMakeLists.txt.
#include "mesh_kernel.hpp"

#include <holon/core/vector_math.hpp>

#include <type_traits>

#if !defined(HOLON_VARIANT)
#define HOLON_VARIANT baseline
#endif
#define HOLON_JOIN(name, variant) name##_##variant
#define HOLON_NAME(name, variant) HOLON_JOIN(name, variant)

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
