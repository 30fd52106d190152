#include <holon/io/options.hpp>

#include "mdp/text.hpp"

#include <holon/core/error.hpp>
#include <holon/io/index_file.hpp>
#include <holon/io/text_file.hpp>

#include <algorithm>

namespace holon {

namespace {

/// The setting that named the groups, for messages.
const Setting& origin(const RunSettings& settings, const std::string& key)
{
    return *std::find_if(settings.effective.begin(), settings.effective.end(),
                         [&](const Setting& setting) { return setting.key == key; });
}

class GroupFinder {
public:
    GroupFinder(const Topology& topology, std::span<const AtomGroup> index_groups)
        : index_groups_(index_groups), default_groups_(default_groups(topology))
    {
    }

    void fill_in(AtomGroup& group, const Setting& setting) const
    {
        const AtomGroup* found = find_group(index_groups_, group.name);
        if (found == nullptr) found = find_group(default_groups_, group.name);
        if (found == nullptr)
            reject(setting, "there is no group " + printable_name(group.name) + "; there are: " + names());
        if (found->ranges.empty()) reject(setting, "the group " + found->name + " has no atoms");
        group.ranges = found->ranges;
    }

private:
    static std::string printable_name(const std::string& name) { return "'" + printable(name) + "'"; }

    std::string names() const
    {
        std::string list;
        for (std::span<const AtomGroup> groups : {index_groups_, std::span<const AtomGroup>(default_groups_)})
            for (const AtomGroup& group : groups) list += (list.empty() ? "" : ", ") + group.name;
        return list + " (give others in an index file, -n)";
    }

    std::span<const AtomGroup> index_groups_;
    std::vector<AtomGroup> default_groups_;
};

struct MemberRange {
    AtomId begin;
    AtomId end;
    const AtomGroup* group;
};

/// Checks that no atom is in two groups; returns the ranges of all groups in order.
std::vector<MemberRange> disjoint_ranges(const std::vector<const AtomGroup*>& groups, const Setting& setting)
{
    std::vector<MemberRange> all;
    for (const AtomGroup* group : groups)
        for (const auto& [begin, end] : group->ranges) all.push_back({begin, end, group});
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (std::size_t k = 1; k < all.size(); ++k)
        if (all[k].begin < all[k - 1].end)
            reject(setting, "atom " + std::to_string(all[k].begin + 1) + " is in the groups " + all[k - 1].group->name +
                                " and " + all[k].group->name + "; every atom may be in one only");
    return all;
}

/// Checks that every atom is in a group.
void check_complete(const std::vector<MemberRange>& ranges, std::int64_t n_atoms, const Setting& setting)
{
    std::int64_t missing = n_atoms;
    std::int64_t first_missing = 0;
    for (const MemberRange& range : ranges) {
        missing -= range.end - range.begin;
        if (range.begin == first_missing) first_missing = range.end;
    }
    if (missing > 0)
        reject(setting, std::to_string(missing) + " atoms are in none of these groups, the first is atom " +
                            std::to_string(first_missing + 1) + "; every atom must be in one");
}

} // namespace

void resolve_groups(RunSettings& settings, const Topology& topology, std::span<const AtomGroup> index_groups)
{
    const GroupFinder finder(topology, index_groups);
    Parameters& p = settings.parameters;

    const Setting& tc = origin(settings, "tc-grps");
    std::vector<const AtomGroup*> groups;
    for (CouplingGroup& group : p.tc_groups) {
        finder.fill_in(group.atoms, tc);
        groups.push_back(&group.atoms);
    }
    const std::vector<MemberRange> coupled = disjoint_ranges(groups, tc);
    if (!groups.empty()) check_complete(coupled, topology.n_atoms(), tc);

    const auto fill_in = [&](auto& members, const std::string& key) {
        const Setting& setting = origin(settings, key);
        groups.clear();
        for (auto& member : members) {
            AtomGroup* group = nullptr;
            if constexpr (requires { member.atoms; })
                group = &member.atoms;
            else
                group = &member;
            finder.fill_in(*group, setting);
            groups.push_back(group);
        }
        disjoint_ranges(groups, setting);
    };
    fill_in(p.comm_groups, "comm-grps");
    fill_in(p.energy_groups, "energygrps");
    fill_in(p.frozen_groups, "freezegrps");
    fill_in(p.accelerated_groups, "acc-grps");
    fill_in(p.rigid_groups, "rigid-groups");
}

} // namespace holon
