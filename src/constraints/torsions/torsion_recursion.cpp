#include <holon/constraints/torsion_tree.hpp>
#include <holon/core/index.hpp>

namespace holon {

namespace {

/// A spatial force at a point, seen from another one that is -r away.
template <class Spatial>
Spatial shifted_force(const Spatial& force, const Vec3& r)
{
    Spatial result = force;
    result.template head<3>() += r.cross(Vec3(force.template tail<3>()));
    return result;
}

/// A spatial velocity or acceleration, without what is quadratic in velocities, at a point r away.
template <class Spatial>
Spatial shifted_motion(const Spatial& motion, const Vec3& r)
{
    Spatial result = motion;
    result.template tail<3>() += Vec3(motion.template head<3>()).cross(r);
    return result;
}

} // namespace

std::vector<TorsionTree::Spatial> TorsionTree::forces_on_bodies(std::span<const Vec3> forces) const
{
    std::vector<Spatial> loads(bodies_.size(), Spatial::Zero());
    for (std::size_t a = 0; a < n_atoms(); ++a) {
        auto& load = loads[index(body_of_[a])];
        load.head<3>() += (x_[a] - joints_[index(body_of_[a])].place).cross(forces[a]);
        load.tail<3>() += forces[a];
    }
    return loads;
}

TorsionTree::Motion TorsionTree::motion_of(const JointRates& rates) const
{
    Motion motion{std::vector<Spatial>(bodies_.size()), rates};
    motion.body[0] << rates.rotation, rates.translation;
    for (std::size_t b = 1; b < bodies_.size(); ++b) {
        const auto above = index(bodies_[b].parent);
        motion.body[b] = shifted_motion(motion.body[above], joints_[b].place - joints_[above].place);
        motion.body[b].head<3>() += rates.torsions[b - 1] * joints_[b].axis;
    }
    return motion;
}

/// Accelerations of the bodies that velocities give them against those before them, a.
std::vector<TorsionTree::Spatial> TorsionTree::bias_of(const Motion& velocities) const
{
    std::vector<Spatial> bias(bodies_.size(), Spatial::Zero());
    for (std::size_t b = 1; b < bodies_.size(); ++b) {
        const auto above = index(bodies_[b].parent);
        const Vec3 w = velocities.body[above].head<3>(), r = joints_[b].place - joints_[above].place;
        bias[b] << w.cross(velocities.joints.torsions[b - 1] * joints_[b].axis), w.cross(w.cross(r));
    }
    return bias;
}

/// The recursion: joint accelerations under loads F on the bodies, less b of their own motion, and torques.
TorsionTree::Motion TorsionTree::solve(std::vector<Spatial> loads, const std::vector<Spatial>* bias,
                                       std::span<const double> torques) const
{
    Motion motion{std::vector<Spatial>(bodies_.size()), {}};
    motion.joints.torsions.resize(n_torsions());
    auto& excess = motion.joints.torsions;           // e, then the acceleration
    for (std::size_t b = bodies_.size(); b-- > 1;) { // loads: -z
        const auto& joint = joints_[b];
        if (bias != nullptr) loads[b] -= joint.inertia * (*bias)[b];
        excess[b - 1] = (torques.empty() ? 0.0 : torques[b - 1]) + joint.axis.dot(loads[b].head<3>());
        const auto above = index(bodies_[b].parent);
        loads[above] +=
            shifted_force(Spatial(loads[b] - joint.gain * excess[b - 1]), joint.place - joints_[above].place);
    }
    motion.body[0] = inverse_base_ * loads[0];
    motion.joints.rotation = motion.body[0].head<3>();
    motion.joints.translation = motion.body[0].tail<3>();
    for (std::size_t b = 1; b < bodies_.size(); ++b) {
        const auto& joint = joints_[b];
        const auto above = index(bodies_[b].parent);
        auto& own = motion.body[b];
        own = shifted_motion(motion.body[above], joint.place - joints_[above].place);
        auto& acceleration = excess[b - 1];
        acceleration = acceleration / joint.d - joint.gain.dot(own);
        own.head<3>() += acceleration * joint.axis;
        if (bias != nullptr) own += (*bias)[b];
    }
    return motion;
}

/// Velocity or acceleration, without what is centripetal, that a body gives a point.
Vec3 TorsionTree::at(std::size_t body, const Spatial& motion, const Vec3& x) const
{
    return shifted_motion(motion, x - joints_[body].place).tail<3>();
}

Vec3 TorsionTree::centripetal(std::size_t body, const Motion& velocities, const Vec3& x) const
{
    const Vec3 w = velocities.body[body].head<3>();
    return w.cross(w.cross(x - joints_[body].place));
}

JointRates TorsionTree::rates(std::span<const Vec3> momenta) const
{
    return closed(solve(forces_on_bodies(momenta), nullptr, {}), nullptr);
}

JointRates TorsionTree::accelerations(const JointRates& rates, std::span<const Vec3> forces,
                                      std::span<const double> torques) const
{
    const auto velocities = motion_of(rates);
    auto loads = forces_on_bodies(forces);
    for (std::size_t b = 0; b < bodies_.size(); ++b) // what the motion of the body itself takes
        for (const auto a : bodies_[b].all) {
            const Vec3 load = shares_[index(a)] * centripetal(b, velocities, x_[index(a)]);
            loads[b].head<3>() -= (x_[index(a)] - joints_[b].place).cross(load);
            loads[b].tail<3>() -= load;
        }
    const auto bias = bias_of(velocities);
    return closed(solve(std::move(loads), &bias, torques), &velocities);
}

std::vector<Vec3> TorsionTree::velocities(const JointRates& rates) const
{
    const auto motion = motion_of(rates);
    std::vector<Vec3> result(n_atoms());
    for (std::size_t a = 0; a < result.size(); ++a)
        result[a] = at(index(body_of_[a]), motion.body[index(body_of_[a])], x_[a]);
    return result;
}

std::vector<Vec3> TorsionTree::accelerations_of_atoms(const JointRates& rates, const JointRates& accelerations) const
{
    const auto velocities = motion_of(rates);
    const auto bias = bias_of(velocities);
    auto motion = motion_of(accelerations);
    for (std::size_t b = 1; b < bodies_.size(); ++b) {
        const auto above = index(bodies_[b].parent);
        motion.body[b] = shifted_motion(motion.body[above], joints_[b].place - joints_[above].place) + bias[b];
        motion.body[b].head<3>() += accelerations.torsions[b - 1] * joints_[b].axis;
    }
    std::vector<Vec3> result(n_atoms());
    for (std::size_t a = 0; a < result.size(); ++a) {
        const auto b = index(body_of_[a]);
        result[a] = at(b, motion.body[b], x_[a]) + centripetal(b, velocities, x_[a]);
    }
    return result;
}

} // namespace holon
