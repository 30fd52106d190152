#include <holon/forces/group_energies.hpp>

#include <algorithm>

namespace holon {

namespace {

constexpr const char* kinds[] = {"coulomb-short", "lj", "coulomb-14", "lj-14"};

} // namespace

GroupEnergies::GroupEnergies(std::span<const AtomGroup> groups, std::int64_t n_atoms)
{
    if (groups.empty()) return;
    std::int64_t n_members = 0;
    for (const auto& group : groups) {
        for (const auto& [begin, end] : group.ranges) ranges_.push_back({begin, end, names_.size()});
        n_members += group.size();
        auto& name = names_.emplace_back(group.name);
        std::ranges::replace(name, ',', '_'); // of a table
    }
    std::ranges::sort(ranges_, {}, &Range::begin);
    if (n_members < n_atoms) names_.emplace_back("rest");
    sums_.resize(std::size(kinds) * n_pairs());
}

std::vector<std::string> GroupEnergies::keys() const
{
    std::vector<std::string> keys;
    if (empty()) return keys;
    for (const char* kind : kinds)
        for (std::size_t a = 0; a < names_.size(); ++a)
            for (std::size_t b = a; b < names_.size(); ++b)
                keys.push_back(std::string(kind) + ":" + names_[a] + "-" + names_[b]);
    return keys;
}

std::size_t GroupEnergies::of_atom(AtomId id) const
{
    const auto range = std::ranges::upper_bound(ranges_, id, {}, &Range::end);
    return range != ranges_.end() && range->begin <= id ? range->group : names_.size() - 1;
}

void GroupEnergies::set_up(const Atoms& atoms)
{
    if (empty()) return;
    of_local_.clear();
    for (const auto id : atoms.id) of_local_.push_back(of_atom(id));
}

void GroupEnergies::clear()
{
    std::ranges::fill(sums_, FixedSum{});
}

void GroupEnergies::add(Kind kind, std::size_t group, std::size_t other, double energy)
{
    const auto [a, b] = std::minmax(group, other);
    // Of the rows of a triangle, that of a comes after those that are longer.
    const auto pair = a * names_.size() - a * (a + 1) / 2 + b;
    sums_[static_cast<std::size_t>(kind) * n_pairs() + pair].add(energy);
}

std::vector<double> GroupEnergies::values() const
{
    std::vector<double> values;
    for (const auto& sum : sums_) values.push_back(sum.value());
    return values;
}

} // namespace holon
