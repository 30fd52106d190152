#include "cut_parents.hpp"

#include <holon/core/error.hpp>

#include <algorithm>
#include <string>

namespace holon::sites {

namespace {

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

std::unique_ptr<CutParents> CutParents::of(const Communicator& comm, const std::vector<OwnedElsewhere>& wanted,
                                           const IdMap& local)
{
    if (!comm.any(!wanted.empty())) return nullptr;
    std::vector<Message> requests;
    std::vector<HaloReceive> receives;
    for (const auto& [owner, id] : wanted) {
        if (requests.empty() || requests.back().rank != owner) {
            requests.push_back({owner, {}});
            receives.emplace_back().rank = owner;
        }
        Packer(requests.back().data).put(id);
        receives.back().atoms.push_back(0);
    }
    std::vector<std::int32_t> lent;
    std::vector<HaloSend> sends;
    for (const auto& message : comm.exchange(std::move(requests))) {
        auto& send = sends.emplace_back();
        send.rank = message.rank;
        send.wraps.push_back(Image::Zero());
        for (Unpacker unpack(message.data); !unpack.empty();) {
            const auto id = unpack.get<AtomId>();
            HOLON_ASSERT(local.find(id) >= 0, std::to_string(id));
            send.atoms.push_back(static_cast<std::int32_t>(lent.size()));
            send.wrap_of.push_back(0);
            lent.push_back(local.find(id));
        }
    }
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
