#include "prepared_run.hpp"

#include "reports/mesh_report.hpp"

#include <holon/core/memory.hpp>
#include <holon/core/parallel.hpp>

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace holon {

namespace {

void show_notes(const RunInput& input)
{
    for (const auto& note : input.notes.texts()) std::fprintf(stderr, "holon-md: note: %s\n", note.c_str());
}

/// Positions of a .gro file with three digits may be off by as much as this [nm], and no matter.
constexpr double rounding_of_positions = 0.003;

/// A continuation goes on from positions that a run with the same constraints has left. Collective.
void note_loose_continuation(RunInput& input, System& system)
{
    const auto& p = input.settings.parameters;
    if (!p.continuation || system.constraints().empty() || scheme_entry(p.integrator).traits.minimises) return;
    const double distance = distance_from_constraints(system, input.state.step);
    if (distance > rounding_of_positions)
        input.notes.add(fmt::format(
            "continuation = yes, but the positions do not satisfy the constraints: the first step takes atoms "
            "there by up to {:.3g} nm, and heats the system. Continue from a run with the same constraints, "
            "or put the atoms there before the start with continuation = no.",
            distance));
}

/// Launchers bind ranks to processors, and often to a single one. Collective.
void note_crowded_threads(RunInput& input, const Communicator& comm)
{
    if (comm.any(thread_count() > std::max(1, processor_count())))
        input.notes.add(
            fmt::format("OMP_NUM_THREADS: there are ranks with fewer processors than threads ({}). With Open "
                        "MPI, mpirun --map-by slot:pe={} gives each rank as many.",
                        thread_count(), thread_count()));
}

} // namespace

OutputFolder::Start start_kind(const RunInput& input, const RunOptions& options)
{
    if (input.in_place) return OutputFolder::Start::resume;
    return options.overwrite ? OutputFolder::Start::overwrite : OutputFolder::Start::fresh;
}

PreparedRun::PreparedRun(RunInput& input, const RunOptions& options, const Communicator& comm)
    : system_((return_unused_memory(), comm), // of reading
              input.topology, input.settings.parameters, input.box, input.start_box, input.intermolecular)
{
    return_large_arrays(static_cast<double>(input.topology->n_atoms()) / comm.size());
    const auto& parameters = input.settings.parameters;
    system_.state.restore_from(input.state.globals);
    system_.distribute(std::move(input.records), std::move(input.kept));
    if (input.checkpoint) {
        release(input.checkpoint->atoms);
        release(input.checkpoint->kept);
    } else {
        prepare_start(system_, parameters, input.state.step);
        note_loose_continuation(input, system_);
    }
    note_crowded_threads(input, comm);
    if (comm.root()) show_notes(input);
    dynamics_.emplace(system_, parameters, input.state.step);
    mesh_ = mesh_report(system_, parameters);
    if (options.reverse_velocities) system_.reverse();
}

} // namespace holon
