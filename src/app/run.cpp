#include <holon/app/run.hpp>

#include "dry_run.hpp"
#include "outputs/outputs.hpp"
#include "outputs/run_state.hpp"
#include "outputs/stop_signals.hpp"
#include "prepared_run.hpp"
#include "program.hpp"

#include <holon/app/input.hpp>
#include <holon/core/error.hpp>
#include <holon/core/memory.hpp>

#include <cstdio>
#include <string>

namespace holon {

namespace {

std::string joined(int argc, char** argv)
{
    std::string text;
    for (int i = 0; i < argc; ++i) text += (i > 0 ? " " : "") + std::string(argv[i]);
    return text;
}

/// What is asked of the program itself.
std::string told_by(const RunOptions& options)
{
    if (options.help) return help_text();
    if (options.keys) return keys_text();
    return options.version ? "holon-md " HOLON_VERSION "\n" : "";
}

/// Minimises or simulates, and writes what there is to write at the end.
int run_system(RunInput& input, const RunOptions& options, const Communicator& comm)
{
    OutputFolder folder(comm, input.output, start_kind(input, options));
    const auto& parameters = input.settings.parameters;
    PreparedRun run(input, options, comm);
    if (!input.in_place) folder.clear();
    auto& system = run.system();
    auto& dynamics = run.dynamics();
    Outputs outputs(input, folder, system, run_state(system, dynamics.clock(), input.state.outputs));
    outputs.describe(input, system, run.mesh());
    return_unused_memory(); // of the preparations
    outputs.start_clocks(system);
    try {
        dynamics.run(parameters.last_step(), outputs);
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
        if (const auto told = told_by(options); !told.empty()) {
            if (comm.root()) std::fputs(told.c_str(), stdout);
            return finished;
        }
        auto input = read_input(comm, options, joined(argc, argv));
        if (options.dry_run) {
            dry_run(input, options, comm);
            return finished;
        }
        return run_system(input, options, comm);
    });
}

} // namespace holon
