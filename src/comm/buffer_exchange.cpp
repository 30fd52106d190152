#include <holon/comm/buffer_exchange.hpp>

#include <holon/core/error.hpp>

#include "persistent_messages.hpp"

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
    PersistentMessages messages;

    Impl(Communicator c, std::span<const Part> send_parts, std::span<const Part> receive_parts, int channel)
        : comm(std::move(c)), messages(comm)
    {
        HOLON_ASSERT(channel >= 0 && channel < 10, std::to_string(channel));
        std::vector<std::byte*> to_self;
        for (const auto& part : send_parts) {
            sends.push_back({part.rank, part.bytes, buffer_of(part)});
            if (part.rank == comm.rank()) to_self.push_back(sends.back().data);
        }
        std::size_t own = 0;
        for (const auto& part : receive_parts) {
            const bool self = part.rank == comm.rank();
            HOLON_ASSERT(!self || own < to_self.size(), "a part from this rank to itself is expected, but not sent");
            receives.push_back({part.rank, part.bytes, self ? to_self[own++] : buffer_of(part)});
        }
        for (const auto& buffer : receives)
            if (buffer.rank != comm.rank())
                messages.add_receive({buffer.data, buffer.bytes}, buffer.rank, first_tag + channel);
        for (const auto& buffer : sends)
            if (buffer.rank != comm.rank())
                messages.add_send({buffer.data, buffer.bytes}, buffer.rank, first_tag + channel);
    }

    std::byte* buffer_of(const Part& part)
    {
        if (part.memory != nullptr) return static_cast<std::byte*>(part.memory);
        memory.emplace_back(new (std::align_val_t(alignment)) std::byte[part.bytes]);
        return memory.back().get();
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
    impl_->messages.start_receives();
    impl_->messages.start_sends();
}

void BufferExchange::start(std::span<const std::uint8_t> sends, std::span<const std::uint8_t> receives)
{
    HOLON_ASSERT(sends.size() == impl_->sends.size() && receives.size() == impl_->receives.size(),
                 std::to_string(sends.size()) + ", " + std::to_string(receives.size()));
    const auto start_some = [&](const std::vector<Impl::Buffer>& buffers, std::span<const std::uint8_t> wanted,
                                const auto& start_one) {
        std::size_t message = 0;
        for (std::size_t k = 0; k < buffers.size(); ++k) {
            if (buffers[k].rank == impl_->comm.rank()) continue;
            if (wanted[k] != 0) start_one(message);
            ++message;
        }
    };
    start_some(impl_->receives, receives, [this](std::size_t k) { impl_->messages.start_receive(k); });
    start_some(impl_->sends, sends, [this](std::size_t k) { impl_->messages.start_send(k); });
}

void BufferExchange::wait()
{
    impl_->messages.wait_for_receives();
}

void BufferExchange::wait_for_sends()
{
    impl_->messages.wait_for_sends();
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
