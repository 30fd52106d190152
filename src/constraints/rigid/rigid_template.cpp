#include "rigid_template.hpp"

#include <holon/core/index.hpp>

#include <Eigen/Dense>

#include <algorithm>

namespace holon {

namespace {

/// Of the longest extent: shapes are flattened before, this is round-off.
constexpr double flat = 1e-10;

} // namespace

RigidTemplate::RigidTemplate(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    set_places(molecule, cluster);
    set_links(cluster);
    kernel_.n_atoms = static_cast<int>(share_.size());
    kernel_.place = place_.data();
    kernel_.moment = moment_.data();
    kernel_.share = share_.data();
    kernel_.n_links = std::ssize(d2_);
    kernel_.linked = linked_.data();
    kernel_.d2 = d2_.data();
    kernel_.inverse = inverse_.data();
}

void RigidTemplate::set_places(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    auto shape = cluster.shape.empty() ? *shape_of_distances(cluster) : cluster.shape;
    std::vector<double> masses;
    double mass = 0.0;
    Vec3 centre = Vec3::Zero();
    for (std::size_t a = 0; a < shape.size(); ++a) {
        masses.push_back(molecule.atoms[index(cluster.atoms[a])].mass);
        mass += masses[a];
        centre += masses[a] * shape[a];
    }
    Mat3 second = Mat3::Zero();
    for (std::size_t a = 0; a < shape.size(); ++a) {
        shape[a] -= centre / mass;
        second += masses[a] * shape[a] * shape[a].transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(second);
    const Vec3 extent = principal.eigenvalues().reverse();
    const Mat3 axes = principal.eigenvectors().rowwise().reverse();
    kernel_.axes = 1 + (extent[1] > flat * extent[0]) + (extent[2] > flat * extent[0]);
    for (std::size_t a = 0; a < shape.size(); ++a) {
        share_.push_back(masses[a] / mass);
        kernel_.radius2 = std::max(kernel_.radius2, dot(shape[a], shape[a]));
        for (int k = 0; k < 3; ++k) {
            const double place = k < kernel_.axes ? dot(Vec3(axes.col(k)), shape[a]) : 0.0;
            place_.push_back(place);
            moment_.push_back(masses[a] * place);
            kernel_.second[k] += masses[a] * place * place;
        }
    }
}

void RigidTemplate::set_links(const ConstraintCluster& cluster)
{
    std::vector<std::vector<std::size_t>> bound(cluster.atoms.size());
    for (const auto& c : cluster.constraints) {
        const auto place = [&](std::int32_t atom) {
            return static_cast<std::size_t>(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
        };
        const auto i = place(c.i), j = place(c.j);
        bound[i].push_back(j);
        bound[j].push_back(i);
        linked_.insert(linked_.end(), {static_cast<int>(i), static_cast<int>(j)});
        d2_.push_back(c.length * c.length);
        inverse_.push_back(1.0 / d2_.back());
    }
    std::vector<bool> reached(cluster.atoms.size(), false);
    reached.front() = true;
    std::vector<std::size_t> queue{0};
    for (std::size_t n = 0; n < queue.size(); ++n)
        for (const auto next : bound[queue[n]]) {
            if (reached[next]) continue;
            reached[next] = true;
            chain_.emplace_back(queue[n], next);
            queue.push_back(next);
        }
}

} // namespace holon
