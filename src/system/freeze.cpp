#include <holon/system/freeze.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace holon {

namespace {

enum class Frozen : std::uint8_t { no, partly, whole };
using Mask = std::vector<Frozen>; // per atom of a molecule

/// Groups do not overlap, so their ranges make one list in order.
class FrozenRanges {
public:
    explicit FrozenRanges(std::span<const FrozenGroup> groups)
    {
        for (const auto& group : groups) {
            const auto axes = std::ranges::count(group.axes, true);
            if (axes == 0) continue;
            for (const auto& [begin, end] : group.atoms.ranges)
                ranges_.push_back({begin, end, axes == 3 ? Frozen::whole : Frozen::partly});
        }
        std::ranges::sort(ranges_, {}, &Range::begin);
    }

    bool empty() const { return ranges_.empty(); }

    Mask of(AtomId first, std::size_t n) const
    {
        Mask mask(n, Frozen::no);
        const auto last = first + static_cast<AtomId>(n);
        auto range = std::ranges::upper_bound(ranges_, first, {}, &Range::end);
        for (; range != ranges_.end() && range->begin < last; ++range)
            for (auto id = std::max(range->begin, first); id < std::min(range->end, last); ++id)
                mask[index(id - first)] = range->frozen;
        return mask;
    }

private:
    struct Range {
        AtomId begin, end;
        Frozen frozen;
    };
    std::vector<Range> ranges_;
};

[[noreturn]] void refuse(const MoleculeType& molecule, std::int32_t atom, const char* why)
{
    throw InputError("freezegrps: atom " + std::to_string(atom + 1) + " (" + molecule.atoms[index(atom)].name +
                     ") of molecule '" + molecule.name + "' " + why);
}

MoleculeType frozen_type(MoleculeType molecule, const Mask& mask, bool box_changes)
{
    const auto is = [&](std::int32_t atom, Frozen frozen) { return mask[index(atom)] == frozen; };
    const auto whole = [&](std::int32_t atom) { return is(atom, Frozen::whole); };
    for (std::size_t a = 0; a < mask.size(); ++a) molecule.atoms[a].frozen = mask[a] == Frozen::whole;
    for (const auto& c : molecule.constraints)
        for (const auto atom : {c.i, c.j})
            if (is(atom, Frozen::partly))
                refuse(molecule, atom,
                       "has constraints and is frozen along some axes only: freeze it along all, or use constraints = "
                       "none");
    std::erase_if(molecule.constraints, [&](const Constraint& c) { return whole(c.i) && whole(c.j); });
    if (box_changes)
        for (const auto& c : molecule.constraints)
            if (whole(c.i) || whole(c.j))
                refuse(molecule, whole(c.i) ? c.i : c.j,
                       "is bound by a constraint to an atom that is not frozen, and the box changes: freeze both, or "
                       "use constraints = none, or keep the box");
    for (const auto& s : molecule.settles)
        for (std::int32_t a = 0; a < 3; ++a)
            if (mask[index(s.oxygen + a)] != mask[index(s.oxygen)] || is(s.oxygen + a, Frozen::partly))
                refuse(molecule, s.oxygen + a,
                       "belongs to a rigid water: freeze all of its three atoms, along all axes, or none");
    std::erase_if(molecule.settles, [&](const Settle& s) { return whole(s.oxygen); });
    return molecule;
}

} // namespace

void freeze_atoms(Topology& topology, std::span<const FrozenGroup> groups, bool box_changes)
{
    const FrozenRanges frozen(groups);
    if (frozen.empty()) return;
    std::map<std::pair<int, Mask>, int> types;
    std::vector<MoleculeBlock> blocks;
    for (const auto& block : topology.blocks) {
        const auto size = topology.molecule_types[index(block.type)].atoms.size();
        for (std::int64_t m = 0; m < block.count; ++m) {
            const auto first = static_cast<AtomId>(block.first_atom + m * static_cast<std::int64_t>(size));
            auto mask = frozen.of(first, size);
            int type = block.type;
            if (std::ranges::any_of(mask, [](Frozen f) { return f != Frozen::no; })) {
                const auto [known, is_new] =
                    types.try_emplace({type, std::move(mask)}, static_cast<int>(topology.molecule_types.size()));
                if (is_new)
                    topology.molecule_types.push_back(
                        frozen_type(topology.molecule_types[index(type)], known->first.second, box_changes));
                type = known->second;
            }
            if (m > 0 && blocks.back().type == type)
                ++blocks.back().count;
            else
                blocks.push_back({type, 1, first, block.first_molecule + m});
        }
    }
    topology.blocks = std::move(blocks);
}

} // namespace holon
