#include <holon/app/run.hpp>

#include "outputs/outputs.hpp"
#include "outputs/run_state.hpp"
#include "outputs/stop_signals.hpp"
#include "program.hpp"
#include "reports/mesh_report.hpp"

#include <holon/app/input.hpp>
#include <holon/core/error.hpp>
#include <holon/core/memory.hpp>
#include <holon/core/parallel.hpp>
#include <holon/dynamics/dynamics.hpp>

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace holon {

namespace {

std::string joined(int argc, char** argv)
{
    std::string text;
    for (int i = 0; i < argc; ++i) text += (i > 0 ? " " : "") + std::string(argv[i]);
    return text;
}

OutputFolder::Start start_kind(const RunInput& input, const RunOptions& options)
{
    if (input.in_place) return OutputFolder::Start::resume;
    return options.overwrite ? OutputFolder::Start::overwrite : OutputFolder::Start::fresh;
}

void show_notes(const RunInput& input)
{
    for (const auto& note : input.notes.texts()) std::fprintf(stderr, "holon-md: note: %s\n", note.c_str());
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

/// Minimises or simulates, and writes what there is to write at the end.
int run_system(RunInput& input, const RunOptions& options, const Communicator& comm)
{
    OutputFolder folder(comm, input.output, start_kind(input, options));
    const auto& parameters = input.settings.parameters;
    const bool goes_on = input.checkpoint.has_value();
    return_unused_memory(); // of reading
    System system(comm, input.topology, parameters, input.box, input.start_box, input.intermolecular);
    system.state.restore_from(input.state.globals);
    system.distribute(std::move(input.records), std::move(input.kept));
    if (input.checkpoint) {
        release(input.checkpoint->atoms);
        release(input.checkpoint->kept);
    }
    if (!goes_on) prepare_start(system, parameters, input.state.step);

    if (!input.in_place) folder.clear();
    note_crowded_threads(input, comm);
    if (comm.root()) show_notes(input);
    Dynamics dynamics(system, parameters, input.state.step);
    const auto mesh = mesh_report(system, parameters);
    if (options.reverse_velocities) system.reverse();
    Outputs outputs(input, folder, system, run_state(system, dynamics.clock(), input.state.outputs));
    outputs.describe(input, system, mesh);
    return_unused_memory(); // of the preparations
    outputs.start_clocks(system);
    const auto last = parameters.last_step();
    try {
        dynamics.run(last, outputs);
        outputs.finish(system, dynamics.clock(), dynamics.verdict());
    } catch (const Failure& failure) {
        outputs.report_failure(system, failure.what());
        throw;
    }
    return outputs.stopped() ? stopped : finished;
}

} // namespace

int run_program(int argc, char** argv)
{
    listen_for_signals();
    return run_on_all_ranks(argc, argv, "holon-md", [&](const Communicator& comm) -> int {
        const auto options = parse_command_line({argv + 1, argv + argc});
        if (options.help || options.version) {
            if (comm.root()) std::fputs(options.help ? help_text().c_str() : "holon-md " HOLON_VERSION "\n", stdout);
            return finished;
        }
        auto input = read_input(comm, options, joined(argc, argv));
        return run_system(input, options, comm);
    });
}

} // namespace holon
