#pragma once

#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/io/checkpoint.hpp>

#include "sample_state.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

/// A checkpoint of a made-up system, and what must be found in it.
namespace holon::test {

inline constexpr std::int64_t n_atoms = 1000;
inline const CheckpointInput input{
    n_atoms, 4711, {{"mdp", "dt = 0.002\n"}, {"title", ""}, {"topology", std::string(100000, 't')}}};
inline const CheckpointOptions options{.slots = 4, .sync_seconds = 0.0};

/// Writes a state; every five steps what belongs to which row of the atoms changes.
inline void submit_step(CheckpointWriter& writer, std::int64_t step, const RunState& state, std::uint64_t votes = 0)
{
    const auto atoms = sample_atoms(n_atoms, step);
    if (step % 5 == 0) writer.repartition(atoms);
    writer.agree(votes);
    writer.submit(state, atoms, sample_box());
}

inline void submit_step(CheckpointWriter& writer, std::int64_t step)
{
    submit_step(writer, step, sample_state(step), writer.votes());
}

/// Writes steps [begin, end] into a new file.
inline void write_steps(const std::string& path, std::int64_t begin, std::int64_t end, CheckpointOptions how = options,
                        std::chrono::milliseconds pause = {})
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

inline void expect_state(const CheckpointContents& contents, std::int64_t step)
{
    EXPECT_EQ(contents.input, input);
    EXPECT_EQ(contents.state, sample_state(step));
    EXPECT_EQ(state_hash(contents.state, contents.atoms, contents.kept), sample_hash(n_atoms, step));
}

inline void expect_whole(const CheckpointSlot& slot)
{
    EXPECT_EQ(slot.problem, "");
    EXPECT_EQ(state_hash(slot.state, slot.atoms, slot.kept), sample_hash(n_atoms, slot.state.step));
}

inline std::string read_error(const std::string& path)
{
    try {
        const auto contents = read_checkpoint({}, path);
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

} // namespace holon::test
