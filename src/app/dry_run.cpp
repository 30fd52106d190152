#include "dry_run.hpp"

#include "outputs/progress.hpp"
#include "outputs/run_folder.hpp"
#include "outputs/run_state.hpp"
#include "outputs/shown_values.hpp"
#include "outputs/stop_signals.hpp"
#include "outputs/trajectory_recorder.hpp"
#include "prepared_run.hpp"
#include "reports/mesh_report.hpp"
#include "reports/system_report.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>
#include <holon/dynamics/scheme.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <sys/resource.h>

namespace holon {

namespace {

/// Asks a run to end after some seconds, and knows how long its steps took.
class Trial : public Recorder {
public:
    explicit Trial(const Parameters& parameters) : parameters_(parameters) {}

    void frame(System&, const Clock&) override
    {
        const auto now = std::chrono::steady_clock::now();
        if (frames_++ == 0) first_ = now;
        if (frames_ <= warming_) begin_ = now; // the first ones find caches and lists cold
        end_ = now;
    }
    bool wants_energies(std::int64_t step) const override
    {
        const auto& p = parameters_;
        return (p.nstenergy > 0 && step % p.nstenergy == 0) || (p.nstlog > 0 && step % p.nstlog == 0);
    }
    Votes votes() const override
    {
        constexpr double enough = 2.0; // s
        Votes votes;
        votes[Vote::stop] = stop_requested() || std::chrono::duration<double>(end_ - first_).count() > enough ? 1 : 0;
        return votes;
    }

