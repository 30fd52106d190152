/// SHAKE and RATTLE, one colour of the molecule at a time, across any number of domains.
/// J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23, 327 (1977);
/// H. C. Andersen, J. Comput. Phys. 52, 24 (1983).
///
/// A sweep corrects each constraint that is not within the tolerance; a cluster is done when a whole sweep corrected
/// nothing. The order is the cluster's: colour by colour. No two constraints of a colour share an atom, so that a rank
/// may compute a colour without knowing what the others do. Every rank that owns an atom of a constraint computes it,
/// bit for bit alike; the only messages are, after each colour, the displacements of copies that were changed by a
/// constraint not computed here, and one bit per cut cluster, reduced once per sweep. The price: as many rounds of
/// messages per sweep as there are colours, and the linear convergence of the original.
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
#include "relaxation.hpp"

#include <cmath>
#include <limits>

namespace holon {
namespace {

/// What a link needs while a stage lasts.
struct Work {
    Vec3 r;                  // direction: reference bond, or present one in the velocity stage [nm]
    Vec3 s;                  // what is to be corrected: trial bond [nm], or relative velocity [nm/ps]
    double multiplier = 0.0; // sum over the sweeps [u, u/ps]
};

/// Position stage: |s| = d.
struct LengthRule {
    double tolerance;

    double error(const Link& link, const Vec3&, const Vec3& s) const { return 0.5 * (s.squaredNorm() - link.d2); }

    /// The multiplier that puts one constraint with error g right; NaN if that can not be done.
    double multiplier(const Link& link, const Vec3& r, const Vec3& s, double g) const
    {
        const double projection = s.dot(r);
        if (!(projection > min_cosine * link.d2)) return std::numeric_limits<double>::quiet_NaN();
        return g / ((link.inverse_mass_i + link.inverse_mass_j) * projection);
    }
};

/// Velocity stage: r.s = 0.
struct RateRule {
    double tolerance; // of r.s / d^2 [1/ps]

    double error(const Link&, const Vec3& r, const Vec3& s) const { return r.dot(s); }

    double multiplier(const Link& link, const Vec3& r, const Vec3&, double g) const
    {
        return g / ((link.inverse_mass_i + link.inverse_mass_j) * r.squaredNorm());
    }
};

/// Displacements travel between ranks as the bit patterns of doubles: exact, and rounded to the lattice only once.
Vec3 from_bits(const IVec3& bits)
{
    return {std::bit_cast<double>(bits[0]), std::bit_cast<double>(bits[1]), std::bit_cast<double>(bits[2])};
}
IVec3 to_bits(const Vec3& x)
{
    return {std::bit_cast<std::int64_t>(x[0]), std::bit_cast<std::int64_t>(x[1]), std::bit_cast<std::int64_t>(x[2])};
}

const IVec3& at(const std::vector<IVec3>& values, std::int32_t index)
{
    return values[static_cast<std::size_t>(index)];
}

class ShakeSolver final : public Solver {
public:
    explicit ShakeSolver(const SolverSettings& settings) : settings_(settings) {}

    bool accepts(const MoleculeType&, const ConstraintCluster&) const override { return true; }
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    enum class State : std::uint8_t { active, done, failed };
    struct Progress {
        State state = State::active;
        Relaxation relaxation;
        double error = 0.0;          // largest met in this sweep, on this rank
        std::int32_t corrected = -1; // the last link that was, on this rank
        std::int32_t failed = -1;    // the link that failed on this rank
    };

