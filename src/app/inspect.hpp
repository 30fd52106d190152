#pragma once

#include <holon/io/checkpoint.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What holon-inspect is made of.
namespace holon {

enum InspectStatus { inspect_good = 0, inspect_different = 1, inspect_bad = 2, inspect_failed = 3 };

/// Which state of a checkpoint: that of a slot, that of a step, or the newest.
struct StateChoice {
    std::optional<int> slot;
    std::optional<std::int64_t> step;
};

/// A state with all its atoms, by id.
struct WholeState {
    /// InputError, if the file has no such state or it is not valid.
    WholeState(const std::string& path, const StateChoice& choice);

    std::string path;
    CheckpointInput input;
    int slot = 0;
    RunState run;
    std::vector<AtomRecord> atoms;
    std::vector<KeptNumber> kept; // by id and index

    std::string text() const; // one line
};

int show_checkpoint(const std::string& path);
int show_trajectory(const std::string& path);
int compare_states(const WholeState& a, const WholeState& b);
int compare_trajectories(const std::string& path_a, const std::string& path_b);

/// Writes the state as a .gro file.
void extract_gro(const WholeState& state, const std::string& path);

/// Makes a folder with a checkpoint that begins a run of its own with the state. InputError, if the folder holds a run.
void branch(const WholeState& state, const std::string& folder);

} // namespace holon
