#include <holon/constraints/torsion_minimiser.hpp>
#include <holon/core/index.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <deque>
#include <utility>

namespace holon {

namespace {

constexpr std::size_t memory = 20;     // changes of place and slope that are kept
constexpr double enough = 1e-4;        // of the descent that the slope promises (L. Armijo, Pac. J. Math. 16, 1 (1966))
constexpr double smallest_turn = 1e-9; // rad

/// Quasi-Newton in torsions: J. Nocedal, Math. Comput. 35, 773 (1980).
class Descent {
public:
    Descent(TorsionTree& tree, std::vector<Vec3> x, const MoleculeEnergy& energy,
            const TorsionMinimiserSettings& settings)
        : tree_(tree), energy_(energy), settings_(settings)
    {
        here_.x = std::move(x);
        here_.at = energy_(here_.x);
        here_.last.energy = here_.at.energy;
        arrive();
    }

    TorsionMinimum run()
    {
        settings_.tell(here_.last);
        while (here_.last.largest_torque >= settings_.torque && here_.last.number < settings_.steps) {
            if (step())
                settings_.tell(here_.last);
            else if (changes_.empty())
                break; // no lower along the slope itself: rounding is reached
            else
                changes_.clear();
        }
        here_.converged = here_.last.largest_torque < settings_.torque;
        return std::move(here_);
    }

private:
    struct Change {
        Eigen::VectorXd turns, slope; // s, y
    };

    /// What follows from a place: the tree and the slope there, less what loops hold: differences of slopes are then
    /// second derivatives with those of the loops.
    void arrive()
    {
        tree_.set_positions(here_.x);
        const auto torques = tree_.torques(here_.at.forces);
        slope_ = -Eigen::VectorXd::Map(torques.data(), std::ssize(torques));
        if (tree_.n_loops() > 0) slope_ += tree_.gap_rates().transpose() * tree_.tensions(here_.at.forces);
        here_.last.largest_torque = slope_.size() > 0 ? slope_.cwiseAbs().maxCoeff() : 0.0;
    }

    /// M^-1: the accelerations of the molecule at rest under these torques.
    Eigen::VectorXd over_masses(const Eigen::VectorXd& torques) const
    {
        JointRates rest;
        rest.torsions.assign(tree_.n_torsions(), 0.0);
        const std::vector<Vec3> none(tree_.n_atoms(), Vec3::Zero());
        const auto result = tree_.accelerations(rest, none, {torques.data(), tree_.n_torsions()}).torsions;
        return Eigen::VectorXd::Map(result.data(), std::ssize(result));
    }

    /// Nocedal's two loops.
    Eigen::VectorXd direction() const
    {
        Eigen::VectorXd d = -slope_;
        std::vector<double> parts;
        for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
            parts.push_back(change->turns.dot(d) / change->turns.dot(change->slope));
            d -= parts.back() * change->slope;
        }
        d = over_masses(d);
        if (!changes_.empty()) {
            const auto& [turns, slope] = changes_.back();
            d *= turns.dot(slope) / slope.dot(over_masses(slope));
        }
        for (const auto& change : changes_) {
            d += (parts.back() - change.slope.dot(d) / change.turns.dot(change.slope)) * change.turns;
            parts.pop_back();
        }
        return d;
    }

    /// Along the direction until the energy is lower; false: it is nowhere, or the direction leads up.
    bool step()
    {
        const Eigen::VectorXd along = direction();
        const double fall = slope_.dot(along), largest = along.cwiseAbs().maxCoeff();
        if (!(fall < 0.0)) return false;
        double part = changes_.empty() ? settings_.turn / largest : std::min(1.0, settings_.turn / largest);
        for (; part * largest > smallest_turn; part *= 0.5) {
            std::vector<double> angles(tree_.n_torsions());
            for (std::size_t k = 0; k < angles.size(); ++k) angles[k] = part * along[static_cast<Eigen::Index>(k)];
            if (!tree_.close(angles)) continue;
            auto x = tree_.turned(angles);
            auto at = energy_(x);
            if (!(at.energy < here_.at.energy && at.energy <= here_.at.energy + enough * part * fall)) continue;
            accept(Eigen::VectorXd::Map(angles.data(), std::ssize(angles)), std::move(x), std::move(at));
            return true;
        }
        return false;
    }

    void accept(const Eigen::VectorXd& turns, std::vector<Vec3> x, EnergyAndForces at)
    {
        here_.x = std::move(x);
        here_.at = std::move(at);
        const Eigen::VectorXd before = slope_;
        arrive();
        const Eigen::VectorXd change = slope_ - before;
        if (turns.dot(change) > 1e-10 * turns.norm() * change.norm()) changes_.push_back({turns, change});
        if (changes_.size() > memory) changes_.pop_front();
        ++here_.last.number;
        here_.last.energy = here_.at.energy;
        here_.last.largest_turn = turns.cwiseAbs().maxCoeff();
    }

    TorsionTree& tree_;
    const MoleculeEnergy& energy_;
    const TorsionMinimiserSettings& settings_;
    TorsionMinimum here_;
    Eigen::VectorXd slope_; // dE/dtorsions, along what loops leave [kJ/mol]
    std::deque<Change> changes_;
};

} // namespace

TorsionMinimum minimise_torsions(TorsionTree& tree, std::vector<Vec3> x, const MoleculeEnergy& energy,
                                 const TorsionMinimiserSettings& settings)
{
    return Descent(tree, std::move(x), energy, settings).run();
}

} // namespace holon
