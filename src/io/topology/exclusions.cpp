#include "molecule.hpp"

#include <algorithm>

namespace holon {

std::vector<std::vector<std::int32_t>> find_exclusions(std::size_t n_atoms,
                                                       const std::vector<std::pair<std::int32_t, std::int32_t>>& bonds,
                                                       const std::vector<std::pair<std::int32_t, std::int32_t>>& extra,
                                                       std::int64_t depth)
{
    std::vector<std::vector<std::int32_t>> neighbours(n_atoms);
    for (const auto& [i, j] : bonds) {
        neighbours[static_cast<std::size_t>(i)].push_back(j);
        neighbours[static_cast<std::size_t>(j)].push_back(i);
    }

    std::vector<std::vector<std::int32_t>> excluded(n_atoms);
    for (const auto& [i, j] : extra) {
        if (i == j) continue;
        excluded[static_cast<std::size_t>(i)].push_back(j);
        excluded[static_cast<std::size_t>(j)].push_back(i);
    }

    std::vector<std::int32_t> reached_from(n_atoms, -1);
    std::vector<std::int32_t> shell, next;
    for (std::size_t atom = 0; atom < n_atoms; ++atom) {
        const auto self = static_cast<std::int32_t>(atom);
        reached_from[atom] = self;
        shell = {self};
        for (std::int64_t distance = 1; distance <= depth && !shell.empty(); ++distance) {
            next.clear();
            for (const std::int32_t i : shell) {
                for (const std::int32_t j : neighbours[static_cast<std::size_t>(i)]) {
                    if (reached_from[static_cast<std::size_t>(j)] == self) continue;
                    reached_from[static_cast<std::size_t>(j)] = self;
                    next.push_back(j);
                    excluded[atom].push_back(j);
                }
            }
            shell.swap(next);
        }
        auto& list = excluded[atom];
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return excluded;
}

} // namespace holon
