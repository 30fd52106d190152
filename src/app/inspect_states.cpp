#include "inspect.hpp"

#include <holon/app/input.hpp>
#include <holon/app/state_gro.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/io/output_folder.hpp>
#include <holon/io/topology_file.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace holon {

namespace {

/// The state of a step, from whatever slot it is in.
CheckpointSlot read_step(const CheckpointFile& file, const std::string& path, std::int64_t step)
{
    std::string problem;
    for (const auto& slot : file.slots()) {
        if (slot.empty || slot.state.step != step) continue;
        auto found = file.read(slot.index);
        if (found.problem.empty() && found.state.step == step) return found;
        problem = found.problem.empty() ? ": the run that goes on has overwritten it" : ": " + found.problem;
    }
    throw InputError(fmt::format("{} has no state of step {}{}. Without --step and --slot it lists what it has.", path,
                                 step, problem));
}

CheckpointSlot read_choice(const CheckpointFile& file, const std::string& path, const StateChoice& choice)
{
    if (choice.step) return read_step(file, path, *choice.step);
    if (!choice.slot) return file.newest();
    const auto count = static_cast<int>(file.slots().size());
    if (*choice.slot < 0 || *choice.slot >= count)
        throw InputError(fmt::format("{} has no slot {}: they are 0 to {}.", path, *choice.slot, count - 1));
    auto found = file.read(*choice.slot);
    if (!found.problem.empty())
        throw InputError(fmt::format("{}: slot {} is not valid: {}.", path, *choice.slot, found.problem));
    return found;
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
    auto found = read_choice(file, path, choice);
    slot = found.index;
    run = std::move(found.state);
    atoms = std::move(found.atoms);
    kept = std::move(found.kept);
    input = file.input();
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
    if (!state.kept.empty()) { // those that are missing are 0
        atoms.kept_begin.resize(atoms.id.size() + 1);
        for (const auto& number : state.kept) atoms.kept_begin[index(number.id) + 1] = number.index + 1;
        std::partial_sum(atoms.kept_begin.begin(), atoms.kept_begin.end(), atoms.kept_begin.begin());
        atoms.kept.resize(index(atoms.kept_begin.back()));
        for (const auto& number : state.kept)
            atoms.kept[index(atoms.kept_begin[index(number.id)] + number.index)] = number.value;
    }
    const auto path = output.file("checkpoint.h5");
    CheckpointWriter::create({}, path, {input, {}}, run, atoms, box_of(run, parameters_of(state)));
    fmt::print("{}\nContinue it with: holon-md --restart {}\n", state.text(), path);
}

} // namespace holon
