// Compiled once per instruction set, with HOLON_VARIANT naming it; see CMakeLists.txt.
#include "lincs_kernel.hpp"

#include "lattice_lanes.hpp"

#if !defined(HOLON_VARIANT)
#define HOLON_VARIANT baseline
#endif
#define HOLON_JOIN(name, variant) name##_##variant
#define HOLON_NAME(name, variant) HOLON_JOIN(name, variant)

namespace holon::lincs {
namespace {

using lattice_lanes::F8;
using lattice_lanes::I8;
using lattice_lanes::kept_where;
using lattice_lanes::V3;
static_assert(lincs::lanes == lattice_lanes::lanes);

HOLON_INLINE F8 dot(const V3& a, const V3& b)
{
    return multiply_add(a.x, b.x, multiply_add(a.y, b.y, a.z * b.z));
}

HOLON_INLINE F8 load(const double* values)
{
    F8 loaded;
    __builtin_memcpy(&loaded, values, sizeof loaded);
    return loaded;
}
HOLON_INLINE void store(double* values, F8 stored)
{
    __builtin_memcpy(values, &stored, sizeof stored);
}

/// values[step * index] of eight indices.
template <int step = 1>
HOLON_INLINE F8 gather(const double* values, const std::int32_t* indices)
{
    F8 gathered;
#if defined(__AVX512F__)
    __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indices));
    if constexpr (step != 1) index = _mm256_mullo_epi32(index, _mm256_set1_epi32(step));
    gathered = (F8)_mm512_i32gather_pd(index, values, 8);
#else
    for (int l = 0; l < lanes; ++l) gathered[l] = values[step * std::int64_t{indices[l]}];
#endif
    return gathered;
}

/// The vectors of eight places from `first` on, or of eight bonds.
HOLON_INLINE V3 load_vectors(const double* values, std::int64_t n, std::int64_t first)
{
    return {load(values + first), load(values + n + first), load(values + 2 * n + first)};
}
HOLON_INLINE V3 gather_vectors(const double* values, std::int64_t n, const std::int32_t* bonds)
{
    return {gather(values, bonds), gather(values + n, bonds), gather(values + 2 * n, bonds)};
}
HOLON_INLINE V3 gather_displacements(const Bonds& b, const std::int32_t* numbers)
{
    return {gather<3>(b.displacement, numbers), gather<3>(b.displacement + 1, numbers),
            gather<3>(b.displacement + 2, numbers)};
}

/// S x; zero in empty places, whatever the atom is that they are said to join.
HOLON_INLINE void set_rhs(const Bonds& b, std::int64_t first, F8 x)
{
    const F8 scale = load(b.scale + first);
    store(b.rhs + first, kept_where((I8)(scale != 0.0), scale * x));
}

/// Eight bonds, or relative velocities, as displaced so far.
HOLON_INLINE V3 displaced(const Bonds& b, std::int64_t first)
{
    return load_vectors(b.bond, b.n, first) +
           (gather_displacements(b, b.j + first) - gather_displacements(b, b.i + first));
}

} // namespace

void HOLON_NAME(set_directions, HOLON_VARIANT)(const Bonds& b)
{
    for (std::int64_t first = 0; first < b.n; first += lanes) {
        const V3 r = load_vectors(b.reference, b.n, first);
        const F8 square = dot(r, r);
        const V3 direction = kept_where((I8)(square != 0.0), (1.0 / square_root(square)) * r);
        store(b.direction + first, direction.x);
        store(b.direction + b.n + first, direction.y);
        store(b.direction + 2 * b.n + first, direction.z);
    }
}

void HOLON_NAME(set_couplings, HOLON_VARIANT)(const Bonds& b, const Matrix& factors, double* entries)
{
    for (std::int64_t block = 0; block < factors.n_blocks; ++block) {
        const V3 own = load_vectors(b.direction, b.n, block * lanes);
        for (std::int64_t e = factors.begin[block] * lanes; e < factors.begin[block + 1] * lanes; e += lanes) {
            const V3 other = gather_vectors(b.direction, b.n, factors.column + e);
            store(entries + e, load(factors.value + e) * dot(own, other));
        }
    }
}

void HOLON_NAME(set_excess, HOLON_VARIANT)(const Bonds& b, bool positions)
{
    const F8 wanted = F8{} + (positions ? 1.0 : 0.0);
    for (std::int64_t first = 0; first < b.n; first += lanes) {
        const F8 along = dot(load_vectors(b.direction, b.n, first), displaced(b, first));
        set_rhs(b, first, along - wanted * load(b.length + first));
    }
}

void HOLON_NAME(set_lengthening, HOLON_VARIANT)(const Bonds& b)
{
    for (std::int64_t first = 0; first < b.n; first += lanes) {
        const V3 s = displaced(b, first);
        const F8 d = load(b.length + first), left = 2.0 * (d * d) - dot(s, s);
        const F8 projection = square_root(kept_where((I8)(left > 0.0), left));
        set_rhs(b, first, d - projection);
    }
}

void HOLON_NAME(add_term, HOLON_VARIANT)(const Matrix& matrix, const double* term, double* next, double* solution)
{
    for (std::int64_t block = 0; block < matrix.n_blocks; ++block) {
        F8 sum = {};
        for (std::int64_t e = matrix.begin[block] * lanes; e < matrix.begin[block + 1] * lanes; e += lanes)
            sum = multiply_add(load(matrix.value + e), gather(term, matrix.column + e), sum);
        store(next + block * lanes, sum);
        store(solution + block * lanes, load(solution + block * lanes) + sum);
    }
}

void HOLON_NAME(displace, HOLON_VARIANT)(const Bonds& b, const Matrix& matrix, const double* multiplier,
                                         double* displacement)
{
    for (std::int64_t block = 0; block < matrix.n_blocks; ++block) {
        V3 sum = {};
        for (std::int64_t e = matrix.begin[block] * lanes; e < matrix.begin[block + 1] * lanes; e += lanes) {
            const std::int32_t* const bonds = matrix.column + e;
            const F8 moment = load(matrix.value + e) * gather(multiplier, bonds);
            const V3 direction = gather_vectors(b.direction, b.n, bonds);
            sum = {multiply_add(moment, direction.x, sum.x), multiply_add(moment, direction.y, sum.y),
                   multiply_add(moment, direction.z, sum.z)};
        }
        double* const own = displacement + 3 * lanes * block;
        for (int l = 0; l < lanes; ++l) {
            own[3 * l] += sum.x[l];
            own[3 * l + 1] += sum.y[l];
            own[3 * l + 2] += sum.z[l];
        }
    }
}

} // namespace holon::lincs
