#include "numbered_atoms.hpp"

#include <holon/core/error.hpp>

namespace holon {

void NumberedAtoms::clear(std::int32_t n_owned)
{
    n_owned_ = n_owned;
    ids_.clear();
    local_.clear();
    number_.clear();
    exchanges_.clear();
}

std::int32_t NumberedAtoms::number_of(AtomId id, const AtomDirectory& directory)
{
    const auto [entry, is_new] = number_.try_emplace(id, static_cast<std::int32_t>(ids_.size()));
    if (is_new) {
        const auto index = directory.local_index(id);
        HOLON_ASSERT(index >= 0,
                     "no copy of atom id " + std::to_string(id) + ", which constraints of owned atoms need");
        ids_.push_back(id);
        local_.push_back(index);
    }
    return entry->second;
}

std::int32_t NumberedAtoms::find(AtomId id) const
{
    const auto entry = number_.find(id);
    return entry == number_.end() ? -1 : entry->second;
}

CopyRequest NumberedAtoms::request(int channel, std::int32_t number, const AtomDirectory& directory) const
{
    const auto n = static_cast<std::size_t>(number);
    return {channel, ids_[n], number, directory.owner_of(local_[n])};
}

void NumberedAtoms::connect(const Communicator& comm, const AtomDirectory& directory, int n_further,
                            std::vector<CopyRequest> further)
{
    if (comm.size() == 1) return;
    for (std::size_t n = 0; n < size(); ++n)
        if (!owned(n)) further.push_back(request(0, static_cast<std::int32_t>(n), directory));
    exchanges_ =
        make_copy_exchanges(comm, 1 + n_further, std::move(further), [this](AtomId id) { return number_.at(id); });
}

template <class Row>
void NumberedAtoms::refresh(std::vector<Row>& values, ConstraintResult& result, std::size_t channel)
{
    if (exchanges_.empty()) return;
    auto& exchange = exchanges_[channel];
    exchange.update(std::span(values));
    result.messages += exchange.messages();
    result.bytes += exchange.copies_sent() * static_cast<std::int64_t>(sizeof(IVec3));
}
template void NumberedAtoms::refresh(std::vector<IVec3>&, ConstraintResult&, std::size_t);
template void NumberedAtoms::refresh(std::vector<Vec3>&, ConstraintResult&, std::size_t);
template void NumberedAtoms::refresh(std::vector<PaddedVec3>&, ConstraintResult&, std::size_t);

} // namespace holon
