// RANKS 1 2 3 8
#include <holon/comm/node_mutex.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <thread>

namespace holon {
namespace {

TEST(NodeMutex, LetsOneRankAtATimePass)
{
    const auto comm = Communicator::world();
    const test::TemporaryFolder folder(comm);
    const auto path = folder.file("count");
    constexpr int rounds = 200;
    if (comm.root()) std::ofstream(path) << 0;
    NodeMutex mutex(comm);
    comm.barrier();
    for (int round = 0; round < rounds; ++round) {
        const std::lock_guard turn(mutex);
        int count = -1;
        std::ifstream(path) >> count;
        std::ofstream(path) << count + 1;
    }
    comm.barrier();
    int count = -1;
    std::ifstream(path) >> count;
    EXPECT_EQ(count, rounds * comm.size());
}

TEST(NodeMutex, IsOneForEachGroup)
{
    const auto comm = Communicator::world();
    NodeMutex mutex(comm, 2);
    // Held by the ranks 0 and 1 at the same time; by 2 and all after it when these have let it go.
    if (comm.rank() < 2) mutex.lock();
    comm.barrier();
    if (comm.rank() < 2) mutex.unlock();
    for (int round = 0; round < 3; ++round) const std::lock_guard turn(mutex);
    comm.barrier();
}

TEST(NodeMutex, IsFreeAgainWhenItsHolderIsGone)
{
    const auto comm = Communicator::world();
    NodeMutex mutex(comm);
    if (comm.root()) std::thread([&] { mutex.lock(); }).join();
    comm.barrier();
    for (int round = 0; round < 3; ++round) const std::lock_guard turn(mutex);
    comm.barrier();
}

} // namespace
} // namespace holon
