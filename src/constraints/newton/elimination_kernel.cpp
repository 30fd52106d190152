// Compiled once per instruction set: see kernel_variant.hpp.
#include "elimination_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/vector_math.hpp>

namespace holon::elimination {
namespace {

/// Calls f<n>(), with n known to the compiler if it is one of the numbers that most pivots have, or else f<-1>().
template <class F>
HOLON_INLINE void with_size(std::int32_t n, F f)
{
    switch (n) {
    case 0:
        return f.template operator()<0>();
    case 1:
        return f.template operator()<1>();
    case 2:
        return f.template operator()<2>();
    case 3:
        return f.template operator()<3>();
    case 4:
        return f.template operator()<4>();
    case 5:
        return f.template operator()<5>();
    case 6:
        return f.template operator()<6>();
    default:
        return f.template operator()<-1>();
    }
}

} // namespace

Growth HOLON_NAME(factor)(const Plan& plan, double* values, double* rhs, const double* scale, double limit)
{
    Growth all;
    for (const Run* run = plan.runs; run < plan.runs + plan.n_runs; ++run)
        with_size(
            run->n, [ =, &all ]<int size>() __attribute__((always_inline)) {
                const int n = size < 0 ? run->n : size;
                const std::int32_t* target = plan.targets + run->targets;
                const std::int32_t* other = plan.others + run->others;
                double* diagonal = values + run->values;
                for (std::int32_t k = 0; k < run->n_pivots; ++k, diagonal += 1 + 2 * n, target += n * n, other += n) {
                    const double* const u = diagonal + 1;
                    double* const l = diagonal + 1 + n;
                    const double inverse = *diagonal = 1.0 / *diagonal, growth = inverse * scale[run->first + k];
                    all.largest = growth > all.largest ? growth : all.largest;
                    all.is_sound &= growth > 0.0 && growth < limit;
                    const double b = rhs[run->first + k];
                    for (int i = 0; i < n; ++i) {
                        const double factor = l[i] *= inverse;
                        rhs[other[i]] = multiply_add(-factor, b, rhs[other[i]]);
                        for (int j = 0; j < n; ++j) {
                            double& changed = values[target[i * n + j]];
                            changed = multiply_add(-factor, u[j], changed);
                        }
                    }
                }
            });
    return all;
}

void HOLON_NAME(forward)(const Plan& plan, const double* values, double* rhs)
{
    for (const Run* run = plan.runs; run < plan.runs + plan.n_runs; ++run)
        with_size(
            run->n, [=]<int size>() __attribute__((always_inline)) {
                const int n = size < 0 ? run->n : size;
                const std::int32_t* other = plan.others + run->others;
                const double* l = values + run->values + 1 + n;
                for (std::int32_t k = 0; k < run->n_pivots; ++k, l += 1 + 2 * n, other += n) {
                    const double b = rhs[run->first + k];
                    for (int i = 0; i < n; ++i) rhs[other[i]] = multiply_add(-l[i], b, rhs[other[i]]);
                }
            });
}

void HOLON_NAME(backward)(const Plan& plan, const double* values, double* rhs)
{
    for (std::int64_t r = plan.n_runs; r-- > 0;) {
        const Run* const run = plan.runs + r;
        with_size(
            run->n, [=]<int size>() __attribute__((always_inline)) {
                const int n = size < 0 ? run->n : size;
                for (std::int32_t k = run->n_pivots; k-- > 0;) {
                    const std::int32_t* const other = plan.others + run->others + std::int64_t{k} * n;
                    const double* const diagonal = values + run->values + std::int64_t{k} * (1 + 2 * n);
                    double b = rhs[run->first + k];
                    for (int j = 0; j < n; ++j) b = multiply_add(-diagonal[1 + j], rhs[other[j]], b);
                    rhs[run->first + k] = b * *diagonal;
                }
            });
    }
}

} // namespace holon::elimination
