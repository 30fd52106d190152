/// Newton's method on all constraints of a cluster at once, of any size and wherever the domains cut it.
///
/// With r the reference and s the trial bond vectors, the multipliers l solve |s_k - sum_l C_kl l_l r_l| = d_k, where C
/// holds inverse masses only (V. Kraeutler, W. F. van Gunsteren, P. H. Huenenberger, J. Comput. Chem. 22, 501 (2001)).
/// Each iteration solves A dl = g, A_kl = C_kl s_k.r_l, g_k = (s_k^2 - d_k^2) / 2; what is left is half the square of
/// the change of s. The velocity stage is linear: s = r, g_k = r_k.v_k.
///
/// A is sparse and is factorised on a tree that belongs to the molecule (newton_tree.hpp), the branches of which are
/// shared out among the ranks (newton_ranks.hpp). Each iteration goes up the tree, with what elimination leaves of the
/// matrix and with the largest error, and down, with multipliers and the root's decision whether that was the last: no
/// reduction over the ranks, and the same arithmetic however many there are. All numbers of a cluster come from its own
/// atoms, so that it takes as many iterations as it would alone.
#include "newton.hpp"

#include "bond.hpp"
#include "newton_ranks.hpp"

#include <cmath>
#include <limits>

namespace holon {
namespace {

using Branch = EliminationTree::Branch;
using LocalBranch = BranchTable::LocalBranch;

constexpr int max_iterations = 50;
/// Errors that are left to the last iteration: well below the 2^-48 nm of the lattice, which is 3e-14 of a bond.
constexpr double round_off = 1e-15;
/// In the velocity stage, which is linear: with more than this left, times dt, the solution is refined once.
constexpr double velocity_error = 1e-14;
/// Beyond this factor between a diagonal element and its pivot the constraints depend on each other.
constexpr double max_growth = 1e11;

std::size_t index(std::int32_t k)
{
    return static_cast<std::size_t>(k);
}

enum class State : std::uint8_t { active, last, failed };
enum Reason { turned, singular, endless };

const char* text(int reason)
{
    switch (reason) {
    case turned:
        return "the bond has turned by 90 degrees or more, or is not finite";
    case singular:
        return "the constraints around it depend on each other: take out those that follow from the rest";
    default:
        return "no solution was found within the iteration limit";
    }
}

/// What goes up the tree beside the matrix.
struct Report {
    double error = 0.0;       // largest |g| / d^2, times dt in the velocity stage
    double growth = 0.0;      // largest diagonal element / pivot
    std::int32_t worst = -1;  // constraint with that error
    std::int32_t failed = -1; // first constraint that can not be solved for
    std::int32_t reason = 0;

    void note(double e, std::int32_t constraint)
    {
        if (e > error || (e == error && constraint < worst)) worst = constraint;
        error = std::max(error, e);
    }
    void fail(std::int32_t constraint, Reason why)
    {
        if (failed >= 0 && failed <= constraint) return;
        failed = constraint;
        reason = why;
    }
    void merge(std::span<const double> record)
    {
        note(record[0], static_cast<std::int32_t>(record[2]));
        growth = std::max(growth, record[1]);
        if (record[3] >= 0.0) fail(static_cast<std::int32_t>(record[3]), static_cast<Reason>(record[4]));
    }
    void write(std::span<double> record) const
    {
        record[0] = error;
        record[1] = growth;
        record[2] = worst;
        record[3] = failed;
        record[4] = reason;
    }
};

class NewtonSolver final : public Solver {
public:
    NewtonSolver(const SolverSettings& settings, const NewtonScheme& scheme) : comm_(settings.comm), scheme_(scheme) {}

    bool accepts(const MoleculeType&, const ConstraintCluster&) const override { return true; }
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    template <bool velocities>
    struct Projection; // one stage over all clusters
    struct Cluster {
        State state = State::active;
        double error = 0.0, growth = 0.0; // of the last iteration, at the root
    };

    Communicator comm_;
    NewtonScheme scheme_;
    ShapeTable<EliminationTree> trees_;
    BranchTable table_;

