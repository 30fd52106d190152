#include "numbered_atoms.hpp"

#include "cut_clusters.hpp"

#include <holon/core/error.hpp>

namespace holon {

void NumberedAtoms::clear(std::int32_t n_owned)
{
    n_owned_ = n_owned;
    ids_.clear();
    local_.clear();
    number_.clear();
    exchange_.reset();
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

void NumberedAtoms::connect(const Communicator& comm, const AtomDirectory& directory)
{
    if (comm.size() == 1) return;
    std::vector<CopyRequest> requests;
    for (std::size_t n = 0; n < size(); ++n)
        if (!owned(n)) requests.push_back({0, ids_[n], static_cast<std::int32_t>(n), directory.owner_of(local_[n])});
    auto exchanges = make_copy_exchanges(comm, 1, std::move(requests), [this](AtomId id) { return number_.at(id); });
    exchange_.emplace(std::move(exchanges.front()));
}

template <class Row>
void NumberedAtoms::refresh(std::vector<Row>& values, ConstraintResult& result)
{
    if (!exchange_) return;
    exchange_->update(std::span(values));
    result.messages += exchange_->messages();
    result.bytes += exchange_->copies_sent() * static_cast<std::int64_t>(sizeof(IVec3));
}
template void NumberedAtoms::refresh(std::vector<IVec3>&, ConstraintResult&);
template void NumberedAtoms::refresh(std::vector<PaddedIVec3>&, ConstraintResult&);

} // namespace holon
