#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace holon {

/// Checksum of bytes: 64 bits, XXH3.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// The same checksum of bytes that come in pieces.
class Checksum {
public:
    Checksum();
    ~Checksum();
    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace holon