    std::vector<Cluster> clusters_;
    std::vector<std::uint8_t> active_; // per cluster, at the start of the iteration
    // Per slot: an atom of a leaf.
    std::vector<std::array<IVec3, 2>> atom_; // reference and trial position; position and velocity
    std::vector<Vec3> move_;                 // [nm, nm/ps]
    // Per link: a constraint of a leaf.
    std::vector<Vec3> r_, s_;        // reference bond, trial bond or relative velocity without moves
    std::vector<double> multiplier_; // [u, u/ps]
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
    atom_.resize(table_.local.size());
    move_.resize(table_.local.size());
    r_.resize(table_.n_links);
    s_.resize(table_.n_links);
    multiplier_.resize(table_.n_links);
    values_.resize(table_.n_values);
    rhs_.resize(table_.n_unknowns);
}

template <bool velocities>
struct NewtonSolver::Projection {
    NewtonSolver& self;
    Atoms& atoms;
    const Box& box;
    const ConstraintStage& stage;
    ConstraintResult result{};
    BranchTable& table = self.table_;
    bool renew = true; // the matrix, in this iteration

    static constexpr double trial_unit = velocities ? velocity_unit : position_unit;

    ConstraintResult run()
    {
        std::ranges::fill(self.clusters_, Cluster{});
        std::ranges::fill(self.multiplier_, 0.0);
        std::ranges::fill(self.move_, Vec3::Zero());
        gather();
        for_leaves([this](const LocalBranch& leaf) { start(leaf); });
        for (int iteration = 1; refresh_active(); ++iteration) {
            renew = iteration == 1 || self.scheme_.jacobian == Jacobian::present;
            ascend(iteration);
            descend();
            result.iterations = iteration;
        }
        for_leaves([this](const LocalBranch& leaf) { finish(leaf); });
        scatter();
        return std::move(result);
    }

    /// Reference and trial values of the leaves' atoms.
    void gather()
    {
        const auto& reference = velocities ? atoms.x : atoms.x_ref;
        const auto& trial = velocities ? atoms.v : atoms.x;
        for (std::size_t s = 0; s < table.local.size(); ++s)
            if (table.local[s] >= 0) self.atom_[s] = {reference[index(table.local[s])], trial[index(table.local[s])]};
        for (const auto& [atom, place] : table.atoms_out) {
            const auto record = table.to_leaves.template outgoing<IVec3>({place.part, 2 * place.offset});
            record[0] = reference[atom];
            record[1] = trial[atom];
        }
        run_exchange(table.to_leaves);
        for (const auto& [slot, place] : table.atoms_in) {
            const auto record = table.to_leaves.template incoming<IVec3>({place.part, 2 * place.offset});
            self.atom_[slot] = {record[0], record[1]};
        }
    }

    Vec3 trial_bond(const IVec3& from, const IVec3& to) const
    {
        return to_real(velocities ? IVec3(to - from) : box.minimum_image(to - from), trial_unit);
    }

    void start(const LocalBranch& leaf)
    {
        const auto* const atom = &self.atom_[leaf.slots];
        for (std::size_t k = 0; k < leaf.shape->links.size(); ++k) {
            const auto& link = leaf.shape->links[k];
            const auto &from = atom[link.i], &to = atom[link.j];
            self.r_[leaf.links + k] = to_real(box.minimum_image(to[0] - from[0]), position_unit);
            if (k < index(leaf.shape->n_own)) self.s_[leaf.links + k] = trial_bond(from[1], to[1]);
        }
    }

    /// Whether any cluster on which this rank works is still to be solved.
    bool refresh_active()
    {
        for (std::size_t c = 0; c < self.clusters_.size(); ++c)
            self.active_[c] = self.clusters_[c].state == State::active;
        return std::ranges::any_of(table.branches,
                                   [this](const LocalBranch& b) { return self.active_[index(b.cluster)] != 0; });
    }

