#include <holon/comm/halo_exchange.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include "persistent_messages.hpp"

#include <cstring>
#include <utility>

namespace holon {

namespace {

/// Messages carry three numbers of 64 bits for each atom, whatever they are.
template <class Vector>
IVec3 packed(const Vector& value)
{
    static_assert(sizeof(Vector) == sizeof(IVec3));
    IVec3 bits;
    std::memcpy(bits.data(), value.data(), sizeof bits);
    return bits;
}
template <class Vector>
void unpack(const IVec3& bits, Vector& value)
{
    std::memcpy(value.data(), bits.data(), sizeof bits);
}
IVec3 packed(const PaddedVec3& row)
{
    return packed(row.value);
}
void unpack(const IVec3& bits, PaddedVec3& row)
{
    unpack(bits, row.value);
}

} // namespace

/// One persistent message per neighbour and direction: buffers and requests are made once per repartition.
struct HaloExchange::Impl {
    struct Peer {
        int rank = 0;
        std::vector<std::int32_t> atoms;   // sent: owners; received: copies
        std::vector<std::int32_t> wrap_of; // sent only
        std::vector<Image> wraps;          // likewise
        std::vector<IVec3> shifts;         // by these
        std::vector<IVec3> buffer;
    };

    Communicator comm;
    std::vector<Peer> sends, receives;    // other ranks
    std::vector<Peer> self_from, self_to; // this rank's own periodic images: at most one of each
    PersistentMessages outward;           // owners -> copies
    PersistentMessages inward;            // copies -> owners
    bool under_way = false;               // any exchange
    bool positions_under_way = false;

    Impl(Communicator c, std::vector<HaloSend> send_lists, std::vector<HaloReceive> receive_lists)
        : comm(std::move(c)), outward(comm), inward(comm)
    {
        for (auto& list : send_lists) {
            if (list.atoms.empty()) continue;
            auto& peers = list.rank == comm.rank() ? self_from : sends;
            const auto n = list.atoms.size();
            peers.push_back({list.rank,
                             std::move(list.atoms),
                             std::move(list.wrap_of),
                             std::move(list.wraps),
                             {},
                             std::vector<IVec3>(list.rank == comm.rank() ? 0 : n)});
        }
        for (auto& list : receive_lists) {
            if (list.atoms.empty()) continue;
            auto& peers = list.rank == comm.rank() ? self_to : receives;
            const auto n = list.atoms.size();
            peers.push_back(
                {list.rank, std::move(list.atoms), {}, {}, {}, std::vector<IVec3>(list.rank == comm.rank() ? 0 : n)});
        }
        HOLON_ASSERT(self_from.size() == self_to.size() && self_from.size() <= 1, std::to_string(self_from.size()));
        add(outward, receives, sends, 2);
        add(inward, sends, receives, 3);
    }

    static void add(PersistentMessages& messages, std::vector<Peer>& in, std::vector<Peer>& out, int tag)
    {
        for (auto& peer : in) messages.add_receive(std::as_writable_bytes(std::span(peer.buffer)), peer.rank, tag);
        for (auto& peer : out) messages.add_send(std::as_bytes(std::span(peer.buffer)), peer.rank, tag);
    }

    void follow(const Box& box)
    {
        for (auto* peers : {&sends, &self_from})
            for (auto& peer : *peers) {
                peer.shifts.clear();
                for (const auto& wraps : peer.wraps) peer.shifts.push_back(box.shift(wraps));
            }
    }

    template <bool shifted, class Row>
    void start_outward(std::span<Row> x)
    {
        const auto value = [&x](const Peer& peer, std::size_t k) -> IVec3 {
            IVec3 own = packed(x[index(peer.atoms[k])]);
            if constexpr (shifted) return own + peer.shifts[index(peer.wrap_of[k])];
            return own;
        };
        set_under_way(true);
        outward.start_receives();
        for (auto& peer : sends)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k) peer.buffer[k] = value(peer, k);
        outward.start_sends();
        for (std::size_t p = 0; p < self_from.size(); ++p)
            for (std::size_t k = 0; k < self_from[p].atoms.size(); ++k)
                unpack(value(self_from[p], k), x[index(self_to[p].atoms[k])]);
    }

    template <class Row>
    void finish_outward(std::span<Row> x)
    {
        set_under_way(false);
        outward.wait_for_receives();
        for (const auto& peer : receives)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k) unpack(peer.buffer[k], x[index(peer.atoms[k])]);
    }

    template <class Row>
    void update(std::span<Row> values)
    {
        start_outward<false>(values);
        finish_outward(values);
    }

    void start_inward(std::span<IVec3> f)
    {
        set_under_way(true);
        inward.start_receives();
        for (auto& peer : receives)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k) peer.buffer[k] = f[index(peer.atoms[k])];
        inward.start_sends();
        for (std::size_t p = 0; p < self_from.size(); ++p)
            for (std::size_t k = 0; k < self_from[p].atoms.size(); ++k)
                f[index(self_from[p].atoms[k])] += f[index(self_to[p].atoms[k])];
    }

    void finish_inward(std::span<IVec3> f)
    {
        set_under_way(false);
        inward.wait_for_receives();
        for (const auto& peer : sends)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k) f[index(peer.atoms[k])] += peer.buffer[k];
    }

    /// Both directions use the same buffers: one exchange at a time.
    void set_under_way(bool now)
    {
        HOLON_ASSERT(now != under_way, now ? "already under way" : "not under way");
        under_way = now;
        if (!now) return;
        outward.wait_for_sends();
        inward.wait_for_sends();
    }
};

HaloExchange::HaloExchange(Communicator comm, std::vector<HaloSend> sends, std::vector<HaloReceive> receives,
                           const Box& box)
    : impl_(std::make_unique<Impl>(std::move(comm), std::move(sends), std::move(receives)))
{
    impl_->follow(box);
}
HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange&&) noexcept = default;
HaloExchange& HaloExchange::operator=(HaloExchange&&) noexcept = default;

void HaloExchange::start_positions(std::span<IVec3> x)
{
    impl_->start_outward<true>(x);
    impl_->positions_under_way = true;
}
void HaloExchange::finish_positions(std::span<IVec3> x)
{
    if (std::exchange(impl_->positions_under_way, false)) impl_->finish_outward(x);
}
void HaloExchange::follow(const Box& box)
{
    impl_->follow(box);
}
void HaloExchange::update(std::span<IVec3> values)
{
    impl_->update(values);
}
void HaloExchange::update(std::span<Vec3> values)
{
    impl_->update(values);
}
void HaloExchange::update(std::span<PaddedVec3> values)
{
    impl_->update(values);
}
void HaloExchange::start_accumulate(std::span<IVec3> values)
{
    impl_->start_inward(values);
}
void HaloExchange::finish_accumulate(std::span<IVec3> values)
{
    impl_->finish_inward(values);
}

std::int64_t HaloExchange::messages() const
{
    return static_cast<std::int64_t>(impl_->sends.size());
}

std::int64_t HaloExchange::copies_sent() const
{
    std::int64_t n = 0;
    for (const auto& peer : impl_->sends) n += static_cast<std::int64_t>(peer.atoms.size());
    return n;
}

} // namespace holon