    bool adaptive() const { return settings_.shake_relaxation == 0.0; }
    bool keeps(const Atoms& atoms) const { return settings_.shake_warm_start && !atoms.kept_begin.empty(); }
    void guess(bool warm, double unit);
    void remember(Atoms& atoms, double unit);
    ConstraintResult start(const std::vector<IVec3>& owned_values);
    template <class Rule>
    void relax(const Rule& rule, const ConstraintStage& stage, ConstraintResult& result);
    template <class Rule>
    void relax_whole(const Rule& rule, std::size_t cluster, ConstraintResult& result);
    template <class Rule>
    void relax_cut(const Rule& rule, ConstraintResult& result);
    template <class Rule>
    State sweep(const Rule& rule, std::int32_t begin, std::int32_t end);
    void end_sweep(Progress& progress, double error) const;
    void mark(const LinkedCluster& cluster, State state);
    void share_errors(ConstraintResult& result);
    bool vote(ConstraintResult& result);
    void withdraw_failed(const ConstraintStage& stage, ConstraintResult& result);
    void add_virial(const ConstraintStage& stage, ConstraintResult& result) const;

    std::int32_t local(std::int32_t number) const { return table_.local[static_cast<std::size_t>(number)]; }
    State state_of(std::int32_t cluster) const { return progress_[static_cast<std::size_t>(cluster)].state; }