    void ascend(int iteration)
    {
        for (std::size_t t = 0; t < table.n_tiers(); ++t) {
            for_tier(t, [&](const LocalBranch& branch) { eliminate(branch, iteration); });
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
        return std::span(self.values_).subspan(branch.values, branch.shape->elimination.n_values());
    }
    std::span<double> rhs_of(const LocalBranch& branch)
    {
        return std::span(self.rhs_).subspan(branch.unknowns, branch.shape->unknowns.size());
    }

    /// Way up: puts the matrix of a branch together, eliminates its pivots, and hands the rest to the parent. At the
    /// root: decides.
    void eliminate(const LocalBranch& branch, int iteration)
    {
        const auto& shape = *branch.shape;
        const auto values = values_of(branch), rhs = rhs_of(branch);
        Report report;
        if (renew) std::ranges::fill(values, 0.0);
        std::ranges::fill(rhs, 0.0);
        if (shape.children.empty())
            assemble(branch, report);
        else
            add_children(branch, report);
        if (renew) {
            shape.elimination.factor(values);
            for (std::int32_t p = 0; p < shape.n_pivots; ++p) {
                const double growth = shape.elimination.inverse_pivot(values, p) * shape.scale[index(p)];
                if (!(growth > 0.0 && growth < max_growth)) report.fail(shape.unknowns[index(p)], singular);
                report.growth = std::max(report.growth, growth);
            }
        }
        shape.elimination.forward(values, rhs);
        if (shape.parent < 0) return decide(branch, report, iteration);

        auto record = table.up[index(shape.tier)].template outgoing<double>(branch.up);
        report.write(record);
        record = record.subspan(up_header);
        if (renew)
            for (std::size_t e = 0; e < shape.remaining.size(); ++e) record[e] = values[index(shape.remaining[e])];
        record = record.subspan(shape.remaining.size());
        for (std::size_t u = 0; u < shape.n_left(); ++u) record[u] = rhs[index(shape.n_pivots) + u];
    }

    void add_children(const LocalBranch& branch, Report& report)
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

    /// The rows of a leaf's own constraints.
    void assemble(const LocalBranch& leaf, Report& report)
    {
        const auto& shape = *leaf.shape;
        const auto values = values_of(leaf), rhs = rhs_of(leaf);
        const Vec3* const r = &self.r_[leaf.links];
        const Vec3* const s = &self.s_[leaf.links];
        const Vec3* const move = &self.move_[leaf.slots];
        row_.resize(index(shape.n_own));
        for (std::size_t k = 0; k < row_.size(); ++k) {
            const auto& link = shape.links[k];
            const Vec3 present = s[k] + (move[link.j] - move[link.i]);
            const double g = velocities ? r[k].dot(present) : 0.5 * (present.squaredNorm() - link.d2);
            rhs[index(link.unknown)] = g;
            report.note(std::abs(g) / link.d2 * (velocities ? stage.dt : 1.0), link.constraint);
            row_[k] = velocities || self.scheme_.jacobian == Jacobian::reference ? r[k] : present;
            if (!(velocities ? std::isfinite(g) : present.dot(r[k]) > min_cosine * link.d2))
                report.fail(link.constraint, turned);
        }
        if (!renew) return;
        for (const auto& element : shape.elements)
            values[index(element.position)] = element.coupling * row_[index(element.row)].dot(r[element.column]);
    }

    /// At the root: whether the solution of this iteration is the last, or there is none.
    void decide(const LocalBranch& root, Report& report, int iteration)
    {
        auto& cluster = self.clusters_[index(root.cluster)];
        if (renew) cluster.growth = report.growth;
        const bool last = is_last(report.error, cluster, iteration);
        cluster.error = report.error;
        if (report.failed < 0 && !last && iteration == max_iterations) report.fail(report.worst, endless);
        cluster.state = report.failed >= 0 ? State::failed : last ? State::last : State::active;
        if (report.failed < 0 || !result.failure.empty()) return;
        const auto& [instance, tree] = table.clusters[index(root.cluster)];
        std::array<AtomId, 2> ids;
        for (std::size_t end = 0; end < 2; ++end)
            ids[end] = instance.molecule_start + tree->atoms[index(tree->atoms_of(report.failed)[end])];
        std::ranges::sort(ids);
        result.failure = failure_message(tree->molecule_name, instance.molecule, ids, text(report.reason), stage);
    }

    /// Whether an iteration that starts with this error will leave nothing to be corrected.
    bool is_last(double error, const Cluster& cluster, int iteration) const
    {
        if (self.scheme_.once) return true;
        const double change = cluster.growth * error; // of s / d: the error times the norm of the inverse matrix
        if (velocities) return change * round_off <= velocity_error || iteration > 1;
        if (self.scheme_.jacobian == Jacobian::present) return change * change <= round_off;
        const double left = iteration > 1 ? error * (error / cluster.error) : error;
        return left <= std::max(self.scheme_.tolerance, round_off);
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
        if (shape.children.empty()) update(branch, state);
    }

    /// Multipliers and moves of a leaf.
    void update(const LocalBranch& leaf, State state)
    {
        const auto& shape = *leaf.shape;
        double* const multiplier = &self.multiplier_[leaf.links];
        const Vec3* const r = &self.r_[leaf.links];
        Vec3* const move = &self.move_[leaf.slots];
        if (state == State::failed) return std::fill(move, move + shape.n_moved, Vec3::Zero());
        const auto rhs = rhs_of(leaf);
        for (std::size_t k = 0; k < shape.links.size(); ++k) multiplier[k] += rhs[index(shape.links[k].unknown)];
        for (std::size_t a = 0; a < index(shape.n_moved); ++a) {
            Vec3 sum = Vec3::Zero();
            for (auto n = shape.incidence_begin[a]; n < shape.incidence_begin[a + 1]; ++n) {
                const auto& [link, sign] = shape.incidences[index(n)];
                sum += (sign * multiplier[link]) * r[link];
            }
            move[a] = sum;
        }
    }

    /// Errors and virial of a leaf's own constraints; moves those of its atoms that are owned here.
    void finish(const LocalBranch& leaf)
    {
        const auto& shape = *leaf.shape;
        const Vec3* const move = &self.move_[leaf.slots];
        for (std::size_t a = 0; a < index(shape.n_moved); ++a)
            if (shape.home[a] && table.local[leaf.slots + a] >= 0) apply(table.local[leaf.slots + a], move[a]);
        if (self.clusters_[index(leaf.cluster)].state == State::failed) return;

        VirialSum virial;
        const auto* const atom = &self.atom_[leaf.slots];
        const auto moved = [&](std::int32_t a) { return IVec3(atom[a][1] + to_lattice(move[a], trial_unit)); };
        for (std::size_t k = 0; k < index(shape.n_own); ++k) {
            const auto& link = shape.links[k];
            const Vec3& r = self.r_[leaf.links + k];
            const Vec3 s = trial_bond(moved(link.i), moved(link.j));
            note_residual(result, velocities ? rate_error(r, s, link.d2) : length_error(s, link.d2));
            if (stage.force_factor != 0.0) virial.add(r, -self.multiplier_[leaf.links + k] * r, stage.force_factor);
        }
        virial.add_to(result.virial);
    }

    /// Tells the owners of other atoms how far they move.
    void scatter()
    {
        for (const auto& [slot, place] : table.moves_out)
            table.to_owners.template outgoing<Vec3>(place)[0] = self.move_[slot];
        run_exchange(table.to_owners);
        for (const auto& [atom, place] : table.moves_in)
            apply(static_cast<std::int32_t>(atom), table.to_owners.template incoming<Vec3>(place)[0]);
    }

    void apply(std::int32_t atom, const Vec3& move)
    {
        if constexpr (velocities)
            atoms.v[index(atom)] += to_lattice(move, velocity_unit);
        else
            displace(atoms, atom, move, inverse_step(stage));
    }

    void run_exchange(RecordExchange& exchange)
    {
        std::ranges::fill(self.active_, 1);
        exchange.run(self.active_, result);
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

    std::vector<Vec3> row_{}; // per own link of a leaf: what its row of the matrix is made with
};

ConstraintResult NewtonSolver::project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    return Projection<false>{*this, atoms, box, stage}.run();
}

ConstraintResult NewtonSolver::project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    return Projection<true>{*this, atoms, box, stage}.run();
}

} // namespace

std::unique_ptr<Solver> make_newton_solver(const SolverSettings& settings, const NewtonScheme& scheme)
{
    return std::make_unique<NewtonSolver>(settings, scheme);
}

std::unique_ptr<Solver> make_newton_solver(const SolverSettings& settings)
{
    return make_newton_solver(settings, {});
}

} // namespace holon
