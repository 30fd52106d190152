#include <holon/comm/communicator.hpp>

#include <gtest/gtest.h>

/// Runs the tests on every rank; only rank 0 prints, and the exit status is the worst of all ranks.
int main(int argc, char** argv)
{
    holon::Session session(argc, argv);
    ::testing::InitGoogleTest(&argc, argv);
    const auto comm = holon::Communicator::world();
    if (!comm.root()) {
        auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
    }
    return static_cast<int>(comm.max(std::int64_t{RUN_ALL_TESTS()}));
}