    SolverSettings settings_;
    LinkTable table_;
    std::vector<Progress> progress_;   // per cluster
    std::vector<Work> work_;           // per link
    KeptMultipliers kept_;             // those of the last stage, as of a position stage [u]
    std::vector<Vec3> guess_;          // per number: displacement of an owned atom before the first sweep
    std::vector<IVec3> values_;        // per number: trial position or velocity, as the owner has it
    std::vector<IVec3> displacements_; // per number: to be added to values_; bits of doubles [nm, nm/ps]
    std::vector<std::uint64_t> mask_;  // a bit per cut cluster: corrected in this sweep; then as many: failed
    std::vector<std::int64_t> errors_; // ordered_bits() of the largest error met in this sweep, per cut cluster
};

void ShakeSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    table_.rebuild(settings_.comm, clusters, atoms, directory);
    progress_.resize(table_.clusters.size());
    work_.resize(table_.links.size());
    values_.resize(table_.n_atoms());
    displacements_.resize(table_.n_atoms());
    mask_.resize(2 * static_cast<std::size_t>((table_.n_cut + 63) / 64));
    errors_.resize(adaptive() ? static_cast<std::size_t>(table_.n_cut) : 0);
    if (keeps(atoms)) kept_.rebuild(settings_.comm, table_, atoms);
}

void ShakeSolver::add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const
{
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
        if (state_of(table_.links[k].cluster) != State::failed) kept_.set(k, work_[k].multiplier * unit, table_, atoms);
}

/// Takes the values of the owned atoms, gets those of the copies, and forgets the last stage.
ConstraintResult ShakeSolver::start(const std::vector<IVec3>& owned_values)
{
    ConstraintResult result;
    for (std::size_t n = 0; n < values_.size(); ++n)
        if (table_.owned(static_cast<std::int32_t>(n))) values_[n] = at(owned_values, table_.local[n]);
    table_.refresh(values_, result);
    std::ranges::fill(displacements_, to_bits(Vec3::Zero()));
    std::ranges::fill(progress_, Progress{.relaxation = Relaxation(adaptive() ? 1.0 : settings_.shake_relaxation)});
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
    relax(LengthRule{settings_.tolerance}, stage, result);

    for (std::size_t n = 0; n < values_.size(); ++n) {
        const Vec3 d = from_bits(displacements_[n]);
        values_[n] += to_lattice(d, position_unit);
        displace_owned(n, d);
    }
    for (const auto& link : table_.links)
        if (link.counted && state_of(link.cluster) != State::failed)
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
    relax(RateRule{settings_.tolerance / stage.dt}, stage, result);

    for (std::size_t n = 0; n < values_.size(); ++n) {
        const IVec3 change = to_lattice(from_bits(displacements_[n]), velocity_unit);
        values_[n] += change;
        accelerate_owned(n, change);
    }
    for (std::size_t k = 0; k < work_.size(); ++k) {
        const auto& link = table_.links[k];
        if (link.counted && state_of(link.cluster) != State::failed)
            note_residual(result, rate_error(work_[k].r, relative(link), link.d2));
    }
    if (warm && stage.motion == StepMotion::continued) remember(atoms, stage.dt);
    return result;
}

/// Sweeps until every cluster is done or has failed.
template <class Rule>
void ShakeSolver::relax(const Rule& rule, const ConstraintStage& stage, ConstraintResult& result)
{
    for (std::size_t c = 0; c < progress_.size(); ++c)
        if (table_.clusters[c].bit < 0) relax_whole(rule, c, result);
    if (table_.n_cut > 0) relax_cut(rule, result);
    withdraw_failed(stage, result);
    add_virial(stage, result);
}

/// No other rank knows of this cluster.
template <class Rule>
void ShakeSolver::relax_whole(const Rule& rule, std::size_t cluster, ConstraintResult& result)
{
    const auto [begin, end] = std::pair(table_.clusters[cluster].begin, table_.clusters[cluster].end);
    auto& state = progress_[cluster].state;
    std::int64_t sweeps = 0;
    while (state == State::active && sweeps < settings_.max_iterations) {
        state = sweep(rule, begin, end);
        end_sweep(progress_[cluster], progress_[cluster].error);
        ++sweeps;
    }
    result.iterations = std::max(result.iterations, sweeps);
}

void ShakeSolver::end_sweep(Progress& progress, double error) const
{
    if (adaptive()) progress.relaxation.note(error);
    progress.error = 0.0;
}

/// All cut clusters together. Collective.
template <class Rule>
void ShakeSolver::relax_cut(const Rule& rule, ConstraintResult& result)
{
    std::int64_t sweeps = 0;
    bool any_active = true;
    while (any_active && sweeps < settings_.max_iterations) {
        std::ranges::fill(mask_, 0);
        for (std::size_t colour = 0; colour < table_.cut_runs.size(); ++colour) {
            for (const auto& run : table_.cut_runs[colour])
                if (state_of(run.cluster) == State::active)
                    mark(table_.clusters[static_cast<std::size_t>(run.cluster)], sweep(rule, run.begin, run.end));
            table_.refresh_after(colour, displacements_, result);
        }
        any_active = vote(result);
        ++sweeps;
    }
    result.iterations = std::max(result.iterations, sweeps);
}

/// Corrects links [begin, end), all of one cluster, one after the other. Done: there was nothing to correct.
template <class Rule>
ShakeSolver::State ShakeSolver::sweep(const Rule& rule, std::int32_t begin, std::int32_t end)
{
    auto state = State::done;
    if (begin == end) return state;
    auto& progress = progress_[static_cast<std::size_t>(table_.links[static_cast<std::size_t>(begin)].cluster)];
    const double relaxation = progress.relaxation.factor();
    for (std::int32_t k = begin; k < end; ++k) {
        const auto& link = table_.links[static_cast<std::size_t>(k)];
        auto& work = work_[static_cast<std::size_t>(k)];
        auto& bits_i = displacements_[static_cast<std::size_t>(link.i)];
        auto& bits_j = displacements_[static_cast<std::size_t>(link.j)];
        const Vec3 d_i = from_bits(bits_i), d_j = from_bits(bits_j);
        const Vec3 s = work.s + (d_j - d_i);
        const double error = rule.error(link, work.r, s);
        if (adaptive()) progress.error = std::max(progress.error, std::abs(error) / link.d2);
        if (std::abs(error) <= rule.tolerance * link.d2) continue;
        const double multiplier = relaxation * rule.multiplier(link, work.r, s, error);
        if (!std::isfinite(multiplier)) {
            progress.failed = k;
            return State::failed;
        }
        progress.corrected = k;
        bits_i = to_bits(d_i + (multiplier * link.inverse_mass_i) * work.r);
        bits_j = to_bits(d_j - (multiplier * link.inverse_mass_j) * work.r);
        work.multiplier += multiplier;
        state = State::active;
    }
    return state;
}

/// Notes in the mask what a sweep did to a cut cluster.
void ShakeSolver::mark(const LinkedCluster& cluster, State state)
{
    const auto word = static_cast<std::size_t>(cluster.bit / 64);
    const auto bit = std::uint64_t{1} << (cluster.bit % 64);
    if (state == State::active) mask_[word] |= bit;
    if (state == State::failed) mask_[mask_.size() / 2 + word] |= bit;
}

/// Where factors depend on them: the errors of the cut clusters, wherever they are largest. Collective.
void ShakeSolver::share_errors(ConstraintResult& result)
{
    if (!adaptive()) return;
    std::ranges::fill(errors_, 0);
    for (std::size_t c = 0; c < progress_.size(); ++c)
        if (const auto bit = table_.clusters[c].bit; bit >= 0)
            errors_[static_cast<std::size_t>(bit)] = ordered_bits(progress_[c].error);
    settings_.comm.max(std::span(errors_));
    ++result.reductions;
    for (std::size_t c = 0; c < progress_.size(); ++c)
        if (const auto bit = table_.clusters[c].bit; bit >= 0)
            end_sweep(progress_[c], from_ordered_bits(errors_[static_cast<std::size_t>(bit)]));
}

/// Shares the mask, and tells whether any cut cluster, here or elsewhere, is still active. Collective.
bool ShakeSolver::vote(ConstraintResult& result)
{
    settings_.comm.bitwise_or(mask_);
    ++result.reductions;
    share_errors(result);
    const std::size_t n_words = mask_.size() / 2;
    for (std::size_t c = 0; c < progress_.size(); ++c) {
        const auto bit = table_.clusters[c].bit;
        auto& state = progress_[c].state;
        if (bit < 0 || state != State::active) continue;
        const auto is_set = [bit](std::uint64_t word) { return (word >> (bit % 64) & 1) != 0; };
        if (!is_set(mask_[static_cast<std::size_t>(bit / 64)])) state = State::done;
        if (is_set(mask_[n_words + static_cast<std::size_t>(bit / 64)])) state = State::failed;
    }
    for (std::size_t w = 0; w < n_words; ++w)
        if ((mask_[w] & ~mask_[n_words + w]) != 0) return true;
    return false;
}

/// Leaves the atoms of failed clusters where they were before any guess, and says what failed first: on a rank that has
/// seen it.
void ShakeSolver::withdraw_failed(const ConstraintStage& stage, ConstraintResult& result)
{
    for (std::size_t c = 0; c < progress_.size(); ++c) {
        auto& progress = progress_[c];
        if (progress.state == State::done) continue;
        const bool endless = progress.state == State::active;
        progress.state = State::failed;
        const auto culprit = endless ? progress.corrected : progress.failed;
        if (!result.failure.empty() || culprit < 0) continue;
        const auto& link = table_.links[static_cast<std::size_t>(culprit)];
        const std::array<AtomId, 2> ids{table_.ids[static_cast<std::size_t>(link.i)],
                                        table_.ids[static_cast<std::size_t>(link.j)]};
        const auto& instance = table_.clusters[c].instance;
        result.failure = failure_message(instance.molecule_type->name, instance.molecule, ids,
                                         endless ? "no solution was found within the iteration limit"
                                                 : "the bond has turned by 90 degrees or more, or is not finite",
                                         stage);
    }
    for (const auto& link : table_.links)
        if (state_of(link.cluster) == State::failed)
            for (const auto number : {link.i, link.j})
                displacements_[static_cast<std::size_t>(number)] = to_bits(-guess_[static_cast<std::size_t>(number)]);
}

void ShakeSolver::add_virial(const ConstraintStage& stage, ConstraintResult& result) const
{
    if (stage.force_factor == 0.0) return;
    VirialSum virial;
    for (std::size_t k = 0; k < work_.size(); ++k) {
        const auto& link = table_.links[k];
        if (link.counted && state_of(link.cluster) == State::done)
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
