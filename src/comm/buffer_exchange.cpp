#include <holon/comm/buffer_exchange.hpp>

#include <holon/core/error.hpp>

#include "mpi_impl.hpp"

#include <limits>
#include <new>

namespace holon {

namespace {

constexpr int first_tag = 100; // halo messages use small tags
constexpr std::size_t alignment = 64;

struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(alignment)); }
};
using Memory = std::unique_ptr<std::byte[], Free>;

} // namespace

struct BufferExchange::Impl {
    struct Buffer {
        int rank = 0;
        std::size_t bytes = 0;
        std::byte* data = nullptr;
    };

    Communicator comm;
    std::vector<Memory> memory;
    std::vector<Buffer> sends, receives;
    std::vector<MPI_Request> requests; // receives first, then sends

    Impl(Communicator c, std::span<const Part> send_parts, std::span<const Part> receive_parts, int channel)
        : comm(std::move(c))
    {
        HOLON_ASSERT(channel >= 0 && channel < 10, std::to_string(channel));
        std::vector<std::byte*> to_self;
        for (const auto& part : send_parts) {
            sends.push_back({part.rank, part.bytes, allocate(part.bytes)});
            if (part.rank == comm.rank()) to_self.push_back(sends.back().data);
        }
        std::size_t own = 0;
        for (const auto& part : receive_parts) {
            const bool self = part.rank == comm.rank();
            HOLON_ASSERT(!self || own < to_self.size(), "a part from this rank to itself is expected, but not sent");
            receives.push_back({part.rank, part.bytes, self ? to_self[own++] : allocate(part.bytes)});
        }
        for (const auto& buffer : receives)
            if (buffer.rank != comm.rank())
                check_mpi(MPI_Recv_init(buffer.data, count(buffer), MPI_BYTE, buffer.rank, first_tag + channel,
                                        comm.impl().comm, &requests.emplace_back()),
                          "MPI_Recv_init");
        for (const auto& buffer : sends)
            if (buffer.rank != comm.rank())
                check_mpi(MPI_Send_init(buffer.data, count(buffer), MPI_BYTE, buffer.rank, first_tag + channel,
                                        comm.impl().comm, &requests.emplace_back()),
                          "MPI_Send_init");
    }

    ~Impl()
    {
        for (auto& request : requests) MPI_Request_free(&request);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    std::byte* allocate(std::size_t bytes)
    {
        memory.emplace_back(new (std::align_val_t(alignment)) std::byte[bytes]);
        return memory.back().get();
    }

    static int count(const Buffer& buffer)
    {
        HOLON_ASSERT(buffer.bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
                     std::to_string(buffer.bytes));
        return static_cast<int>(buffer.bytes);
    }
};

BufferExchange::BufferExchange(Communicator comm, std::span<const Part> sends, std::span<const Part> receives,
                               int channel)
    : impl_(std::make_unique<Impl>(std::move(comm), sends, receives, channel))
{
}
BufferExchange::~BufferExchange() = default;
BufferExchange::BufferExchange(BufferExchange&&) noexcept = default;
BufferExchange& BufferExchange::operator=(BufferExchange&&) noexcept = default;

std::span<std::byte> BufferExchange::outgoing_bytes(std::size_t part)
{
    const auto& buffer = impl_->sends[part];
    return {buffer.data, buffer.bytes};
}

std::span<const std::byte> BufferExchange::incoming_bytes(std::size_t part) const
{
    const auto& buffer = impl_->receives[part];
    return {buffer.data, buffer.bytes};
}

void BufferExchange::start()
{
    auto& requests = impl_->requests;
    if (!requests.empty()) check_mpi(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall");
}

void BufferExchange::start(std::span<const std::uint8_t> sends, std::span<const std::uint8_t> receives)
{
    HOLON_ASSERT(sends.size() == impl_->sends.size() && receives.size() == impl_->receives.size(),
                 std::to_string(sends.size()) + ", " + std::to_string(receives.size()));
    auto request = impl_->requests.begin();
    const auto start_some = [&](const std::vector<Impl::Buffer>& buffers, std::span<const std::uint8_t> wanted) {
        for (std::size_t k = 0; k < buffers.size(); ++k) {
            if (buffers[k].rank == impl_->comm.rank()) continue;
            if (wanted[k] != 0) check_mpi(MPI_Start(&*request), "MPI_Start");
            ++request;
        }
    };
    start_some(impl_->receives, receives);
    start_some(impl_->sends, sends);
}

void BufferExchange::wait()
{
    auto& requests = impl_->requests;
    if (!requests.empty())
        check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

std::int64_t BufferExchange::messages() const
{
    std::int64_t n = 0;
    for (const auto& buffer : impl_->sends) n += buffer.rank != impl_->comm.rank() ? 1 : 0;
    return n;
}

std::int64_t BufferExchange::bytes_sent() const
{
    std::int64_t n = 0;
    for (const auto& buffer : impl_->sends)
        if (buffer.rank != impl_->comm.rank()) n += static_cast<std::int64_t>(buffer.bytes);
    return n;
}

} // namespace holon