    std::int64_t steps() const { return std::max<std::int64_t>(0, frames_ - std::min(frames_, warming_)); }
    double seconds_per_step() const // NaN, if there were too few steps
    {
        return steps() > 0 ? std::chrono::duration<double>(end_ - begin_).count() / static_cast<double>(steps()) : NAN;
    }

private:
    static constexpr std::int64_t warming_ = 3;
    const Parameters& parameters_;
    std::int64_t frames_ = 0;
    std::chrono::steady_clock::time_point first_, begin_, end_;
};

/// The most that this process has used [bytes].
std::int64_t peak_memory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

/// 12.3 MB
std::string bytes_text(double bytes)
{
    const char* unit = "bytes";
    for (const char* larger : {"kB", "MB", "GB", "TB", "PB"}) {
        if (bytes < 1000.0) break;
        bytes /= 1000.0;
        unit = larger;
    }
    return fmt::format("{:.3g} {}", bytes, unit);
}

/// The files of so many steps [bytes].
struct Files {
    double trajectory = 0.0, energies = 0.0, log = 0.0;
    double total() const { return trajectory + energies + log; }
};

Files files_of(double steps, const Parameters& p, const TrajectoryInfo& trajectory, std::size_t columns)
{
    constexpr double number = 19.5, line = 48.0; // bytes of a number in energy.csv, of a line in md.log
    constexpr double most = 1e15;                // steps that an integer counts, of trajectories that it measures
    const auto width = static_cast<double>(columns);
    const auto of = [&](std::int64_t interval) {
        return interval > 0 ? steps / static_cast<double>(interval) + 1.0 : 0.0;
    };
    const double counted = std::min(steps, most / static_cast<double>(trajectory.atoms));
    Files files;
    if (counted > 0.0)
        files.trajectory =
            steps / counted * static_cast<double>(trajectory_bytes(trajectory, static_cast<std::int64_t>(counted)));
    files.energies = of(p.nstenergy) * (16.0 + number * width);
    files.log = of(p.nstlog) * line * (width + 3.0);
    return files;
}

struct Cost {
    double seconds_per_step;
    std::int64_t steps_tried;
    std::int64_t most_memory, all_memory; // bytes
    std::int64_t checkpoint;              // bytes
};

std::string speed_text(const Parameters& p, const Cost& cost)
{
    if (std::isnan(cost.seconds_per_step)) return "Speed: not measured, for want of steps\n";
    const double per_second = 1.0 / cost.seconds_per_step;
    const auto basis = fmt::format("measured over {} steps, without files", cost.steps_tried);
    if (scheme_entry(p.integrator).traits.minimises)
        return fmt::format("Speed: {:.4g} steps/s, {}\n", per_second, basis);
    return fmt::format("Speed: {:.4g} ns/day, {:.4g} steps/s, {}\n", 1e-3 * p.dt * 86400.0 * per_second, per_second,
                       basis);
}

std::string time_text(const Parameters& p, double seconds)
{
    auto text = fmt::format("Time: {} for these steps", duration_text(seconds));
    if (const double job = 0.99 * 3600.0 * p.maxh; p.maxh > 0.0 && seconds > job)
        text += fmt::format(", in {:.0f} jobs of maxh = {:g} hours", std::ceil(seconds / job), p.maxh);
    return text + "\n";
}

std::string disk_text(const RunInput& input, const Files& all, const Files& day, const Cost& cost)
{
    const bool endless = input.settings.parameters.endless();
    const auto file = [&](const char* name, double whole, double daily) {
        auto text = fmt::format("  {:<16}", name);
        if (!endless) text += fmt::format(" {:>9}", bytes_text(whole));
        if (std::isfinite(daily)) text += fmt::format("{} {:>9} a day", endless ? "" : ",", bytes_text(daily));
        return text + "\n";
    };
    std::string text = "Disk:\n";
    if (cost.checkpoint > 0)
        text += fmt::format("  {:<16} {:>9}, of fixed size\n", checkpoint_name,
                            bytes_text(static_cast<double>(cost.checkpoint)));
    text += file(trajectory_name, all.trajectory, day.trajectory) + file(energies_name, all.energies, day.energies) +
            file(log_name, all.log, day.log);
    if (input.output.empty()) return text;
    auto folder = std::filesystem::absolute(input.output);
    while (!std::filesystem::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
    std::error_code error;
    const auto space = std::filesystem::space(folder, error);
    if (error) return text;
    const auto free = static_cast<double>(space.available);
    text += fmt::format("  free             {:>9} where {} is\n", bytes_text(free), input.output);
    if (const double needed = static_cast<double>(cost.checkpoint) + all.total(); !endless && needed > free)
        text += fmt::format("Warning: the files of the run need {}, which is more than is free. Choose another folder "
                            "with -o, or longer nstxout-compressed, nstxout, nstvout, nstfout.\n",
                            bytes_text(needed));
    return text;
}

std::string plan_text(const RunInput& input, const System& system, const RunState& state, const Cost& cost)
{
    const auto& p = input.settings.parameters;
    const auto trajectory = trajectory_info(input, system, state.step);
    const auto columns = ShownValues(system.topology(), p).columns().size();
    const bool minimises = scheme_entry(p.integrator).traits.minimises;
    const double steps = p.endless() ? 0.0 : static_cast<double>(p.last_step() - state.step);
    std::string text = "\n";
    if (p.endless())
        text += fmt::format("Steps: from step {}, without an end\n", state.step);
    else
        text += fmt::format("Steps: {}{} from step {} to {}{}\n", minimises ? "at most " : "",
                            static_cast<std::int64_t>(steps), state.step, p.last_step(),
                            minimises ? "" : fmt::format(", {:g} ps", steps * p.dt));
    text += speed_text(p, cost);
    if (!p.endless() && !std::isnan(cost.seconds_per_step)) text += time_text(p, steps * cost.seconds_per_step);
    text += fmt::format("Memory: {} on the rank that needs most, {} on all\n",
                        bytes_text(static_cast<double>(cost.most_memory)),
                        bytes_text(static_cast<double>(cost.all_memory)));
    return text + disk_text(input, files_of(steps, p, trajectory, columns),
                            files_of(86400.0 / cost.seconds_per_step, p, trajectory, columns), cost);
}

/// What the run would refuse because of files that are there.
void check_folder(const RunInput& input, const System& system, const RunState& state, const Communicator& comm)
{
    if (!input.in_place) return;
    const auto columns = ShownValues(system.topology(), input.settings.parameters).columns();
    const auto trajectory = trajectory_info(input, system, state.step);
    on_root(comm, [&] { RunFolder::check(input.output, state.outputs, trajectory, columns); });
}

} // namespace

void dry_run(RunInput& input, const RunOptions& options, const Communicator& comm)
{
    if (!input.output.empty()) OutputFolder::check(comm, input.output, start_kind(input, options));
    const auto& parameters = input.settings.parameters;
    PreparedRun run(input, options, comm);
    auto& system = run.system();
    const auto state = run_state(system, run.dynamics().clock(), input.state.outputs);
    check_folder(input, system, state, comm);
    std::vector<ConstraintDiagnosis> diagnoses;
    if (comm.root()) diagnoses = diagnose(system.topology());
    const auto text = system_text(system, run.mesh(), diagnoses);
    const auto kept = comm.sum(static_cast<std::int64_t>(system.atoms.kept.size()));
    if (comm.root()) std::fputs(text.c_str(), stdout);

    Trial trial(parameters);
    std::exception_ptr failure; // of a start that has to be minimised first, for one; the plan is of use all the same
    try {
        run.dynamics().run(parameters.last_step(), trial);
    } catch (const Failure&) {
        failure = std::current_exception();
    }
    Cost cost{trial.seconds_per_step(), trial.steps(), comm.max(peak_memory()), comm.sum(peak_memory()), 0};
    if (comm.root()) {
        if (parameters.checkpoint_interval > 0)
            cost.checkpoint =
                checkpoint_bytes(input.stored, {kept, count_values(state)}, CheckpointOptions().slots, comm.size());
        std::fputs((plan_text(input, system, state, cost) + "Nothing has been written.\n").c_str(), stdout);
        std::fflush(stdout);
    }
    if (failure) std::rethrow_exception(failure);
}

} // namespace holon
