/// All constraints of a cluster corrected at once with an approximate inverse of their matrix, until all are within the
/// tolerance.
///
/// With r the reference and s the present bond vectors, the correction of a constraint by itself is g / (C_kk s.r),
/// g = (s^2 - d^2) / 2, and the change of the multipliers is a sparse matrix times these (ApproximateInverse). Each
/// iteration multiplies the error by the spectral radius of what the two make of the constraint matrix. The velocity
/// stage does the same with g = r.v.
///
/// Across domains: each rank computes the multipliers of the constraints at its atoms, from the corrections of those
/// around them that their rows name, whose atoms it has copies of: one round of messages in each iteration, and one
/// reduction, of the largest error in each cut cluster. A displacement is summed over the constraints of an atom in the
/// order of the cluster, so that all have the same bits.
#include "inverse.hpp"

#include "bonds/bond_vectors.hpp"
#include "inverse_table.hpp"

#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

namespace holon {
namespace {

constexpr int max_iterations = 2000;
constexpr double failing = std::numeric_limits<double>::infinity();

class InverseSolver final : public Solver {
public:
    InverseSolver(const SolverSettings& settings, const InverseScheme& scheme) : settings_(settings), scheme_(scheme) {}

    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override
    {
        return inverse_of(molecule, cluster).rate() < 1.0;
    }
    std::string refusal(const MoleculeType& molecule, const ConstraintCluster& cluster) const override;
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        return project(atoms, box, stage, false);
    }
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        return project(atoms, box, stage, true);
    }

private:
    struct Progress {                // of a cluster
        double error = 0.0;          // the largest
        bool active = true;          // on all ranks
        bool failed = false;         // likewise
        std::int32_t first_bad = -1; // bond that failed here
    };

    const ApproximateInverse& inverse_of(const MoleculeType& molecule, const ConstraintCluster& cluster) const;
    ConstraintResult project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities);
    void correct(bool first, const ConstraintStage& stage, bool velocities);
    bool any_active(ConstraintResult& result);
    void apply();
    void withdraw(bool endless, const ConstraintStage& stage, ConstraintResult& result);
    void add_virial(const ConstraintStage& stage, ConstraintResult& result) const;

    SolverSettings settings_;
    InverseScheme scheme_;
    mutable std::unordered_map<const MoleculeType*, KnownAngles> angles_;
    mutable std::map<std::pair<const MoleculeType*, const ConstraintCluster*>, ApproximateInverse> inverses_;
    InverseTable table_;
    std::vector<Progress> progress_;                // per cluster
    bool cut_active_ = false;                       // any cut cluster, on any rank: there are messages as long as it is
    std::vector<std::int64_t> shared_errors_;       // ordered_bits(), per cut cluster of all ranks
    BondVectors r_, s_;                             // s: before the first correction
    std::vector<double> corrections_, multipliers_; // per bond
    std::vector<std::int32_t> targets_;             // per number: the owned atom, or -1
    std::vector<IVec3> values_;                     // per number: trial position or velocity, as the owner has it
    std::vector<PaddedVec3> displacements_;         // per number [nm, nm/ps]; rounded to the lattice once
};

const ApproximateInverse& InverseSolver::inverse_of(const MoleculeType& molecule,
                                                    const ConstraintCluster& cluster) const
{
    const auto found = inverses_.find({&molecule, &cluster});
    if (found != inverses_.end()) return found->second;
    const auto& angles = angles_.try_emplace(&molecule, settings_.topology, molecule).first->second;
    return inverses_.try_emplace({&molecule, &cluster}, scheme_.kind, angles, molecule, cluster).first->second;
}

std::string InverseSolver::refusal(const MoleculeType& molecule, const ConstraintCluster& cluster) const
{
    const auto& inverse = inverse_of(molecule, cluster);
    if (inverse.rate() < 1.0) return {};
    return fmt::format("{} would not converge: each iteration multiplies errors by {:.3f}, and must by less than 1, "
                       "because of the constraints of atoms {}",
                       scheme_.name, inverse.rate(), atom_list(molecule, inverse.slowest()));
}

