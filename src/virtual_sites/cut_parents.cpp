#include "cut_parents.hpp"

#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <algorithm>
#include <string>

namespace holon::sites {

std::unique_ptr<CutParents> CutParents::of(const Communicator& comm, const std::vector<OwnedElsewhere>& wanted,
                                           const IdMap& local)
{
    if (!comm.any(!wanted.empty())) return nullptr;
    const auto list_of = [](auto& lists, int rank) -> auto&
    {
        if (lists.empty() || lists.back().rank != rank) lists.emplace_back().rank = rank;
        return lists.back();
    };
    Outbox<AtomId> requests;
    std::vector<HaloReceive> receives;
    for (const auto& [owner, id] : wanted) {
        requests.send(owner, id);
        list_of(receives, owner).atoms.push_back(0);
    }
    std::vector<std::int32_t> lent;
    std::vector<HaloSend> sends;
    requests.exchange(comm, [&](int rank, AtomId id) {
        HOLON_ASSERT(local.find(id) >= 0, std::to_string(id));
        auto& send = list_of(sends, rank);
        send.wraps.resize(1, Image::Zero());
        send.atoms.push_back(static_cast<std::int32_t>(lent.size()));
        send.wrap_of.push_back(0);
        lent.push_back(local.find(id));
    });
    auto next = static_cast<std::int32_t>(lent.size());
    for (auto& receive : receives)
        for (auto& place : receive.atoms) place = next++;
    return std::unique_ptr<CutParents>(
        new CutParents(comm, std::move(sends), std::move(receives), std::move(lent), wanted.size()));
}

CutParents::CutParents(Communicator comm, std::vector<HaloSend> sends, std::vector<HaloReceive> receives,
                       std::vector<std::int32_t> lent, std::size_t n_wanted)
    : lent_(std::move(lent)), n_lent_(lent_.size()), x_(n_lent_ + n_wanted, IVec3::Zero()),
      f_(n_lent_ + n_wanted, IVec3::Zero()), exchange_(std::move(comm), std::move(sends), std::move(receives))
{
}

void CutParents::fetch(std::span<const IVec3> x)
{
    for (std::size_t k = 0; k < n_lent_; ++k) x_[k] = x[index(lent_[k])];
    exchange_.update(x_);
}

void CutParents::send_home(std::span<IVec3> f)
{
    exchange_.accumulate(f_);
    for (std::size_t k = 0; k < n_lent_; ++k) f[index(lent_[k])] += f_[k];
    std::ranges::fill(f_, IVec3::Zero());
}

} // namespace holon::sites
