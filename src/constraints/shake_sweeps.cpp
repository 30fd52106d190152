#include "shake_sweeps.hpp"

#include "bond.hpp"

#include <cmath>
#include <limits>

namespace holon {
namespace {

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

} // namespace

void ShakeSweeps::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    table.rebuild(settings_.comm, clusters, atoms, directory);
    progress_.resize(table.clusters.size());
    work.resize(table.links.size());
    displacements_.resize(table.n_atoms());
    mask_.resize(2 * static_cast<std::size_t>((table.n_cut + 63) / 64));
    errors_.resize(adaptive() ? static_cast<std::size_t>(table.n_cut) : 0);
}

void ShakeSweeps::start()
{
    std::ranges::fill(displacements_, to_bits(Vec3::Zero()));
    std::ranges::fill(progress_, Progress{.relaxation = Relaxation(adaptive() ? 1.0 : settings_.shake_relaxation)});
}

Vec3 ShakeSweeps::displacement(std::size_t number) const
{
    return from_bits(displacements_[number]);
}

void ShakeSweeps::relax_lengths(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result)
{
    relax(LengthRule{settings_.tolerance}, guess, stage, result);
}

void ShakeSweeps::relax_rates(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result)
{
    relax(RateRule{settings_.tolerance / stage.dt}, guess, stage, result);
}

/// Sweeps until every cluster is done or has failed.
template <class Rule>
void ShakeSweeps::relax(const Rule& rule, std::span<const Vec3> guess, const ConstraintStage& stage,
                        ConstraintResult& result)
{
    for (std::size_t c = 0; c < progress_.size(); ++c)
        if (table.clusters[c].bit < 0) relax_whole(rule, c, result);
    if (table.n_cut > 0) relax_cut(rule, result);
    withdraw_failed(guess, stage, result);
}

/// No other rank knows of this cluster.
template <class Rule>
void ShakeSweeps::relax_whole(const Rule& rule, std::size_t cluster, ConstraintResult& result)
{
    const auto [begin, end] = std::pair(table.clusters[cluster].begin, table.clusters[cluster].end);
    auto& state = progress_[cluster].state;
    std::int64_t sweeps = 0;
    while (state == State::active && sweeps < settings_.max_iterations) {
        state = sweep(rule, begin, end);
        end_sweep(progress_[cluster], progress_[cluster].error);
        ++sweeps;
    }
    result.iterations = std::max(result.iterations, sweeps);
}

void ShakeSweeps::end_sweep(Progress& progress, double error) const
{
    if (adaptive()) progress.relaxation.note(error);
    progress.error = 0.0;
}

/// All cut clusters together. A sweep too many changes nothing, and a reduction costs as much as several: there is one
/// for two sweeps, unless factors depend on it. Collective.
template <class Rule>
void ShakeSweeps::relax_cut(const Rule& rule, ConstraintResult& result)
{
    const int sweeps_per_vote = adaptive() ? 1 : 2;
    std::int64_t sweeps = 0, last_correction = 0;
    bool any_active = true;
    while (any_active && sweeps < settings_.max_iterations) {
        std::ranges::fill(mask_, 0);
        ++sweeps;
        for (std::size_t colour = 0; colour < table.cut_runs.size(); ++colour) {
            for (const auto& run : table.cut_runs[colour])
                if (state_of(run.cluster) == State::active) {
                    const auto state = sweep(rule, run.begin, run.end);
                    mark(table.clusters[static_cast<std::size_t>(run.cluster)], state);
                    if (state != State::done) last_correction = sweeps;
                }
            table.refresh_after(colour, displacements_, result);
        }
        if (sweeps % sweeps_per_vote == 0 || sweeps == settings_.max_iterations) any_active = vote(result);
    }
    // As if it had ended with the first sweep in which nothing was corrected.
    result.iterations = std::max(result.iterations, std::min(last_correction + 1, sweeps));
}

