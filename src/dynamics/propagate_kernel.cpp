// Compiled once per instruction set: see kernel_variant.hpp.
#include "propagate_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/vector_math.hpp>

namespace holon::propagate {
namespace {

constexpr int lanes = 8;
using F8 = Vector<double, lanes>;
using I8 = Vector<std::int64_t, lanes>;

/// added + value x factor.
HOLON_INLINE I8 moved(I8 added, I8 value, F8 factor)
{
    return added + round_clamped<I8>(to_doubles<F8>(value) * factor);
}

/// The same for less than eight numbers: whatever the other lanes hold is not written.
HOLON_INLINE void move_some(std::int64_t n, const std::int64_t* added, const std::int64_t* value, const double* factor,
                            std::int64_t* result)
{
    std::int64_t a[lanes] = {}, v[lanes] = {};
    double f[lanes] = {};
    for (std::int64_t l = 0; l < n; ++l) {
        a[l] = added[l];
        v[l] = value[l];
        f[l] = factor[l];
    }
    store(a, moved(load<I8>(a), load<I8>(v), load<F8>(f)));
    for (std::int64_t l = 0; l < n; ++l) result[l] = a[l];
}

} // namespace

void HOLON_NAME(kick)(std::int64_t n, const std::int64_t* f, const double* inverse_mass, double scale, std::int64_t* v)
{
    std::int64_t first = 0;
    for (; first + lanes <= n; first += lanes) { // eight atoms: three times eight numbers
        const F8 of_atom = scale * load<F8>(inverse_mass + first);
        const F8 of_number[] = {shuffled<0, 0, 0, 1, 1, 1, 2, 2>(of_atom, of_atom),
                                shuffled<2, 3, 3, 3, 4, 4, 4, 5>(of_atom, of_atom),
                                shuffled<5, 5, 6, 6, 6, 7, 7, 7>(of_atom, of_atom)};
        for (int part = 0; part < 3; ++part) {
            const std::int64_t at = 3 * first + lanes * part;
            store(v + at, moved(load<I8>(v + at), load<I8>(f + at), of_number[part]));
        }
    }
    for (; first < n; ++first) {
        const double factor = scale * inverse_mass[first], factors[] = {factor, factor, factor};
        move_some(3, v + 3 * first, f + 3 * first, factors, v + 3 * first);
    }
}

void HOLON_NAME(drift)(std::int64_t n, const std::int64_t* start, const std::int64_t* v, double scale, std::int64_t* x)
{
    const std::int64_t n_numbers = 3 * n;
    std::int64_t first = 0;
    for (; first + lanes <= n_numbers; first += lanes)
        store(x + first, moved(load<I8>(start + first), load<I8>(v + first), splat<F8>(scale)));
    double factors[lanes];
    for (double& factor : factors) factor = scale;
    move_some(n_numbers - first, start + first, v + first, factors, x + first);
}

} // namespace holon::propagate
