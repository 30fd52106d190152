#pragma once

#include <holon/io/checkpoint.hpp>

#include <support/sample_state.hpp>

#include <chrono>
#include <cstdint>
#include <string>

/// A checkpoint of a made-up system, and what must be found in it.
namespace holon::test {

inline constexpr std::int64_t n_atoms = 1000;
inline const CheckpointInput input{
    n_atoms, 4711, {{"mdp", "dt = 0.002\n"}, {"title", ""}, {"topology", std::string(100000, 't')}}};
inline const CheckpointOptions options{.slots = 4, .sync_seconds = 0.0};

/// Writes a state; every five steps what belongs to which row of the atoms changes.
void submit_step(CheckpointWriter& writer, std::int64_t step, const RunState& state, std::uint64_t votes = 0);

void submit_step(CheckpointWriter& writer, std::int64_t step);

/// Writes steps [begin, end] into a new file.
void write_steps(const std::string& path, std::int64_t begin, std::int64_t end, CheckpointOptions how = options,
                 std::chrono::milliseconds pause = {});

void expect_state(const CheckpointContents& contents, std::int64_t step);

void expect_whole(const CheckpointSlot& slot);

std::string read_error(const std::string& path);

} // namespace holon::test
