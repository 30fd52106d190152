/// SHAKE and RATTLE, one colour of the molecule at a time, across any number of domains.
/// J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23, 327 (1977);
/// H. C. Andersen, J. Comput. Phys. 52, 24 (1983).
///
/// A sweep corrects each constraint that is not within the tolerance; a cluster is done when a whole sweep corrected
/// nothing. The order is the cluster's: colour by colour. No two constraints of a colour share an atom, so that a rank
/// may compute a colour without knowing what the others do. Every rank that owns an atom of a constraint computes it,
/// bit for bit alike, and with it those nearby that come before it in a round of four colours and have a say in it: the
/// only messages are, after each round, the displacements of copies that were changed by a constraint not computed
/// here, and one bit per cut cluster, reduced when the last sweep is near. The price: a round of messages per sweep, or
/// several where there are more colours, and the linear convergence of the original.
///
/// Two remedies. Successive over-relaxation: corrections are exaggerated by a factor (relaxation.hpp): that for the
/// ideal angles of the molecule, or a given one, or found out cluster by cluster from the errors that the sweeps meet,
/// which are then reduced over the ranks, too.
/// E. Barth, K. Kuczera, B. Leimkuhler, R. D. Skeel, J. Comput. Chem. 16, 1192 (1995). Warm start: the multipliers of
/// the last stage are the guess of this one. They are then part of the state: kept with the first atom of each
/// constraint, as that of a position stage [u]; one of a velocity stage [u/ps] is worth dt times as much, for in
/// velocity Verlet either stands for half the constraint force. The price: the trajectory no longer depends on
/// positions and velocities alone.
#include "kept_multipliers.hpp"
#include "shake_sweeps.hpp"

namespace holon {
namespace {

const IVec3& at(const std::vector<IVec3>& values, std::int32_t index)
{
    return values[static_cast<std::size_t>(index)];
}

class ShakeSolver final : public Solver {
public:
    explicit ShakeSolver(const SolverSettings& settings) : settings_(settings), sweeps_(settings) {}

    bool accepts(const MoleculeType&, const ConstraintCluster&) const override { return true; }
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    bool keeps(const Atoms& atoms) const { return settings_.shake_warm_start && !atoms.kept_begin.empty(); }
    void guess(bool warm, double unit);
    void remember(Atoms& atoms, double unit);
    ConstraintResult start(const std::vector<IVec3>& owned_values);
    void add_virial(const ConstraintStage& stage, ConstraintResult& result) const;

