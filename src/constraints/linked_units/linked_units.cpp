#include "linked_units.hpp"

#include <holon/core/index.hpp>

#include <algorithm>

namespace holon {

bool LinkedUnits::accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const
{
    return !cluster.units.empty() && std::ranges::all_of(cluster.atoms, [&](std::int32_t atom) {
        return molecule.atoms[index(atom)].inverse_mass() > 0.0;
    });
}

void LinkedUnits::add_needs(const MoleculeType&, const ConstraintCluster& cluster, MoleculeNeeds& needs) const
{
    need_whole_cluster(cluster, needs);
}

void LinkedUnits::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    clusters_.clear();
    numbered_.clear(atoms.n_owned);
    for (const auto& instance : clusters) {
        auto& cluster = clusters_.emplace_back();
        cluster.molecule = instance.molecule;
        cluster.shape = shapes_.index_of(instance);
        for (const auto atom : instance.cluster->atoms)
            cluster.numbers.push_back(numbered_.number_of(instance.molecule_start + atom, directory));
        cluster.counted = numbered_.owned(index(cluster.numbers.front()));
    }
    numbered_.connect(settings_.comm, directory);
    reference_.resize(numbered_.size());
    values_.resize(numbered_.size());
}

std::vector<IVec3> LinkedUnits::gathered(const Cluster& cluster, const std::vector<IVec3>& values)
{
    std::vector<IVec3> of_cluster;
    for (const auto number : cluster.numbers) of_cluster.push_back(values[index(number)]);
    return of_cluster;
}

ConstraintResult LinkedUnits::project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities)
{
    ConstraintResult result;
    const auto &reference = velocities ? atoms.x : atoms.x_ref, &trial = velocities ? atoms.v : atoms.x;
    for (std::size_t n = 0; n < values_.size(); ++n) {
        const auto local = index(numbered_.local(n));
        reference_[n] = reference[local];
        if (numbered_.owned(n)) values_[n] = trial[local];
    }
    numbered_.refresh(values_, result);

    VirialSum virial;
    for (const auto& cluster : clusters_) {
        const auto& shape = shapes_[cluster.shape];
        whole_reference_ = gathered(cluster, reference_);
        whole_values_ = gathered(cluster, values_);
        make_bodies_whole(shape, box, whole_reference_);
        if (!velocities) make_bodies_whole(shape, box, whole_values_);
        LinkedMotion motion(shape, whole_reference_, whole_values_, box, velocities);
        const auto iterations = motion.settle() ? solve(motion, stage, velocities) : -1;
        if (iterations < 0 || !(velocities || motion.is_sound())) {
            if (result.failure.empty()) result.failure = failure_of(cluster, stage);
            continue;
        }
        result.iterations = std::max(result.iterations, iterations);
        if (cluster.counted && stage.force_factor != 0.0) motion.add_virial(virial, stage.force_factor);
        move(cluster, motion, stage, velocities, atoms);
        note_errors(cluster, box, velocities, result);
    }
    virial.add_to(result.virial);
    return result;
}

/// Owned atoms, and whole_values_ of all.
void LinkedUnits::move(const Cluster& cluster, const LinkedMotion& motion, const ConstraintStage& stage,
                       bool velocities, Atoms& atoms)
{
    const auto& units = motion.shape().units;
    for (std::size_t u = 0; u < units.size(); ++u)
        for (std::size_t site = 0; site < units[u].atoms.size(); ++site) {
            const auto atom = index(units[u].atoms[site]), number = index(cluster.numbers[atom]);
            const Vec3 change = motion.change(u, site);
            const IVec3 rounded = to_lattice(change, velocities ? velocity_unit : position_unit);
            whole_values_[atom] += rounded;
            if (!numbered_.owned(number)) continue;
            const auto local = numbered_.local(number);
            if (velocities)
                atoms.v[index(local)] += rounded;
            else
                displace(atoms, local, change, rounded, inverse_step(stage));
        }
}

void LinkedUnits::note_errors(const Cluster& cluster, const Box& box, bool velocities, ConstraintResult& result) const
{
    for (const auto& [i, j, d2] : shapes_[cluster.shape].lengths) {
        const auto between = [&](const std::vector<IVec3>& values) {
            return IVec3(values[index(j)] - values[index(i)]);
        };
        if (velocities)
            note_residual(result, rate_error(to_real(box.minimum_image(between(whole_reference_)), position_unit),
                                             to_real(between(whole_values_), velocity_unit), d2));
        else
            note_residual(result, length_error(to_real(box.minimum_image(between(whole_values_)), position_unit), d2));
    }
}

std::string LinkedUnits::failure_of(const Cluster& cluster, const ConstraintStage& stage) const
{
    std::vector<AtomId> ids;
    for (const auto number : cluster.numbers) ids.push_back(numbered_.id(number));
    return failure_message(shapes_[cluster.shape].molecule_name, cluster.molecule, ids,
                           "a link or a rigid unit has turned by 90 degrees or more, or no solution was found", stage);
}

} // namespace holon
