// Compiled once per instruction set: see kernel_variant.hpp.
#include "star_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "bonds/lattice_lanes.hpp"

namespace holon::star {
namespace {

using namespace lattice_lanes;
static_assert(star::lanes == lattice_lanes::lanes);

/// The relative error is squared by every iteration: from this one down, one more leaves nothing but round-off.
constexpr double last_error = 1e-9;
constexpr int max_iterations = 50;
constexpr double min_cosine = 1e-6; // as in bond.hpp

/// Eight stars of N arms. Their bonds point from the centre, which is atom 0, to atom k + 1.
template <int N>
struct Batch {
    std::int64_t atom[N + 1][lanes]; // index of its first number
    F8 inverse_mass[N + 1], d2[N];
    int n; // stars; the other lanes repeat one of them

    HOLON_INLINE Batch(const Stars& stars, std::int64_t first)
        : n(stars.n - first < lanes ? static_cast<int>(stars.n - first) : lanes)
    {
        for (int a = 0; a <= N; ++a) {
            const std::int64_t row = first * (N + 1) + a * lanes;
            for (int l = 0; l < lanes; ++l) atom[a][l] = 3 * std::int64_t{stars.atoms[row + l]};
            inverse_mass[a] = holon::load<F8>(stars.inverse_mass + row);
        }
        for (int k = 0; k < N; ++k) d2[k] = holon::load<F8>(stars.d2 + first * N + k * lanes);
    }

    HOLON_INLINE void load(const std::int64_t* values, L3 (&loaded)[N + 1]) const
    {
        for (int a = 0; a <= N; ++a) loaded[a] = lattice_lanes::load(values, atom[a]);
    }
    HOLON_INLINE void store(std::int64_t* values, const L3 (&stored)[N + 1]) const
    {
        for (int a = 0; a <= N; ++a) lattice_lanes::store(values, atom[a], stored[a]);
    }

