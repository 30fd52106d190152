#pragma once

#include "rigid_kernel.hpp"

#include "bonds/lattice_lanes.hpp"

/// How bodies turn in a step, eight at a time, by what the trial positions say of their angular momentum: for kernels
/// that are compiled once per instruction set.
namespace holon::rigid {

using lattice_lanes::dot;
using lattice_lanes::F8, lattice_lanes::I8, lattice_lanes::V3;
static_assert(lanes == lattice_lanes::lanes);

HOLON_INLINE V3 scaled(double a, const V3& b)
{
    return (F8{} + a) * b;
}
HOLON_INLINE V3 added(const V3& sum, F8 a, const V3& b)
{
    return {multiply_add(a, b.x, sum.x), multiply_add(a, b.y, sum.y), multiply_add(a, b.z, sum.z)};
}
HOLON_INLINE V3 added(const V3& sum, double a, const V3& b)
{
    return added(sum, F8{} + a, b);
}
HOLON_INLINE V3 normalised(const V3& a)
{
    return (1.0 / square_root(dot(a, a))) * a;
}

/// Along the principal axes.
struct Inertia {
    F8 x, y, z, per_x, per_y, per_z;
    HOLON_INLINE explicit Inertia(const Template& shape)
    {
        const double a = shape.second[1] + shape.second[2], b = shape.second[0] + shape.second[2],
                     c = shape.second[0] + shape.second[1];
        x = F8{} + a;
        y = F8{} + b;
        z = F8{} + c;
        per_x = F8{} + 1.0 / a;
        per_y = F8{} + 1.0 / b;
        per_z = F8{} + 1.0 / c;
    }
    HOLON_INLINE V3 operator*(const V3& a) const { return {x * a.x, y * a.y, z * a.z}; }
    HOLON_INLINE V3 inverse_of(const V3& a) const { return {per_x * a.x, per_y * a.y, per_z * a.z}; }
    /// a x (I a)
    HOLON_INLINE V3 twist(const V3& a) const { return {(z - y) * a.y * a.z, (x - z) * a.z * a.x, (y - x) * a.x * a.y}; }
};

/// The error is squared by every iteration: from this change of the quaternion on, no more is left than round-off.
constexpr double last_change = 1e-8;
constexpr int max_iterations = 50;

/// The vector part q of the unit quaternion (q0, q) with q0 I q + q x (I q) = h, from what it is to third order on. A
/// lane takes no further part once it is done. Returns the lanes that have a solution, by less than a quarter of a
/// turn; `iterations`: what each took.
HOLON_INLINE I8 rotation(const Inertia& inertia, const V3& h, V3& q, I8& iterations)
{
    q = inertia.inverse_of(h);
    q = multiply_add(F8{} + 0.5, dot(q, q), F8{} + 1.0) * (q - inertia.inverse_of(inertia.twist(q)));
    iterations = I8{};
    I8 active = ~I8{}, good = I8{};
    const F8 dx = inertia.z - inertia.y, dy = inertia.x - inertia.z, dz = inertia.y - inertia.x;
    for (int iteration = 1; iteration <= max_iterations && any_bit(active); ++iteration) {
        const F8 q2 = dot(q, q);
        active &= (I8)(q2 < 0.5);
        const F8 q0 = square_root(1.0 - q2), square = 1.0 - q2;
        const V3 iq = inertia * q, p = q0 * q;
        // Both sides times q0, which saves dividing by it.
        const V3 excess = square * iq + q0 * (inertia.twist(q) - h);
        const V3 rows[] = {{square * inertia.x - iq.x * q.x, dx * p.z - iq.x * q.y, dx * p.y - iq.x * q.z},
                           {dy * p.z - iq.y * q.x, square * inertia.y - iq.y * q.y, dy * p.x - iq.y * q.z},
                           {dz * p.y - iq.z * q.x, dz * p.x - iq.z * q.y, square * inertia.z - iq.z * q.z}};
        const V3 across[] = {cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])};
        const V3 sum = added(added(excess.x * across[0], excess.y, across[1]), excess.z, across[2]);
        const V3 change = kept_where(active, (1.0 / dot(rows[0], across[0])) * sum);
        q = q - change;
        iterations -= active; // -1 in each active lane
        const I8 last = active & (I8)(dot(change, change) <= last_change * last_change);
        good |= last;
        active &= ~last;
    }
    return good;
}

/// Sine and cosine of angles up to an eighth of a turn, from their squares, but for the last place.
struct Turning {
    F8 cosine = F8{} + 1.0, sine_per_angle = F8{} + 1.0;

    HOLON_INLINE explicit Turning(F8 square)
    {
        for (int n = 16; n > 0; n -= 2) { // Taylor's series from their last terms on
            cosine = multiply_add((-1.0 / (n * (n - 1))) * square, cosine, F8{} + 1.0);
            sine_per_angle = multiply_add((-1.0 / (n * (n + 1))) * square, sine_per_angle, F8{} + 1.0);
        }
    }
};

constexpr double eighth_of_a_turn = 0.78539816339744831;

/// A body that turns about its axes one after the other.
struct Rotor {
    F8 q0 = F8{} + 1.0, q[3] = {}; // how far it has turned: a unit quaternion
    F8 impulse[3], per[3];         // angular momentum along its axes times half the step; inverse moments of inertia
    I8 good = ~I8{};

    HOLON_INLINE Rotor(const Inertia& inertia, const V3& h)
        : impulse{h.x, h.y, h.z}, per{inertia.per_x, inertia.per_y, inertia.per_z}
    {
    }

    /// About axis k for a part of the step, as if the body had inertia along it alone: the angular momentum in space
    /// stays. In terms of quaternions: q <- cos(a) q + sin(a) P_k q.
    template <int k>
    HOLON_INLINE void turn(double part)
    {
        constexpr int i = (k + 1) % 3, j = (k + 2) % 3;
        const F8 half = part * per[k] * impulse[k], square = half * half;
        const Turning turning(square);
        const F8 c = turning.cosine, s = half * turning.sine_per_angle;
        good &= (I8)(square < eighth_of_a_turn * eighth_of_a_turn);

        const F8 from_0 = q0, from_k = q[k], from_i = q[i], from_j = q[j];
        q0 = c * from_0 - s * from_k;
        q[k] = c * from_k + s * from_0;
        q[i] = c * from_i + s * from_j;
        q[j] = c * from_j - s * from_i;

        const F8 cosine = 1.0 - 2.0 * (s * s), sine = 2.0 * (s * c), of_i = impulse[i], of_j = impulse[j];
        impulse[i] = cosine * of_i + sine * of_j;
        impulse[j] = cosine * of_j - sine * of_i;
    }

    /// The whole step, there and back from one axis: symmetric in time.
    template <int first>
    HOLON_INLINE void turn_from()
    {
        turn<first>(0.5);
        turn<1>(0.5);
        turn<2 - first>(1.0);
        turn<1>(0.5);
        turn<first>(0.5);
    }
};

/// As rotation(), by turns about one principal axis after the other.
HOLON_INLINE I8 split_rotation(Rotation order, const Inertia& inertia, const V3& h, V3& q)
{
    Rotor rotor(inertia, h);
    if (order == Rotation::dlm)
        rotor.turn_from<0>();
    else
        rotor.turn_from<2>();
    q = {rotor.q[0], rotor.q[1], rotor.q[2]};
    return rotor.good & (I8)(dot(q, q) < 0.5) & (I8)(rotor.q0 > 0.0);
}

} // namespace holon::rigid
