#include "shake_sweeps.hpp"

#include <holon/core/index.hpp>

#include "bonds/bond.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace holon {
void ShakeSweeps::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    table.rebuild(settings_.comm, clusters, atoms, directory);
    progress_.resize(table.clusters.size());
    displacements_.resize(table.numbered.size());
    mask_.resize(index((table.n_cut + 63) / 64) + 1);
    shared_errors_.resize(adaptive() ? index(table.n_cut) : 0);

    const auto n = n_places();
    for (auto* ends : {&i, &j}) ends->assign(n, 0);
    for (auto* vectors : {&r, &s}) vectors->resize(n);
    for (auto* numbers : {&multipliers, &d2_, &inverse_mass_i_, &inverse_mass_j_, &factors_, &tolerances_, &errors_})
        numbers->assign(n, 0.0);
    rows_.resize(4 * n);
    for (std::size_t k = 0; k < table.links.size(); ++k) {
        const auto& link = table.links[k];
        i[k] = link.i;
        j[k] = link.j;
        d2_[k] = link.d2;
        inverse_mass_i_[k] = link.inverse_mass_i;
        inverse_mass_j_[k] = link.inverse_mass_j;
        factors_[k] = first_factor(table.clusters[index(link.cluster)].instance);
    }
    links_ = {.n = static_cast<std::int64_t>(n),
              .i = i.data(),
              .j = j.data(),
              .d2 = d2_.data(),
              .inverse_mass_i = inverse_mass_i_.data(),
              .inverse_mass_j = inverse_mass_j_.data(),
              .factor = factors_.data(),
              .tolerance = tolerances_.data(),
              .r = r.data(),
              .rows = rows_.data(),
              .s = s.data(),
              .multiplier = multipliers.data(),
              .error = errors_.data(),
              .displacement = displacements()};
}

double ShakeSweeps::first_factor(const ClusterInstance& instance)
{
    if (adaptive()) return 1.0;
    if (settings_.shake_relaxation != SolverSettings::suggested) return settings_.shake_relaxation;
    const auto [entry, is_new] = suggested_.try_emplace(instance.cluster);
    if (is_new) {
        const auto& molecule = *instance.molecule_type;
        const auto& angles = angles_.try_emplace(&molecule, settings_.topology, molecule).first->second;
        entry->second = best_relaxation(angles, molecule, *instance.cluster);
    }
    return entry->second;
}

void ShakeSweeps::start()
{
    std::ranges::fill(displacements_, PaddedVec3{});
    std::ranges::fill(progress_, Progress{});
    if (adaptive()) std::ranges::fill(factors_, 1.0);
}

void ShakeSweeps::relax_lengths(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result)
{
    set_tolerances(settings_.tolerance);
    const auto correct = [this](const LinkBatch::Run& run) {
        return HOLON_CALL(shake::correct_lengths, links_, run.begin, run.end, min_cosine);
    };
    relax(correct, first_vote_on_lengths_, guess, stage, result);
}

void ShakeSweeps::relax_rates(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result)
{
    set_tolerances(settings_.tolerance / stage.dt);
    const auto correct = [this](const LinkBatch::Run& run) {
        return HOLON_CALL(shake::correct_rates, links_, run.begin, run.end);
    };
    relax(correct, first_vote_on_rates_, guess, stage, result);
}

/// `tolerance`: relative to d^2 [1, 1/ps].
void ShakeSweeps::set_tolerances(double tolerance)
{
    for (std::size_t k = 0; k < d2_.size(); ++k) tolerances_[k] = tolerance * d2_[k];
}

/// Sweeps until every cluster is done or has failed.
template <class Correct>
void ShakeSweeps::relax(const Correct& correct, std::int64_t& first_vote, std::span<const Vec3> guess,
                        const ConstraintStage& stage, ConstraintResult& result)
{
    HOLON_CALL(bonds::set_rows, links_.n, r.data(), rows_.data());
    for (const auto& batch : table.whole) relax_whole(correct, batch, result);
    if (table.n_cut > 0) relax_cut(correct, first_vote, result);
    withdraw_failed(guess, stage, result);
}

