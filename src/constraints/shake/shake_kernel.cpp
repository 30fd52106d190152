// Compiled once per instruction set: see kernel_variant.hpp.
#include "shake_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "bonds/lattice_lanes.hpp"

namespace holon::shake {
namespace {

using lattice_lanes::add_multiples;
using lattice_lanes::difference_of_rows;
using lattice_lanes::F8;
using lattice_lanes::fused_dot;
using lattice_lanes::I8;
using lattice_lanes::load_vectors;
using lattice_lanes::V3;
using F4 = Vector<double, 4>;
static_assert(shake::lanes == lattice_lanes::lanes);

template <bool rates>
HOLON_INLINE Outcome correct(Links links, std::int64_t begin, std::int64_t end, double least_cosine)
{
    const I8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    I8 corrected = {}, failed = {};
    for (std::int64_t first = begin; first < end; first += lanes) {
        const int n = end - first < lanes ? static_cast<int>(end - first) : lanes;
        const V3 r = load_vectors(links.r, links.n, first);
        const V3 s = load_vectors(links.s, links.n, first) +
                     difference_of_rows<F4, 4>(links.displacement, links.i + first, links.j + first);
        const F8 d2 = load<F8>(links.d2 + first);
        const F8 error = rates ? fused_dot(r, s) : 0.5 * (fused_dot(s, s) - d2);
        const I8 here = (I8)(lane < splat<I8>(std::int64_t{n}));
        const I8 wanted = here & ~(I8)(magnitude(error) <= load<F8>(links.tolerance + first));
        store(links.error + first, select(here, magnitude(error), load<F8>(links.error + first)));

        const F8 projection = rates ? fused_dot(r, r) : fused_dot(s, r);
        const F8 inverse_mass = load<F8>(links.inverse_mass_i + first) + load<F8>(links.inverse_mass_j + first);
        const F8 multiplier = load<F8>(links.factor + first) * (error / (inverse_mass * projection));
        I8 good = (I8)(multiplier - multiplier == 0.0);
        if (!rates) good &= (I8)(projection > least_cosine * d2);
        const F8 added = kept_where(wanted & good, multiplier);
        const F8 sum = load<F8>(links.multiplier + first) + added;
        store(links.multiplier + first, select(wanted & ~good, splat<F8>(__builtin_nan("")), sum));
        add_multiples(links.displacement, {links.i + first, links.j + first, n}, links.rows + 4 * first,
                      added * load<F8>(links.inverse_mass_i + first), added * load<F8>(links.inverse_mass_j + first));
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
