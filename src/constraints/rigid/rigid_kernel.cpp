// Compiled once per instruction set: see kernel_variant.hpp.
#include <holon/core/kernel_variant.hpp>

#include "rigid_rotation.hpp"

namespace holon::rigid {
namespace {

using namespace lattice_lanes;

constexpr int vector_size = 3 * lanes;

/// The part of what is kept in which displacements are; positions and velocities are in parts 0 and 1.
constexpr int moves = 2;

HOLON_INLINE V3 load_vector(const double* values)
{
    return {holon::load<F8>(values), holon::load<F8>(values + lanes), holon::load<F8>(values + 2 * lanes)};
}
HOLON_INLINE void store_vector(double* values, const V3& a)
{
    holon::store(values, a.x);
    holon::store(values + lanes, a.y);
    holon::store(values + 2 * lanes, a.z);
}

/// Eight bodies that extend along N axes.
template <int N>
struct Batch {
    const Bodies& bodies;
    const Template& shape;
    std::int64_t first;
    int n; // bodies; the other lanes repeat one of them

    HOLON_INLINE Batch(const Bodies& all, std::int64_t at)
        : bodies(all), shape(all.shape), first(at), n(all.n - at < lanes ? static_cast<int>(all.n - at) : lanes)
    {
    }

    HOLON_INLINE const std::int32_t* places(int atom) const
    {
        return bodies.atoms + first * shape.n_atoms + atom * lanes;
    }

    /// What an atom has that the first has not. Exact before it becomes real.
    HOLON_INLINE V3 relative(const std::int64_t* values, int atom, double unit) const
    {
        const auto d = difference_of_rows<Vector<std::int64_t, 4>, 3>(values, places(0), places(atom));
        return scaled(unit, {to_doubles<F8>(d.x), to_doubles<F8>(d.y), to_doubles<F8>(d.z)});
    }

    HOLON_INLINE void add(std::int64_t* values, int atom, const L3& more) const
    {
        const I8 zero = {};
        const I8 xy_even = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(more.x, more.y),
                 z_even = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(more.z, zero);
        const I8 xy_odd = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(more.x, more.y),
                 z_odd = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(more.z, zero);
        const I8 rows[] = {shuffled<0, 1, 8, 9, 4, 5, 12, 13>(xy_even, z_even), // bodies l and l + 4
                           shuffled<0, 1, 8, 9, 4, 5, 12, 13>(xy_odd, z_odd),
                           shuffled<2, 3, 10, 11, 6, 7, 14, 15>(xy_even, z_even),
                           shuffled<2, 3, 10, 11, 6, 7, 14, 15>(xy_odd, z_odd)};
        const std::int32_t* const at = places(atom);
        for (int l = 0; l < n; ++l)
            add_to_row(values + 3 * std::int64_t{at[l]},
                       l < 4 ? holon::low_half(rows[l]) : holon::high_half(rows[l - 4]));
    }

    /// What atom k has relative to the first, of positions or velocities, for later.
    HOLON_INLINE double* kept(int part, int atom) const
    {
        return bodies.work + (part * shape.n_atoms + atom) * vector_size;
    }
};

/// Sums over the atoms of a body, whose values r are relative to those of the first.
template <int N>
struct Moments {
    V3 along[N] = {}; // sum m r b
    V3 mean = {};     // of r, weighted with masses

    HOLON_INLINE void add(const Template& shape, int atom, const V3& r)
    {
        for (int j = 0; j < N; ++j) along[j] = added(along[j], shape.moment[3 * atom + j], r);
        mean = added(mean, shape.share[atom], r);
    }
};

template <int N>
HOLON_INLINE Moments<N> moments_of(const Batch<N>& batch, const std::int64_t* values, double unit, int kept)
{
    Moments<N> sums;
    store_vector(batch.kept(kept, 0), V3{});
    for (int k = 1; k < batch.shape.n_atoms; ++k) {
        const V3 r = batch.relative(values, k, unit);
        store_vector(batch.kept(kept, k), r);
        sums.add(batch.shape, k, r);
    }
    return sums;
}

/// The axes of a body in space: those with which the template comes nearest to where its atoms are.
template <int N>
struct Frame {
    V3 e[3];
    F8 side = F8{} + 1.0; // -1: it is the mirror image of its template along the third axis

    HOLON_INLINE explicit Frame(Moments<N>& r)
    {
        const auto& k = r.along;
        if constexpr (N == 1) {
            e[0] = normalised(k[0]);
        } else { // of a body in a plane these are the axes, exactly
            e[2] = normalised(cross(k[0], k[1]));
            e[0] = normalised(k[0] + cross(k[1], e[2]));
            e[1] = cross(e[2], e[0]);
        }
        if constexpr (N == 3) {
            side = select((I8)(dot(e[2], k[2]) < 0.0), F8{} - 1.0, F8{} + 1.0);
            mirror(r);
            turn(k);
        }
    }