    /// How strongly multiplier l acts on bond k: the inverse masses of the atoms that they share.
    HOLON_INLINE F8 coupling(int k, int l) const
    {
        return k == l ? inverse_mass[0] + inverse_mass[k + 1] : inverse_mass[0];
    }
};

template <int N>
HOLON_INLINE void along_arms(const L3 (&atom)[N + 1], double unit, V3 (&bonds)[N])
{
    for (int k = 0; k < N; ++k) bonds[k] = difference(atom[0], atom[k + 1], unit);
}

/// Solves a x = b by elimination without pivoting, x in the place of b: the matrices are close to symmetric and
/// positive definite, since the ends of the arms have masses of their own.
template <int N>
HOLON_INLINE void solve(F8 (&a)[N][N], F8 (&b)[N])
{
#pragma GCC unroll 4
    for (int k = 0; k < N; ++k)
#pragma GCC unroll 4
        for (int i = k + 1; i < N; ++i) {
            const F8 factor = a[i][k] / a[k][k];
#pragma GCC unroll 4
            for (int j = k + 1; j < N; ++j) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
#pragma GCC unroll 4
    for (int k = N - 1; k >= 0; --k) {
#pragma GCC unroll 4
        for (int j = k + 1; j < N; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

/// Multipliers [u] for reference bonds `r` and trial bonds `trial` [nm]. A lane takes no further part once it is done.
/// Returns the lanes that have a solution; `iterations`: how many each lane took.
template <int N>
HOLON_INLINE I8 newton(const Batch<N>& batch, const V3 (&r)[N], const V3 (&trial)[N], F8 (&multipliers)[N],
                       I8& iterations)
{
    V3 s[N];
    for (int k = 0; k < N; ++k) {
        multipliers[k] = F8{};
        s[k] = trial[k];
    }
    iterations = I8{};
    I8 active = ~I8{}, good = I8{};
    for (int iteration = 1; iteration <= max_iterations && any_bit(active); ++iteration) {
        F8 matrix[N][N], change[N], error = {};
        for (int k = 0; k < N; ++k) {
            for (int l = 0; l < N; ++l) matrix[k][l] = batch.coupling(k, l) * dot(s[k], r[l]);
            active &= (I8)(dot(s[k], r[k]) > min_cosine * batch.d2[k]);
            const F8 s2 = dot(s[k], s[k]);
            change[k] = s2 - square_root(s2 * batch.d2[k]);
            const F8 relative = magnitude(change[k]) / batch.d2[k];
            error = select(relative > error, relative, error);
        }
        solve<N>(matrix, change);
        iterations -= active; // -1 in each active lane
        for (int k = 0; k < N; ++k) multipliers[k] += kept_where(active, change[k]);
        const I8 last = active & (I8)(error <= last_error);
        good |= last;
        active &= ~last;
        for (int k = 0; k < N; ++k) {
            s[k] = trial[k];
            for (int l = 0; l < N; ++l) s[k] = s[k] - (batch.coupling(k, l) * multipliers[l]) * r[l];
        }
    }
    return good;
}

/// Multipliers [u/ps] that make r.v = 0, given the velocities `v` relative to the centre [nm/ps].
template <int N>
HOLON_INLINE void rates(const Batch<N>& batch, const V3 (&r)[N], const V3 (&v)[N], F8 (&multipliers)[N])
{
    F8 matrix[N][N];
    for (int k = 0; k < N; ++k) {
        for (int l = 0; l < N; ++l) matrix[k][l] = batch.coupling(k, l) * dot(r[k], r[l]);
        multipliers[k] = dot(r[k], v[k]);
    }
    solve<N>(matrix, multipliers);
}

/// What multipliers add to each atom: -M^-1 G^T l. Those of lanes without a solution become zero; returns the others.
template <int N>
HOLON_INLINE I8 displacements(const Batch<N>& batch, I8 good, const V3 (&r)[N], F8 (&multipliers)[N], V3 (&d)[N + 1])
{
    for (int k = 0; k < N; ++k) good &= (I8)(multipliers[k] - multipliers[k] == 0.0);
    d[0] = V3{};
    for (int k = 0; k < N; ++k) {
        multipliers[k] = kept_where(good, multipliers[k]);
        const V3 moment = multipliers[k] * r[k];
        d[0] = d[0] + moment;
        d[k + 1] = batch.inverse_mass[k + 1] * (V3{} - moment);
    }
    d[0] = batch.inverse_mass[0] * d[0];
    return good;
}

template <int N>
HOLON_INLINE void keep_multipliers(const Stars& stars, std::int64_t first, const F8 (&multipliers)[N])
{
    if (stars.multipliers != nullptr) __builtin_memcpy(stars.multipliers + first * N, multipliers, sizeof multipliers);
}

template <int N>
HOLON_INLINE Outcome positions_of(const Stars& stars)
{
    Summary summary;
    I8 most = {};
    for (std::int64_t first = 0; first < stars.n; first += lanes) {
        const Batch<N> batch(stars, first);
        L3 atom[N + 1];
        V3 r[N], s[N], d[N + 1];
        batch.load(stars.x_ref, atom);
        along_arms<N>(atom, position_unit, r);
        batch.load(stars.x, atom);
        along_arms<N>(atom, position_unit, s);

        F8 multipliers[N];
        I8 iterations;
        const I8 solved = newton<N>(batch, r, s, multipliers, iterations);
        const I8 good = displacements<N>(batch, solved, r, multipliers, d);
        for (int a = 0; a <= N; ++a) atom[a] = atom[a] + to_lattice(d[a], position_unit);
        batch.store(stars.x, atom);
        along_arms<N>(atom, position_unit, s);
        if (stars.inverse_dt > 0.0) {
            batch.load(stars.v, atom);
            for (int a = 0; a <= N; ++a)
                atom[a] = atom[a] + to_lattice((F8{} + stars.inverse_dt) * d[a], velocity_unit);
            batch.store(stars.v, atom);
        }
        for (int k = 0; k < N; ++k) summary.note((dot(s[k], s[k]) - batch.d2[k]) / (2.0 * batch.d2[k]), good);
        iterations &= good;
        most = select(iterations > most, iterations, most);
        summary.note_failures(good, first, batch.n);
        keep_multipliers<N>(stars, first, multipliers);
    }
    std::int64_t largest = 0;
    for (int l = 0; l < lanes; ++l) largest = most[l] > largest ? most[l] : largest;
    return {summary.largest_residual(), largest, summary.failed};
}

template <int N>
HOLON_INLINE Outcome velocities_of(const Stars& stars)
{
    Summary summary;
    for (std::int64_t first = 0; first < stars.n; first += lanes) {
        const Batch<N> batch(stars, first);
        L3 atom[N + 1];
        V3 r[N], v[N], d[N + 1];
        batch.load(stars.x, atom);
        along_arms<N>(atom, position_unit, r);
        batch.load(stars.v, atom);
        along_arms<N>(atom, velocity_unit, v);

        F8 multipliers[N];
        rates<N>(batch, r, v, multipliers);
        const I8 good = displacements<N>(batch, ~I8{}, r, multipliers, d);
        for (int a = 0; a <= N; ++a) atom[a] = atom[a] + to_lattice(d[a], velocity_unit);
        batch.store(stars.v, atom);
        along_arms<N>(atom, velocity_unit, v);
        for (int k = 0; k < N; ++k) summary.note(dot(r[k], v[k]) / batch.d2[k], good);
        summary.note_failures(good, first, batch.n);
        keep_multipliers<N>(stars, first, multipliers);
    }
    return {summary.largest_residual(), stars.n > 0 ? 1 : 0, summary.failed};
}

} // namespace

Outcome HOLON_NAME(positions)(const Stars& stars)
{
    switch (stars.arms) {
    case 1:
        return positions_of<1>(stars);
    case 2:
        return positions_of<2>(stars);
    case 3:
        return positions_of<3>(stars);
    default:
        return positions_of<4>(stars);
    }
}

Outcome HOLON_NAME(velocities)(const Stars& stars)
{
    switch (stars.arms) {
    case 1:
        return velocities_of<1>(stars);
    case 2:
        return velocities_of<2>(stars);
    case 3:
        return velocities_of<3>(stars);
    default:
        return velocities_of<4>(stars);
    }
}

} // namespace holon::star
