#include <support/constraints/free_body.hpp>

#include <gtest/gtest.h>

#include <string>

namespace holon::test {

FreeBody::FreeBody(const MoleculeType& type, const std::vector<Vec3>& shape, const char* solver)
{
    Noise noise(71);
    system_.add(type, 1, turned_copies(shape, 1, noise));
    system_.disturb(0.0, 1.5, 72);
    part_ = std::make_unique<LocalPart>(system_, 0, [](AtomId) { return 0; });
    constraints_ = std::make_unique<Constraints>(system_.topology, system_.clusters, std::vector<std::string>{solver},
                                                 SolverSettings{});
    constraints_->rebuild(part_->atoms, part_->directory());
    part_->atoms.x = part_->atoms.x_ref;
    constraints_->project_velocities(part_->atoms, system_.box, {0, 0.002, 0.0});
}

void FreeBody::step(double dt)
{
    auto& atoms = part_->atoms;
    atoms.x_ref = atoms.x;
    for (std::size_t a = 0; a < atoms.x.size(); ++a)
        atoms.x[a] += to_lattice(dt * to_real(atoms.v[a], velocity_unit), position_unit);
    EXPECT_EQ(constraints_->project_positions(atoms, system_.box, {0, dt, 0.0}).failure, "");
    EXPECT_EQ(constraints_->project_velocities(atoms, system_.box, {0, dt, 0.0}).failure, "");
}

std::array<double, 4> FreeBody::invariants() const
{
    std::array<double, 4> result{};
    Vec3 l = Vec3::Zero(), momentum = Vec3::Zero(), centre = Vec3::Zero();
    double mass = 0.0;
    for (std::size_t a = 0; a < system_.x_ref.size(); ++a) {
        const Vec3 r = to_real(IVec3(part_->atoms.x[a] - part_->atoms.x[0]), position_unit);
        const Vec3 v = to_real(part_->atoms.v[a], velocity_unit);
        const double m = system_.mass(a);
        result[0] += 0.5 * m * dot(v, v);
        l += m * r.cross(v);
        momentum += m * v;
        centre += m * r;
        mass += m;
    }
    l -= centre.cross(momentum) / mass;
    for (int k = 0; k < 3; ++k) result[static_cast<std::size_t>(k) + 1] = l[k];
    return result;
}

Mat3 FreeBody::inertia() const
{
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    double mass = 0.0;
    for (std::size_t a = 0; a < system_.x_ref.size(); ++a) {
        const Vec3 r = to_real(IVec3(part_->atoms.x[a] - part_->atoms.x[0]), position_unit);
        const double m = system_.mass(a);
        first += m * r;
        second += m * r * r.transpose();
        mass += m;
    }
    second -= first * first.transpose() / mass;
    return second.trace() * Mat3::Identity() - second;
}

} // namespace holon::test
