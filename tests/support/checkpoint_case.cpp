#include <support/checkpoint_case.hpp>

#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace holon::test {

void submit_step(CheckpointWriter& writer, std::int64_t step, const RunState& state, std::uint64_t votes)
{
    const auto atoms = sample_atoms(n_atoms, step);
    if (step % 5 == 0) writer.repartition(atoms);
    writer.agree(votes);
    writer.submit(state, atoms, sample_box());
}

void submit_step(CheckpointWriter& writer, std::int64_t step)
{
    submit_step(writer, step, sample_state(step), writer.votes());
}

void write_steps(const std::string& path, std::int64_t begin, std::int64_t end, CheckpointOptions how,
                 std::chrono::milliseconds pause)
{
    auto writer = CheckpointWriter::create({}, path, {input, how}, sample_state(begin), sample_atoms(n_atoms, begin),
                                           sample_box());
    for (std::int64_t step = begin + 1; step <= end; ++step) {
        submit_step(writer, step);
        std::this_thread::sleep_for(pause);
    }
    writer.finish();
    ASSERT_EQ(writer.error(), "");
}

void expect_state(const CheckpointContents& contents, std::int64_t step)
{
    EXPECT_EQ(contents.input, input);
    EXPECT_EQ(contents.state, sample_state(step));
    EXPECT_EQ(state_hash(contents.state, contents.atoms, contents.kept), sample_hash(n_atoms, step));
}

void expect_whole(const CheckpointSlot& slot)
{
    EXPECT_EQ(slot.problem, "");
    EXPECT_EQ(state_hash(slot.state, slot.atoms, slot.kept), sample_hash(n_atoms, slot.state.step));
}

std::string read_error(const std::string& path)
{
    try {
        const auto contents = read_checkpoint({}, path);
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

} // namespace holon::test
