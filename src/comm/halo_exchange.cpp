#include <holon/comm/halo_exchange.hpp>

#include <holon/core/error.hpp>

#include "mpi_impl.hpp"

namespace holon {

/// One persistent message per neighbour and direction: buffers and requests are made once per repartition.
struct HaloExchange::Impl {
    struct Peer {
        int rank = 0;
        std::vector<std::int32_t> atoms;    // sent: owners; received: copies
        std::vector<std::int32_t> shift_of; // sent only
        std::vector<IVec3> shifts;
        std::vector<IVec3> buffer;
    };

    Communicator comm;
    std::vector<Peer> sends, receives;    // other ranks
    std::vector<Peer> self_from, self_to; // this rank's own periodic images: at most one of each
    std::vector<MPI_Request> outward;     // receives first, then sends; owners -> copies
    std::vector<MPI_Request> inward;      // copies -> owners
    bool under_way = false;

    Impl(Communicator c, std::vector<HaloSend> send_lists, std::vector<HaloReceive> receive_lists) : comm(std::move(c))
    {
        for (auto& list : send_lists) {
            if (list.atoms.empty()) continue;
            auto& peers = list.rank == comm.rank() ? self_from : sends;
            const auto n = list.atoms.size();
            peers.push_back({list.rank, std::move(list.atoms), std::move(list.shift_of), std::move(list.shifts),
                             std::vector<IVec3>(list.rank == comm.rank() ? 0 : n)});
        }
        for (auto& list : receive_lists) {
            if (list.atoms.empty()) continue;
            auto& peers = list.rank == comm.rank() ? self_to : receives;
            const auto n = list.atoms.size();
            peers.push_back(
                {list.rank, std::move(list.atoms), {}, {}, std::vector<IVec3>(list.rank == comm.rank() ? 0 : n)});
        }
        HOLON_ASSERT(self_from.size() == self_to.size() && self_from.size() <= 1, std::to_string(self_from.size()));
        make_requests(outward, receives, sends, 2);
        make_requests(inward, sends, receives, 3);
    }

    ~Impl()
    {
        for (auto& request : outward) MPI_Request_free(&request);
        for (auto& request : inward) MPI_Request_free(&request);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void make_requests(std::vector<MPI_Request>& requests, std::vector<Peer>& in, std::vector<Peer>& out, int tag) const
    {
        const auto bytes = [](const Peer& peer) { return static_cast<int>(peer.buffer.size() * sizeof(IVec3)); };
        for (auto& peer : in)
            check_mpi(MPI_Recv_init(peer.buffer.data(), bytes(peer), MPI_BYTE, peer.rank, tag, comm.impl().comm,
                                    &requests.emplace_back()),
                      "MPI_Recv_init");
        for (auto& peer : out)
            check_mpi(MPI_Send_init(peer.buffer.data(), bytes(peer), MPI_BYTE, peer.rank, tag, comm.impl().comm,
                                    &requests.emplace_back()),
                      "MPI_Send_init");
    }

    static void start(std::vector<MPI_Request>& requests, std::size_t begin, std::size_t end)
    {
        if (end > begin)
            check_mpi(MPI_Startall(static_cast<int>(end - begin), requests.data() + begin), "MPI_Startall");
    }

    static void wait(std::vector<MPI_Request>& requests)
    {
        if (!requests.empty())
            check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                      "MPI_Waitall");
    }

    template <bool shifted>
    void start_outward(std::span<IVec3> x)
    {
        const auto value = [&x](const Peer& peer, std::size_t k) -> IVec3 {
            const IVec3& own = x[static_cast<std::size_t>(peer.atoms[k])];
            if constexpr (shifted) return own + peer.shifts[static_cast<std::size_t>(peer.shift_of[k])];
            return own;
        };
        set_under_way(true);
        start(outward, 0, receives.size());
        for (auto& peer : sends)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k) peer.buffer[k] = value(peer, k);
        start(outward, receives.size(), outward.size());
        for (std::size_t p = 0; p < self_from.size(); ++p)
            for (std::size_t k = 0; k < self_from[p].atoms.size(); ++k)
                x[static_cast<std::size_t>(self_to[p].atoms[k])] = value(self_from[p], k);
    }

    void finish_outward(std::span<IVec3> x)
    {
        set_under_way(false);
        wait(outward);
        for (const auto& peer : receives)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k)
                x[static_cast<std::size_t>(peer.atoms[k])] = peer.buffer[k];
    }

    void start_inward(std::span<IVec3> f)
    {
        set_under_way(true);
        start(inward, 0, sends.size());
        for (auto& peer : receives)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k)
                peer.buffer[k] = f[static_cast<std::size_t>(peer.atoms[k])];
        start(inward, sends.size(), inward.size());
        for (std::size_t p = 0; p < self_from.size(); ++p)
            for (std::size_t k = 0; k < self_from[p].atoms.size(); ++k)
                f[static_cast<std::size_t>(self_from[p].atoms[k])] += f[static_cast<std::size_t>(self_to[p].atoms[k])];
    }

    void finish_inward(std::span<IVec3> f)
    {
        set_under_way(false);
        wait(inward);
        for (const auto& peer : sends)
            for (std::size_t k = 0; k < peer.atoms.size(); ++k)
                f[static_cast<std::size_t>(peer.atoms[k])] += peer.buffer[k];
    }

    /// Both directions use the same buffers: one exchange at a time.
    void set_under_way(bool now)
    {
        HOLON_ASSERT(now != under_way, now ? "already under way" : "not under way");
        under_way = now;
    }
};

HaloExchange::HaloExchange(Communicator comm, std::vector<HaloSend> sends, std::vector<HaloReceive> receives)
    : impl_(std::make_unique<Impl>(std::move(comm), std::move(sends), std::move(receives)))
{
}
HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange&&) noexcept = default;
HaloExchange& HaloExchange::operator=(HaloExchange&&) noexcept = default;

void HaloExchange::start_positions(std::span<IVec3> x)
{
    impl_->start_outward<true>(x);
}
void HaloExchange::finish_positions(std::span<IVec3> x)
{
    impl_->finish_outward(x);
}
void HaloExchange::update(std::span<IVec3> values)
{
    impl_->start_outward<false>(values);
    impl_->finish_outward(values);
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
