// RANKS 1 2 3 8
// Copies on other ranks, and on the own one as periodic images, against what their owners hold.
#include <holon/comm/halo_exchange.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace holon {
namespace {

/// Rank r owns `owned` atoms and sends some of them, each with a shift, to every rank that `talks` allows, itself too.
class HaloExchangeTest : public ::testing::Test {
protected:
    static constexpr int owned = 10;
    const Communicator comm = Communicator::world();
    const int rank = comm.rank(), size = comm.size();

    struct Copy {
        int owner, atom, shift;
    };

    static bool talks(int from, int to) { return (from + 2 * to) % 4 != 1; }
    const Box box{Eigen::Vector3d(2.0, 3.0, 4.0).asDiagonal(), position_bits};
    static Image wraps(int from, int k) { return {from + 1, -k, 3 * k}; }
    IVec3 shift_vector(int from, int k) const { return box.shift(wraps(from, k)); }
    static IVec3 value(int owner, int atom, int round)
    {
        return {owner * 100 + atom, round, (std::int64_t{1} << 55) - atom * round};
    }

    /// What one rank sends to another: atoms may go twice, in different images.
    static std::vector<Copy> copies(int from, int to)
    {
        std::vector<Copy> list;
        if (!talks(from, to)) return list;
        for (int k = 0; k < owned; ++k)
            if ((from * k + to) % 3 != 0) list.push_back({from, (k * 7) % owned, k % 2});
        list.push_back({from, 3, 1});
        return list;
    }

    std::vector<Copy> here; // the copies on this rank, in local order

    HaloExchange make()
    {
        std::vector<HaloSend> sends;
        std::vector<HaloReceive> receives;
        for (int to = 0; to < size; ++to) {
            auto& send = sends.emplace_back();
            send.rank = to;
            send.wraps = {wraps(rank, 0), wraps(rank, 1)};
            for (const auto& copy : copies(rank, to)) {
                send.atoms.push_back(copy.atom);
                send.wrap_of.push_back(copy.shift);
            }
        }
        // Copies may lie anywhere: those of the ranks above come first.
        for (int k = size - 1; k >= 0; --k) {
            auto& receive = receives.emplace_back();
            receive.rank = k;
            for (const auto& copy : copies(k, rank)) {
                receive.atoms.push_back(owned + static_cast<int>(here.size()));
                here.push_back(copy);
            }
        }
        return {comm, std::move(sends), std::move(receives), box};
    }

    std::vector<IVec3> values(int round) const
    {
        std::vector<IVec3> x(owned + here.size(), IVec3(-1, -1, -1));
        for (int atom = 0; atom < owned; ++atom) x[static_cast<std::size_t>(atom)] = value(rank, atom, round);
        return x;
    }
};

TEST_F(HaloExchangeTest, CopiesFollowTheirOwnersAgainAndAgain)
{
    auto halo = make();
    for (int round = 0; round < 3; ++round) {
        auto x = values(round), unshifted = values(round);
        std::vector<Vec3> real;
        std::vector<PaddedVec3> padded;
        const auto real_value = [](const IVec3& own) { return Vec3(0.1 * own.cast<double>()); };
        for (const auto& row : values(round)) {
            real.push_back(real_value(row));
            padded.push_back({real.back(), 0.0});
        }
        halo.update_positions(x);
        halo.update(unshifted);
        halo.update(real);
        halo.update(padded);
        for (std::size_t k = 0; k < here.size(); ++k) {
            const auto& copy = here[k];
            const IVec3 owners = value(copy.owner, copy.atom, round);
            EXPECT_EQ(x[owned + k], IVec3(owners + shift_vector(copy.owner, copy.shift)));
            EXPECT_EQ(unshifted[owned + k], owners);
            EXPECT_EQ(real[owned + k], real_value(owners));
            EXPECT_EQ(padded[owned + k].value, real_value(owners));
        }
        for (int atom = 0; atom < owned; ++atom) EXPECT_EQ(x[static_cast<std::size_t>(atom)], value(rank, atom, round));
    }
}

TEST_F(HaloExchangeTest, WhatCopiesCollectedReachesTheirOwners)
{
    auto halo = make();
    const auto collected = [](int on, const Copy& copy, int round) {
        return IVec3(on + 1, copy.atom - (std::int64_t{1} << 45), round * (copy.shift + 1));
    };
    for (int round = 0; round < 3; ++round) {
        auto f = values(round);
        for (std::size_t k = 0; k < here.size(); ++k) f[owned + k] = collected(rank, here[k], round);
        const auto before = f;
        halo.accumulate(f);
        for (int atom = 0; atom < owned; ++atom) {
            IVec3 expected = value(rank, atom, round);
            for (int to = 0; to < size; ++to)
                for (const auto& copy : copies(rank, to))
                    if (copy.atom == atom) expected += collected(to, copy, round);
            EXPECT_EQ(f[static_cast<std::size_t>(atom)], expected) << "atom " << atom;
        }
        for (std::size_t k = 0; k < here.size(); ++k) EXPECT_EQ(f[owned + k], before[owned + k]);
    }
}

TEST_F(HaloExchangeTest, OwnersMayBeReadAndAddedToMeanwhile)
{
    auto halo = make();
    const IVec3 more(5, -7, 11);
    auto whole = values(0), parts = values(0);
    halo.update_positions(whole);
    halo.accumulate(whole);
    for (int atom = 0; atom < owned; ++atom) whole[static_cast<std::size_t>(atom)] += more;
    halo.start_positions(parts);
    halo.finish_positions(parts);
    halo.start_accumulate(parts);
    for (int atom = 0; atom < owned; ++atom) parts[static_cast<std::size_t>(atom)] += more;
    halo.finish_accumulate(parts);
    EXPECT_EQ(parts, whole);
}

TEST_F(HaloExchangeTest, CountsMessagesToOtherRanks)
{
    const auto halo = make();
    std::int64_t messages = 0, atoms = 0;
    for (int to = 0; to < size; ++to)
        if (to != rank) {
            messages += talks(rank, to);
            atoms += static_cast<std::int64_t>(copies(rank, to).size());
        }
    EXPECT_EQ(halo.messages(), messages);
    EXPECT_EQ(halo.copies_sent(), atoms);
}

TEST_F(HaloExchangeTest, CanBeReplacedAndBeEmpty)
{
    auto halo = make();
    here.clear();
    halo = HaloExchange(comm, {}, {});
    auto x = values(1);
    halo.update_positions(x);
    halo.accumulate(x);
    EXPECT_EQ(x, values(1));
    EXPECT_EQ(halo.messages(), 0);
}

} // namespace
} // namespace holon
