// Shows and verifies what a run has left, and compares the states of two runs:
//
//     holon-inspect run/checkpoint.h5                      slots, their steps and state hashes, the stored input
//     holon-inspect run/trajectory.h5                      frames, atoms, first and last time
//     holon-inspect a/checkpoint.h5 b/checkpoint.h5        do the newest states differ, and in which atoms?
//     holon-inspect a/trajectory.h5 b/trajectory.h5        do the frames differ?
//
// Exit status: 0 good, or equal; 1 different; 2 a file that cannot be used.
#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/io/checkpoint.hpp>
#include <holon/io/trajectory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace holon;

constexpr int good = 0, different = 1, bad = 2;

constexpr const char* usage =
    "holon-inspect FILE [FILE2]\n\n"
    "Shows and verifies a checkpoint.h5 or trajectory.h5; with two files, compares their states.\n"
    "Exit status: 0 good, or equal; 1 different; 2 a file that cannot be used.\n";

int show_checkpoint(const std::string& path)
{
    const CheckpointFile file(path);
    const auto input = file.input();
    fmt::print("{}: checkpoint of {} atoms\n", path, input.atoms);
    for (const auto& [name, text] : input.texts) fmt::print("  input {}: {} bytes\n", name, text.size());
    fmt::print("{:>6}  {:8}  {:>12}  {:>14}  {:>6}  {:16}\n", "slot", "kind", "step", "time (ps)", "ranks",
               "state hash");
    for (const auto& slot : file.slots()) {
        const auto kind = slot.synced ? "synced" : "ring";
        const auto problem = file.verify(slot.index);
        if (!problem.empty())
            fmt::print("{:6}  {:8}  {}{}\n", slot.index, kind, slot.empty ? "" : "not valid: ", problem);
        else
            fmt::print("{:6}  {:8}  {:12}  {:14g}  {:6}  {:16}\n", slot.index, kind, slot.state.step, slot.state.time,
                       slot.ranks, state_hash_text(state_hash(slot.state, file.atoms(slot.index))));
    }
    const int newest = file.newest_valid();
    if (newest < 0) throw InputError(fmt::format("{} holds no valid state.", path));
    fmt::print("A restart goes on from slot {}.\n", newest);
    return good;
}

int show_trajectory(const std::string& path)
{
    const TrajectoryFile file(path);
    fmt::print("{}: trajectory of {} atoms: positions{}{}\n", path, file.atoms(),
               file.velocities() ? ", velocities" : "", file.forces() ? ", forces" : "");
    if (const auto last = file.frames() - 1; last >= 0)
        fmt::print("{} frames, steps {} to {}, {:g} to {:g} ps\n", last + 1, file.step(0), file.step(last),
                   file.time(0), file.time(last));
    else
        fmt::print("no frames\n");
    return good;
}

/// The newest valid state of a checkpoint.
struct State {
    explicit State(const std::string& path)
    {
        const CheckpointFile file(path);
        const int slot = file.newest_valid();
        if (slot < 0) throw InputError(fmt::format("{} holds no valid state.", path));
        run = file.slots()[static_cast<std::size_t>(slot)].state;
        atoms = file.atoms(slot);
        fmt::print("{}: slot {}, step {}, {} atoms, state hash {}\n", path, slot, run.step, atoms.size(),
                   state_hash_text(state_hash(run, atoms)));
    }
    RunState run;
    std::vector<AtomRecord> atoms; // by id
};

/// Prints how many atoms differ in what `get` takes from them; true, if any do.
template <class Get>
bool report_difference(const State& a, const State& b, const char* what, double unit, const char* unit_name, Get get)
{
    std::size_t count = 0, worst = 0;
    double largest = 0.0;
    for (std::size_t i = 0; i < a.atoms.size(); ++i) {
        const double difference = unit * static_cast<double>((get(a.atoms[i]) - get(b.atoms[i])).cwiseAbs().maxCoeff());
        if (difference > largest) worst = i;
        largest = std::max(largest, difference);
        count += difference > 0.0;
    }
    if (count)
        fmt::print("{} differ in {} atoms, by up to {:g}{} (atom {})\n", what, count, largest, unit_name, worst + 1);
    return count > 0;
}

int compare_checkpoints(const std::string& path_a, const std::string& path_b)
{
    const State a(path_a), b(path_b);
    if (a.atoms.size() != b.atoms.size()) {
        fmt::print("The numbers of atoms differ.\n");
        return different;
    }
    bool differ = false;
    const auto note = [&](bool found, const char* text) {
        if (found) fmt::print("{}\n", text);
        differ |= found;
    };
    note(a.run.step != b.run.step || a.run.time != b.run.time, "The steps differ.");
    note(a.run.box != b.run.box, "The boxes differ.");
    note(a.run.values != b.run.values, "The values of thermostat and integrator differ.");
    differ |= report_difference(a, b, "Positions", position_unit, " nm", [](const AtomRecord& atom) { return atom.x; });
    differ |= report_difference(a, b, "Image counts", 1.0, "", [](const AtomRecord& atom) { return atom.image; });
    differ |=
        report_difference(a, b, "Velocities", velocity_unit, " nm/ps", [](const AtomRecord& atom) { return atom.v; });
    if (!differ) fmt::print("The states are equal.\n");
    return differ ? different : good;
}

int compare_trajectories(const std::string& path_a, const std::string& path_b)
{
    const TrajectoryFile a(path_a), b(path_b);
    const auto common = std::min(a.frames(), b.frames());
    for (std::int64_t k = 0; k < common; ++k) {
        if (a.step(k) != b.step(k) || a.contents(k) != b.contents(k)) {
            fmt::print("Frame {} differs (steps {} and {}).\n", k, a.step(k), b.step(k));
            return different;
        }
    }
    if (a.frames() != b.frames()) {
        fmt::print("The first {} frames are equal; {} and {} frames in all.\n", common, a.frames(), b.frames());
        return different;
    }
    fmt::print("All {} frames are equal.\n", common);
    return good;
}

int inspect(const std::vector<std::string>& paths)
{
    const bool trajectory = TrajectoryFile::recognises(paths.front());
    if (paths.size() == 1) return trajectory ? show_trajectory(paths[0]) : show_checkpoint(paths[0]);
    if (TrajectoryFile::recognises(paths[1]) != trajectory)
        throw InputError(fmt::format(
            "{} and {} are files of different kinds. Give two checkpoints or two trajectories.", paths[0], paths[1]));
    return trajectory ? compare_trajectories(paths[0], paths[1]) : compare_checkpoints(paths[0], paths[1]);
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> paths(argv + std::min(argc, 1), argv + argc);
    if (paths.size() == 1 && (paths[0] == "-h" || paths[0] == "--help")) {
        std::fputs(usage, stdout);
        return good;
    }
    if (paths.size() == 1 && paths[0] == "--version") {
        fmt::print("holon-inspect {}\n", HOLON_VERSION);
        return good;
    }
    if (paths.empty() || paths.size() > 2 || paths[0].starts_with("-")) {
        std::fputs(usage, stderr);
        return bad;
    }
    try {
        return inspect(paths);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        fmt::print(stderr, "holon-inspect: {}\n", error.what());
        return bad;
    }
}
