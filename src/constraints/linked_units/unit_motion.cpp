#include "unit_motion.hpp"

#include <holon/core/index.hpp>

#include <cmath>
#include <utility>

namespace holon {

namespace {

/// The error is squared by every iteration: from this change of the quaternion on, no more is left than round-off.
constexpr double last_change = 1e-8;
constexpr int max_rotations = 50;

Vec3 normalised(const Vec3& a)
{
    return (1.0 / std::sqrt(dot(a, a))) * a;
}

/// x of the equations rows x = y.
Vec3 solution(const std::array<Vec3, 3>& rows, const Vec3& y)
{
    const Vec3 c0 = cross(rows[1], rows[2]), c1 = cross(rows[2], rows[0]), c2 = cross(rows[0], rows[1]);
    return (1.0 / dot(rows[0], c0)) * (y[0] * c0 + y[1] * c1 + y[2] * c2);
}

/// Principal moments of inertia.
struct Inertia {
    explicit Inertia(const rigid::Template& shape)
        : i(shape.second[1] + shape.second[2], shape.second[0] + shape.second[2], shape.second[0] + shape.second[1])
    {
    }
    Vec3 times(const Vec3& a) const { return {i[0] * a[0], i[1] * a[1], i[2] * a[2]}; }
    Vec3 inverse_of(const Vec3& a) const { return {a[0] / i[0], a[1] / i[1], a[2] / i[2]}; }
    Vec3 i;
};

/// The vector part q of the unit quaternion (q0, q) with q0 I q + q x (I q) = h; q: where to begin.
bool find_rotation(const Inertia& inertia, const Vec3& h, Vec3& q)
{
    const double dx = inertia.i[2] - inertia.i[1], dy = inertia.i[0] - inertia.i[2], dz = inertia.i[1] - inertia.i[0];
    for (int iteration = 0; iteration < max_rotations; ++iteration) {
        const double q2 = dot(q, q);
        if (!(q2 < 0.5)) return false;
        const double square = 1.0 - q2, q0 = std::sqrt(square);
        const Vec3 iq = inertia.times(q), p = q0 * q;
        // Both sides times q0, which saves dividing by it.
        const Vec3 excess = square * iq + q0 * (cross(q, iq) - h);
        const std::array<Vec3, 3> rows{
            {{square * inertia.i[0] - iq[0] * q[0], dx * p[2] - iq[0] * q[1], dx * p[1] - iq[0] * q[2]},
             {dy * p[2] - iq[1] * q[0], square * inertia.i[1] - iq[1] * q[1], dy * p[0] - iq[1] * q[2]},
             {dz * p[1] - iq[2] * q[0], dz * p[0] - iq[2] * q[1], square * inertia.i[2] - iq[2] * q[2]}}};
        const Vec3 change = solution(rows, excess);
        q -= change;
        if (dot(change, change) <= last_change * last_change) return dot(q, q) < 0.5;
    }
    return false;
}

} // namespace

UnitMotion::UnitMotion(const Unit& unit, std::span<const Vec3> r, std::vector<Vec3> s, bool velocities)
    : inverse_mass_(unit.inverse_mass), velocities_(velocities), trial_(std::move(s))
{
    if (unit.body == nullptr) return;
    shape_ = &unit.body->kernel();
    n_axes_ = shape_->axes;
    find_axes(r);
    moments_.fill(Vec3::Zero());
    Vec3 mean = Vec3::Zero();
    for (std::size_t a = 0; a < trial_.size(); ++a) {
        for (int j = 0; j < n_axes_; ++j)
            moments_[index(j)] += shape_->moment[3 * a + index(j)] * (j == 2 ? side_ : 1.0) * trial_[a];
        mean += shape_->share[a] * trial_[a];
    }
    for (auto& s_of_atom : trial_) s_of_atom -= mean;
    after_ = axes_;
    if (!velocities_) return;
    Vec3 centre = Vec3::Zero();
    for (std::size_t a = 0; a < r.size(); ++a) centre += shape_->share[a] * r[a];
    for (const auto& place_of_atom : r) reference_.emplace_back(place_of_atom - centre);
}

/// Those with which the template comes nearest to where the atoms are, to second order.
void UnitMotion::find_axes(std::span<const Vec3> r)
{
    std::array<Vec3, 3> k;
    k.fill(Vec3::Zero());
    for (std::size_t a = 0; a < r.size(); ++a)
        for (std::size_t j = 0; j < index(n_axes_); ++j) k[j] += shape_->moment[3 * a + j] * r[a];
    axes_.fill(Vec3::Zero());
    if (n_axes_ == 1) {
        axes_[0] = normalised(k[0]);
        return;
    }
    axes_[2] = normalised(cross(k[0], k[1]));
    axes_[0] = normalised(k[0] + cross(k[1], axes_[2]));
    axes_[1] = cross(axes_[2], axes_[0]);
    if (n_axes_ < 3) return;
    side_ = dot(axes_[2], k[2]) < 0.0 ? -1.0 : 1.0;
    k[2] *= side_;
    turn_axes(k);
}

/// By the small angles that bring the moments to symmetry.
void UnitMotion::turn_axes(const std::array<Vec3, 3>& k)
{
    const auto& e = axes_;
    const double x = (dot(e[2], k[1]) - dot(e[1], k[2])) / (dot(e[1], k[1]) + dot(e[2], k[2]));
    const double y = (dot(e[0], k[2]) - dot(e[2], k[0])) / (dot(e[0], k[0]) + dot(e[2], k[2]));
    const double z = (dot(e[1], k[0]) - dot(e[0], k[1])) / (dot(e[0], k[0]) + dot(e[1], k[1]));
    const Vec3 first = e[0] + z * e[1] - y * e[2], second = e[1] - z * e[0] + x * e[2];
    axes_[2] = normalised(cross(first, second));
    axes_[0] = normalised(first);
    axes_[1] = cross(axes_[2], axes_[0]);
}

Vec3 UnitMotion::place(std::size_t atom) const
{
    const double* const b = shape_->place + 3 * atom;
    return {b[0], b[1], side_ * b[2]};
}

Vec3 UnitMotion::lever(std::size_t atom) const
{
    return shape_ == nullptr ? Vec3(Vec3::Zero()) : in_space(place(atom));
}

void UnitMotion::push(std::size_t atom, const Vec3& impulse)
{
    impulse_ += impulse;
    if (n_axes_ == 1)
        impulse_moment_ += shape_->place[3 * atom] * impulse;
    else if (n_axes_ > 1)
        impulse_moment_ += cross(place(atom), along_axes(impulse));
}

/// About the axes of the body, impulses included.
Vec3 UnitMotion::torque() const
{
    const auto &k = moments_, &e = axes_;
    return impulse_moment_ + Vec3(dot(e[2], k[1]) - dot(e[1], k[2]), dot(e[0], k[2]) - dot(e[2], k[0]),
                                  dot(e[1], k[0]) - dot(e[0], k[1]));
}

bool UnitMotion::settle()
{
    if (n_axes_ == 0) return true;
    return n_axes_ == 1 ? settle_line() : settle_body();
}

/// The torque is all across the line: what remains of the length is along it.
bool UnitMotion::settle_line()
{
    const Vec3 moment = moments_[0] + impulse_moment_;
    const double along = dot(axes_[0], moment), second = shape_->second[0];
    if (velocities_) {
        rate_ = (1.0 / second) * cross(axes_[0], moment);
        return true;
    }
    const Vec3 across = moment - along * axes_[0];
    const double left = second * second - dot(across, across);
    if (!(left > 0.0) || !(along > 0.0)) return false;
    after_[0] = (1.0 / second) * (across + std::sqrt(left) * axes_[0]);
    return true;
}

bool UnitMotion::settle_body()
{
    const Inertia inertia(*shape_);
    if (velocities_) {
        rate_ = in_space(inertia.inverse_of(torque()));
        return true;
    }
    const Vec3 h = 0.5 * torque();
    if (dot(q_, q_) == 0.0) q_ = inertia.inverse_of(h);
    if (!find_rotation(inertia, h, q_)) return false;
    const Vec3& q = q_;
    const double q0 = std::sqrt(1.0 - dot(q, q));
    after_ = {in_space({1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]), 2.0 * (q[0] * q[1] + q0 * q[2]),
                        2.0 * (q[0] * q[2] - q0 * q[1])}),
              in_space({2.0 * (q[0] * q[1] - q0 * q[2]), 1.0 - 2.0 * (q[0] * q[0] + q[2] * q[2]),
                        2.0 * (q[1] * q[2] + q0 * q[0])}),
              in_space({2.0 * (q[0] * q[2] + q0 * q[1]), 2.0 * (q[1] * q[2] - q0 * q[0]),
                        1.0 - 2.0 * (q[0] * q[0] + q[1] * q[1])})};
    return true;
}

