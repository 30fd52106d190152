#pragma once

#include "cut_clusters.hpp"

#include <holon/comm/halo_exchange.hpp>
#include <holon/constraints/solver.hpp>
#include <holon/core/index.hpp>

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

    /// Their number, if they have one; else -1.
    std::int32_t find(AtomId id) const;

    /// A request for the copy with this number.
    CopyRequest request(int channel, std::int32_t number, const AtomDirectory& directory) const;

    /// When all atoms have their numbers. Channel 0 refreshes all copies; `further` has requests for channels 1 to
    /// `n_further`. Collective.
    void connect(const Communicator& comm, const AtomDirectory& directory, int n_further = 0,
                 std::vector<CopyRequest> further = {});

    std::size_t size() const { return ids_.size(); }
    bool owned(std::size_t number) const { return local_[number] < n_owned_; }
    AtomId id(std::int32_t number) const { return ids_[index(number)]; }
    std::int32_t local(std::size_t number) const { return local_[number]; }

    /// Owners -> copies of a channel, without shifts, of IVec3, Vec3 or PaddedVec3. Adds to messages and bytes.
    /// Nothing without connect(). Collective.
    template <class Row>
    void refresh(std::vector<Row>& values, ConstraintResult& result, std::size_t channel = 0);

private:
    std::int32_t n_owned_ = 0;
    std::vector<AtomId> ids_;
    std::vector<std::int32_t> local_; // index in Atoms
    std::unordered_map<AtomId, std::int32_t> number_;
    std::vector<HaloExchange> exchanges_; // per channel; none on one rank
};

} // namespace holon
