#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/comm/halo_exchange.hpp>
#include <holon/system/partition.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace holon::sites {

/// An atom and its owner.
using OwnedElsewhere = std::pair<int, AtomId>;

/// The parents that domains cut off from their sites: their positions come from their owners, and what they get of
/// forces goes there.
class CutParents {
public:
    /// `wanted`: those of this rank's sites, sorted, each once. Null where no rank wants any. Collective.
    static std::unique_ptr<CutParents> of(const Communicator& comm, const std::vector<OwnedElsewhere>& wanted,
                                          const IdMap& local);

    /// Positions as their owners have them: any of the periodic images. Collective.
    void fetch(std::span<const IVec3> x);
    const IVec3& x(std::size_t k) const { return x_[n_lent_ + k]; } // of the k-th that was wanted

    IVec3& f(std::size_t k) { return f_[n_lent_ + k]; } // zero before the first use and after send_home()

    /// Adds the forces to those of the owners. Collective.
    void send_home(std::span<IVec3> f);

private:
    CutParents(Communicator comm, std::vector<HaloSend> sends, std::vector<HaloReceive> receives,
               std::vector<std::int32_t> lent, std::size_t n_wanted);

    std::vector<std::int32_t> lent_; // local indices of those that others want
    std::size_t n_lent_;
    std::vector<IVec3> x_, f_; // of these, then of those wanted
    HaloExchange exchange_;
};

} // namespace holon::sites
