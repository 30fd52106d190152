#pragma once

#include <holon/core/vec3.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace holon {

/// What random numbers are for: draws of one use are numbered from here on, and no two uses share any.
enum class Stream : std::uint32_t {
    velocities = 0, // of the start
    thermostat = 1000,
    friction = 2000, // and noise
    barostat = 3000,
};

/// Counter-based random numbers, Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", SC11 (2011). Every (seed, step, id, stream) has its own 128 random bits, whoever asks,
/// whenever: nothing to store, nothing that depends on the decomposition.
class Philox {
public:
    using Block = std::array<std::uint32_t, 4>;

    explicit Philox(std::uint64_t seed) : seed_(seed) {}

    /// The random words of one counter. `stream` tells uses apart and numbers the draws of one use.
    Block operator()(std::uint64_t step, std::uint32_t id, std::uint32_t stream) const;

    /// Of a draw of a use.
    Block operator()(std::uint64_t step, std::uint32_t id, Stream use, std::uint32_t draw) const
    {
        return (*this)(step, id, static_cast<std::uint32_t>(use) + draw);
    }

    /// The bijection itself: ten rounds on a counter under a key.
    static Block encrypt(Block counter, std::array<std::uint32_t, 2> key);

    std::uint64_t seed() const { return seed_; }

private:
    std::uint64_t seed_;
};

/// Two uniform deviates in the open interval (0, 1), multiples of 2^-53, from one block.
std::array<double, 2> uniform_pair(const Philox::Block& block);

/// Two independent normal deviates of mean 0 and variance 1 from one block (Box and Muller, Ann. Math. Stat. 29 (1958)
/// 610).
std::array<double, 2> normal_pair(const Philox::Block& block);

/// Three independent normal deviates for each id, one vector of them each: both of normal_pair() of the draw `first` of
/// a use, and the first one of that of the next draw.
void normal_vectors(const Philox& random, std::uint64_t step, Stream use, std::uint32_t first,
                    std::span<const std::int32_t> ids, std::span<Vec3> deviates);

} // namespace holon
