#include <holon/core/error.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/random.hpp>

#include "random_kernel.hpp"

#include <cmath>
#include <string>

namespace holon {

Philox::Block Philox::encrypt(Block counter, std::array<std::uint32_t, 2> key)
{
    constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
    constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85; // golden ratio, sqrt(3) - 1
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product_0 = multiplier_0 * counter[0];
        const std::uint64_t product_1 = multiplier_1 * counter[2];
        counter = {
            static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
            static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product_0)};
        key[0] += weyl_0;
        key[1] += weyl_1;
    }
    return counter;
}

Philox::Block Philox::operator()(std::uint64_t step, std::uint32_t id, std::uint32_t stream) const
{
    return encrypt({static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), id, stream},
                   {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
}

std::array<double, 2> uniform_pair(const Philox::Block& block)
{
    const auto uniform = [](std::uint32_t low, std::uint32_t high) {
        const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12; // 52 bits, so that the half is exact
        return (static_cast<double>(bits) + 0.5) * 0x1p-52;
    };
    return {uniform(block[0], block[1]), uniform(block[2], block[3])};
}

std::array<double, 2> normal_pair(const Philox::Block& block)
{
    const auto [u, v] = uniform_pair(block);
    const double radius = std::sqrt(-2.0 * portable::log(u));
    const auto [sine, cosine] = portable::sine_cosine_of_turns(v);
    return {radius * cosine, radius * sine};
}

void normal_vectors(const Philox& random, std::uint64_t step, Stream use, std::uint32_t first,
                    std::span<const std::int32_t> ids, std::span<Vec3> deviates)
{
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    HOLON_ASSERT(ids.size() == deviates.size(), std::to_string(deviates.size()));
    if (ids.empty()) return;
    HOLON_CALL(random_numbers::normal_vectors, static_cast<std::int64_t>(ids.size()), ids.data(),
               {random.seed(), step, static_cast<std::uint32_t>(use) + first}, deviates.front().data());
}

} // namespace holon
