// Compiled once per instruction set: see kernel_variant.hpp.
#include "bond_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "lattice_lanes.hpp"

namespace holon::bonds {
namespace {

using lattice_lanes::difference_of_rows;
using lattice_lanes::dot;
using lattice_lanes::F8;
using lattice_lanes::I8;
using lattice_lanes::L3;
using lattice_lanes::load_vectors;
using lattice_lanes::V3;
using F4 = Vector<double, 4>;
using I4 = Vector<std::int64_t, 4>;
static_assert(bonds::lanes == lattice_lanes::lanes);

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
        L3 difference = difference_of_rows<I4, 3>(d.values, d.from + first, d.to + first);
        if (d.box != nullptr) difference = nearest_image(difference, d.box);
        store(vectors + first, to_doubles<F8>(difference.x) * d.unit);
        store(vectors + d.n + first, to_doubles<F8>(difference.y) * d.unit);
        store(vectors + 2 * d.n + first, to_doubles<F8>(difference.z) * d.unit);
    }
}

void HOLON_NAME(set_rows)(std::int64_t n, const double* vectors, double* rows)
{
    const F8 zero = {};
    for (std::int64_t first = 0; first < n; first += lanes) {
        const V3 v = load_vectors(vectors, n, first);
        const F8 xy_even = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(v.x, v.y),
                 z_even = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(v.z, zero);
        const F8 xy_odd = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(v.x, v.y),
                 z_odd = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(v.z, zero);
        const auto put = [&](int l, F8 rows_l) { // rows l and l + 4
            store(rows + 4 * (first + l), low_half(rows_l));
            store(rows + 4 * (first + l + 4), high_half(rows_l));
        };
        put(0, shuffled<0, 1, 8, 9, 4, 5, 12, 13>(xy_even, z_even));
        put(1, shuffled<0, 1, 8, 9, 4, 5, 12, 13>(xy_odd, z_odd));
        put(2, shuffled<2, 3, 10, 11, 6, 7, 14, 15>(xy_even, z_even));
        put(3, shuffled<2, 3, 10, 11, 6, 7, 14, 15>(xy_odd, z_odd));
    }
}

void HOLON_NAME(apply)(const Moves& m)
{
    for (std::int64_t k = 0; k < m.n; ++k) {
        const F4 move = m.size == 4 ? load<F4>(m.moves + 4 * k) : load_row<F4>(m.moves + 3 * k);
        if (any_bit(~(I4)(magnitude(move) < Moves::too_far))) continue;
        const I4 rounded = round_to_integers<I4>(move * m.per_unit);
        add_to_row(m.here + 3 * k, rounded);
        if (m.atoms[k] < 0) continue;
        const std::int64_t first = 3 * std::int64_t{m.atoms[k]};
        add_to_row(m.values + first, rounded);
        if (m.velocities == nullptr) continue;
        add_to_row(m.velocities + first, round_to_integers<I4>(move * m.inverse_dt * (1.0 / velocity_unit)));
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
