#include <holon/constraints/torsion_tree.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <deque>
#include <map>

namespace holon {

TorsionTree::TorsionTree(const MoleculeType& molecule) : body_of_(molecule.atoms.size(), -1)
{
    const auto& units = molecule.torsion_units;
    for (const auto& atom : molecule.atoms) masses_.push_back(atom.mass);
    std::vector<std::vector<std::int32_t>> units_at(masses_.size());
    for (std::size_t u = 0; u < units.size(); ++u)
        for (const auto a : units[u]) units_at[index(a)].push_back(static_cast<std::int32_t>(u));
    for (std::size_t a = 0; a < masses_.size(); ++a)
        shares_.push_back(masses_[a] / static_cast<double>(std::max<std::size_t>(1, units_at[a].size())));
    connect(units, units_at);
    for (std::size_t a = 0; a < masses_.size(); ++a)
        if (body_of_[a] < 0)
            throw InputError(fmt::format("Molecule type {}: atom {} ({}) is in no rigid unit that bonds connect to the "
                                         "first one: there is no tree of torsions.",
                                         molecule.name, a + 1, molecule.atoms[a].name));
    joints_.resize(bodies_.size());
}

/// From unit to unit across the bonds that they share, nearest first.
void TorsionTree::connect(const std::vector<std::vector<std::int32_t>>& units,
                          const std::vector<std::vector<std::int32_t>>& units_at)
{
    std::vector<std::int32_t> body_of_unit(units.size(), -1);
    std::deque<std::int32_t> queue;
    const auto add = [&](std::int32_t unit, std::int32_t parent, const std::array<std::int32_t, 2>& bond) {
        body_of_unit[index(unit)] = static_cast<std::int32_t>(bodies_.size());
        auto& body = bodies_.emplace_back(Body{parent, bond, {}, units[index(unit)]});
        for (const auto a : body.all)
            if (body_of_[index(a)] < 0) {
                body_of_[index(a)] = body_of_unit[index(unit)];
                body.atoms.push_back(a);
            }
        queue.push_back(unit);
    };
    if (!units.empty()) add(0, -1, {});
    for (; !queue.empty(); queue.pop_front()) {
        const auto unit = queue.front(), body = body_of_unit[index(unit)];
        std::map<std::int32_t, std::vector<std::int32_t>> shared; // by unit: atoms
        for (const auto a : units[index(unit)])
            for (const auto other : units_at[index(a)])
                if (other != unit) shared[other].push_back(a);
        for (const auto& [other, atoms] : shared) {
            if (atoms.size() != 2) continue;
            const std::array<std::int32_t, 2> bond{atoms[0], atoms[1]};
            const auto reached = body_of_unit[index(other)];
            if (reached < 0)
                add(other, body, bond);
            else if (reached > body && bodies_[index(reached)].parent != body)
                cuts_.push_back({{index(body), index(reached)}, bond});
        }
    }
}

void TorsionTree::set_positions(std::span<const Vec3> x)
{
    HOLON_ASSERT(x.size() == masses_.size(), std::to_string(x.size()));
    x_.assign(x.begin(), x.end());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        auto& joint = joints_[b];
        if (b == 0) {
            joint.place = x_[index(bodies_[0].atoms.front())];
            continue;
        }
        const Vec3 &from = x_[index(bodies_[b].bond[0])], &to = x_[index(bodies_[b].bond[1])];
        joint.place = to;
        joint.axis = (to - from).normalized();
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) set_inertia(b);
    for (std::size_t b = bodies_.size(); b-- > 1;) {
        auto& joint = joints_[b];
        const Spatial moment = joint.inertia.leftCols<3>() * joint.axis;
        joint.d = joint.axis.dot(moment.head<3>());
        joint.gain = moment / joint.d;
        const auto above = index(bodies_[b].parent);
        const Inertia left = joint.inertia - joint.d * joint.gain * joint.gain.transpose();
        Inertia shift = Inertia::Identity();
        const Vec3 r = joint.place - joints_[above].place;
        shift.topRightCorner<3, 3>() << 0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0;
        joints_[above].inertia += shift * left * shift.transpose();
    }
    const Eigen::LDLT<Inertia> base(joints_[0].inertia);
    inverse_base_ = base.solve(Inertia::Identity());
    ln_det_base_ = base.vectorD().array().log().sum();
}

/// Of the body alone, about its place. An atom's mass is shared out among its units, which move it alike: so those at
/// the end of a loop have one, too.
void TorsionTree::set_inertia(std::size_t body)
{
    auto& inertia = joints_[body].inertia;
    inertia.setZero();
    for (const auto a : bodies_[body].all) {
        const Vec3 r = x_[index(a)] - joints_[body].place;
        const double m = shares_[index(a)];
        Mat3 across;
        across << 0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0;
        inertia.topLeftCorner<3, 3>() += m * across * across.transpose();
        inertia.topRightCorner<3, 3>() += m * across;
        inertia.bottomLeftCorner<3, 3>() -= m * across;
        inertia.bottomRightCorner<3, 3>() += m * Mat3::Identity();
    }
}