void InverseSolver::add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster,
                              MoleculeNeeds& needs) const
{
    need_within_reach(LincsShape(molecule, cluster), inverse_of(molecule, cluster).reach(), cluster, needs);
}

void InverseSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                            const AtomDirectory& directory)
{
    table_.rebuild(
        settings_.comm, clusters,
        [this](const ClusterInstance& c) -> const ApproximateInverse& {
            return inverse_of(*c.molecule_type, *c.cluster);
        },
        atoms, directory);
    progress_.resize(table_.clusters.size());
    shared_errors_.resize(index(table_.n_cut));
    for (auto* vectors : {&r_, &s_}) vectors->resize(places_for(table_.bonds.size()));
    corrections_.resize(table_.bonds.size());
    multipliers_.resize(table_.bonds.size());
    values_.resize(table_.numbered.size());
    displacements_.resize(table_.numbered.size());
    targets_.resize(table_.numbered.size());
    for (std::size_t n = 0; n < targets_.size(); ++n)
        targets_[n] = table_.numbered.owned(n) ? table_.numbered.local(n) : -1;
}

ConstraintResult InverseSolver::project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities)
{
    ConstraintResult result;
    std::ranges::fill(progress_, Progress{});
    cut_active_ = table_.n_cut > 0;
    std::ranges::fill(multipliers_, 0.0);
    std::ranges::fill(displacements_, PaddedVec3{});
    const auto& trial = velocities ? atoms.v : atoms.x;
    for (std::size_t n = 0; n < values_.size(); ++n)
        if (table_.numbered.owned(n)) values_[n] = trial[index(table_.numbered.local(n))];
    table_.numbered.refresh(values_, result);
    r_.set(velocities ? atoms.x : atoms.x_ref, table_.local_i, table_.local_j, &box);
    s_.set(values_, table_.i, table_.j, velocities ? nullptr : &box);

    correct(true, stage, velocities);
    while (any_active(result) && result.iterations < max_iterations) {
        apply();
        ++result.iterations;
        if (cut_active_) table_.numbered.refresh(displacements_, result);
        correct(false, stage, velocities);
    }
    withdraw(result.iterations == max_iterations, stage, result);
    add_virial(stage, result);

    move_atoms(atoms, velocities, inverse_step(stage), {targets_, numbers_in(displacements_), 4}, values_.data());
    s_.set(values_, table_.i, table_.j, velocities ? nullptr : &box);
    for (std::size_t b = 0; b < table_.bonds.size(); ++b)
        if (const auto& bond = table_.bonds[b]; bond.counted && !progress_[index(bond.cluster)].failed)
            note_residual(result, velocities ? rate_error(r_[b], s_[b], bond.d2) : length_error(s_[b], bond.d2));
    return result;
}

/// The correction of each constraint by itself, and the largest error of each cluster.
void InverseSolver::correct(bool first, const ConstraintStage& stage, bool velocities)
{
    for (auto& cluster : progress_) cluster.error = 0.0;
    for (std::size_t b = 0; b < table_.bonds.size(); ++b) {
        const auto& bond = table_.bonds[b];
        auto& cluster = progress_[index(bond.cluster)];
        if (!cluster.active) continue;
        const Vec3 r = r_[b];
        const Vec3 s = s_[b] + (displacements_[index(bond.j)].value - displacements_[index(bond.i)].value);
        const double c = bond.inverse_mass_i + bond.inverse_mass_j;
        const double along = dot(s, r), excess = velocities ? 2.0 * along : dot(s, s) - bond.d2;
        const double error = 0.5 * std::abs(excess) / bond.d2 * (velocities ? stage.dt : 1.0);
        if (!std::isfinite(error) || (!velocities && !(along > min_cosine * bond.d2))) {
            cluster.error = failing;
            if (cluster.first_bad < 0) cluster.first_bad = static_cast<std::int32_t>(b);
            continue;
        }
        cluster.error = std::max(cluster.error, error);
        corrections_[b] = excess / (2.0 * c * (velocities ? dot(r, r) : along));
        if (velocities || !first || !scheme_.exact_alone) continue;
        // |s - l C r| = d, by the root that is near.
        const double square = along * along - dot(r, r) * excess;
        if (square > 0.0) corrections_[b] = excess / (c * (along + std::sqrt(square)));
    }
}

