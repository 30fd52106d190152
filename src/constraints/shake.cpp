/// SHAKE and RATTLE, one colour of the molecule at a time, across any number of domains.
/// J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23, 327 (1977);
/// H. C. Andersen, J. Comput. Phys. 52, 24 (1983).
///
/// A sweep corrects each constraint that is not within the tolerance; a cluster is done when a whole sweep corrected
/// nothing. The order is the cluster's: colour by colour. No two constraints of a colour share an atom, so that a rank
/// may compute a colour without knowing what the others do. Every rank that owns an atom of a constraint computes it,
/// bit for bit alike, and with it those nearby that come before it in a round of four colours and have a say in it: the
/// only messages are, after each round, the displacements of copies that were changed by a constraint not computed
/// here, and one bit per cut cluster, reduced every other sweep. The price: a round of messages per sweep, or several
/// where there are more colours, and the linear convergence of the original.
///
/// Two remedies. Successive over-relaxation: corrections are exaggerated by a factor, given or found out cluster by
/// cluster from the errors that the sweeps meet (see relaxation.hpp), which are then reduced over the ranks, too.
/// E. Barth, K. Kuczera, B. Leimkuhler, R. D. Skeel, J. Comput. Chem. 16, 1192 (1995). Warm start: the multipliers of
/// the last stage are the guess of this one. They are then part of the state: kept with the first atom of each
/// constraint, as that of a position stage [u]; one of a velocity stage [u/ps] is worth dt times as much, for in
/// velocity Verlet either stands for half the constraint force. The price: the trajectory no longer depends on
/// positions and velocities alone.
#include "bond.hpp"
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

    std::int32_t local(std::int32_t number) const { return table_.local[static_cast<std::size_t>(number)]; }

    SolverSettings settings_;
    ShakeSweeps sweeps_;
    LinkTable& table_ = sweeps_.table;
    std::vector<ShakeSweeps::Work>& work_ = sweeps_.work;
    KeptMultipliers kept_;      // those of the last stage, as of a position stage [u]
    std::vector<Vec3> guess_;   // per number: displacement of an owned atom before the first sweep
    std::vector<IVec3> values_; // per number: trial position or velocity, as the owner has it
};

void ShakeSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    sweeps_.rebuild(clusters, atoms, directory);
    values_.resize(table_.n_atoms());
    if (keeps(atoms)) kept_.rebuild(settings_.comm, table_, atoms);
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
    guess_.assign(values_.size(), Vec3::Zero());
    for (std::size_t k = 0; k < work_.size(); ++k) {
        const auto& link = table_.links[k];
        auto& work = work_[k];
        work.multiplier = warm ? kept_[k] / unit : 0.0;
        if (work.multiplier == 0.0) continue;
        guess_[static_cast<std::size_t>(link.i)] += (work.multiplier * link.inverse_mass_i) * work.r;
        guess_[static_cast<std::size_t>(link.j)] -= (work.multiplier * link.inverse_mass_j) * work.r;
    }
}

void ShakeSolver::remember(Atoms& atoms, double unit)
{
    for (std::size_t k = 0; k < work_.size(); ++k)
        if (!sweeps_.failed(table_.links[k])) kept_.set(k, work_[k].multiplier * unit, table_, atoms);
}

/// Takes the values of the owned atoms, gets those of the copies, and forgets the last stage.
ConstraintResult ShakeSolver::start(const std::vector<IVec3>& owned_values)
{
    ConstraintResult result;
    for (std::size_t n = 0; n < values_.size(); ++n)
        if (table_.owned(static_cast<std::int32_t>(n))) values_[n] = at(owned_values, table_.local[n]);
    table_.refresh(values_, result);
    sweeps_.start();
    return result;
}