std::vector<double> TorsionTree::torques(std::span<const Vec3> forces) const
{
    auto loads = forces_on_bodies(forces);
    std::vector<double> result(n_torsions());
    for (std::size_t b = bodies_.size(); b-- > 1;) {
        result[b - 1] = joints_[b].axis.dot(loads[b].head<3>());
        const auto above = index(bodies_[b].parent);
        const Vec3 r = joints_[b].place - joints_[above].place, f = loads[b].tail<3>();
        loads[above].head<3>() += loads[b].head<3>() + r.cross(f);
        loads[above].tail<3>() += f;
    }
    return result;
}

std::vector<TorsionTree::Frame> TorsionTree::frames(std::span<const double> angles) const
{
    std::vector<Frame> result{{Mat3::Identity(), joints_[0].place}};
    for (std::size_t b = 1; b < bodies_.size(); ++b) {
        const auto above = index(bodies_[b].parent);
        const Mat3 about_axis = Eigen::AngleAxisd(angles[b - 1], joints_[b].axis).toRotationMatrix();
        result.push_back({result[above].rotation * about_axis, moved(above, result, joints_[b].place)});
    }
    return result;
}

/// A point of a body.
Vec3 TorsionTree::moved(std::size_t body, const std::vector<Frame>& frames, const Vec3& x) const
{
    return frames[body].place + frames[body].rotation * (x - joints_[body].place);
}

std::vector<Vec3> TorsionTree::turned(std::span<const double> angles) const
{
    const auto frames_after = frames(angles);
    std::vector<Vec3> result(n_atoms());
    for (std::size_t a = 0; a < result.size(); ++a) result[a] = moved(index(body_of_[a]), frames_after, x_[a]);
    return result;
}

Eigen::MatrixXd TorsionTree::motions() const
{
    const auto n = static_cast<Eigen::Index>(n_torsions());
    Eigen::MatrixXd result(3 * static_cast<Eigen::Index>(n_atoms()), 6 + n);
    for (Eigen::Index k = 0; k < 6 + n; ++k) {
        JointRates rates;
        rates.torsions.assign(n_torsions(), 0.0);
        if (k < 3)
            rates.translation[k] = 1.0;
        else if (k < 6)
            rates.rotation[k - 3] = 1.0;
        else
            rates.torsions[index(k - 6)] = 1.0;
        const auto moves = velocities(rates);
        for (std::size_t a = 0; a < moves.size(); ++a)
            result.block<3, 1>(3 * static_cast<Eigen::Index>(a), k) = moves[a];
    }
    return result;
}

/// For k before l on the way from the base, d2x = h_k x (h_l x r), r = x - o_l for the atoms beyond l; with S = sum r
/// f' over them, sum f.d2x = h_k.(S h_l - h_l tr S). A multiplier is a pair of forces on the two sides of its gap.
Eigen::MatrixXd TorsionTree::curvature(std::span<const Vec3> forces, const Eigen::VectorXd& tensions) const
{
    std::vector<Mat3> moments(bodies_.size(), Mat3::Zero());
    std::vector<Vec3> sums(bodies_.size(), Vec3::Zero());
    const auto add = [&](std::size_t body, const Vec3& x, const Vec3& force) {
        moments[body] += (x - joints_[body].place) * force.transpose();
        sums[body] += force;
    };
    for (std::size_t a = 0; a < n_atoms(); ++a) add(index(body_of_[a]), x_[a], forces[a]);
    for (Eigen::Index gap = 0; gap < tensions.size() / 3; ++gap) {
        const auto& cut = cuts_[index(gap / 2)];
        const Vec3 x = x_[index(cut.bond[index(gap % 2)])], tension = tensions.segment<3>(3 * gap);
        add(cut.bodies[0], x, tension);
        add(cut.bodies[1], x, -tension);
    }
    const auto n = static_cast<Eigen::Index>(n_torsions());
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t b = bodies_.size(); b-- > 1;) {
        const auto above = index(bodies_[b].parent);
        moments[above] += moments[b] + (joints_[b].place - joints_[above].place) * sums[b].transpose();
        sums[above] += sums[b];
        const Vec3 along = moments[b] * joints_[b].axis - moments[b].trace() * joints_[b].axis;
        const auto l = static_cast<Eigen::Index>(b) - 1;
        for (auto k = b; k > 0; k = index(bodies_[k].parent))
            result(static_cast<Eigen::Index>(k) - 1, l) = result(l, static_cast<Eigen::Index>(k) - 1) =
                -joints_[k].axis.dot(along);
    }
    return result;
}

double TorsionTree::ln_det_mass() const
{
    double sum = ln_det_base_;
    for (std::size_t b = 1; b < joints_.size(); ++b) sum += portable::log(joints_[b].d);
    return sum;
}

} // namespace holon
