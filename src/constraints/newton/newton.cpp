/// Newton's method on all constraints of a cluster at once, of any size and wherever the domains cut it.
///
/// With r the reference and s the trial bond vectors, the multipliers l solve |s_k - sum_l C_kl l_l r_l| = d_k, where C
/// holds inverse masses only (V. Kraeutler, W. F. van Gunsteren, P. H. Huenenberger, J. Comput. Chem. 22, 501 (2001)).
/// Each iteration solves A dl = g, A_kl = C_kl s_k.r_l. With g_k = (s_k^2 - d_k^2) / 2 as there, half the square of the
/// change of s is left; here g_k = |s_k| (|s_k| - d_k), which is the condition |s_k| = d_k times |s_k|: the matrix is
/// the same, and left is what s_k has changed across itself. Most of a change is along s_k: an iteration less. The
/// velocity stage is linear: s = r, g_k = r_k.v_k.
///
/// The matrix of one iteration is wrong by the change of s in the next: when the product of the two changes will be
/// lost in rounding, the last iteration does with the factors of the one before.
///
/// Atoms that are to lie in a plane add rows of the same kind (newton_planes.hpp).
///
/// A is sparse and is factorised on a tree that belongs to the molecule (newton_tree.hpp), the branches of which are
/// shared out among the ranks (newton_ranks.hpp). Each iteration goes up the tree, with what elimination leaves of the
/// matrix and with the largest error, and down, with multipliers and the root's decision whether that was the last: no
/// reduction over the ranks, and the same arithmetic however many there are. All numbers of a cluster come from its own
/// atoms, so that it takes as many iterations as it would alone.
#include "newton.hpp"

#include <holon/core/index.hpp>

#include "bonds/bond.hpp"
#include "newton_leaves.hpp"
#include "newton_ranks.hpp"
#include "newton_report.hpp"

#include <cmath>
#include <limits>

namespace holon {
namespace {

using Branch = EliminationTree::Branch;
using newton::Report;
using LocalBranch = BranchTable::LocalBranch;

constexpr int max_iterations = 50;
/// Errors that are left to the last iteration: well below the 2^-48 nm of the lattice, which is 3e-14 of a bond.
constexpr double round_off = 1e-15;
/// In the velocity stage, which is linear: with more than this left, times dt, the solution is refined once.
constexpr double velocity_error = 1e-14;
/// Relative error of a length beyond which one correction does not make sense.
constexpr double largest_error = 0.5;
/// Beyond this factor between a diagonal element and its pivot the constraints depend on each other.
constexpr double max_growth = 1e11;

/// Refine: active, and the matrix of the iteration before is good enough for the next one.
enum class State : std::uint8_t { active, refine, last, failed };

class NewtonSolver final : public KickSolver {
public:
    NewtonSolver(const SolverSettings& settings, const NewtonScheme& scheme) : comm_(settings.comm), scheme_(scheme) {}

    bool accepts(const MoleculeType&, const ConstraintCluster&) const override { return true; }
    bool keeps_planes() const override { return true; }
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult constrain_kick(Atoms& atoms, const Box& box, const ConstraintStage& stage,
                                    const ConstrainedKick& kick) override;

private:
    template <bool velocities>
    struct Projection; // one stage over all clusters
    struct Cluster {
        State state = State::active;
        // At the root, of the last iteration; growth and change (of s / d) of the last with a new matrix.
        double error = 0.0, growth = 0.0, change = 0.0;
    };

    Communicator comm_;
    NewtonScheme scheme_;
    ShapeTable<EliminationTree> trees_;
    BranchTable table_;

    std::vector<Cluster> clusters_;
    std::vector<std::uint8_t> active_; // per cluster, at the start of the iteration
    newton::LeafNumbers numbers_;
    // Per branch: matrix, right side that becomes the change of the multipliers.
    std::vector<double> values_, rhs_;
};

void NewtonSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                           const AtomDirectory& directory)
{
    table_.rebuild(
        comm_, clusters,
        [this](const ClusterInstance& c) -> const EliminationTree& { return trees_[trees_.index_of(c)]; }, atoms,
        directory);
    clusters_.resize(table_.clusters.size());
    active_.resize(table_.clusters.size());
    numbers_.resize(table_);
    values_.resize(table_.n_values);
    rhs_.resize(table_.n_unknowns);
}

template <bool velocities>
struct NewtonSolver::Projection {
    NewtonSolver& self;
    const ConstraintStage& stage;
    const ConstrainedKick* kick; // null: none
    newton::Leaves<velocities> leaves;
    ConstraintResult result{};
    BranchTable& table = self.table_;
    int iteration = 0;

    Projection(NewtonSolver& solver, Atoms& atoms, const Box& box, const ConstraintStage& where,
               const ConstrainedKick* of_kick = nullptr)
        : self(solver), stage(where), kick(of_kick), leaves(solver.numbers_, solver.table_, atoms, box, where, of_kick)
    {
    }

