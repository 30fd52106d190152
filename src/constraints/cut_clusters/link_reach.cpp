#include "link_reach.hpp"

#include <holon/core/index.hpp>

#include <algorithm>

namespace holon {

LinkReach::LinkReach(const ConstraintCluster& cluster) : at_(cluster.atoms.size())
{
    const auto place = [&](std::int32_t atom) {
        return static_cast<std::int32_t>(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
    };
    for (std::size_t colour = 0; colour + 1 < cluster.colour_begin.size(); ++colour)
        for (auto k = cluster.colour_begin[colour]; k < cluster.colour_begin[colour + 1]; ++k) {
            const auto& constraint = cluster.constraints[index(k)];
            colour_.push_back(static_cast<std::int32_t>(colour));
            ends_.push_back({place(constraint.i), place(constraint.j)});
            for (const auto atom : ends_.back()) at_[index(atom)].push_back(k);
        }
}

std::vector<std::int32_t> LinkReach::operator()(std::span<const std::int32_t> atoms) const
{
    std::vector<bool> seen(ends_.size(), false);
    std::vector<std::int32_t> found;
    const auto visit = [&](std::int32_t k) {
        if (!seen[index(k)]) found.push_back(k);
        seen[index(k)] = true;
    };
    for (const auto atom : atoms)
        for (const auto k : constraints_at(atom)) visit(k);
    for (std::size_t f = 0; f < found.size(); ++f) {
        const auto k = found[f];
        for (const auto atom : atoms_of(k))
            for (const auto l : constraints_at(atom))
                if (l < k && round(l) == round(k)) visit(l);
    }
    std::ranges::sort(found);
    return found;
}

} // namespace holon
