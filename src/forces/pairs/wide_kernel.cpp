// Compiled once per instruction set: see kernel_variant.hpp.
#include "wide_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/lattice_units.hpp>

namespace holon::pair {
namespace {

using F8 = Vector<double, 8>;
using L8 = Vector<std::int64_t, 8>;

/// `over_r(r2, rinv, pair)`: force over distance of eight pairs, the first of which is `pair`.
template <class OverR>
HOLON_INLINE void run(WideBlock& block, OverR over_r)
{
    constexpr double units = 1.0 / force_unit;
    const L8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    L8 clamped{};
    for (int pair = 0; pair < block.n; pair += lanes_in<F8>) {
        const auto d = [&](int k) __attribute__((always_inline))
        {
            return load<F8>(block.d[k] + pair);
        };
        const F8 distance2 = d(0) * d(0) + d(1) * d(1) + d(2) * d(2), least = splat<F8>(least_distance2);
        const F8 r2 = select(distance2 > least, distance2, least);
        const L8 filled = lane < static_cast<std::int64_t>(block.n - pair);
        const F8 rinv = 1.0 / square_root(r2);
        const F8 force = over_r(r2, rinv, pair) * units, most = force_bound * rinv;
        clamped |= filled & ~((force < most) & (force > -most)); // also NaN
        const F8 below = select(force < most, force, most), kept = select(below > -most, below, -most);
        for (int k = 0; k < 3; ++k) store(block.force[k] + pair, round_to_integers<L8>(kept * d(k)));
    }
    block.clamped = any_bit(clamped);
}

template <Form form>
HOLON_INLINE void run_coulomb(const Constants<double>& k, WideBlock& block)
{
    run(
        block, [&](F8 r2, F8 rinv, int pair) __attribute__((always_inline)) {
            return coulomb_force<form>(r2, rinv, load<F8>(block.qq + pair), k);
        });
}

template <Form form>
HOLON_INLINE void run_vdw(const Constants<double>& k, WideBlock& block)
{
    run(
        block, [&](F8 r2, F8 rinv, int pair) __attribute__((always_inline)) {
            return vdw_force<form>(r2, rinv, load<F8>(block.six_c6 + pair), load<F8>(block.twelve_c12 + pair), k);
        });
}

} // namespace

void HOLON_NAME(wide_forces)(Kind kind, Form form, const Constants<double>& k, WideBlock& block)
{
    if (kind == Kind::coulomb) {
        if (form == Form::ewald) return run_coulomb<Form::ewald>(k, block);
        if (form == Form::force_switch) return run_coulomb<Form::force_switch>(k, block);
        if (form == Form::potential_switch) return run_coulomb<Form::potential_switch>(k, block);
        return run_coulomb<Form::plain>(k, block);
    }
    if (form == Form::force_switch) return run_vdw<Form::force_switch>(k, block);
    if (form == Form::potential_switch) return run_vdw<Form::potential_switch>(k, block);
    run_vdw<Form::plain>(k, block);
}

} // namespace holon::pair
