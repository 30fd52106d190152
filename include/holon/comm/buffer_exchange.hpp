#pragma once

#include <holon/comm/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace holon {

/// Messages of fixed sizes between fixed partners, again and again: buffers and requests are made once. A part that a
/// rank sends to itself is not copied: incoming and outgoing are the same memory, that of the outgoing one.
class BufferExchange {
public:
    struct Part {
        int rank = 0;
        std::size_t bytes = 0;
        void* memory = nullptr; // its buffer, which outlives this; null: one is made, aligned to 64 bytes
    };

    /// Collective among partners. At most one part per rank; it must have the size that its receiver expects. `channel`
    /// (0 to 9): exchanges of different channels may be under way at the same time.
    BufferExchange(Communicator comm, std::span<const Part> sends, std::span<const Part> receives, int channel);
    ~BufferExchange();
    BufferExchange(BufferExchange&&) noexcept;
    BufferExchange& operator=(BufferExchange&&) noexcept;

    /// The buffer of a part, in the order given. Outgoing: to be filled before start(), again only
    /// after wait_for_sends(); incoming: valid from wait() to the next start().
    template <class T>
    std::span<T> outgoing(std::size_t part)
    {
        const auto bytes = outgoing_bytes(part);
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
    template <class T>
    std::span<const T> incoming(std::size_t part) const
    {
        const auto bytes = incoming_bytes(part);
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

    void start(); // Collective among partners.
    /// Starts only some of the parts, one flag for each in the order given; partners must agree on them.
    void start(std::span<const std::uint8_t> sends, std::span<const std::uint8_t> receives);
    void wait();           // for what is coming in
    void wait_for_sends(); // Until all partners have what was sent: ranks that are ahead need not wait for them before.

    std::int64_t messages() const;   // sent per exchange to other ranks
    std::int64_t bytes_sent() const; // likewise

private:
    std::span<std::byte> outgoing_bytes(std::size_t part);
    std::span<const std::byte> incoming_bytes(std::size_t part) const;

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
