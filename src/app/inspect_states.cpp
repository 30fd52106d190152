#include "inspect.hpp"

#include <holon/app/input.hpp>
#include <holon/app/state_gro.hpp>
#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/io/output_folder.hpp>
#include <holon/io/topology_file.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace holon {

namespace {

int find_slot(const CheckpointFile& file, const std::string& path, const StateChoice& choice)
{
    if (choice.slot) {
        if (*choice.slot < 0 || *choice.slot >= static_cast<int>(file.slots().size()))
            throw InputError(
                fmt::format("{} has no slot {}: they are 0 to {}.", path, *choice.slot, file.slots().size() - 1));
        return *choice.slot;
    }
    if (!choice.step) {
        const int slot = file.newest_valid();
        if (slot < 0) throw InputError(fmt::format("{} holds no valid state.", path));
        return slot;
    }
    std::string problem;
    for (const auto& slot : file.slots()) {
        if (slot.empty || slot.state.step != *choice.step) continue;
        problem = file.verify(slot.index);
        if (problem.empty()) return slot.index;
    }
    throw InputError(fmt::format("{} has no state of step {}{}. Without --step and --slot it lists what it has.", path,
                                 *choice.step, problem.empty() ? "" : ": " + problem));
}

const std::string& text_of(const WholeState& state, const char* name)
{
    const auto found = state.input.texts.find(name);
    if (found == state.input.texts.end())
        throw InputError(fmt::format("{} has no {}. It was not written by holon-md.", state.path, name));
    return found->second;
}

Parameters parameters_of(const WholeState& state)
{
    Notes unused;
    return read_settings(text_of(state, "mdp"), state.path, {}, unused).parameters;
}

} // namespace

WholeState::WholeState(const std::string& path_, const StateChoice& choice) : path(path_)
{
    const CheckpointFile file(path);
    slot = find_slot(file, path, choice);
    atoms = file.atoms(slot);
    kept = file.kept(slot);
    input = file.input();
    run = file.slots()[static_cast<std::size_t>(slot)].state;
}

std::string WholeState::text() const
{
    return fmt::format("{}: slot {}, step {}, {} atoms, state hash {}", path, slot, run.step, atoms.size(),
                       state_hash_text(state_hash(run, atoms, kept)));
}

void extract_gro(const WholeState& state, const std::string& path)
{
    Notes unused;
    const auto topology = read_topology(ExpandedTopology::from_text(text_of(state, "topology")),
                                        {parameters_of(state).constraints}, unused);
    write_state_gro(path, topology, state.run, state.atoms);
    fmt::print("{}\nwritten to {}\n", state.text(), path);
}

void branch(const WholeState& state, const std::string& folder)
{
    const OutputFolder output({}, folder, OutputFolder::Start::fresh);
    auto input = state.input;
    input.run_id = new_run_id({});
    auto run = state.run;
    run.outputs = {};
    Atoms atoms;
    for (const auto& record : state.atoms) {
        atoms.id.push_back(record.id);
        atoms.x.push_back(record.x);
        atoms.v.push_back(record.v);
        atoms.image.push_back(record.image);
    }
    atoms.n_owned = atoms.n_total = static_cast<std::int32_t>(atoms.id.size());
    if (!state.kept.empty()) {
        atoms.kept_begin.resize(atoms.id.size() + 1);
        for (const auto& number : state.kept) {
            atoms.kept.push_back(number.value);
            ++atoms.kept_begin[static_cast<std::size_t>(number.id) + 1];
        }
        std::partial_sum(atoms.kept_begin.begin(), atoms.kept_begin.end(), atoms.kept_begin.begin());
    }
    const auto path = output.file("checkpoint.h5");
    CheckpointWriter::create({}, path, input, {}, run, atoms, box_of(run, parameters_of(state)));
    fmt::print("{}\nContinue it with: holon-md --restart {}\n", state.text(), path);
}

} // namespace holon
