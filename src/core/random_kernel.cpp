// Compiled once per instruction set: see kernel_variant.hpp.
#include "random_kernel.hpp"

#include "portable_series.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/vector_math.hpp>

namespace holon::random_numbers {
namespace {

constexpr int lanes = 8;
using F8 = Vector<double, lanes>;
using I8 = Vector<std::int64_t, lanes>;
using U8 = Vector<std::uint64_t, lanes>;

constexpr std::uint64_t low_bits = 0xffffffff;
constexpr double two_to_52 = 0x1p52; // whose last place is the unit of whole numbers below it

/// Words of 32 bits in lanes of 64, of which the upper halves mean nothing.
struct Block {
    U8 word[4];
};

HOLON_INLINE Block encrypt(Block c, std::uint32_t key_0, std::uint32_t key_1)
{
    const U8 multiplier_0 = splat<U8>(std::uint64_t{0xD2511F53}), multiplier_1 = splat<U8>(std::uint64_t{0xCD9E8D57});
    for (int round = 0; round < 10; ++round) {
        const U8 product_0 = product_of_low_halves(multiplier_0, c.word[0]);
        const U8 product_1 = product_of_low_halves(multiplier_1, c.word[2]);
        c = {{(product_1 >> 32) ^ c.word[1] ^ splat<U8>(std::uint64_t{key_0}), product_1,
              (product_0 >> 32) ^ c.word[3] ^ splat<U8>(std::uint64_t{key_1}), product_0}};
        key_0 += 0x9E3779B9;
        key_1 += 0xBB67AE85;
    }
    return c;
}

/// Whole numbers below 2^52.
HOLON_INLINE F8 small_to_doubles(U8 n)
{
    return (F8)(n | (U8)splat<F8>(two_to_52)) - two_to_52;
}

HOLON_INLINE F8 uniform(U8 low, U8 high)
{
    return (small_to_doubles(((high << 32) | (low & splat<U8>(low_bits))) >> 12) + 0.5) * 0x1p-52;
}

/// log(x), 2^-64 < x < 2^64.
HOLON_INLINE F8 logarithm(F8 x)
{
    constexpr std::int64_t mantissa_bits = (std::int64_t{1} << 52) - 1;
    const I8 exponent_bits = ((I8)x - splat<I8>(portable::bits_of_root_of_half)) & splat<I8>(~mantissa_bits);
    const U8 exponent_and_64 = (U8)(exponent_bits + splat<I8>(std::int64_t{64} << 52)) >> 52;
    return portable::log_of_parts((F8)((I8)x - exponent_bits), small_to_doubles(exponent_and_64) - 64.0);
}

/// Of turns in (0, 1).
HOLON_INLINE portable::SineAndCosine<F8> sine_and_cosine(F8 turns)
{
    const auto eighth = portable::of_eighth_turn(turns - 0.25 * portable::nearest(4.0 * turns));
    const U8 quarters = (U8)(4.0 * turns + 0x1.8p52); // in the last bits
    const auto odd = (quarters & splat<U8>(1)) == splat<U8>(1);
    const auto turned = [](U8 sign, F8 x) __attribute__((always_inline))
    {
        return (F8)((U8)x ^ ((sign & splat<U8>(2)) << 62));
    };
    return {turned(quarters, select(odd, eighth.cosine, eighth.sine)),
            turned(quarters + splat<U8>(1), select(odd, eighth.sine, eighth.cosine))};
}

struct Normals {
    F8 first, second;
};

HOLON_INLINE Normals normal_pairs(U8 id, const Draws& draws, std::uint32_t stream)
{
    const Block block =
        encrypt({{splat<U8>(draws.step), splat<U8>(draws.step >> 32), id, splat<U8>(std::uint64_t{stream})}},
                static_cast<std::uint32_t>(draws.seed), static_cast<std::uint32_t>(draws.seed >> 32));
    const F8 radius = square_root(-2.0 * logarithm(uniform(block.word[0], block.word[1])));
    const auto [sine, cosine] = sine_and_cosine(uniform(block.word[2], block.word[3]));
    return {radius * cosine, radius * sine};
}

} // namespace

void HOLON_NAME(normal_vectors)(std::int64_t n, const std::int32_t* id, const Draws& draws, double* deviate)
{
    for (std::int64_t first = 0; first < n; first += lanes) {
        const auto here = static_cast<int>(n - first < lanes ? n - first : lanes);
        std::uint64_t ids[lanes] = {};
        for (int l = 0; l < here; ++l) ids[l] = static_cast<std::uint32_t>(id[first + l]);
        const auto one = normal_pairs(load<U8>(ids), draws, draws.stream);
        const auto two = normal_pairs(load<U8>(ids), draws, draws.stream + 1);
        double components[3][lanes];
        store(components[0], one.first);
        store(components[1], one.second);
        store(components[2], two.first);
        for (int l = 0; l < here; ++l)
            for (int k = 0; k < 3; ++k) *deviate++ = components[k][l];
    }
}

} // namespace holon::random_numbers