    HOLON_INLINE void mirror(Moments<N>& r) const
    {
        if constexpr (N == 3) r.along[2] = side * r.along[2];
    }

    /// By the small angles that bring the moments to symmetry.
    HOLON_INLINE void turn(const V3 (&k)[N])
    {
        const F8 x = (dot(e[2], k[1]) - dot(e[1], k[2])) / (dot(e[1], k[1]) + dot(e[2], k[2]));
        const F8 y = (dot(e[0], k[2]) - dot(e[2], k[0])) / (dot(e[0], k[0]) + dot(e[2], k[2]));
        const F8 z = (dot(e[1], k[0]) - dot(e[0], k[1])) / (dot(e[0], k[0]) + dot(e[1], k[1]));
        const V3 first = added(added(e[0], z, e[1]), -y, e[2]), second = added(added(e[1], -z, e[0]), x, e[2]);
        e[2] = normalised(cross(first, second));
        e[0] = normalised(first);
        e[1] = cross(e[2], e[0]);
    }

    /// sum m b x r along the axes of the body.
    HOLON_INLINE V3 torque(const Moments<N>& r) const
    {
        const auto& k = r.along;
        V3 h{dot(e[2], k[1]), V3{}.x - dot(e[2], k[0]), dot(e[1], k[0]) - dot(e[0], k[1])};
        if constexpr (N == 3) h = h + V3{V3{}.x - dot(e[1], k[2]), dot(e[0], k[2]), V3{}.x};
        return h;
    }
    HOLON_INLINE V3 in_space(const V3& a) const { return added(added(a.x * e[0], a.y, e[1]), a.z, e[2]); }
};

/// Where a step turns the axes.
template <int N>
struct Turned {
    V3 axes[N];
    I8 good, iterations; // the lanes with a solution, and what each took
    /// Small rotations, which displacements lack to have the angular momentum of the trial positions: of the body
    /// before the step, and of that after it. Zero but for splittings, which take the angular momentum as it is at the
    /// end, where it is the same but another rate of turning.
    V3 missing = {}, missing_after = {};
    bool splits;

    /// `s`: moments of the trial positions.
    HOLON_INLINE Turned(const Bodies& bodies, const Frame<N>& frame, const Moments<N>& s)
        : splits(bodies.rotation != Rotation::of_impulses)
    {
        if constexpr (N == 1)
            turn_line(bodies.shape, frame, s);
        else
            turn_body(bodies, frame, s);
    }

private:
    HOLON_INLINE void turn_body(const Bodies& bodies, const Frame<N>& frame, const Moments<N>& s)
    {
        const Inertia inertia(bodies.shape);
        const V3 h = scaled(0.5, frame.torque(s));
        V3 q;
        iterations = I8{} + 1;
        good = splits ? split_rotation(bodies.rotation, inertia, h, q) : rotation(inertia, h, q, iterations);
        const F8 q0 = square_root(1.0 - dot(q, q));
        const V3 columns[] = {
            {1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q0 * q.z), 2.0 * (q.x * q.z - q0 * q.y)},
            {2.0 * (q.x * q.y - q0 * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z + q0 * q.x)},
            {2.0 * (q.x * q.z + q0 * q.y), 2.0 * (q.y * q.z - q0 * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)}};
        for (int j = 0; j < N; ++j) axes[j] = frame.in_space(columns[j]);
        if (!splits) return;
        const V3 torque = scaled(2.0, h - q0 * (inertia * q) - inertia.twist(q));
        const V3 after =
            inertia.inverse_of({dot(columns[0], torque), dot(columns[1], torque), dot(columns[2], torque)});
        missing = frame.in_space(inertia.inverse_of(torque));
        missing_after = frame.in_space(added(added(after.x * columns[0], after.y, columns[1]), after.z, columns[2]));
    }

