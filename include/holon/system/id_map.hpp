#pragma once

#include <holon/core/vec3.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace holon {

/// Global id -> local index, for the atoms of one rank. Open addressing; rebuilt at repartition.
class IdMap {
public:
    void reset(std::size_t expected)
    {
        const auto capacity = std::bit_ceil(2 * expected + 2);
        slots_.assign(capacity, {-1, -1});
        mask_ = capacity - 1;
        used_ = 0;
    }

    /// Inserts unless the id is there already: owned atoms are inserted first and win over their copies.
    void insert(AtomId id, std::int32_t local)
    {
        if (2 * used_ >= slots_.size()) grow();
        const auto k = probe(id);
        if (slots_[k].id >= 0) return;
        slots_[k] = {id, local};
        ++used_;
    }

    /// -1 if the atom is not on this rank.
    std::int32_t find(AtomId id) const { return slots_[probe(id)].local; }

private:
    struct Slot {
        AtomId id;
        std::int32_t local;
    };

    /// The slot that holds the id, or the free one where it belongs.
    std::size_t probe(AtomId id) const
    {
        auto k = (static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15ULL >> 20) & mask_;
        while (slots_[k].id >= 0 && slots_[k].id != id) k = (k + 1) & mask_;
        return k;
    }

    void grow()
    {
        auto old = std::move(slots_);
        reset(old.size());
        for (const auto& slot : old)
            if (slot.id >= 0) insert(slot.id, slot.local);
    }

    std::vector<Slot> slots_ = {{-1, -1}, {-1, -1}};
    std::size_t mask_ = 1;
    std::size_t used_ = 0;
};

} // namespace holon