ConstraintResult ShakeSolver::project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    const bool warm = stage.motion != StepMotion::none && keeps(atoms);
    const double inverse_dt = inverse_step(stage);
    const auto bond = [&box](const IVec3& from, const IVec3& to) {
        return to_real(box.minimum_image(to - from), position_unit);
    };
    const auto displace_owned = [&](std::size_t number, const Vec3& displacement) {
        if (table_.owned(static_cast<std::int32_t>(number)))
            displace(atoms, table_.local[number], displacement, inverse_dt);
    };
    for (std::size_t k = 0; k < work_.size(); ++k) {
        const auto& link = table_.links[k];
        work_[k].r = bond(at(atoms.x_ref, local(link.i)), at(atoms.x_ref, local(link.j)));
    }
    guess(warm, 1.0);
    if (warm)
        for (std::size_t n = 0; n < guess_.size(); ++n) displace_owned(n, guess_[n]);
    auto result = start(atoms.x);
    for (std::size_t k = 0; k < work_.size(); ++k)
        work_[k].s = bond(at(values_, table_.links[k].i), at(values_, table_.links[k].j));
    sweeps_.relax_lengths(guess_, stage, result);
    add_virial(stage, result);

    for (std::size_t n = 0; n < values_.size(); ++n) {
        const Vec3 d = sweeps_.displacement(n);
        values_[n] += to_lattice(d, position_unit);
        displace_owned(n, d);
    }
    for (const auto& link : table_.links)
        if (link.counted && !sweeps_.failed(link))
            note_residual(result, length_error(bond(at(values_, link.i), at(values_, link.j)), link.d2));
    if (warm && stage.motion == StepMotion::continued) remember(atoms, 1.0);
    return result;
}

ConstraintResult ShakeSolver::project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    const bool warm = stage.motion != StepMotion::none && keeps(atoms);
    const auto relative = [this](const Link& link) {
        return to_real(IVec3(at(values_, link.j) - at(values_, link.i)), velocity_unit);
    };
    const auto accelerate_owned = [&](std::size_t number, const IVec3& change) {
        if (table_.owned(static_cast<std::int32_t>(number)))
            atoms.v[static_cast<std::size_t>(table_.local[number])] += change;
    };
    for (std::size_t k = 0; k < work_.size(); ++k) {
        const auto& link = table_.links[k];
        const IVec3 bond = box.minimum_image(at(atoms.x, local(link.j)) - at(atoms.x, local(link.i)));
        work_[k].r = to_real(bond, position_unit);
    }
    guess(warm, stage.dt);
    if (warm)
        for (std::size_t n = 0; n < guess_.size(); ++n) accelerate_owned(n, to_lattice(guess_[n], velocity_unit));
    auto result = start(atoms.v);
    for (std::size_t k = 0; k < work_.size(); ++k) work_[k].s = relative(table_.links[k]);
    sweeps_.relax_rates(guess_, stage, result);
    add_virial(stage, result);

    for (std::size_t n = 0; n < values_.size(); ++n) {
        const IVec3 change = to_lattice(sweeps_.displacement(n), velocity_unit);
        values_[n] += change;
        accelerate_owned(n, change);
    }
    for (std::size_t k = 0; k < work_.size(); ++k) {
        const auto& link = table_.links[k];
        if (link.counted && !sweeps_.failed(link))
            note_residual(result, rate_error(work_[k].r, relative(link), link.d2));
    }
    if (warm && stage.motion == StepMotion::continued) remember(atoms, stage.dt);
    return result;
}

void ShakeSolver::add_virial(const ConstraintStage& stage, ConstraintResult& result) const
{
    if (stage.force_factor == 0.0) return;
    VirialSum virial;
    for (std::size_t k = 0; k < work_.size(); ++k) {
        const auto& link = table_.links[k];
        if (link.counted && !sweeps_.failed(link))
            virial.add(work_[k].r, -work_[k].multiplier * work_[k].r, stage.force_factor);
    }
    virial.add_to(result.virial);
}

} // namespace

std::unique_ptr<Solver> make_shake_solver(const SolverSettings& settings)
{
    return std::make_unique<ShakeSolver>(settings);
}

} // namespace holon