    /// The torque is all across the line: what remains of the length is along it. Split about an axis along the angular
    /// momentum, the step is one turn about that.
    HOLON_INLINE void turn_line(const Template& shape, const Frame<N>& frame, const Moments<N>& s)
    {
        const F8 along = dot(frame.e[0], s.along[0]);
        const V3 across = added(s.along[0], -along, frame.e[0]);
        iterations = I8{} + 1;
        if (!splits) {
            const F8 left = shape.second[0] * shape.second[0] - dot(across, across);
            axes[0] = scaled(1.0 / shape.second[0], added(across, square_root(left), frame.e[0]));
            good = (I8)(left > 0.0) & (I8)(along > 0.0);
            return;
        }
        const V3 angle = scaled(1.0 / shape.second[0], across);
        const F8 square = 0.25 * dot(angle, angle); // of half of it
        const Turning half(square);
        const F8 sine_per_angle = half.cosine * half.sine_per_angle;
        const F8 cosine = 1.0 - 2.0 * square * half.sine_per_angle * half.sine_per_angle;
        axes[0] = added(sine_per_angle * angle, cosine, frame.e[0]);
        missing = missing_after = (1.0 - sine_per_angle) * cross(frame.e[0], angle);
        good = (I8)(square < eighth_of_a_turn * eighth_of_a_turn) & (I8)(along > 0.0);
    }
};

/// How fast the body turns, from the moments of its velocities; or the small angle, from those of displacements.
template <int N>
HOLON_INLINE V3 rotation_rate(const Template& shape, const Frame<N>& frame, const Moments<N>& v)
{
    if constexpr (N == 1)
        return scaled(1.0 / shape.second[0], cross(frame.e[0], v.along[0]));
    else
        return frame.in_space(Inertia(shape).inverse_of(frame.torque(v)));
}

/// Along an axis, of all lanes.
template <int N>
HOLON_INLINE F8 place(const Batch<N>& batch, const Frame<N>& frame, int atom, int axis)
{
    const F8 of_template = F8{} + batch.shape.place[3 * atom + axis];
    return axis == 2 ? frame.side * of_template : of_template;
}

/// What an atom has about the mean of all.
template <int N>
HOLON_INLINE V3 about_mean(const Batch<N>& batch, const Moments<N>& sums, int atom, int kept)
{
    return load_vector(batch.kept(kept, atom)) - sums.mean;
}

/// Keeps displacement(k) for each atom k, less what rounding leaves of their moments, which should be those of no more
/// than the rotation by -missing: so momentum and angular momentum do not change by the rounding of sums over places,
/// which are a thousand times as large. turned_by(angle, k): how far an atom goes with a small rotation. Returns the
/// lanes in which all displacements are numbers whose squares are below a limit.
template <int N, class Displacement, class TurnedBy>
HOLON_INLINE I8 find_displacements(const Batch<N>& batch, const Frame<N>& frame, double limit, const V3& missing,
                                   Displacement displacement, TurnedBy turned_by)
{
    Moments<N> rest;
    for (int k = 0; k < batch.shape.n_atoms; ++k) {
        const V3 d = displacement(k);
        store_vector(batch.kept(moves, k), d);
        rest.add(batch.shape, k, d);
    }
    frame.mirror(rest);
    const V3 angle = rotation_rate(batch.shape, frame, rest) + missing;
    I8 good = ~I8{};
    for (int k = 0; k < batch.shape.n_atoms; ++k) {
        const V3 d = load_vector(batch.kept(moves, k)) - rest.mean - turned_by(angle, k);
        good &= (I8)(dot(d, d) < limit);
        store_vector(batch.kept(moves, k), d);
    }
    return good;
}

/// Where the axes put an atom, about the centre of mass.
template <int N>
HOLON_INLINE V3 put(const Batch<N>& batch, const Frame<N>& frame, const V3 (&axes)[N], int atom)
{
    V3 r = place(batch, frame, atom, 0) * axes[0];
    for (int j = 1; j < N; ++j) r = added(r, place(batch, frame, atom, j), axes[j]);
    return r;
}

template <int N>
HOLON_INLINE void keep_moments(const Batch<N>& batch, I8 good, const Frame<N>& frame, const V3 (&axes)[N],
                               const Moments<N>& sums)
{
    if (batch.bodies.moments == nullptr) return;
    double* out = batch.bodies.moments + batch.first * 6 * N;
    for (int j = 0; j < N; ++j, out += 2 * vector_size) {
        store_vector(out, kept_where(good, frame.e[j]));
        store_vector(out + vector_size, kept_where(good, scaled(batch.shape.second[j], axes[j]) - sums.along[j]));
    }
}

/// Of a link, in one of the parts that were kept.
template <int N>
HOLON_INLINE V3 link(const Batch<N>& batch, std::int64_t k, int part)
{
    const int* const ends = batch.shape.linked + 2 * k;
    return load_vector(batch.kept(part, ends[1])) - load_vector(batch.kept(part, ends[0]));
}

template <int N>
HOLON_INLINE Outcome positions_of(const Bodies& bodies)
{
    Summary summary;
    I8 most = {};
    for (std::int64_t first = 0; first < bodies.n; first += lanes) {
        const Batch<N> batch(bodies, first);
        auto r = moments_of(batch, bodies.x_ref, position_unit, 0); // which nobody looks at again
        auto s = moments_of(batch, bodies.x, position_unit, 0);
        const Frame<N> frame(r);
        frame.mirror(s);
        const Turned<N> turned(bodies, frame, s);
        const auto turned_by = [&](const V3& angle, int k) __attribute__((always_inline))
        {
            return cross(angle, put(batch, frame, turned.axes, k));
        };
        const I8 good = turned.good & find_displacements(
                                          batch, frame, bodies.shape.radius2, turned.missing,
                                          [&](int k) __attribute__((always_inline)) {
                                              return put(batch, frame, turned.axes, k) - about_mean(batch, s, k, 0);
                                          },
                                          turned_by);
        V3 axes[N]; // where forces without a torque take them
        for (int j = 0; j < N; ++j) axes[j] = turned.axes[j] + cross(turned.missing, frame.e[j]);
        keep_moments(batch, good, frame, axes, s);

        L3 of_first;
        for (int k = 0; k < bodies.shape.n_atoms; ++k) {
            const V3 d = kept_where(good, load_vector(batch.kept(moves, k)));
            const L3 move = to_lattice(d, position_unit);
            batch.add(bodies.x, k, move);
            if (bodies.inverse_dt > 0.0) {
                const V3 of_v = turned.splits ? d + kept_where(good, turned_by(turned.missing_after, k)) : d;
                batch.add(bodies.v, k, to_lattice(scaled(bodies.inverse_dt, of_v), velocity_unit));
            }
            if (k == 0) of_first = move;
            store_vector(batch.kept(0, k), load_vector(batch.kept(0, k)) + difference(of_first, move, position_unit));
        }
        for (std::int64_t k = 0; k < bodies.shape.n_links; ++k) {
            const V3 l = link(batch, k, 0);
            summary.note((0.5 * bodies.shape.inverse[k]) * (dot(l, l) - bodies.shape.d2[k]), good);
        }
        const I8 iterations = turned.iterations & good;
        most = select(iterations > most, iterations, most);
        summary.note_failures(good, first, batch.n);
    }
    std::int64_t largest = 0;
    for (int l = 0; l < lanes; ++l) largest = most[l] > largest ? most[l] : largest;
    return {summary.largest_residual(), largest, summary.failed};
}

template <int N>
HOLON_INLINE Outcome velocities_of(const Bodies& bodies)
{
    Summary summary;
    for (std::int64_t first = 0; first < bodies.n; first += lanes) {
        const Batch<N> batch(bodies, first);
        auto r = moments_of(batch, bodies.x, position_unit, 0);
        auto v = moments_of(batch, bodies.v, velocity_unit, 1);
        const Frame<N> frame(r);
        frame.mirror(v);
        // About where the atoms are, not about where the axes put them: r.v = 0 also where a start from a file is rigid
        // to three digits only.
        const V3 w = rotation_rate(bodies.shape, frame, v);
        const auto turned_by = [&](const V3& rate, int k) __attribute__((always_inline))
        {
            return cross(rate, about_mean(batch, r, k, 0));
        };
        const I8 good = find_displacements(
            batch, frame, __builtin_inf(),
            V3{}, [&](int k) __attribute__((always_inline)) { return turned_by(w, k) - about_mean(batch, v, k, 1); },
            turned_by);
        V3 rates[N];
        for (int j = 0; j < N; ++j) rates[j] = cross(w, frame.e[j]);
        keep_moments(batch, good, frame, rates, v);

        L3 of_first;
        for (int k = 0; k < bodies.shape.n_atoms; ++k) {
            const L3 more = to_lattice(kept_where(good, load_vector(batch.kept(moves, k))), velocity_unit);
            batch.add(bodies.v, k, more);
            if (k == 0) of_first = more;
            store_vector(batch.kept(1, k), load_vector(batch.kept(1, k)) + difference(of_first, more, velocity_unit));
        }
        for (std::int64_t k = 0; k < bodies.shape.n_links; ++k)
            summary.note(bodies.shape.inverse[k] * dot(link(batch, k, 0), link(batch, k, 1)), good);
        summary.note_failures(good, first, batch.n);
    }
    return {summary.largest_residual(), bodies.n > 0 ? 1 : 0, summary.failed};
}

} // namespace

Outcome HOLON_NAME(positions)(const Bodies& bodies)
{
    switch (bodies.shape.axes) {
    case 1:
        return positions_of<1>(bodies);
    case 2:
        return positions_of<2>(bodies);
    default:
        return positions_of<3>(bodies);
    }
}

Outcome HOLON_NAME(velocities)(const Bodies& bodies)
{
    switch (bodies.shape.axes) {
    case 1:
        return velocities_of<1>(bodies);
    case 2:
        return velocities_of<2>(bodies);
    default:
        return velocities_of<3>(bodies);
    }
}

} // namespace holon::rigid
