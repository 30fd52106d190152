#include "group_batches.hpp"

#include <holon/core/index.hpp>

#include <array>

namespace holon::scaling_groups {

void GroupBatches::add(std::span<const std::int32_t> atoms, std::span<const double> masses)
{
    auto& alike = waiting_[atoms.size()];
    alike.atoms.insert(alike.atoms.end(), atoms.begin(), atoms.end());
    alike.masses.insert(alike.masses.end(), masses.begin(), masses.end());
    if (alike.atoms.size() < index(lanes) * atoms.size()) return;
    append(atoms.size(), alike);
    alike.atoms.clear();
    alike.masses.clear();
}

void GroupBatches::finish()
{
    for (const auto& [n_members, groups] : waiting_)
        if (!groups.atoms.empty()) append(n_members, groups);
    waiting_.clear();
}

void GroupBatches::append(std::size_t n_members, const Alike& groups)
{
    const auto n_groups = groups.atoms.size() / n_members;
    batches_.push_back({static_cast<std::int32_t>(n_groups), static_cast<std::int32_t>(n_members),
                        static_cast<std::int64_t>(atoms_.size() / index(lanes))});
    std::array<double, lanes> mass{};
    for (std::size_t g = 0; g < n_groups; ++g)
        for (std::size_t m = 0; m < n_members; ++m) mass[g] += groups.masses[g * n_members + m];
    masses_.insert(masses_.end(), mass.begin(), mass.end());
    for (std::size_t m = 0; m < n_members; ++m)
        for (std::size_t l = 0; l < index(lanes); ++l) {
            const auto g = l < n_groups ? l : 0;
            atoms_.push_back(groups.atoms[g * n_members + m]);
            weights_.push_back(groups.masses[g * n_members + m] / mass[g]);
        }
}

Groups GroupBatches::groups(std::size_t begin, std::size_t end) const
{
    return {static_cast<std::int64_t>(end - begin), batches_.data() + begin, masses_.data() + index(lanes) * begin,
            atoms_.data(), weights_.data()};
}

} // namespace holon::scaling_groups
