// Compiled once per instruction set: see kernel_variant.hpp.
#include "bond_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "lattice_lanes.hpp"

namespace holon::bonds {
namespace {

using lattice_lanes::dot;
using lattice_lanes::F8;
using lattice_lanes::I8;
using lattice_lanes::L3;
using lattice_lanes::load_vectors;
using lattice_lanes::magnitude;
static_assert(bonds::lanes == lattice_lanes::lanes);

/// Three numbers each of eight atoms.
HOLON_INLINE L3 gather_values(const std::int64_t* values, const std::int32_t* atoms)
{
#if defined(__AVX512F__)
    const __m256i index =
        _mm256_mullo_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(atoms)), _mm256_set1_epi32(3));
    return {(I8)_mm512_i32gather_epi64(index, values, 8), (I8)_mm512_i32gather_epi64(index, values + 1, 8),
            (I8)_mm512_i32gather_epi64(index, values + 2, 8)};
#else
    std::int64_t first[lanes];
    for (int l = 0; l < lanes; ++l) first[l] = 3 * std::int64_t{atoms[l]};
    return lattice_lanes::load(values, first);
#endif
}

/// d - taken x (a, b, c)[axis], where all bits of `taken` are set; + where `back` is.
HOLON_INLINE void take_off(L3& d, const std::int64_t* row, I8 taken, I8 back)
{
    const auto part = [&](int k) { return (taken & row[k]) - (back & row[k]); };
    d = {d.x - part(0), d.y - part(1), d.z - part(2)};
}

/// Box::minimum_image.
HOLON_INLINE L3 nearest_image(L3 d, const std::int64_t* box)
{
    for (int axis = 2; axis >= 0; --axis) {
        const std::int64_t* const row = box + 3 * axis;
        const std::int64_t half = row[axis] / 2;
        for (;;) {
            const I8 along = axis == 2 ? d.z : axis == 1 ? d.y : d.x;
            const I8 above = (I8)(along > half), below = (I8)(along < -half);
            if (!any_bit(above | below)) break;
            take_off(d, row, above, below);
        }
    }
    return d;
}

} // namespace

void HOLON_NAME(set_vectors)(const Differences& d, double* vectors)
{
    for (std::int64_t first = 0; first < d.n; first += lanes) {
        const L3 from = gather_values(d.values, d.from + first), to = gather_values(d.values, d.to + first);
        L3 difference = {to.x - from.x, to.y - from.y, to.z - from.z};
        if (d.box != nullptr) difference = nearest_image(difference, d.box);
        store(vectors + first, to_doubles<F8>(difference.x) * d.unit);
        store(vectors + d.n + first, to_doubles<F8>(difference.y) * d.unit);
        store(vectors + 2 * d.n + first, to_doubles<F8>(difference.z) * d.unit);
    }
}

double HOLON_NAME(largest_error)(std::int64_t n, const double* a, const double* b, const double* wanted,
                                 const double* weight)
{
    F8 largest = {};
    for (std::int64_t first = 0; first < n; first += lanes) {
        F8 error = dot(load_vectors(a, n, first), load_vectors(b, n, first));
        if (wanted != nullptr) error -= load<F8>(wanted + first);
        error = magnitude(error) * load<F8>(weight + first);
        largest = select(error > largest, error, largest);
    }
    double all = 0.0;
    for (int l = 0; l < lanes; ++l) all = largest[l] > all ? largest[l] : all;
    return all;
}

} // namespace holon::bonds
