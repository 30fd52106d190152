// RANKS 1 2 3
// Reading a checkpoint while it is written gives the state that was verified, on any number of ranks.
#include <support/checkpoint_case.hpp>

#include <holon/core/error.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace holon {
namespace {

using namespace test;

/// Of all ranks.
void expect_whole(const Communicator& comm, const CheckpointContents& contents)
{
    EXPECT_EQ(contents.state, sample_state(contents.state.step));
    const auto common = state_hash(contents.state, {}); // to all ranks
    const auto here = state_hash(contents.state, contents.atoms, contents.kept) - common;
    EXPECT_EQ(static_cast<std::uint64_t>(comm.sum(static_cast<std::int64_t>(here))) + common,
              sample_hash(n_atoms, contents.state.step));
}

/// Writes states on rank 0, twice round the ring and more at a time.
class Lapper {
public:
    explicit Lapper(const std::string& path)
        : writer_(CheckpointWriter::create({}, path, {input, {.slots = 3, .sync_seconds = 0.0}}, sample_state(0),
                                           sample_atoms(n_atoms, 0), sample_box()))
    {
        lap();
    }

    void lap()
    {
        for (int k = 0; k < 7; ++k) submit_step(writer_, ++step_);
        writer_.finish();
    }

    std::int64_t step() const { return step_; }

private:
    CheckpointWriter writer_;
    std::int64_t step_ = 0;
};

TEST(LiveCheckpoint, may_be_overwritten_as_soon_as_it_has_been_verified)
{
    const auto comm = Communicator::world();
    const TemporaryFolder folder(comm);
    const auto path = folder.file("checkpoint.h5");
    std::optional<Lapper> lapper;
    if (comm.root()) lapper.emplace(path);
    comm.barrier();
    for (int k = 0; k < 5; ++k) {
        std::int64_t verified = 0;
        const auto contents = read_checkpoint(comm, path, [&](std::uint64_t, const RunState& state) {
            verified = state.step;
            lapper->lap();
            return std::string();
        });
        if (comm.root()) {
            EXPECT_EQ(contents.state.step, verified);
            EXPECT_EQ(lapper->step(), verified + 7);
        }
        expect_whole(comm, contents);
    }
}

TEST(LiveCheckpoint, may_be_overwritten_at_any_time)
{
    const auto comm = Communicator::world();
    const TemporaryFolder folder(comm);
    const auto path = folder.file("checkpoint.h5");
    std::atomic<bool> enough = false;
    std::thread thread;
    if (comm.root()) {
        auto lapper = std::make_unique<Lapper>(path);
        thread = std::thread([&enough, lapper = std::move(lapper)] {
            while (!enough) lapper->lap();
        });
    }
    comm.barrier();
    int states = 0;
    for (int k = 0; k < 40; ++k) {
        try {
            const auto contents = read_checkpoint(comm, path);
            expect_whole(comm, contents);
            ++states;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("faster than it can be read"), std::string::npos) << error.what();
        }
        if (!comm.root()) continue;
        const CheckpointFile file(path);
        for (const int slot : {0, 1, 2})
            if (const auto found = file.read(slot); found.problem.empty()) test::expect_whole(found);
    }
    EXPECT_GT(states, 20);
    enough = true;
    if (comm.root()) thread.join();
}

} // namespace
} // namespace holon
