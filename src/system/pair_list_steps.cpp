// The inner list of a pair list, and what is done at every step: positions, margins.
#include <holon/system/pair_list.hpp>

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/parallel.hpp>

#include "pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace holon {

namespace {

/// Steps with the same inner list. A longer life costs larger margins, so more pairs at every step.
constexpr int inner_life = 4;

} // namespace

void PairList::release()
{
    outer_.clear();
    inner_.clear();
    parts_.clear();
    found_.clear();
    inner_far_ = {};
    inner_close_ = {};
}

void PairList::share_out_rows()
{
    std::size_t total = 0;
    for (const auto& row : outer_) total += row.size();
    const auto n_parts = index(Slices(outer_.size(), few_clusters).count());
    before_parts_.clear();
    named_near_.assign(n_parts * clusters_.size(), 0);
    std::int64_t next = 0;
    Before before{0, 0, 0};
    for (std::size_t p = 1; p <= n_parts; ++p) {
        Part part{next, next};
        before_parts_.push_back(before);
        std::int32_t* const named = named_near_.data() + (p - 1) * clusters_.size();
        while (part.last < std::ssize(outer_) && (before.all < total * p / n_parts || p == n_parts)) {
            const auto& row = outer_[index(part.last++)];
            before.all += row.size();
            before.near += index(row.near_end - row.near);
            before.close += index(row.close_end - row.close);
            for (const auto cj : std::span(row.near, row.near_end)) ++named[cj];
        }
        next = part.last;
        parts_.push_back(part);
    }
    inner_.resize(outer_.size());
    inner_far_.grow(before.all - before.near + n_parts);
    inner_close_.grow(before.close + n_parts);
    named_.resize(named_near_.size());
}

void PairList::load_positions(const Atoms& atoms)
{
    ++step_;
    const bool due = steps_left_-- == 0;
    const float strained = strain_ * reach_; // either of a pair nearer to the other; half of it at the cutoff
    struct Outcome {
        bool within_margins, centred_exact;
    };
    const auto [within_margins, exact] = parallel_reduce(
        clusters_.size(), few_clusters,
        [&](std::size_t begin, std::size_t end) {
            bool slice_exact = true;
            int any = 0;
            for (std::size_t first = begin; first < end; first += few_clusters) { // they stay in the nearest cache
                const auto last = std::min(first + few_clusters, end);
                copy_positions(atoms, first, last);
                slice_exact &= centre_positions(first, last);
                if (due) continue;
                float moved[few_clusters];
                HOLON_CALL(pair::largest_steps, clusters_.data() + first, at_inner_.clusters.data() + first,
                           static_cast<std::int64_t>(last - first), moved);
                for (std::size_t c = first; c < last; ++c) any |= moved[c - first] + strained > margin_[c] ? 1 : 0;
            }
            return Outcome{any == 0, slice_exact};
        },
        [](Outcome& total, const Outcome& next) {
            total.within_margins &= next.within_margins;
            total.centred_exact &= next.centred_exact;
        });
    centred_exact_ = exact;
    if (due || !within_margins) {
        adapt_slack(due ? 0.985F : 1.1F);
        take_inner();
    } else if (steps_left_ == 0) {
        remember(at_inner_); // no longer needed for the margins
    } else if (steps_left_ == 1) {
        remember(other_);
    }
}

void PairList::follow_box(const Mat3& map)
{
    const Mat3 strain = map - Mat3::Identity();
    strain_ += static_cast<float>(strain.norm());
    if (!in_range_) { // another list, at once
        strain_ = std::numeric_limits<float>::infinity();
        at_inner_.step = other_.step = -1;
    }
    const Eigen::RowVector3d of_origin = origin_.cast<double>().transpose() * strain;
    pair::Strain moves{};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) moves.by[3 * i + k] = static_cast<float>(strain(i, k));
        moves.of_origin[k] = static_cast<float>(of_origin[k]);
    }
    for (auto* const past : {&at_inner_, &other_}) {
        if (past->step < 0) continue;
        parallel_for(past->clusters.size(), few_clusters, [&](std::size_t begin, std::size_t end) {
            HOLON_CALL(pair::strain, moves, static_cast<std::int64_t>(end - begin), past->clusters.data() + begin);
        });
    }
}

void PairList::remember(Past& past)
{
    past.step = step_;
    past.clusters.resize(clusters_.size());
    parallel_for(clusters_.size(), few_clusters, [&](std::size_t begin, std::size_t end) {
        std::copy_n(clusters_.data() + begin, end - begin, past.clusters.data() + begin);
    });
}

/// How far clusters may move in the steps left: as far as velocities and accelerations let expect, which two positions
/// of the past tell, and slack. Returns the largest margin.
float PairList::predict_margins()
{
    if (at_inner_.step > other_.step) std::swap(at_inner_, other_);
    const Past &before = at_inner_, &last = other_;
    predicted_ = before.step >= 0;
    const float slack = slack_[predicted_ ? 1 : 0];
    margin_.resize(clusters_.size());
    return parallel_reduce(
        clusters_.size(), few_clusters,
        [&](std::size_t begin, std::size_t end) {
            float* const margin = margin_.data();
            if (predicted_)
                HOLON_CALL(pair::expected_steps, pair::Motion{.now = clusters_.data() + begin,
                                                              .last = last.clusters.data() + begin,
                                                              .before = before.clusters.data() + begin,
                                                              .n_clusters = static_cast<std::int64_t>(end - begin),
                                                              .last_ago = static_cast<int>(step_ - last.step),
                                                              .before_ago = static_cast<int>(step_ - before.step),
                                                              .n_steps = steps_left_,
                                                              .farthest = margin + begin});
            else
                std::fill(margin + begin, margin + end, 0.0F);
            float largest = 0.0F;
            for (std::size_t c = begin; c < end; ++c) {
                margin[c] += slack;
                largest = std::max(largest, margin[c]);
            }
            return largest;
        },
        [](float& total, float next) { total = std::max(total, next); });
}

