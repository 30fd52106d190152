/// WIGGLE: a first guess from the constrained acceleration, in front of any other solver.
/// S.-H. Lee, K. Palmo, S. Krimm, J. Comput. Phys. 210, 171 (2005).
///
/// The acceleration a of a constrained molecule obeys r.a + v^2 = 0 for each bond. Summed up over the step that brought
/// the bond from r to s without constraints, its multipliers solve A l = (s^2 - d^2) / 2 with the matrix A of the
/// reference bonds alone, A_kl = C_kl r_k.r_l: one linear solution, after which lengths are wrong by O(dt^3), where
/// they were by O(dt^2). The price of knowing nothing of the other solver: atoms for which it finds no solution stay at
/// the guess.
#include "newton.hpp"

namespace holon {
namespace {

/// One guess is enough.
SolverSettings without_warm_start(SolverSettings settings)
{
    settings.shake_warm_start = false;
    return settings;
}

class WiggleSolver final : public Solver {
public:
    explicit WiggleSolver(const SolverSettings& settings)
        : guess_(make_newton_solver(settings, {.jacobian = Jacobian::reference, .corrections = 1})),
          solver_(make_solver(settings.after_guess, without_warm_start(settings)))
    {
    }

    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override
    {
        return solver_->accepts(molecule, cluster);
    }

    bool keeps_planes() const override { return solver_->keeps_planes(); }

    std::string refusal(const MoleculeType& molecule, const ConstraintCluster& cluster) const override
    {
        return solver_->refusal(molecule, cluster);
    }
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override
    {
        solver_->add_needs(molecule, cluster, needs);
    }

    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory) override
    {
        guess_->rebuild(clusters, atoms, directory);
        solver_->rebuild(clusters, atoms, directory);
    }

    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        auto result = guess_->project_positions(atoms, box, stage);
        // Where there is no guess, the solver starts from the trial positions as ever.
        result.residual = 0;
        result.failure.clear();
        return result += solver_->project_positions(atoms, box, stage);
    }

    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        return solver_->project_velocities(atoms, box, stage);
    }

private:
    std::unique_ptr<Solver> guess_, solver_;
};

} // namespace

std::unique_ptr<Solver> make_wiggle_solver(const SolverSettings& settings)
{
    return std::make_unique<WiggleSolver>(settings);
}

} // namespace holon
