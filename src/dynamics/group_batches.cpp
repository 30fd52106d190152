#include "group_batches.hpp"

#include <holon/core/index.hpp>

#include <numeric>

namespace holon::scaling_groups {

void GroupBatches::add(std::span<const std::int32_t> atoms, std::span<const double> masses)
{
    Group group{{atoms.begin(), atoms.end()}, {}, std::accumulate(masses.begin(), masses.end(), 0.0)};
    for (const double mass : masses) group.weights.push_back(mass / group.mass);
    auto& alike = waiting_[atoms.size()];
    alike.push_back(std::move(group));
    if (alike.size() < index(lanes)) return;
    append(alike);
    alike.clear();
}

void GroupBatches::finish()
{
    for (const auto& [n_members, groups] : waiting_)
        if (!groups.empty()) append(groups);
    waiting_.clear();
}

void GroupBatches::append(std::span<const Group> groups)
{
    const auto n_members = groups.front().atoms.size();
    batches_.push_back({static_cast<std::int32_t>(groups.size()), static_cast<std::int32_t>(n_members),
                        static_cast<std::int64_t>(atoms_.size() / index(lanes))});
    const auto for_each_lane = [&](auto use) {
        for (std::size_t l = 0; l < index(lanes); ++l)
            use(l < groups.size() ? groups[l] : groups[0], l < groups.size());
    };
    for_each_lane([&](const Group& group, bool own) { masses_.push_back(own ? group.mass : 0.0); });
    for (std::size_t m = 0; m < n_members; ++m)
        for_each_lane([&](const Group& group, bool) {
            atoms_.push_back(group.atoms[m]);
            weights_.push_back(group.weights[m]);
        });
}

Groups GroupBatches::groups(std::size_t begin, std::size_t end) const
{
    return {static_cast<std::int64_t>(end - begin), batches_.data() + begin, masses_.data() + index(lanes) * begin,
            atoms_.data(), weights_.data()};
}

} // namespace holon::scaling_groups