/// Which clusters are still to be corrected: tells the other ranks of those that are cut, if any is. Collective.
bool InverseSolver::any_active(ConstraintResult& result)
{
    if (cut_active_) {
        std::ranges::fill(shared_errors_, 0);
        for (std::size_t c = 0; c < progress_.size(); ++c)
            if (table_.clusters[c].number >= 0 && progress_[c].active)
                shared_errors_[index(table_.clusters[c].number)] = ordered_bits(progress_[c].error);
        settings_.comm.max(std::span(shared_errors_));
        ++result.reductions;
    }
    const auto is_active = [this](double error) { return error > settings_.tolerance && error < failing; };
    bool any = false;
    for (std::size_t c = 0; c < progress_.size(); ++c) {
        auto& cluster = progress_[c];
        if (!cluster.active) continue;
        const auto number = table_.clusters[c].number;
        if (number >= 0) cluster.error = from_ordered_bits(shared_errors_[index(number)]);
        cluster.active = is_active(cluster.error);
        cluster.failed = cluster.error == failing;
        any = any || cluster.active;
    }
    cut_active_ = cut_active_ && std::ranges::any_of(shared_errors_, [&](std::int64_t bits) {
                      return is_active(from_ordered_bits(bits));
                  });
    return any || cut_active_;
}

/// Multipliers from corrections, and displacements from them.
void InverseSolver::apply()
{
    for (std::size_t b = 0; b < table_.bonds.size(); ++b) {
        const auto& bond = table_.bonds[b];
        if (!bond.moves || !progress_[index(bond.cluster)].active) continue;
        double change = 0.0;
        for (auto e = bond.begin; e < bond.end; ++e)
            change += table_.elements[e].factor * corrections_[index(table_.elements[e].bond)];
        multipliers_[b] += change;
        const Vec3 r = r_[b];
        displacements_[index(bond.i)].value += (change * bond.inverse_mass_i) * r;
        displacements_[index(bond.j)].value -= (change * bond.inverse_mass_j) * r;
    }
}

/// Leaves the atoms of failed clusters where they were, and says what failed first here.
void InverseSolver::withdraw(bool endless, const ConstraintStage& stage, ConstraintResult& result)
{
    for (std::size_t b = 0; b < table_.bonds.size(); ++b) {
        const auto& bond = table_.bonds[b];
        auto& cluster = progress_[index(bond.cluster)];
        if (endless && cluster.active) cluster.failed = true;
        if (!cluster.failed) continue;
        for (const auto number : {bond.i, bond.j}) displacements_[index(number)].value = Vec3::Zero();
        const bool seen = cluster.active || cluster.first_bad == static_cast<std::int32_t>(b);
        if (!seen || !result.failure.empty()) continue;
        const auto& instance = table_.clusters[index(bond.cluster)].instance;
        const std::array<AtomId, 2> ids{table_.numbered.id(bond.i), table_.numbered.id(bond.j)};
        result.failure = failure_message(instance.molecule_type->name, instance.molecule, ids,
                                         cluster.active ? "no solution was found within the iteration limit"
                                                        : "the bond has turned by 90 degrees or more, or is not finite",
                                         stage);
    }
}

void InverseSolver::add_virial(const ConstraintStage& stage, ConstraintResult& result) const
{
    if (stage.force_factor == 0.0) return;
    VirialSum virial;
    for (std::size_t b = 0; b < table_.bonds.size(); ++b)
        if (const auto& bond = table_.bonds[b]; bond.counted && !progress_[index(bond.cluster)].failed)
            virial.add(r_[b], -multipliers_[b] * r_[b], stage.force_factor);
    virial.add_to(result.virial);
}

} // namespace

std::unique_ptr<Solver> make_inverse_solver(const SolverSettings& settings, const InverseScheme& scheme)
{
    return std::make_unique<InverseSolver>(settings, scheme);
}

} // namespace holon