/// Whatever the length of the time step, slack comes to be what some cluster exceeds once in some seven inner lists.
void PairList::adapt_slack(float factor)
{
    constexpr float least = 1e-4F; // [nm]
    float& slack = slack_[predicted_ ? 1 : 0];
    if (!clusters_.empty()) slack = std::max(factor * slack, least);
}

/// All ranks take one in the same steps: one that does it alone keeps the others waiting. So does one with a cluster
/// that has moved too far before.
void PairList::take_inner()
{
    steps_left_ = inner_life - 1 - static_cast<int>(step_ % inner_life);
    const float largest_margin = predict_margins();
    remember(at_inner_);
    strain_ = 0.0F;
    parallel_parts(static_cast<int>(parts_.size()), [&](int p, int) {
        const auto& part = parts_[index(p)];
        const auto& before = before_parts_[index(p)];
        const auto own = index(p) * clusters_.size() + index(part.first), end = index(p + 1) * clusters_.size();
        std::copy(named_near_.data() + own, named_near_.data() + end, named_.data() + own);
        const pair::Prune rows{.clusters = {clusters_.data()},
                               .centred = centred(),
                               .first = part.first,
                               .last = part.last,
                               .rows = outer_.data(),
                               .kept_rows = inner_.data(),
                               .used_rows = used_rows_.data(),
                               .used = used_.data(),
                               .margin = margin_.data(),
                               .largest_margin = largest_margin,
                               .cutoff = reach_,
                               .apart = roundings_,
                               .radius = radius_.data(),
                               .kept_far = inner_far_.data() + before.all - before.near + index(p),
                               .kept_close = inner_close_.data() + before.close + index(p),
                               .named = named_.data() + index(p) * clusters_.size()};
        HOLON_CALL(pair::prune, rows);
    });
}

double PairList::largest_distance2(std::span<const IVec3> a, std::span<const IVec3> b)
{
    if (a.empty()) return 0.0;
    constexpr std::size_t few_atoms = 1024; // for a thread
    const double largest = parallel_reduce(
        a.size(), few_atoms,
        [&](std::size_t begin, std::size_t end) {
            return HOLON_CALL(pair::largest_distance2, a[begin].data(), b[begin].data(),
                              static_cast<std::int64_t>(end - begin));
        },
        [](double& total, double next) { total = std::max(total, next); });
    return largest * position_unit * position_unit * (1.0 + 1e-12);
}

void PairList::copy_positions(const Atoms& atoms, std::size_t begin, std::size_t end)
{
    const auto modulo = [&](int k) { return static_cast<std::int32_t>(origin_[k]); };
    HOLON_CALL(pair::place, pair::Placing{.x = atoms.x.front().data(),
                                          .atoms = atoms_.data() + begin * width,
                                          .origin = {modulo(0), modulo(1), modulo(2)},
                                          .n_clusters = static_cast<std::int64_t>(end - begin),
                                          .clusters = clusters_.data() + begin});
}

/// Returns whether there are frames for all of these rows: in clusters of few atoms far apart there may be none.
bool PairList::choose_frames(std::size_t begin, std::size_t end)
{
    if (frames_[1].empty()) return true;
    // An atom and one that becomes its pair never have a seam between them if there is none this far around the one:
    // until the next build either moves by less than half the skin, and so far the box may take both. And where no
    // cluster is wider than half a frame less this, no entry has two atoms so far apart that a frame's width less seems
    // near. One cluster of few atoms far apart, as in a vapour, takes the frames away from all.
    const auto apart = static_cast<std::int32_t>(std::ceil((reach_ + 1.5F * static_cast<float>(skin_)) / kernel_unit));
    const auto fits = [apart](std::int32_t low, std::int32_t extent) {
        const std::int32_t left = pair::in_frame(low);
        return left - apart >= -frame_half && left + extent + apart < frame_half;
    };
    for (std::size_t c = begin; c < end; ++c) {
        std::uint8_t frames = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto* const x = k == 0 ? clusters_[c].x : k == 1 ? clusters_[c].y : clusters_[c].z;
            std::int32_t low = std::numeric_limits<std::int32_t>::max(),
                         high = std::numeric_limits<std::int32_t>::min();
            for (std::size_t a = 0; a < width; ++a) {
                if (atoms_[c * width + a] < 0) continue;
                low = std::min(low, x[a]);
                high = std::max(high, x[a]);
            }
            const std::int32_t extent = high - low, from_middle = low - middle_[k];
            if (std::int64_t{extent} + apart > frame_half) return false;
            if (fits(from_middle, extent)) continue;
            if (!fits(from_middle - frame_half, extent)) return false;
            frames |= static_cast<std::uint8_t>(1U << k);
        }
        frames_of_row_[c] = frames;
    }
    return true;
}

/// Returns whether the centred positions are exact.
bool PairList::centre_positions(std::size_t begin, std::size_t end)
{
    if (frames_[0].empty()) return false;
    return HOLON_CALL(pair::centre, clusters_.data() + begin, middle_.data(), static_cast<std::int64_t>(end - begin),
                      frames_[0].data() + begin, frames_[1].empty() ? nullptr : frames_[1].data() + begin);
}

} // namespace holon