Vec3 UnitMotion::change(std::size_t atom) const
{
    Vec3 shift = inverse_mass_ * impulse_;
    if (shape_ == nullptr) return shift;
    return shift + ((velocities_ ? cross(rate_, reach(atom)) : reach(atom)) - trial_[atom]);
}

Vec3 UnitMotion::reach(std::size_t atom) const
{
    if (velocities_) return reference_[atom];
    const Vec3 b = place(atom);
    return b[0] * after_[0] + b[1] * after_[1] + b[2] * after_[2];
}

Vec3 UnitMotion::turn_by(const Vec3& torque) const
{
    if (n_axes_ == 1) return (1.0 / (shape_->second[0] * dot(axes_[0], after_[0]))) * torque;
    double trace = 0.0;
    std::array<Vec3, 3> rows;
    rows.fill(Vec3::Zero());
    for (std::size_t j = 0; j < index(n_axes_); ++j) {
        trace += shape_->second[j] * dot(after_[j], axes_[j]);
        for (int k = 0; k < 3; ++k) rows[index(k)] -= (shape_->second[j] * after_[j][k]) * axes_[j];
    }
    for (int k = 0; k < 3; ++k) rows[index(k)][k] += trace;
    return solution(rows, torque);
}

Vec3 UnitMotion::response(std::size_t atom, std::size_t from, const Vec3& impulse) const
{
    Vec3 shift = inverse_mass_ * impulse;
    if (shape_ == nullptr) return shift;
    return shift + cross(turn_by(cross(lever(from), impulse)), reach(atom));
}

bool UnitMotion::is_sound() const
{
    for (std::size_t a = 0; a < trial_.size(); ++a) {
        const Vec3 d = change(a);
        if (!std::isfinite(dot(d, d)) || (shape_ != nullptr && !(dot(d, d) < shape_->radius2))) return false;
    }
    return true;
}

void UnitMotion::add_virial(VirialSum& virial, double force_factor) const
{
    for (std::size_t j = 0; j < index(n_axes_); ++j) {
        const Vec3 after = velocities_ ? cross(rate_, axes_[j]) : after_[j];
        virial.add(axes_[j], shape_->second[j] * after - moments_[j], force_factor);
    }
}

} // namespace holon
