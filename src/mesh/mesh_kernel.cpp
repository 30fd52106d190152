// Compiled once per instruction set: see kernel_variant.hpp.
#include "mesh_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/vector_math.hpp>

#include <type_traits>

namespace holon::mesh {
namespace {

/// sum_p coefficients[p] s^p of a block of atoms, the points' coefficients in the lanes: sums[i] is of atom i. Several
/// atoms at a time: a single one would wait for its own last operation.
template <class V, class Real>
HOLON_INLINE void polynomials_by_atom(const Real* coefficients, int degree, const Real* s, V* sums)
{
    constexpr int lanes = sizeof(V) / sizeof(Real), together = 4;
    for (int i = 0; i < block; i += together) {
        V sum[together];
        for (V& one : sum) one = load<V>(coefficients + degree * lanes);
        for (int p = degree - 1; p >= 0; --p) {
            const V coefficient = load<V>(coefficients + p * lanes);
            for (int l = 0; l < together; ++l) sum[l] = multiply_add(sum[l], splat<V>(s[i + l]), coefficient);
        }
        for (int l = 0; l < together; ++l) sums[i + l] = sum[l];
    }
}

/// The same with the atoms in the lanes: sums[k] is of point k.
template <int lanes, class V, class Real>
HOLON_INLINE void polynomials_by_point(const Real* coefficients, int degree, int width, V s, V* sums)
{
    for (int k = 0; k < width; ++k) sums[k] = splat<V>(coefficients[degree * lanes + k]);
    for (int p = degree - 1; p >= 0; --p)
        for (int k = 0; k < width; ++k) sums[k] = multiply_add(sums[k], s, splat<V>(coefficients[p * lanes + k]));
}

template <class Real>
HOLON_INLINE void locate(const Locate<Real>& data)
{
    constexpr int lanes = 8;
    using F8 = Vector<double, lanes>;
    using I8 = Vector<std::int64_t, lanes>;
    using Int8 = Vector<std::int32_t, lanes>;
    const auto [n_atoms, all, to_grid, shift, wholes, offsets] = data;
    for (std::int64_t begin = 0; begin < n_atoms; begin += lanes) {
        std::int64_t last[3 * lanes] = {};
        const std::int64_t* x = all + 3 * begin;
        if (n_atoms - begin < lanes) {
            for (std::int64_t k = 0; k < 3 * (n_atoms - begin); ++k) last[k] = x[k];
            x = last;
        }
        const I8 a0 = load<I8>(x), a1 = load<I8>(x + lanes), a2 = load<I8>(x + 2 * lanes);
        const I8 x0 = shuffled<0, 3, 6, 9, 12, 15, 0, 0>(a0, a1);
        const I8 x1 = shuffled<1, 4, 7, 10, 13, 0, 0, 0>(a0, a1);
        const I8 x2 = shuffled<2, 5, 8, 11, 14, 0, 0, 0>(a0, a1);
        const F8 r[3] = {to_doubles<F8>(shuffled<0, 1, 2, 3, 4, 5, 10, 13>(x0, a2)),
                         to_doubles<F8>(shuffled<0, 1, 2, 3, 4, 8, 11, 14>(x1, a2)),
                         to_doubles<F8>(shuffled<0, 1, 2, 3, 4, 9, 12, 15>(x2, a2))};
        const F8 u[3] = {r[0] * to_grid[0][0] + r[1] * to_grid[0][1] + r[2] * to_grid[0][2],
                         r[1] * to_grid[1][1] + r[2] * to_grid[1][2], r[2] * to_grid[2][2]};
        for (int a = 0; a < 3; ++a) {
            constexpr std::int32_t above_zero = 1 << 12; // conversion to integers is towards zero
            const F8 s = u[a] + shift;
            const Int8 whole = converted<Int8>(s + above_zero) - above_zero;
            const F8 offset = s - converted<F8>(whole) - 0.5;
            store(wholes[a] + begin, whole);
            store(offsets[a] + begin, converted<Vector<Real, lanes>>(offset));
        }
    }
}

/// `fixed`: the width, or 0 if it is not known when compiling.
template <int lanes, int fixed, class Real, class Int>
HOLON_INLINE void spread(const SpreadData<Real, Int>& data)
{
    using V = Vector<Real, lanes>;
    using VI = Vector<Int, lanes>;
    using Atoms = Vector<Real, block>;
    const auto [window, places, shape, grid] = data; // copied: stores to the grid do not change them
    const int width = fixed > 0 ? fixed : window.width;
    V wz[block];
    Atoms wx[lanes], wy[lanes];
    for (std::int64_t begin = 0; begin < places.n_atoms; begin += block) {
        const Atoms charge = load<Atoms>(places.charge + begin);
        const Atoms at_x = load<Atoms>(places.offset[0] + begin), at_y = load<Atoms>(places.offset[1] + begin);
        polynomials_by_point<lanes>(window.value, window.degree, width, at_x, wx);
        polynomials_by_point<lanes>(window.value, window.degree, width, at_y, wy);
        polynomials_by_atom(window.value, window.degree, places.offset[2] + begin, wz);
        for (int x = 0; x < width; ++x) wx[x] *= charge;
        const auto n = places.n_atoms - begin < block ? static_cast<int>(places.n_atoms - begin) : block;
        for (int i = 0; i < n; ++i) {
            Int* plane = grid + places.first[begin + i];
            for (int x = 0; x < width; ++x, plane += shape.stride_x) {
                const V weight = wz[i] * wx[x][i];
                Int* row = plane;
                for (int y = 0; y < width; ++y, row += shape.stride_y)
                    store(row, load<VI>(row) + round_to_integers<VI>(weight * wy[y][i]));
            }
        }
    }
}

/// By halves: an order in which a processor can do it fast.
template <class V>
HOLON_INLINE auto sum_of_lanes(V v)
{
    if constexpr (lanes_in<V> == 2)
        return v[0] + v[1];
    else
        return sum_of_lanes(low_half(v) + high_half(v));
}

template <int lanes, int fixed, class Real>
HOLON_INLINE void gather(const GatherData<Real>& data)
{
    using V = Vector<Real, lanes>;
    using Atoms = Vector<Real, block>;
    // Where there are too few registers for the weights of all rows, each is read once for several planes.
    constexpr int planes_at_once = native_bytes < 64 && fixed > 0 ? 2 : 1;
    const auto [window, places, shape, potential, gradient] = data;
    const int width = fixed > 0 ? fixed : window.width;
    V wz[block], dz[block];
    Atoms wx[lanes], wy[lanes], dx[lanes], dy[lanes];
    Real result[3][block];
    for (std::int64_t begin = 0; begin < places.n_atoms; begin += block) {
        const Atoms at_x = load<Atoms>(places.offset[0] + begin), at_y = load<Atoms>(places.offset[1] + begin);
        const Real* at_z = places.offset[2] + begin;
        polynomials_by_point<lanes>(window.value, window.degree, width, at_x, wx);
        polynomials_by_point<lanes>(window.value, window.degree, width, at_y, wy);
        polynomials_by_atom(window.value, window.degree, at_z, wz);
        polynomials_by_point<lanes>(window.slope, window.degree - 1, width, at_x, dx);
        polynomials_by_point<lanes>(window.slope, window.degree - 1, width, at_y, dy);
        polynomials_by_atom(window.slope, window.degree - 1, at_z, dz);
        for (int i = 0; i < block; ++i) {
            const Real* plane = potential + places.first[begin + i];
            V plain{}, along_x{}, along_y{};
            const auto add_planes =
                [&, brick = shape ]<int n>(int x, std::integral_constant<int, n>) __attribute__((always_inline))
            {
                const Real* row = plane;
                V value[n] = {}, slope[n] = {};
                for (int y = 0; y < width; ++y, row += brick.stride_y) {
                    const V weight = splat<V>(wy[y][i]), change = splat<V>(dy[y][i]);
                    for (int k = 0; k < n; ++k) {
                        const V here = load<V>(row + k * brick.stride_x);
                        value[k] = multiply_add(here, weight, value[k]);
                        slope[k] = multiply_add(here, change, slope[k]);
                    }
                }
                for (int k = 0; k < n; ++k) {
                    plain = multiply_add(value[k], splat<V>(wx[x + k][i]), plain);
                    along_x = multiply_add(value[k], splat<V>(dx[x + k][i]), along_x);
                    along_y = multiply_add(slope[k], splat<V>(wx[x + k][i]), along_y);
                }
                plane += n * brick.stride_x;
            };
            int x = 0;
            for (; x + planes_at_once <= width; x += planes_at_once)
                add_planes(x, std::integral_constant<int, planes_at_once>{});
            if (x < width) add_planes(x, std::integral_constant<int, 1>{});
            result[0][i] = sum_of_lanes(along_x * wz[i]);
            result[1][i] = sum_of_lanes(along_y * wz[i]);
            result[2][i] = sum_of_lanes(plain * dz[i]);
        }
        const Atoms charge = load<Atoms>(places.charge + begin);
        for (int a = 0; a < 3; ++a) store(gradient[a] + begin, load<Atoms>(result[a]) * charge);
    }
}

using F8 = Vector<double, 8>;
using L8 = Vector<std::int64_t, 8>;

template <class Real>
HOLON_INLINE void add_forces(const ForceData<Real>& data)
{
    const ForceData<Real> d = data; // not to be read again after each store
    const auto force = [&d](int k, F8 along_a, F8 along_b, F8 along_c) __attribute__((always_inline))
    {
        return round_clamped<L8>(d.to_force[k][0] * along_a + d.to_force[k][1] * along_b + d.to_force[k][2] * along_c);
    };
    std::int64_t i = 0;
    for (; i + 8 <= d.n_atoms; i += 8) { // three times eight numbers
        const auto gradient = [&](int a) __attribute__((always_inline))
        {
            return converted<F8>(load<Vector<Real, 8>>(d.gradient[a] + i));
        };
        const F8 g[] = {gradient(0), gradient(1), gradient(2)};
        const L8 x = force(0, g[0], g[1], g[2]), y = force(1, g[0], g[1], g[2]), z = force(2, g[0], g[1], g[2]);
        const L8 parts[] = {
            shuffled<0, 1, 8, 3, 4, 9, 6, 7>(shuffled<0, 8, 0, 1, 9, 0, 2, 10>(x, y), z),
            shuffled<10, 1, 2, 11, 4, 5, 12, 7>(shuffled<0, 3, 11, 0, 4, 12, 0, 5>(x, y), z),
            shuffled<0, 13, 2, 3, 14, 5, 6, 15>(shuffled<13, 0, 6, 14, 0, 7, 15, 0>(x, y), z),
        };
        for (int part = 0; part < 3; ++part) {
            std::int64_t* const f = d.f + 3 * i + 8 * part;
            store(f, load<L8>(f) + parts[part]);
        }
    }
    for (; i < d.n_atoms; ++i) {
        const auto gradient = [&](int a) { return splat<F8>(static_cast<double>(d.gradient[a][i])); };
        for (int k = 0; k < 3; ++k) d.f[3 * i + k] += force(k, gradient(0), gradient(1), gradient(2))[0];
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
    void HOLON_NAME(spread)(const SpreadData<Real, Int>& data)                                                         \
    {                                                                                                                  \
        with_width(data.window.width, [&](auto lanes, auto fixed) { spread<lanes.value, fixed.value>(data); });        \
    }                                                                                                                  \
    void HOLON_NAME(gather)(const GatherData<Real>& data)                                                              \
    {                                                                                                                  \
        with_width(data.window.width, [&](auto lanes, auto fixed) { gather<lanes.value, fixed.value>(data); });        \
    }                                                                                                                  \
    void HOLON_NAME(add_forces)(const ForceData<Real>& data)                                                           \
    {                                                                                                                  \
        add_forces(data);                                                                                              \
    }                                                                                                                  \
    void HOLON_NAME(locate)(const Locate<Real>& data)                                                                  \
    {                                                                                                                  \
        locate(data);                                                                                                  \
    }
HOLON_DEFINE(float, std::int32_t)
HOLON_DEFINE(double, std::int64_t)
#undef HOLON_DEFINE

} // namespace holon::mesh
