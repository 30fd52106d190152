#pragma once

#include <holon/comm/halo_exchange.hpp>
#include <holon/constraints/solver.hpp>

#include <optional>
#include <unordered_map>
#include <vector>

namespace holon {

/// The atoms that a solver works on, owned and copies, numbered from 0; arrays with one element per number are kept
/// alike on all ranks.
class NumberedAtoms {
public:
    void clear(std::int32_t n_owned);

    /// The number of an atom that is here.
    std::int32_t number_of(AtomId id, const AtomDirectory& directory);

    /// When all atoms have their numbers. Collective.
    void connect(const Communicator& comm, const AtomDirectory& directory);

    std::size_t size() const { return ids_.size(); }
    bool owned(std::size_t number) const { return local_[number] < n_owned_; }
    AtomId id(std::int32_t number) const { return ids_[static_cast<std::size_t>(number)]; }
    std::int32_t local(std::size_t number) const { return local_[number]; }

    /// Owners -> copies, without shifts, of IVec3 or PaddedIVec3. Adds to messages and bytes. Collective.
    template <class Row>
    void refresh(std::vector<Row>& values, ConstraintResult& result);

private:
    std::int32_t n_owned_ = 0;
    std::vector<AtomId> ids_;
    std::vector<std::int32_t> local_; // index in Atoms
    std::unordered_map<AtomId, std::int32_t> number_;
    std::optional<HaloExchange> exchange_; // none on one rank
};

} // namespace holon