    SolverSettings settings_;
    ShakeSweeps sweeps_;
    LinkTable& table_ = sweeps_.table;
    KeptMultipliers kept_;                        // those of the last stage, as of a position stage [u]
    std::vector<std::int32_t> local_i_, local_j_; // per place of a link: index in Atoms
    std::vector<double> d2_, per_d2_;             // likewise, of counted links
    std::vector<std::int32_t> targets_;           // per number: the owned atom, or -1
    std::vector<Vec3> guess_;   // per number: displacement of an owned atom before the first sweep; or none
    std::vector<IVec3> values_; // per number: trial position or velocity, as the owner has it
};

void ShakeSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    sweeps_.rebuild(clusters, atoms, directory);
    values_.resize(table_.numbered.size());
    targets_.resize(table_.numbered.size());
    for (std::size_t k = 0; k < targets_.size(); ++k)
        targets_[k] = table_.numbered.owned(k) ? table_.numbered.local(k) : -1;
    if (keeps(atoms)) kept_.rebuild(settings_.comm, table_, atoms);
    const auto n = sweeps_.n_places();
    for (auto* ends : {&local_i_, &local_j_})
        ends->assign(n, table_.numbered.size() > 0 ? table_.numbered.local(0) : 0);
    for (auto* numbers : {&d2_, &per_d2_}) numbers->assign(n, 0.0);
    for (std::size_t k = 0; k < table_.links.size(); ++k) {
        const auto& link = table_.links[k];
        local_i_[k] = table_.numbered.local(static_cast<std::size_t>(link.i));
        local_j_[k] = table_.numbered.local(static_cast<std::size_t>(link.j));
        if (!link.counted) continue;
        d2_[k] = link.d2;
        per_d2_[k] = 1.0 / link.d2;
    }
}

void ShakeSolver::add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const
{
    LinkTable::add_needs(cluster, needs);
    if (settings_.shake_warm_start) KeptMultipliers::add_needs(molecule, cluster, needs);
}

/// Sets the multipliers to begin with, and what they displace the owned atoms by, of which all constraints are here.
/// `unit`: multiplier of a position stage that is worth one of this stage.
void ShakeSolver::guess(bool warm, double unit)
{
    std::ranges::fill(sweeps_.multipliers, 0.0);
    guess_.clear();
    if (!warm) return;
    guess_.assign(table_.numbered.size(), Vec3::Zero());
    for (std::size_t k = 0; k < table_.links.size(); ++k) {
        const auto& link = table_.links[k];
        const double multiplier = sweeps_.multipliers[k] = kept_[k] / unit;
        guess_[static_cast<std::size_t>(link.i)] += (multiplier * link.inverse_mass_i) * sweeps_.r[k];
        guess_[static_cast<std::size_t>(link.j)] -= (multiplier * link.inverse_mass_j) * sweeps_.r[k];
    }
}

void ShakeSolver::remember(Atoms& atoms, double unit)
{
    for (std::size_t k = 0; k < table_.links.size(); ++k)
        if (!sweeps_.failed(table_.links[k])) kept_.set(k, sweeps_.multipliers[k] * unit, table_, atoms);
}

/// Takes the values of the owned atoms, gets those of the copies, and forgets the last stage.
ConstraintResult ShakeSolver::start(const std::vector<IVec3>& owned_values)
{
    ConstraintResult result;
    for (std::size_t n = 0; n < values_.size(); ++n)
        if (table_.numbered.owned(n)) values_[n] = at(owned_values, table_.numbered.local(n));
    table_.numbered.refresh(values_, result);
    sweeps_.start();
    return result;
}

ConstraintResult ShakeSolver::project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    const bool warm = stage.motion != StepMotion::none && keeps(atoms);
    const double inverse_dt = inverse_step(stage);
    sweeps_.r.set(atoms.x_ref, local_i_, local_j_, &box);
    guess(warm, 1.0);
    if (warm) move_atoms(atoms, false, inverse_dt, {targets_, numbers_of(guess_), 3}, values_.data());
    auto result = start(atoms.x);
    sweeps_.s.set(values_, sweeps_.i, sweeps_.j, &box);
    sweeps_.relax_lengths(guess_, stage, result);
    add_virial(stage, result);

    move_atoms(atoms, false, inverse_dt, {targets_, sweeps_.displacements(), 4}, values_.data());
    sweeps_.s.set(values_, sweeps_.i, sweeps_.j, &box);
    note_residual(result, 0.5 * BondVectors::largest_error(sweeps_.s, sweeps_.s, &d2_, per_d2_));
    if (warm) remember(atoms, 1.0);
    return result;
}

ConstraintResult ShakeSolver::project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    const bool warm = stage.motion != StepMotion::none && keeps(atoms);
    sweeps_.r.set(atoms.x, local_i_, local_j_, &box);
    guess(warm, stage.dt);
    if (warm) move_atoms(atoms, true, 0.0, {targets_, numbers_of(guess_), 3}, values_.data());
    auto result = start(atoms.v);
    sweeps_.s.set(values_, sweeps_.i, sweeps_.j, nullptr);
    sweeps_.relax_rates(guess_, stage, result);
    add_virial(stage, result);

    move_atoms(atoms, true, 0.0, {targets_, sweeps_.displacements(), 4}, values_.data());
    sweeps_.s.set(values_, sweeps_.i, sweeps_.j, nullptr);
    note_residual(result, BondVectors::largest_error(sweeps_.r, sweeps_.s, nullptr, per_d2_));
    if (warm) remember(atoms, stage.dt);
    return result;
}

void ShakeSolver::add_virial(const ConstraintStage& stage, ConstraintResult& result) const
{
    if (stage.force_factor == 0.0) return;
    VirialSum virial;
    for (std::size_t k = 0; k < table_.links.size(); ++k) {
        const auto& link = table_.links[k];
        if (link.counted && !sweeps_.failed(link))
            virial.add(sweeps_.r[k], -sweeps_.multipliers[k] * sweeps_.r[k], stage.force_factor);
    }
    virial.add_to(result.virial);
}

} // namespace

std::unique_ptr<Solver> make_shake_solver(const SolverSettings& settings)
{
    return std::make_unique<ShakeSolver>(settings);
}

} // namespace holon
