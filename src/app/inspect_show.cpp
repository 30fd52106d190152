#include "inspect.hpp"

#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/io/trajectory.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace holon {

int show_checkpoint(const std::string& path)
{
    const CheckpointFile file(path);
    const auto input = file.input();
    fmt::print("{}: checkpoint of {} atoms\n", path, input.atoms);
    for (const auto& [name, text] : input.texts) fmt::print("  input {}: {} bytes\n", name, text.size());
    fmt::print("{:>6}  {:8}  {:>12}  {:>14}  {:>6}  {:16}\n", "slot", "kind", "step", "time (ps)", "ranks",
               "state hash");
    int newest = -1;
    std::int64_t last = -1;
    const auto count = static_cast<int>(file.slots().size());
    for (int k = 0; k < count; ++k) {
        const auto slot = file.read(k);
        const auto kind = slot.synced ? "synced" : "ring";
        if (!slot.problem.empty()) {
            fmt::print("{:6}  {:8}  {}{}\n", k, kind, slot.empty ? "" : "not valid: ", slot.problem);
            continue;
        }
        fmt::print("{:6}  {:8}  {:12}  {:14g}  {:6}  {:16}\n", k, kind, slot.state.step, slot.state.time, slot.ranks,
                   state_hash_text(state_hash(slot.state, slot.atoms, slot.kept)));
        if (slot.sequence > last) newest = k, last = slot.sequence;
    }
    if (newest < 0) throw InputError(fmt::format("{} holds no valid state.", path));
    fmt::print("A restart goes on from slot {}.\n", newest);
    return inspect_good;
}

int show_trajectory(const std::string& path)
{
    const TrajectoryFile file(path);
    std::string contents;
    for (const auto& [quantity, name] : {std::pair(Quantity::position, "positions"),
                                         {Quantity::velocity, "velocities"},
                                         {Quantity::force, "forces"},
                                         {Quantity::constraint_force, "constraint forces"}})
        if (file.has(quantity))
            contents += fmt::format("{}{} x {}", contents.empty() ? "" : ", ", file.frames(quantity), name);
    fmt::print("{}: trajectory of {} atoms: {}\n", path, file.atoms(), contents);
    if (const auto last = file.frames() - 1; last >= 0)
        fmt::print("{} frames, steps {} to {}, {:g} to {:g} ps\n", last + 1, file.step(0), file.step(last),
                   file.time(0), file.time(last));
    else
        fmt::print("no frames\n");
    return inspect_good;
}

} // namespace holon