/// No other rank knows of these clusters.
template <class Correct>
void ShakeSweeps::relax_whole(const Correct& correct, const LinkBatch& batch, ConstraintResult& result)
{
    std::int64_t sweeps = 0;
    bool active = true;
    for (; active && sweeps < settings_.max_iterations; ++sweeps) {
        active = false;
        for (const auto& run : batch.colours) {
            const auto outcome = correct(run);
            active = active || outcome.corrected;
            if (outcome.failed) note_failed(run);
        }
        if (adaptive()) {
            note_errors(batch);
            adapt(batch);
        }
    }
    if (active) note_endless(batch);
    result.iterations = std::max(result.iterations, sweeps);
}

/// All cut clusters together. A sweep too many changes nothing, and a reduction costs as much as one: votes begin where
/// the last such stage ended, or could have ended; with factors that depend on them, at once. Collective.
template <class Correct>
void ShakeSweeps::relax_cut(const Correct& correct, std::int64_t& first_vote, ConstraintResult& result)
{
    std::int64_t sweeps = 0, last_correction = 0;
    bool any_active = true;
    while (any_active && sweeps < settings_.max_iterations) {
        ++sweeps;
        for (std::size_t colour = 0; colour < table.cut.colours.size(); ++colour) {
            const auto& run = table.cut.colours[colour];
            const auto outcome = correct(run);
            if (outcome.corrected || outcome.failed) last_correction = sweeps;
            if (outcome.failed) note_failed(run);
            table.refresh_after(colour, displacements_, result);
        }
        if (adaptive()) note_errors(table.cut);
        if (adaptive() || sweeps >= first_vote || sweeps == settings_.max_iterations)
            any_active = vote(sweeps - last_correction, result);
    }
    first_vote = sweeps - sweeps_too_many();
    if (any_active) {
        note_endless(table.cut);
        vote(1, result);
    }
    // As if it had ended with the first sweep in which nothing was corrected.
    result.iterations = std::max(result.iterations, std::min(last_correction + 1, sweeps));
}

/// Looks for the links that have failed: nothing more is done for their clusters here.
void ShakeSweeps::note_failed(const LinkBatch::Run& run)
{
    for (auto k = run.begin; k < run.end; ++k)
        if (auto& progress = progress_of(table.links[index(k)]); std::isnan(multipliers[index(k)]))
            if (progress.failed < 0) progress.failed = k;
    leave_failed();
}

/// Those that the last sweep has corrected fail.
void ShakeSweeps::note_endless(const LinkBatch& batch)
{
    for (const auto& run : batch.colours)
        for (auto k = run.begin; k < run.end; ++k) {
            auto& progress = progress_of(table.links[index(k)]);
            if (progress.failed >= 0 || errors_[index(k)] <= tolerances_[index(k)]) continue;
            progress.failed = k;
            progress.endless = true;
        }
}

void ShakeSweeps::leave_failed()
{
    for (std::size_t k = 0; k < table.links.size(); ++k)
        if (failed(table.links[k])) tolerances_[k] = std::numeric_limits<double>::infinity();
}

void ShakeSweeps::note_errors(const LinkBatch& batch)
{
    for (const auto c : batch.clusters) progress_[index(c)].error = 0.0;
    for (const auto& run : batch.colours)
        for (auto k = run.begin; k < run.end; ++k) {
            auto& error = progress_of(table.links[index(k)]).error;
            error = std::max(error, errors_[index(k)] / d2_[index(k)]);
        }
}

