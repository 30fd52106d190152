// Compiled once per instruction set: see kernel_variant.hpp.
#include "shake_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "lattice_lanes.hpp"

namespace holon::shake {
namespace {

using lattice_lanes::dot;
using lattice_lanes::F8;
using lattice_lanes::I8;
using lattice_lanes::kept_where;
using lattice_lanes::load_vectors;
using lattice_lanes::magnitude;
using lattice_lanes::V3;
using F4 = Vector<double, 4>;
static_assert(shake::lanes == lattice_lanes::lanes);

/// Displacements of atoms j less those of atoms i, of eight constraints.
HOLON_INLINE V3 relative_displacement(const Links& links, std::int64_t first)
{
    F4 rows[lanes];
    for (int l = 0; l < lanes; ++l)
        rows[l] = load<F4>(links.displacement + 4 * std::int64_t{links.j[first + l]}) -
                  load<F4>(links.displacement + 4 * std::int64_t{links.i[first + l]});
    F8 pairs[4]; // rows l and l + 4
    for (int l = 0; l < 4; ++l) pairs[l] = joined<F8>(rows[l], rows[l + 4]);
    const F8 xz01 = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(pairs[0], pairs[1]);
    const F8 xz23 = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(pairs[2], pairs[3]);
    const F8 y01 = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(pairs[0], pairs[1]);
    const F8 y23 = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(pairs[2], pairs[3]);
    return {shuffled<0, 1, 8, 9, 4, 5, 12, 13>(xz01, xz23), shuffled<0, 1, 8, 9, 4, 5, 12, 13>(y01, y23),
            shuffled<2, 3, 10, 11, 6, 7, 14, 15>(xz01, xz23)};
}

/// Displaces the atoms of the first n of eight constraints by what their multipliers say.
HOLON_INLINE void displace(const Links& links, std::int64_t first, int n, F8 multiplier)
{
    double along_i[lanes], along_j[lanes];
    store(along_i, multiplier * load<F8>(links.inverse_mass_i + first));
    store(along_j, multiplier * load<F8>(links.inverse_mass_j + first));
    for (int l = 0; l < n; ++l) {
        const F4 r = load<F4>(links.rows + 4 * (first + l));
        std::int64_t* const i = links.displacement + 4 * std::int64_t{links.i[first + l]};
        std::int64_t* const j = links.displacement + 4 * std::int64_t{links.j[first + l]};
        store(i, load<F4>(i) + along_i[l] * r);
        store(j, load<F4>(j) - along_j[l] * r);
    }
}

template <bool rates>
HOLON_INLINE Outcome correct(Links links, std::int64_t begin, std::int64_t end, double least_cosine)
{
    const I8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    I8 corrected = {}, failed = {};
    for (std::int64_t first = begin; first < end; first += lanes) {
        const int n = end - first < lanes ? static_cast<int>(end - first) : lanes;
        const V3 r = load_vectors(links.r, links.n, first);
        const V3 s = load_vectors(links.s, links.n, first) + relative_displacement(links, first);
        const F8 d2 = load<F8>(links.d2 + first);
        const F8 error = rates ? dot(r, s) : 0.5 * (dot(s, s) - d2);
        const I8 here = (I8)(lane < splat<I8>(std::int64_t{n}));
        const I8 wanted = here & ~(I8)(magnitude(error) <= load<F8>(links.tolerance + first));
        store(links.error + first, select(here, magnitude(error), load<F8>(links.error + first)));

        const F8 projection = rates ? dot(r, r) : dot(s, r);
        const F8 inverse_mass = load<F8>(links.inverse_mass_i + first) + load<F8>(links.inverse_mass_j + first);
        const F8 multiplier = load<F8>(links.factor + first) * (error / (inverse_mass * projection));
        I8 good = (I8)(multiplier - multiplier == 0.0);
        if (!rates) good &= (I8)(projection > least_cosine * d2);
        const F8 added = kept_where(wanted & good, multiplier);
        const F8 sum = load<F8>(links.multiplier + first) + added;
        store(links.multiplier + first, select(wanted & ~good, splat<F8>(__builtin_nan("")), sum));
        displace(links, first, n, added);
        corrected |= wanted & good;
        failed |= wanted & ~good;
    }
    return {any_bit(corrected), any_bit(failed)};
}

} // namespace

Outcome HOLON_NAME(correct_lengths)(const Links& links, std::int64_t begin, std::int64_t end, double least_cosine)
{
    return correct<false>(links, begin, end, least_cosine);
}

Outcome HOLON_NAME(correct_rates)(const Links& links, std::int64_t begin, std::int64_t end)
{
    return correct<true>(links, begin, end, 0.0);
}

} // namespace holon::shake