    ConstraintResult run()
    {
        std::ranges::fill(self.clusters_, Cluster{});
        self.numbers_.clear();
        leaves.gather(result);
        for_leaves([this](const LocalBranch& leaf) { leaves.start(leaf); });
        for (iteration = 1; refresh_active(); ++iteration) {
            ascend();
            descend();
            result.iterations = iteration;
        }
        for_leaves([this](const LocalBranch& leaf) {
            leaves.finish(leaf, self.clusters_[index(leaf.cluster)].state != State::failed, result);
        });
        leaves.scatter(result);
        return std::move(result);
    }

    /// Whether the matrix is a new one in this iteration.
    bool renews(const LocalBranch& branch) const
    {
        if (iteration == 1) return true;
        return !velocities && self.scheme_.jacobian == Jacobian::present &&
               self.clusters_[index(branch.cluster)].state != State::refine;
    }

    /// Whether any cluster on which this rank works is still to be solved.
    bool refresh_active()
    {
        for (std::size_t c = 0; c < self.clusters_.size(); ++c) self.active_[c] = self.clusters_[c].state < State::last;
        return std::ranges::any_of(table.branches,
                                   [this](const LocalBranch& b) { return self.active_[index(b.cluster)] != 0; });
    }

    void ascend()
    {
        for (std::size_t t = 0; t < table.n_tiers(); ++t) {
            for_tier(t, [&](const LocalBranch& branch) { eliminate(branch); });
            if (t + 1 < table.n_tiers()) table.up[t].run(self.active_, result);
        }
    }

    void descend()
    {
        for (std::size_t t = table.n_tiers(); t-- > 0;) {
            if (t + 1 < table.n_tiers()) table.down[t].run(self.active_, result);
            for_tier(t, [&](const LocalBranch& branch) { substitute(branch); });
        }
    }

    std::span<double> values_of(const LocalBranch& branch)
    {
        return std::span(self.values_)
            .subspan(branch.values, branch.shape->elimination.n_values() + 1); // and a spare one
    }
    std::span<double> rhs_of(const LocalBranch& branch)
    {
        return std::span(self.rhs_).subspan(branch.unknowns, branch.shape->n_numbers());
    }

    /// Way up: puts the matrix of a branch together, eliminates its pivots, and hands the rest to the parent. At the
    /// root: decides.
    void eliminate(const LocalBranch& branch)
    {
        const auto& shape = *branch.shape;
        const auto values = values_of(branch), rhs = rhs_of(branch);
        const bool renew = renews(branch);
        Report report;
        if (shape.children.empty()) {
            leaves.assemble(branch, {self.scheme_.jacobian, iteration == 1, renew}, values, rhs, report);
        } else {
            std::ranges::fill(rhs, 0.0);
            if (renew) std::ranges::fill(values, 0.0);
            add_children(branch, renew, report);
        }
        if (renew)
            factor(shape, values, rhs, report);
        else
            shape.elimination.forward(values, rhs);
        if (shape.parent < 0) return decide(branch, renew, report);

        auto record = table.up[index(shape.tier)].template outgoing<double>(branch.up);
        report.write(record);
        record = record.subspan(up_header);
        if (renew)
            for (std::size_t e = 0; e < shape.remaining.size(); ++e) record[e] = values[index(shape.remaining[e])];
        record = record.subspan(shape.remaining.size());
        for (std::size_t u = 0; u < shape.n_left(); ++u) record[u] = rhs[index(shape.n_pivots) + u];
    }

    static void factor(const Branch& shape, std::span<double> values, std::span<double> rhs, Report& report)
    {
        const auto growth = shape.elimination.factor(values, rhs, shape.scale, max_growth);
        report.growth = std::max(report.growth, growth.largest);
        for (std::int32_t p = 0; p < shape.n_pivots && !growth.is_sound; ++p) {
            const double of_this = shape.elimination.inverse_pivot(values, p) * shape.scale[index(p)];
            if (!(of_this > 0.0 && of_this < max_growth)) report.fail(shape.unknowns[index(p)], newton::singular);
        }
    }

    void add_children(const LocalBranch& branch, bool renew, Report& report)
    {
        const auto values = values_of(branch), rhs = rhs_of(branch);
        for (std::size_t c = 0; c < branch.child_up.size(); ++c) {
            const auto& child = branch.shape->children[c];
            const auto& below = table.clusters[index(branch.cluster)].tree->branches[index(child.branch)];
            auto record = table.up[index(below.tier)].template incoming<double>(branch.child_up[c]);
            report.merge(record);
            record = record.subspan(up_header);
            if (renew)
                for (std::size_t e = 0; e < child.positions.size(); ++e) values[index(child.positions[e])] += record[e];
            record = record.subspan(child.positions.size());
            for (std::size_t u = 0; u < child.unknowns.size(); ++u) rhs[index(child.unknowns[u])] += record[u];
        }
    }

