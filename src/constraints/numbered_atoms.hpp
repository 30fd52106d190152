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

    /// Owners -> copies, without shifts; real numbers arrive bit for bit. Adds to messages and bytes. Collective.
    void refresh(std::vector<IVec3>& values, ConstraintResult& result);
    void refresh(std::vector<Vec3>& values, ConstraintResult& result);

private:
    std::int32_t n_owned_ = 0;
    std::vector<AtomId> ids_;
    std::vector<std::int32_t> local_; // index in Atoms
    std::unordered_map<AtomId, std::int32_t> number_;
    std::optional<HaloExchange> exchange_; // none on one rank
    std::vector<IVec3> buffer_;
};

} // namespace holon