/// Corrects links [begin, end), all of one cluster, one after the other. Done: there was nothing to correct.
template <class Rule>
ShakeSweeps::State ShakeSweeps::sweep(const Rule& rule, std::int32_t begin, std::int32_t end)
{
    auto state = State::done;
    if (begin == end) return state;
    auto& progress = progress_[static_cast<std::size_t>(table.links[static_cast<std::size_t>(begin)].cluster)];
    if (progress.failed >= 0) return State::failed; // until all have been told
    const double relaxation = progress.relaxation.factor();
    for (std::int32_t k = begin; k < end; ++k) {
        const auto& link = table.links[static_cast<std::size_t>(k)];
        auto& own = work[static_cast<std::size_t>(k)];
        auto& bits_i = displacements_[static_cast<std::size_t>(link.i)];
        auto& bits_j = displacements_[static_cast<std::size_t>(link.j)];
        const Vec3 d_i = from_bits(bits_i), d_j = from_bits(bits_j);
        const Vec3 s = own.s + (d_j - d_i);
        const double error = rule.error(link, own.r, s);
        if (adaptive()) progress.error = std::max(progress.error, std::abs(error) / link.d2);
        if (std::abs(error) <= rule.tolerance * link.d2) continue;
        const double multiplier = relaxation * rule.multiplier(link, own.r, s, error);
        if (!std::isfinite(multiplier)) {
            progress.failed = k;
            return State::failed;
        }
        progress.corrected = k;
        bits_i = to_bits(d_i + (multiplier * link.inverse_mass_i) * own.r);
        bits_j = to_bits(d_j - (multiplier * link.inverse_mass_j) * own.r);
        own.multiplier += multiplier;
        state = State::active;
    }
    return state;
}

/// Notes in the mask what a sweep did to a cut cluster.
void ShakeSweeps::mark(const LinkedCluster& cluster, State state)
{
    const auto word = static_cast<std::size_t>(cluster.bit / 64);
    const auto bit = std::uint64_t{1} << (cluster.bit % 64);
    if (state == State::active) mask_[word] |= bit;
    if (state == State::failed) mask_[mask_.size() / 2 + word] |= bit;
}

/// Where factors depend on them: the errors of the cut clusters, wherever they are largest. Collective.
void ShakeSweeps::share_errors(ConstraintResult& result)
{
    if (!adaptive()) return;
    std::ranges::fill(errors_, 0);
    for (std::size_t c = 0; c < progress_.size(); ++c)
        if (const auto bit = table.clusters[c].bit; bit >= 0)
            errors_[static_cast<std::size_t>(bit)] = ordered_bits(progress_[c].error);
    settings_.comm.max(std::span(errors_));
    ++result.reductions;
    for (std::size_t c = 0; c < progress_.size(); ++c)
        if (const auto bit = table.clusters[c].bit; bit >= 0)
            end_sweep(progress_[c], from_ordered_bits(errors_[static_cast<std::size_t>(bit)]));
}

/// Shares the mask, and tells whether any cut cluster, here or elsewhere, is still active. Collective.
bool ShakeSweeps::vote(ConstraintResult& result)
{
    settings_.comm.bitwise_or(mask_);
    ++result.reductions;
    share_errors(result);
    const std::size_t n_words = mask_.size() / 2;
    for (std::size_t c = 0; c < progress_.size(); ++c) {
        const auto bit = table.clusters[c].bit;
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
void ShakeSweeps::withdraw_failed(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result)
{
    for (std::size_t c = 0; c < progress_.size(); ++c) {
        auto& progress = progress_[c];
        if (progress.state == State::done) continue;
        const bool endless = progress.state == State::active;
        progress.state = State::failed;
        const auto culprit = endless ? progress.corrected : progress.failed;
        if (!result.failure.empty() || culprit < 0) continue;
        const auto& link = table.links[static_cast<std::size_t>(culprit)];
        const std::array<AtomId, 2> ids{table.ids[static_cast<std::size_t>(link.i)],
                                        table.ids[static_cast<std::size_t>(link.j)]};
        const auto& instance = table.clusters[c].instance;
        result.failure = failure_message(instance.molecule_type->name, instance.molecule, ids,
                                         endless ? "no solution was found within the iteration limit"
                                                 : "the bond has turned by 90 degrees or more, or is not finite",
                                         stage);
    }
    for (const auto& link : table.links)
        if (state_of(link.cluster) == State::failed)
            for (const auto number : {link.i, link.j})
                displacements_[static_cast<std::size_t>(number)] = to_bits(-guess[static_cast<std::size_t>(number)]);
}

} // namespace holon
