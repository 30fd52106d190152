// Compiled once per instruction set, with HOLON_VARIANT naming it; see CMakeLists.txt.
#include "pair_kernel.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#if !defined(HOLON_VARIANT)
#define HOLON_VARIANT baseline
#endif
#define HOLON_JOIN(name, variant) name##_##variant
#define HOLON_NAME(name, variant) HOLON_JOIN(name, variant)

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
HOLON_INLINE void add_row_sums(std::int64_t* target, I16 v)
{
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) target[a] += v[4 * a + b];
}

template <Form coulomb_form, int degree, Form vdw>
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
            const F16 coulomb = coulomb_force<coulomb_form, degree>(r2, rinv, qq, c);
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

using F8 = double __attribute__((vector_size(64)));
using L8 = std::int64_t __attribute__((vector_size(64)));
using F8s = float __attribute__((vector_size(32)));
using I8s = std::int32_t __attribute__((vector_size(32)));

/// Lane 4 a + b gets row[a] for two rows a, or v[b].
template <class T>
HOLON_INLINE F8 two_rows(const T* v)
{
    return F8{v[0], v[0], v[0], v[0], v[1], v[1], v[1], v[1]};
}
template <class T>
HOLON_INLINE F8 two_columns(const T* v)
{
    return F8{v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3]};
}

/// kernel-lattice distance along one axis, exact in float and double alike [nm]
HOLON_INLINE F8 difference(const std::int32_t* i, const std::int32_t* j)
{
    const I8s d =
        I8s{i[0], i[0], i[0], i[0], i[1], i[1], i[1], i[1]} - I8s{j[0], j[1], j[2], j[3], j[0], j[1], j[2], j[3]};
    return __builtin_convertvector(d, F8) * double{kernel_unit};
}

template <Form coulomb_form, Form vdw>
HOLON_INLINE EnergySums energies(const EnergyData& k)
{
    EnergySums total;
    const auto& c = k.constants;
    const L8 lane_bit = {1, 2, 4, 8, 16, 32, 64, 128};
    const F8 zero{};
    const F8 magic = zero + 0x1.8p52;
    for (std::int64_t ci = 0; ci < k.n_clusters; ++ci) {
        const Cluster& own = k.clusters[ci];
        L8 coulomb_sum{}, lj_sum{}, large{};
        for (std::int64_t e = k.row_begin[ci]; e < k.row_begin[ci + 1]; ++e) {
            const std::int64_t cj = k.entries[e].cluster;
            const Cluster& other = k.clusters[cj];
            for (int a = 0; a < 4; a += 2) {
                const F8 dx = difference(own.x + a, other.x), dy = difference(own.y + a, other.y),
                         dz = difference(own.z + a, other.z);
                const F8s fx = __builtin_convertvector(dx, F8s), fy = __builtin_convertvector(dy, F8s),
                          fz = __builtin_convertvector(dz, F8s);
                const F8s r2_single = fx * fx + fy * fy + fz * fz;
                const F8 r2 = dx * dx + dy * dy + dz * dz;
                const F8 rinv =
                    refine_inverse_sqrt(r2, __builtin_convertvector(inverse_sqrt(r2_single, (I8s)r2_single), F8));
                const auto mask = static_cast<std::int64_t>(k.entries[e].mask >> (4 * a));
                const L8 listed = (mask & lane_bit) != 0;
                const L8 near_coulomb = listed & __builtin_convertvector(r2_single < k.cutoffs.rc2_coulomb, L8);
                const L8 near_vdw = listed & __builtin_convertvector(r2_single < k.cutoffs.rc2_vdw, L8);
                F8 c6, c12;
                for (int l = 0; l < 8; ++l) {
                    const auto t = k.type[4 * ci + a + l / 4] * k.n_types + k.type[4 * cj + l % 4];
                    c6[l] = k.c6[t];
                    c12[l] = k.c12[t];
                }
                const F8 qq = two_rows(k.charge + 4 * ci + a) * two_columns(k.charge + 4 * cj);
                const F8 coulomb = near_coulomb ? coulomb_energy<coulomb_form>(r2, rinv, qq, c) : zero;
                const F8 lj = near_vdw ? vdw_energy<vdw>(r2, rinv, c6, c12, c) : zero;
                large |= ~((coulomb < energy_limit) & (coulomb > -energy_limit) & (lj < energy_limit) &
                           (lj > -energy_limit)); // also NaN
                coulomb_sum += (L8)(coulomb * 0x1p36 + magic) - (L8)magic;
                lj_sum += (L8)(lj * 0x1p36 + magic) - (L8)magic;
            }
        }
        std::int64_t any_large = 0, coulomb = 0, lj = 0;
        for (int l = 0; l < 8; ++l) {
            any_large |= large[l];
            coulomb += coulomb_sum[l];
            lj += lj_sum[l];
        }
        k.row_left_out[ci] = any_large != 0;
        if (any_large != 0) continue;
        total.coulomb += coulomb;
        total.lj += lj;
    }
    return total;
}

template <Form coulomb>
EnergySums energies_of(Form vdw, const EnergyData& data)
{
    if (vdw == Form::force_switch) return energies<coulomb, Form::force_switch>(data);
    if (vdw == Form::potential_switch) return energies<coulomb, Form::potential_switch>(data);
    return energies<coulomb, Form::plain>(data);
}

template <Form coulomb, int degree>
void run_of(Form vdw, const KernelData& data)
{
    if (vdw == Form::force_switch) return run<coulomb, degree, Form::force_switch>(data);
    if (vdw == Form::potential_switch) return run<coulomb, degree, Form::potential_switch>(data);
    run<coulomb, degree, Form::plain>(data);
}

} // namespace

EnergySums HOLON_NAME(run_energies, HOLON_VARIANT)(Form coulomb, Form vdw, const EnergyData& data)
{
    return coulomb == Form::ewald ? energies_of<Form::ewald>(vdw, data) : energies_of<Form::plain>(vdw, data);
}

void HOLON_NAME(run_kernel, HOLON_VARIANT)(Form coulomb, Form vdw, const KernelData& data)
{
    // Polynomials of lower degree are filled up with zeros.
    constexpr int low = 7, medium = 10, high = 13;
    if (coulomb != Form::ewald) return run_of<Form::plain, 0>(vdw, data);
    if (data.constants.degree <= low) return run_of<Form::ewald, low>(vdw, data);
    if (data.constants.degree <= medium) return run_of<Form::ewald, medium>(vdw, data);
    run_of<Form::ewald, high>(vdw, data);
}

} // namespace holon::pair
