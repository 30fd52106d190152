#include <holon/core/state_hash.hpp>

#include <fmt/format.h>

#include <bit>

namespace holon {

namespace {

/// Finaliser of 64-bit words with full avalanche (Stafford's variant 13 of the MurmurHash3 mixer, as in SplitMix64).
std::uint64_t mix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// Absorbs words one by one; the odd increment keeps rows of zeros apart.
class Absorber {
public:
    explicit Absorber(std::uint64_t seed) : hash_(mix(seed)) {}
    void add(std::uint64_t word) { hash_ = mix((hash_ + 0x9e3779b97f4a7c15u) ^ word); }
    void add(const IVec3& v)
    {
        for (int k = 0; k < 3; ++k) add(static_cast<std::uint64_t>(v[k]));
    }
    std::uint64_t hash() const { return hash_; }

private:
    std::uint64_t hash_;
};

constexpr std::uint64_t atom_seed = 0x61746f6d, box_seed = 0x626f78, kept_seed = 0x6b657074, number_seed = 0x676c6f62;

} // namespace

std::uint64_t atom_hash(AtomId id, const IVec3& x, const Image& image, const IVec3& v)
{
    const auto half = [](std::int32_t value) { return std::uint64_t{static_cast<std::uint32_t>(value)}; };
    Absorber absorber(atom_seed);
    absorber.add(half(id) | half(image[0]) << 32);
    absorber.add(half(image[1]) | half(image[2]) << 32);
    absorber.add(x);
    absorber.add(v);
    return absorber.hash();
}

std::uint64_t kept_hash(AtomId id, std::int32_t index, double value)
{
    if (value == 0.0) return 0;
    Absorber absorber(kept_seed);
    absorber.add(std::uint64_t{static_cast<std::uint32_t>(id)} | std::uint64_t{static_cast<std::uint32_t>(index)}
                                                                     << 32);
    absorber.add(std::bit_cast<std::uint64_t>(value));
    return absorber.hash();
}

std::uint64_t number_hash(std::string_view name, std::size_t index, double value)
{
    if (value == 0.0) return 0;
    Absorber absorber(number_seed);
    for (const char c : name) absorber.add(std::uint64_t{static_cast<unsigned char>(c)});
    absorber.add(std::uint64_t{index});
    absorber.add(std::bit_cast<std::uint64_t>(value));
    return absorber.hash();
}

std::uint64_t box_hash(const Mat3& master)
{
    Absorber absorber(box_seed);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) absorber.add(std::bit_cast<std::uint64_t>(master(i, j) + 0.0));
    return absorber.hash();
}

std::string state_hash_text(std::uint64_t hash)
{
    return fmt::format("{:016x}", hash);
}

} // namespace holon
