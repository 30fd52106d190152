#include <holon/comm/instruction_set_choice.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace {

/// Failures on the ranks that do not print anything else.
class Failures : public ::testing::EmptyTestEventListener {
    void OnTestPartResult(const ::testing::TestPartResult& result) override
    {
        if (result.failed())
            std::fprintf(stderr, "rank %d: %s:%d: %s\n", holon::Communicator::world().rank(), result.file_name(),
                         result.line_number(), result.message());
    }
};

} // namespace

/// Runs the tests on every rank; the others than rank 0 print failures only, and the exit status is the worst of all.
int main(int argc, char** argv)
{
    holon::Session session(argc, argv);
    ::testing::InitGoogleTest(&argc, argv);
    const auto comm = holon::Communicator::world();
    holon::agree_on_instruction_set(comm);
    if (!comm.root()) {
        auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new Failures);
    }
    return static_cast<int>(comm.max(std::int64_t{RUN_ALL_TESTS()}));
}
