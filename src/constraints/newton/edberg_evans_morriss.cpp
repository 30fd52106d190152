/// Edberg, Evans and Morriss: accelerations are constrained, not positions. R. Edberg, D. J. Evans, G. P. Morriss, J.
/// Chem. Phys. 84, 6933 (1986).
///
/// By Gauss's principle the accelerations nearest to those of the forces, by the masses, that keep lengths have r.r'' +
/// r'^2 = 0 for each bond r: with m r'' = f - sum l r over its constraints, a linear system with the matrix A_kl = C_kl
/// r_k.r_l of the present bonds. Velocity Verlet then leaves errors of lengths and of rates that add up, so that the
/// condition is r.r'' + r'^2 = -2 w r.r' - w^2 (r^2 - d^2) / 2, by which both die away within 1 / w (J. Baumgarte,
/// Comput. Methods Appl. Mech. Eng. 1, 1 (1972), critically damped), in place of the penalty function of the paper.
///
/// Both kicks of a step are constrained thus, one solution for the first, which is explicit. The velocities on which
/// the forces of the second depend are those after it: two solutions. Positions are what velocities make of them. In a
/// stage that does not come after a kick, as at the start, there is no acceleration: it is Newton's.
#include "newton.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

namespace holon {
namespace {

class EdbergEvansMorriss final : public Solver {
public:
    explicit EdbergEvansMorriss(const SolverSettings& settings)
        : feedback_steps_(settings.feedback_steps), newton_(make_kick_solver(settings))
    {
    }

    bool accepts(const MoleculeType&, const ConstraintCluster&) const override { return true; }

    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory) override
    {
        newton_->rebuild(clusters, atoms, directory);
        owned_.clear();
        for (const auto& instance : clusters)
            for (const auto atom : instance.cluster->atoms) {
                const auto local = directory.local_index(instance.molecule_start + atom);
                if (local >= 0 && local < atoms.n_owned) owned_.push_back(index(local));
            }
    }

    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        if (stage.motion == StepMotion::none) return newton_->project_positions(atoms, box, stage);
        auto of_kick = stage;
        of_kick.force_factor *= stage.dt; // displacements are velocities times dt
        const auto kicked = atoms.v;
        auto result = constrain_kick(atoms, box, of_kick, false);
        for (const auto a : owned_)
            atoms.x[a] += to_lattice(stage.dt * to_real(IVec3(atoms.v[a] - kicked[a]), velocity_unit), position_unit);
        return result;
    }

    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        if (stage.motion == StepMotion::none) return newton_->project_velocities(atoms, box, stage);
        return constrain_kick(atoms, box, stage, true);
    }

private:
    ConstraintResult constrain_kick(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool ends_step)
    {
        const double interval = 0.5 * stage.dt, scale = interval * force_unit / velocity_unit;
        HOLON_ASSERT(atoms.f.size() >= index(atoms.n_owned), std::to_string(atoms.f.size()));
        before_.resize(index(atoms.n_owned));
        for (const auto a : owned_)
            for (int k = 0; k < 3; ++k)
                before_[a][k] = atoms.v[a][k] - round_to_int_clamped(static_cast<double>(atoms.f[a][k]) *
                                                                     (scale * atoms.inverse_mass[a]));
        const double frequency = feedback_steps_ > 0.0 ? 1.0 / (feedback_steps_ * stage.dt) : 0.0;
        return newton_->constrain_kick(atoms, box, stage, {before_, interval, frequency, ends_step});
    }

    double feedback_steps_;
    std::unique_ptr<KickSolver> newton_;
    std::vector<std::size_t> owned_; // atoms of the clusters
    std::vector<IVec3> before_;      // their velocities, of all owned atoms
};

} // namespace

std::unique_ptr<Solver> make_edberg_evans_morriss_solver(const SolverSettings& settings)
{
    return std::make_unique<EdbergEvansMorriss>(settings);
}

} // namespace holon
