#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/log.hpp>
#include <holon/io/checkpoint.hpp>
#include <holon/io/options.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/intermolecular.hpp>
#include <holon/system/topology.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holon {

/// All that a run starts from, the same on every rank but for `records`, which are spread over the ranks.
struct RunInput {
    RunSettings settings;
    std::shared_ptr<Topology> topology;
    IntermolecularTerms intermolecular;
    Box box;
    Box start_box; // of the start of the run: what is chosen once and for all is chosen for it
    std::vector<AtomRecord> records;
    std::vector<KeptNumber> kept; // of a run that goes on
    RunState state;
    CheckpointInput stored;                       // what checkpoint.h5 keeps
    std::optional<CheckpointContents> checkpoint; // of a continued run
    std::string output;                           // the folder
    bool in_place = false;                        // goes on in the folder of the checkpoint
    bool has_velocities = true;
    Notes notes;
};

/// The box of a state on the lattice of the run's precision.
Box box_of(const RunState& state, const Parameters& parameters);

/// Reads and checks everything: files on rank 0 only, texts are broadcast and parsed alike everywhere, atoms are dealt
/// out in pieces. Throws InputError alike on all ranks. Collective.
RunInput read_input(const Communicator& comm, const RunOptions& options, const std::string& command_line);

} // namespace holon