/// Factors for the next sweep, from the errors of this one.
void ShakeSweeps::adapt(const LinkBatch& batch)
{
    for (const auto c : batch.clusters) progress_[index(c)].relaxation.note(progress_[index(c)].error);
    for (const auto& run : batch.colours)
        for (auto k = run.begin; k < run.end; ++k)
            factors_[index(k)] = progress_of(table.links[index(k)]).relaxation.factor();
}

/// Where factors depend on them: the errors of the cut clusters, wherever they are largest. Collective.
void ShakeSweeps::share_errors(ConstraintResult& result)
{
    std::ranges::fill(shared_errors_, 0);
    const auto shared = [this](std::int32_t cluster) -> std::int64_t& {
        return shared_errors_[index(table.clusters[index(cluster)].bit)];
    };
    for (const auto c : table.cut.clusters) shared(c) = ordered_bits(progress_[index(c)].error);
    settings_.comm.max(std::span(shared_errors_));
    ++result.reductions;
    for (const auto c : table.cut.clusters) progress_[index(c)].error = from_ordered_bits(shared(c));
}

/// Tells which cut clusters have failed, and returns whether any has been corrected in this sweep, here or elsewhere.
/// `since`: sweeps since one was corrected here. Collective.
bool ShakeSweeps::vote(std::int64_t since, ConstraintResult& result)
{
    std::ranges::fill(mask_, 0);
    // Bit 0: in this sweep; bit 1 + k: not more than 2^k sweeps ago.
    constexpr auto all = ~std::uint64_t{0};
    mask_.back() = since == 0 ? all : all << (1 + std::bit_width(static_cast<std::uint64_t>(since - 1)));
    const auto word = [this](std::int32_t cluster) -> std::uint64_t& {
        return mask_[index(table.clusters[index(cluster)].bit / 64)];
    };
    const auto bit = [this](std::int32_t cluster) {
        return std::uint64_t{1} << (table.clusters[index(cluster)].bit % 64);
    };
    for (const auto c : table.cut.clusters)
        if (progress_[index(c)].failed >= 0) word(c) |= bit(c);
    settings_.comm.bitwise_or(mask_);
    ++result.reductions;
    bool any_new = false;
    for (const auto c : table.cut.clusters) {
        auto& progress = progress_[index(c)];
        if ((word(c) & bit(c)) == 0 || progress.failed >= 0) continue;
        progress.failed = elsewhere;
        any_new = true;
    }
    if (any_new) leave_failed();
    if (adaptive()) {
        share_errors(result);
        adapt(table.cut);
    }
    return (mask_.back() & 1) != 0;
}

/// As far as the last vote tells: half of them at least.
std::int64_t ShakeSweeps::sweeps_too_many() const
{
    const auto bit = std::countr_zero(mask_.back());
    return bit < 2 ? 0 : std::int64_t{1} << (bit - 2);
}

/// Leaves the atoms of failed clusters where they were before any guess, and says what failed first: on a rank that has
/// seen it.
void ShakeSweeps::withdraw_failed(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result)
{
    bool any = false;
    for (std::size_t c = 0; c < progress_.size(); ++c) {
        const auto& progress = progress_[c];
        if (progress.failed < 0) continue;
        any = true;
        if (!result.failure.empty() || progress.failed == elsewhere) continue;
        const auto& link = table.links[index(progress.failed)];
        const std::array<AtomId, 2> ids{table.numbered.id(link.i), table.numbered.id(link.j)};
        const auto& instance = table.clusters[c].instance;
        result.failure =
            failure_message(instance.molecule_type->name, instance.molecule, ids,
                            progress.endless ? "no solution was found within the iteration limit"
                                             : "the bond has turned by 90 degrees or more, or is not finite",
                            stage);
    }
    if (!any) return;
    for (const auto& link : table.links)
        if (failed(link))
            for (const auto number : {link.i, link.j})
                displacements_[index(number)].value = guess.empty() ? Vec3::Zero() : Vec3(-guess[index(number)]);
}

} // namespace holon
