// Compiled once per instruction set: see kernel_variant.hpp.
#include "newton_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "bonds/lattice_lanes.hpp"

namespace holon::newton {
namespace {

using lattice_lanes::add_multiples;
using lattice_lanes::difference_of_rows;
using lattice_lanes::F8;
using lattice_lanes::fused_dot;
using lattice_lanes::I8;
using lattice_lanes::load_vectors;
using lattice_lanes::V3;
using F4 = Vector<double, bundle_size>;
static_assert(newton::lanes == lattice_lanes::lanes);

template <Condition condition>
HOLON_INLINE Errors right_side(const Leaf& leaf, double scale, double least_cosine, double* rhs)
{
    const I8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    Errors errors;
    for (std::int64_t first = 0; first < leaf.n_own; first += lanes) {
        const int n = leaf.n_own - first < lanes ? static_cast<int>(leaf.n_own - first) : lanes;
        const V3 r = load_vectors(leaf.r, leaf.n, first);
        V3 present = load_vectors(leaf.s, leaf.n, first);
        if (leaf.move != nullptr)
            present = present + difference_of_rows<F4, 4>(leaf.move, leaf.i + first, leaf.j + first);
        store(leaf.present + first, present.x);
        store(leaf.present + leaf.n + first, present.y);
        store(leaf.present + 2 * leaf.n + first, present.z);
        const F8 along = fused_dot(present, r), d2 = load<F8>(leaf.d2 + first);
        store(leaf.along + first, along);
        F8 g = along;
        if constexpr (condition != Condition::rate) {
            const F8 s2 = fused_dot(present, present);
            g = condition == Condition::length ? s2 - square_root(s2 * d2) : 0.5 * (s2 - d2);
        }
        const I8 here = (I8)(lane < splat<I8>(std::int64_t{n}));
        const I8 good = condition == Condition::rate ? (I8)(g - g == 0.0) : (I8)(along > least_cosine * d2);
        const F8 error = kept_where(here, magnitude(g) * load<F8>(leaf.per_d2 + first) * scale);
        if (any_bit((I8)(error > errors.largest)))
            for (int l = 0; l < n; ++l)
                if (error[l] > errors.largest) {
                    errors.largest = error[l];
                    errors.worst = first + l;
                }
        if (errors.lost < 0 && any_bit(here & ~good))
            for (int l = n; l-- > 0;)
                if (good[l] == 0) errors.lost = first + l;
        store(rhs + first, kept_where(here, g));
    }
    for (auto k = (leaf.n_own + lanes - 1) / lanes * lanes; k < leaf.n; ++k) rhs[k] = 0.0;
    return errors;
}

/// Elements of the rows of couplings [begin, end).
template <bool second_ends>
HOLON_INLINE void set_elements(const Leaf& leaf, const double* rows, std::int64_t begin, std::int64_t end,
                               double* values)
{
    for (std::int64_t c = begin; c < end; ++c) {
        const auto& [link, bundle, positions] = leaf.couplings[c];
        const double* const pull = leaf.pull + 3 * bundle_size * std::int64_t{bundle};
        const auto along = [&, link = link ](int axis) __attribute__((always_inline))
        {
            return splat<F4>(rows[axis * leaf.n + link]);
        };
        const F4 element = multiply_add(
            along(0), load<F4>(pull),
            multiply_add(along(1), load<F4>(pull + bundle_size), along(2) * load<F4>(pull + 2 * bundle_size)));
        double numbers[bundle_size];
        store(numbers, second_ends ? -element : element);
        for (int l = 0; l < bundle_size; ++l) values[positions[l]] = numbers[l];
    }
}

} // namespace

void HOLON_NAME(set_pulls)(const Leaf& leaf)
{
    for (std::int64_t b = 0; b < leaf.n_bundles; ++b) {
        F4 rows[bundle_size];
        for (int l = 0; l < bundle_size; ++l)
            rows[l] = load<F4>(leaf.rows + 4 * std::int64_t{leaf.links[bundle_size * b + l]});
        const F4 xz01 = shuffled<0, 4, 2, 6>(rows[0], rows[1]), xz23 = shuffled<0, 4, 2, 6>(rows[2], rows[3]);
        const F4 y01 = shuffled<1, 5, 3, 7>(rows[0], rows[1]), y23 = shuffled<1, 5, 3, 7>(rows[2], rows[3]);
        const F4 signs = load<F4>(leaf.signs + bundle_size * b);
        double* const pull = leaf.pull + 3 * bundle_size * b;
        store(pull, signs * shuffled<0, 1, 4, 5>(xz01, xz23));
        store(pull + bundle_size, signs * shuffled<0, 1, 4, 5>(y01, y23));
        store(pull + 2 * bundle_size, signs * shuffled<2, 3, 6, 7>(xz01, xz23));
    }
}

Errors HOLON_NAME(set_right_side)(const Leaf& leaf, Condition condition, double scale, double least_cosine, double* rhs)
{
    switch (condition) {
    case Condition::length:
        return right_side<Condition::length>(leaf, scale, least_cosine, rhs);
    case Condition::square:
        return right_side<Condition::square>(leaf, scale, least_cosine, rhs);
    case Condition::rate:
        break;
    }
    return right_side<Condition::rate>(leaf, scale, least_cosine, rhs);
}

void HOLON_NAME(set_rows)(const Leaf& leaf, bool with_reference, double* values)
{
    for (std::int64_t first = 0; first < leaf.n_own; first += lanes) {
        const V3 r = load_vectors(leaf.r, leaf.n, first);
        const F8 product = with_reference ? fused_dot(r, r) : load<F8>(leaf.along + first);
        double numbers[lanes];
        const F8 inverse_mass = load<F8>(leaf.inverse_mass_i + first) + load<F8>(leaf.inverse_mass_j + first);
        store(numbers, inverse_mass * product);
        for (int l = 0; l < lanes; ++l) values[leaf.diagonal[first + l]] = numbers[l];
    }
    const double* const rows = with_reference ? leaf.r : leaf.present;
    set_elements<false>(leaf, rows, 0, leaf.n_at_first, values);
    set_elements<true>(leaf, rows, leaf.n_at_first, leaf.n_couplings, values);
}

void HOLON_NAME(update)(const Leaf& leaf, const double* change)
{
    for (std::int64_t first = 0; first < leaf.n_links; first += lanes) {
        const int n = leaf.n_links - first < lanes ? static_cast<int>(leaf.n_links - first) : lanes;
        const F8 added = load<F8>(change + first);
        store(leaf.multiplier + first, load<F8>(leaf.multiplier + first) + added);
        add_multiples(leaf.move, {leaf.i + first, leaf.j + first, n}, leaf.rows + 4 * first,
                      added * load<F8>(leaf.inverse_mass_i + first), added * load<F8>(leaf.inverse_mass_j + first));
    }
}

} // namespace holon::newton
