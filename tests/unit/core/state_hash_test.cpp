#include <holon/core/state_hash.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

namespace holon {
namespace {

struct State {
    AtomId id = 12345;
    IVec3 x{1LL << 40, -3, 77}, v{0, -(1LL << 43), 5};
    Image image{1, -2, 3};
    std::uint64_t hash() const { return atom_hash(id, x, image, v); }
};

/// Every bit of the state, flipped one at a time.
std::vector<State> neighbours()
{
    std::vector<State> states;
    const auto add = [&](auto change) { change(states.emplace_back()); };
    for (int bit = 0; bit < 32; ++bit) {
        add([&](State& s) { s.id ^= static_cast<std::int32_t>(1u << bit); });
        for (int k = 0; k < 3; ++k) add([&](State& s) { s.image[k] ^= static_cast<std::int32_t>(1u << bit); });
    }
    for (int bit = 0; bit < 64; ++bit)
        for (int k = 0; k < 3; ++k) {
            add([&](State& s) { s.x[k] ^= static_cast<std::int64_t>(1ull << bit); });
            add([&](State& s) { s.v[k] ^= static_cast<std::int64_t>(1ull << bit); });
        }
    return states;
}

TEST(StateHash, every_bit_of_an_atom_changes_half_of_the_hash)
{
    const auto reference = State{}.hash();
    std::set<std::uint64_t> hashes = {reference};
    double changed = 0.0;
    const auto states = neighbours();
    for (const auto& state : states) {
        const int bits = std::popcount(state.hash() ^ reference);
        EXPECT_GT(bits, 8);
        changed += bits;
        hashes.insert(state.hash());
    }
    EXPECT_EQ(hashes.size(), states.size() + 1);
    EXPECT_NEAR(changed / static_cast<double>(states.size()), 32.0, 1.0);
}

TEST(StateHash, of_a_kept_number_depends_on_atom_index_and_value)
{
    EXPECT_EQ(kept_hash(3, 1, 0.0), 0u);
    EXPECT_EQ(kept_hash(3, 1, -0.0), 0u);
    std::set<std::uint64_t> hashes = {0};
    for (const AtomId id : {3, 4})
        for (const std::int32_t index : {0, 1, 3, 4})
            for (const double value : {1.0, -1.0, std::nextafter(1.0, 2.0)}) hashes.insert(kept_hash(id, index, value));
    EXPECT_EQ(hashes.size(), 1u + 24u);
}

TEST(StateHash, of_a_box_depends_on_every_element)
{
    std::set<std::uint64_t> hashes;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            Mat3 box = Mat3::Identity();
            box(i, j) += 1e-9;
            hashes.insert(box_hash(box));
        }
    hashes.insert(box_hash(Mat3(Mat3::Identity())));
    EXPECT_EQ(hashes.size(), 10u);
    Mat3 negative_zero = Mat3::Identity();
    negative_zero(0, 1) = -0.0;
    EXPECT_EQ(box_hash(negative_zero), box_hash(Mat3(Mat3::Identity())));
}

TEST(StateHash, is_printed_with_all_its_digits)
{
    EXPECT_EQ(state_hash_text(0x00000081884c7d65u), "00000081884c7d65");
}

} // namespace
} // namespace holon
