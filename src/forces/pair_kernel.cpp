// Compiled once per instruction set, with HOLON_KERNEL naming the variant; see CMakeLists.txt.
#include "pair_kernel.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#if !defined(HOLON_KERNEL)
#define HOLON_KERNEL run_kernel_baseline
#endif

namespace holon::pair {
namespace {

using F16 = float __attribute__((vector_size(64)));
using I16 = std::int32_t __attribute__((vector_size(64)));
using F4 = float __attribute__((vector_size(16)));
using I4 = std::int32_t __attribute__((vector_size(16)));

#define HOLON_INLINE inline __attribute__((always_inline))

template <class V>
HOLON_INLINE V load(const void* p)
{
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

HOLON_INLINE F16 to_float(I16 x)
{
    return __builtin_convertvector(x, F16);
}

/// Lane 4 a + b gets v[b].
HOLON_INLINE I16 columns(I4 v)
{
#if defined(__AVX512F__)
    return (I16)_mm512_broadcast_i32x4((__m128i)v);
#else
    return I16{v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3]};
#endif
}
HOLON_INLINE F16 columns(F4 v)
{
    return (F16)columns((I4)v);
}

/// Lane 4 a + b gets v[a].
HOLON_INLINE I16 rows(I4 v)
{
    return I16{v[0], v[0], v[0], v[0], v[1], v[1], v[1], v[1], v[2], v[2], v[2], v[2], v[3], v[3], v[3], v[3]};
}
HOLON_INLINE F16 rows(F4 v)
{
    return (F16)rows((I4)v);
}

/// Nearest integer, halves away from zero: odd-symmetric.
HOLON_INLINE I16 round_half_away(F16 x)
{
    const I16 half = ((I16)x & (I16{} - 0x7fffffff - 1)) | 0x3f000000;
    return __builtin_convertvector(x + (F16)half, I16);
}

HOLON_INLINE void add_to(std::int32_t* target, I16 v)
{
    const I16 sum = load<I16>(target) + v;
    __builtin_memcpy(target, &sum, sizeof sum);
}

/// table[index] lane by lane.
HOLON_INLINE F16 look_up(const float* table, I16 index)
{
#if defined(__AVX512F__)
    return (F16)_mm512_i32gather_ps((__m512i)index, table, sizeof(float));
#else
    F16 value;
    for (int l = 0; l < 16; ++l) value[l] = table[index[l]];
    return value;
#endif
}

/// Sums over the four columns of each row.
HOLON_INLINE void add_row_sums(std::int32_t* target, I16 v)
{
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) target[a] += v[4 * a + b];
}

template <Form vdw>
HOLON_INLINE void run(const KernelData& k)
{
    const I16 lane_bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    const auto& c = k.constants;
    const F16 zero{};
    for (std::int64_t ci = 0; ci < k.n_clusters; ++ci) {
        const std::int64_t begin = k.row_begin[ci], end = k.row_begin[ci + 1];
        if (begin == end) continue;
        const Cluster& own = k.clusters[ci];
        const I16 xi = rows(load<I4>(own.x)), yi = rows(load<I4>(own.y)), zi = rows(load<I4>(own.z));
        const F16 qi = rows(load<F4>(k.charge + 4 * ci));
        const I16 ti = rows(load<I4>(k.type + 4 * ci)) * k.n_types;
        I16 fx_sum{}, fy_sum{}, fz_sum{}, any_wide{};
        for (std::int64_t e = begin; e < end; ++e) {
            const std::int64_t cj = k.entries[e].cluster;
            const Cluster& other = k.clusters[cj];
            const F16 dx = to_float(xi - columns(load<I4>(other.x))) * kernel_unit;
            const F16 dy = to_float(yi - columns(load<I4>(other.y))) * kernel_unit;
            const F16 dz = to_float(zi - columns(load<I4>(other.z))) * kernel_unit;
            const F16 r2 = dx * dx + dy * dy + dz * dz;
            const I16 listed = (static_cast<std::int32_t>(k.entries[e].mask) & lane_bit) != 0;
            const F16 rinv = inverse_sqrt(r2, (I16)r2);
            const F16 qq = qi * columns(load<F4>(k.charge + 4 * cj));
            const I16 pair_type = ti + columns(load<I4>(k.type + 4 * cj));
            const F16 c6 = look_up(k.c6, pair_type), c12 = look_up(k.c12, pair_type);
            const I16 near_coulomb = r2 < c.rc2_coulomb, near_vdw = r2 < c.rc2_vdw;
            const F16 coulomb = coulomb_force<Form::plain>(r2, rinv, qq, c);
            const F16 lj = vdw_force<vdw>(r2, rinv, c6, c12, c);
            F16 f = (near_coulomb ? coulomb : zero) + (near_vdw ? lj : zero);
            f = listed ? f : zero;
            const I16 fits = f * f * r2 <= wide_limit * wide_limit; // false for NaN, too
            any_wide |= ~fits;
            f = fits ? f : zero;
            f *= static_cast<float>(1 << kernel_force_bits);
            const I16 fx = round_half_away(f * dx), fy = round_half_away(f * dy), fz = round_half_away(f * dz);
            fx_sum += fx;
            fy_sum += fy;
            fz_sum += fz;
            LaneForces& partner = k.partner[cj];
            add_to(partner.x, fx);
            add_to(partner.y, fy);
            add_to(partner.z, fz);
        }
        RowForces& row = k.row[ci];
        add_row_sums(row.x, fx_sum);
        add_row_sums(row.y, fy_sum);
        add_row_sums(row.z, fz_sum);
        std::int32_t wide = 0;
        for (int l = 0; l < 16; ++l) wide |= any_wide[l];
        k.row_has_wide[ci] = wide != 0;
    }
}

} // namespace

void HOLON_KERNEL(Form vdw, const KernelData& data)
{
    if (vdw == Form::plain) run<Form::plain>(data);
    if (vdw == Form::force_switch) run<Form::force_switch>(data);
    if (vdw == Form::potential_switch) run<Form::potential_switch>(data);
}

} // namespace holon::pair
