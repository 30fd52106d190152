// RANKS 1 2 3 8
#include <holon/comm/communicator.hpp>
#include <holon/comm/outbox.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

namespace holon {
namespace {

class CommunicatorTest : public ::testing::Test {
protected:
    const Communicator comm = Communicator::world();
    const int rank = comm.rank(), size = comm.size();

    /// Each test has a communicator of its own, which does not tell its exchanges from those of the one before.
    void TearDown() override { comm.barrier(); }
};

std::vector<std::byte> bytes(const std::string& text)
{
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

/// Of a length and content that belong to sender and receiver.
std::vector<std::byte> letter(int from, int to)
{
    std::vector<std::byte> data(static_cast<std::size_t>(1 + from + 1000 * to));
    for (std::size_t k = 0; k < data.size(); ++k)
        data[k] = static_cast<std::byte>(7 * from + 31 * to + static_cast<int>(k));
    return data;
}

TEST_F(CommunicatorTest, AloneWithoutMpi)
{
    const Communicator alone;
    EXPECT_EQ(alone.size(), 1);
    EXPECT_EQ(alone.rank(), 0);
    EXPECT_EQ(alone.sum(std::int64_t{42}), 42);
    EXPECT_EQ(alone.exclusive_sum(42), 0);
    EXPECT_EQ(alone.all_gather(5), std::vector{5});
    const auto text = bytes("text");
    EXPECT_EQ(alone.concatenate(std::span(text)), text);
    const auto back = alone.exchange({{0, bytes("to myself")}});
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].data, bytes("to myself"));
}

TEST_F(CommunicatorTest, IntegerReductions)
{
    EXPECT_EQ(comm.sum(std::int64_t{rank} - 3), std::int64_t{size} * (size - 1) / 2 - 3 * size);
    EXPECT_EQ(comm.max(std::int64_t{-rank}), 0);
    EXPECT_EQ(comm.exclusive_sum(rank + 1), std::int64_t{rank} * (rank + 1) / 2);
    EXPECT_EQ(comm.any(rank == size - 1), true);
    EXPECT_EQ(comm.any(false), false);

    std::vector<std::int64_t> values{rank, 1, std::int64_t{1} << 40};
    comm.sum(std::span(values));
    EXPECT_EQ(values, (std::vector<std::int64_t>{size * (size - 1) / 2, size, size * (std::int64_t{1} << 40)}));
    std::vector<std::uint64_t> bits{std::uint64_t{1} << rank, 0, std::uint64_t{1} << 63};
    comm.bitwise_or(std::span(bits));
    EXPECT_EQ(bits, (std::vector<std::uint64_t>{(std::uint64_t{1} << size) - 1, 0, std::uint64_t{1} << 63}));
    comm.sum(std::span<std::int64_t>());
}

/// Sums whose limbs carry, cancel and are negative, against the same sums in 128 bits.
TEST_F(CommunicatorTest, SumsOf128Bits)
{
    constexpr int128 one = 1;
    const std::vector<int128> patterns = {0,
                                          1,
                                          -1,
                                          (one << 40) - 1,
                                          -(one << 40),
                                          (one << 80) - 1,
                                          -(one << 80) - 1,
                                          (one << 120) + (one << 79) + 12345,
                                          -(one << 123) + 1,
                                          (one << 123) - 1,
                                          std::numeric_limits<std::int64_t>::min()};
    const auto contribution = [&](int from, std::size_t k) {
        const int128 sign = (from + static_cast<int>(k)) % 3 == 0 ? -1 : 1;
        return sign * (patterns[(k + static_cast<std::size_t>(from)) % patterns.size()] - from);
    };
    std::vector<FixedSum> sums;
    for (std::size_t k = 0; k < patterns.size(); ++k) sums.push_back(FixedSum::from_raw(contribution(rank, k)));
    comm.sum(std::span(sums));
    for (std::size_t k = 0; k < patterns.size(); ++k) {
        int128 expected = 0;
        for (int from = 0; from < size; ++from) expected += contribution(from, k);
        EXPECT_TRUE(sums[k].raw() == expected) << "sum " << k;
    }
}

TEST_F(CommunicatorTest, SumsDoNotDependOnWhoAddsWhat)
{
    FixedSum mine, all;
    for (int k = 0; k < 1000; ++k) {
        const double value = std::ldexp(std::sin(k), 40 - k % 60);
        if (k % size == rank) mine.add(value);
        all.add(value);
    }
    comm.sum(std::span(&mine, 1));
    EXPECT_TRUE(mine == all);
}

TEST_F(CommunicatorTest, BroadcastAndGather)
{
    for (int root = 0; root < size; ++root) {
        std::string text = rank == root ? std::string("from ") + std::to_string(root) : "to be replaced by another";
        comm.broadcast(text, root);
        EXPECT_EQ(text, "from " + std::to_string(root));
    }
    std::string nothing = comm.root() ? "" : "x";
    comm.broadcast(nothing);
    EXPECT_EQ(nothing, "");

    std::vector<std::byte> expected;
    for (int from = 0; from < size; ++from) {
        const auto data = from % 2 == 0 ? letter(from, 0) : std::vector<std::byte>{};
        expected.insert(expected.end(), data.begin(), data.end());
    }
    const auto mine = rank % 2 == 0 ? letter(rank, 0) : std::vector<std::byte>{};
    EXPECT_EQ(comm.concatenate(std::span(mine)), expected);

    const auto squares = comm.all_gather(rank * rank);
    for (int from = 0; from < size; ++from) EXPECT_EQ(squares[static_cast<std::size_t>(from)], from * from);
}

/// Different partners each time, oneself among them, some messages empty and some ranks with none.
TEST_F(CommunicatorTest, ExchangeDeliversWhatWasSentInRankOrder)
{
    for (int round = 0; round < 4; ++round) {
        const auto sends = [round](int from, int to) { return (from * 5 + to * 3 + round) % 4 != 0; };
        const auto empty = [round](int from, int to) { return (from + 2 * to + round) % 5 == 0; };
        std::vector<Message> outgoing;
        for (int to = size - 1; to >= 0; --to)
            if (sends(rank, to)) outgoing.push_back({to, empty(rank, to) ? bytes("") : letter(rank, to)});
        const auto incoming = comm.exchange(std::move(outgoing));
        auto next = incoming.begin();
        for (int from = 0; from < size; ++from) {
            if (!sends(from, rank) || empty(from, rank)) continue;
            while (next != incoming.end() && next->data.empty()) ++next;
            ASSERT_NE(next, incoming.end());
            EXPECT_EQ(next->rank, from);
            EXPECT_EQ(next->data, letter(from, rank));
            ++next;
        }
        while (next != incoming.end() && next->data.empty()) ++next;
        EXPECT_EQ(next, incoming.end());
    }
    EXPECT_TRUE(comm.exchange({}).empty());
}

TEST_F(CommunicatorTest, AnOutboxDeliversValuesBySenderInOrder)
{
    struct Letter {
        int from, number;
        double value;
    };
    Outbox<Letter> outbox;
    const auto count = [](int from, int to) { return (from + 2 * to) % 3; };
    for (int round = 0; round < 2; ++round) { // it is empty again after each
        for (int k = 0; k < 2; ++k)
            for (int to = size - 1; to >= 0; --to)
                if (k < count(rank, to)) outbox.send(to, {rank, k, 0.1 * (to + round)});
        std::vector<std::pair<int, int>> received, expected;
        outbox.exchange(comm, [&](int from, const Letter& letter) {
            EXPECT_EQ(letter.from, from);
            EXPECT_EQ(letter.value, 0.1 * (rank + round));
            received.emplace_back(from, letter.number);
        });
        for (int from = 0; from < size; ++from)
            for (int k = 0; k < count(from, rank); ++k) expected.emplace_back(from, k);
        EXPECT_EQ(received, expected);
    }
}

TEST_F(CommunicatorTest, PackedValuesComeBackInOrder)
{
    std::vector<std::byte> data;
    Packer pack(data);
    pack.put(std::uint8_t{7});
    pack.put(IVec3(1, -2, std::int64_t{3} << 60));
    pack.put(-0.5);
    EXPECT_EQ(data.size(), 1 + 24 + 8u);
    Unpacker unpack(data);
    EXPECT_EQ(unpack.get<std::uint8_t>(), 7);
    EXPECT_EQ(unpack.get<IVec3>(), IVec3(1, -2, std::int64_t{3} << 60));
    EXPECT_FALSE(unpack.empty());
    EXPECT_EQ(unpack.get<double>(), -0.5);
    EXPECT_TRUE(unpack.empty());
}

TEST_F(CommunicatorTest, OtherWorkIsDoneWhileWaiting)
{
    constexpr int pieces = 10;
    int done = 0;
    TaskList tasks;
    const auto working = comm.working_on(tasks);
    comm.barrier();
    {
        tasks.add([&done] { return ++done < pieces; });
        if (rank == size - 1) std::this_thread::sleep_for(std::chrono::milliseconds(500)); // the others have to wait
        EXPECT_EQ(working.sum(std::int64_t{rank}), std::int64_t{size} * (size - 1) / 2);
        if (rank < size - 1) {
            EXPECT_GE(done, pieces); // all there was, and then nothing but waiting
        }
        tasks.clear();
    }
    const int before = done;
    EXPECT_EQ(working.max(rank), size - 1);
    EXPECT_EQ(done, before);
}

} // namespace
} // namespace holon