    /// At the root: whether the solution of this iteration is the last, or there is none.
    void decide(const LocalBranch& root, bool renewed, Report& report)
    {
        auto& cluster = self.clusters_[index(root.cluster)];
        if (renewed) cluster.growth = report.growth;
        const bool last = is_last(report.error, renewed, cluster);
        if (renewed) cluster.change = cluster.growth * report.error;
        cluster.error = report.error;
        if (report.failed < 0 && !last && iteration == max_iterations) report.fail(report.worst, newton::endless);
        if (self.scheme_.corrections == 1 && !velocities && !(report.error < largest_error))
            report.fail(report.worst, newton::far);
        cluster.state = report.failed >= 0               ? State::failed
                        : last                           ? State::last
                        : can_refine(cluster) && renewed ? State::refine
                                                         : State::active;
        if (report.failed < 0 || !result.failure.empty()) return;
        const auto& [instance, tree] = table.clusters[index(root.cluster)];
        std::vector<AtomId> ids;
        for (const auto atom : tree->atoms_of(report.failed))
            ids.push_back(instance.molecule_start + tree->atoms[index(atom)]);
        std::ranges::sort(ids);
        result.failure =
            failure_message(tree->molecule_name, instance.molecule, ids, newton::text(report.reason), stage);
    }

    /// Whether an iteration that starts with this error will leave nothing to be corrected.
    bool is_last(double error, bool renewed, const Cluster& cluster) const
    {
        if (kick != nullptr) return iteration == (kick->ends_step ? 2 : 1);
        const double change = cluster.growth * error; // of s / d: the error times the norm of the inverse matrix
        if (velocities) return change * round_off <= velocity_error || iteration > 1;
        if (self.scheme_.corrections > 0) return iteration == self.scheme_.corrections;
        if (self.scheme_.jacobian == Jacobian::present)
            return change * (renewed ? change : cluster.change) <= round_off;
        // With the matrix of the reference the first iteration gains more than later ones: no measure of these.
        const bool estimated = iteration > 1 && self.scheme_.jacobian == Jacobian::first;
        const double left = estimated ? error * (error / cluster.error) : error;
        return left <= std::max(self.scheme_.tolerance, round_off);
    }

    /// Whether the next iteration will leave nothing with this matrix, too: it begins with the square of this change.
    bool can_refine(const Cluster& cluster) const
    {
        return !velocities && self.scheme_.jacobian == Jacobian::present &&
               cluster.growth * cluster.change * cluster.change * cluster.change <= round_off;
    }

    /// Way down: the change of a branch's multipliers, from that of those above.
    void substitute(const LocalBranch& branch)
    {
        const auto& shape = *branch.shape;
        auto& state = self.clusters_[index(branch.cluster)].state;
        const auto rhs = rhs_of(branch);
        if (shape.parent >= 0) {
            const auto record = table.down[index(shape.tier)].template incoming<double>(branch.down);
            state = static_cast<State>(record[0]);
            for (std::size_t u = 0; u < shape.n_left(); ++u) rhs[index(shape.n_pivots) + u] = record[down_header + u];
        }
        if (state != State::failed) shape.elimination.backward(values_of(branch), rhs);
        for (std::size_t c = 0; c < branch.child_down.size(); ++c) {
            const auto& child = shape.children[c];
            const auto& below = table.clusters[index(branch.cluster)].tree->branches[index(child.branch)];
            const auto record = table.down[index(below.tier)].template outgoing<double>(branch.child_down[c]);
            record[0] = static_cast<double>(state);
            for (std::size_t u = 0; u < child.unknowns.size(); ++u)
                record[down_header + u] = rhs[index(child.unknowns[u])];
        }
        if (!shape.children.empty()) return;
        if (state == State::failed)
            leaves.withdraw(branch);
        else
            leaves.update(branch, rhs);
    }

    template <class F>
    void for_tier(std::size_t tier, F f)
    {
        for (auto b = table.tier_begin[tier]; b < table.tier_begin[tier + 1]; ++b)
            if (self.active_[index(table.branches[b].cluster)] != 0) f(table.branches[b]);
    }
    template <class F>
    void for_leaves(F f)
    {
        for (auto b = table.tier_begin[0]; b < table.tier_begin[1]; ++b) f(table.branches[b]);
    }
};

ConstraintResult NewtonSolver::project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    return Projection<false>(*this, atoms, box, stage).run();
}

ConstraintResult NewtonSolver::project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    return Projection<true>(*this, atoms, box, stage).run();
}

ConstraintResult NewtonSolver::constrain_kick(Atoms& atoms, const Box& box, const ConstraintStage& stage,
                                              const ConstrainedKick& kick)
{
    return Projection<true>(*this, atoms, box, stage, &kick).run();
}

} // namespace

std::unique_ptr<Solver> make_newton_solver(const SolverSettings& settings, const NewtonScheme& scheme)
{
    return std::make_unique<NewtonSolver>(settings, scheme);
}

std::unique_ptr<KickSolver> make_kick_solver(const SolverSettings& settings)
{
    return std::make_unique<NewtonSolver>(settings, NewtonScheme{});
}

std::unique_ptr<Solver> make_newton_solver(const SolverSettings& settings)
{
    return make_newton_solver(settings, {});
}

} // namespace holon
