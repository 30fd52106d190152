#include <holon/app/outputs.hpp>

#include <holon/app/run_state.hpp>
#include <holon/app/state_gro.hpp>
#include <holon/app/stop_signals.hpp>
#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/dynamics/scheme.hpp>

#include "parallel_report.hpp"
#include "run_statistics.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace holon {

namespace {

constexpr const char* trajectory_name = "trajectory.h5md";
constexpr const char* old_trajectory_name = "trajectory.h5"; // of earlier versions

/// The trajectory that is in a folder, be it under its old name; empty, if there is none.
std::string trajectory_in(const std::string& folder)
{
    for (const char* name : {trajectory_name, old_trajectory_name})
        if (auto path = folder + "/" + name; std::filesystem::exists(path)) return path;
    return {};
}

/// Terms with interactions in this system; non-bonded ones always.
std::vector<EnergyTerm> present_terms(const Topology& topology, const Parameters& parameters)
{
    const auto has = [&](EnergyTerm term) {
        for (std::size_t k = 0; k < interaction_count; ++k)
            if (interaction_info[k].energy == term && !topology.parameters[k].empty()) return true;
        return false;
    };
    const auto coulomb = parameters.coulomb;
    const std::map<EnergyTerm, bool> not_bonded = {
        {EnergyTerm::lj, true},
        {EnergyTerm::coulomb_14, has(EnergyTerm::lj_14)},
        {EnergyTerm::lj_correction, parameters.dispersion_correction != DispersionCorrection::no},
        {EnergyTerm::coulomb_short, coulomb != CoulombKind::ewald},
        {EnergyTerm::coulomb_long, coulomb == CoulombKind::mesh},
        {EnergyTerm::coulomb_real, coulomb == CoulombKind::ewald},
        {EnergyTerm::coulomb_reciprocal, coulomb == CoulombKind::ewald},
        {EnergyTerm::coulomb_self, coulomb == CoulombKind::ewald},
        {EnergyTerm::coulomb_exclusion, coulomb == CoulombKind::ewald},
        {EnergyTerm::distance_restraint, parameters.disre != DistanceRestraints::no},
    };
    std::vector<EnergyTerm> terms;
    for (std::size_t t = 0; t < energy_term_count; ++t) {
        const auto term = static_cast<EnergyTerm>(t);
        const auto other = not_bonded.find(term);
        if (other != not_bonded.end() ? other->second : has(term)) terms.push_back(term);
    }
    return terms;
}

/// Of all ranks. Collective.
std::vector<std::pair<std::string, double>> mean_timings(const Communicator& comm,
                                                         const std::array<double, stage_count>& seconds)
{
    std::vector<std::int64_t> nanoseconds;
    for (const double s : seconds) nanoseconds.push_back(static_cast<std::int64_t>(s * 1e9));
    comm.sum(std::span(nanoseconds));
    std::vector<std::pair<std::string, double>> timings;
    for (std::size_t k = 0; k < stage_count; ++k)
        timings.emplace_back(stage_keys[k], static_cast<double>(nanoseconds[k]) * 1e-9 / comm.size());
    return timings;
}

TrajectoryInfo trajectory_info(const RunInput& input, const System& system, std::int64_t step)
{
    const auto& p = input.settings.parameters;
    TrajectoryInfo info;
    info.atoms = system.topology().n_atoms();
    info.run_id = input.stored.run_id;
    info.program_version = HOLON_VERSION;
    info.schedule = schedules_of(p);
    info.double_precision = p.precision == Precision::real64;
    info.first_step = step;
    info.last_step = p.last_step();
    if (system.comm().root()) describe_atoms(*input.topology, info);
    return info;
}

} // namespace

std::string Outputs::mismatch(const std::string& folder, std::uint64_t run_id, const OutputMarks& marks, bool newest)
{
    const auto text_mismatch = [&](const char* name, const TextMark& mark) -> std::string {
        const auto path = folder + "/" + name;
        if (!std::filesystem::exists(path)) return {};
        if (mark.bytes == 0 && !newest) return fmt::format("{} had not been begun", path);
        return AppendFile::mismatch(path, mark);
    };
    const auto trajectory = trajectory_in(folder);
    std::string problem;
    if (!trajectory.empty()) problem = TrajectoryFile(trajectory).mismatch(run_id, marks);
    if (problem.empty()) problem = text_mismatch("energy.csv", marks.energies);
    if (problem.empty()) problem = text_mismatch("md.log", marks.log);
    return problem;
}

Outputs::Outputs(const RunInput& input, OutputFolder& folder, System& system, const RunState& state)
    : parameters_(input.settings.parameters), folder_(folder), box_report_(system.topology(), parameters_),
      terms_(present_terms(system.topology(), parameters_)), in_place_(input.in_place), start_step_(state.step),
      step_(state.step)
{
    const auto& comm = system.comm();
    const auto info = trajectory_info(input, system, state.step);
    std::vector<std::string> columns;
    for (const auto term : terms_) columns.emplace_back(energy_term_keys[static_cast<std::size_t>(term)]);
    for (const char* name : {"potential", "kinetic", "conserved", "temperature_K", "pressure_bar"})
        columns.emplace_back(name);
    for (const auto& [name, value] : box_report_.values({})) columns.push_back(name);

    const bool writes_trajectory = !info.schedule[Quantity::position].empty();
    on_root(comm, [&] { // nothing is touched before everything has been looked at
        const auto trajectory = in_place_ ? trajectory_in(folder_.path()) : std::string();
        if (goes_on_in("energy.csv") && state.outputs.energies.bytes > 0)
            EnergyFile::check_append(file("energy.csv"), columns, state.outputs.energies.bytes);
        if (!trajectory.empty() && writes_trajectory) TrajectoryWriter::check_append(trajectory, info);
        if (!in_place_) return;
        start_marks_ = state.outputs;
        if (trajectory.empty()) start_marks_.frames = 0, start_marks_.last_frame = OutputMarks::no_step;
        if (!goes_on_in("energy.csv")) start_marks_.energies = {};
        if (!goes_on_in("md.log")) start_marks_.log = {}, start_marks_.last_table = OutputMarks::no_step;
        if (trajectory == file(old_trajectory_name)) std::filesystem::rename(trajectory, file(trajectory_name));
    });
    open_checkpoint(input, system, state);
    if (writes_trajectory) open_trajectory(comm, info);
    on_root(comm, [&] {
        open_texts(columns);
        std::filesystem::remove(file("summary.json")); // of the part that goes on now
    });
}

/// True for a file of an earlier start that this one goes on in.
bool Outputs::goes_on_in(const char* name) const
{
    return in_place_ && std::filesystem::exists(file(name));
}

void Outputs::open_checkpoint(const RunInput& input, const System& system, const RunState& state)
{
    const auto& p = parameters_;
    if (p.checkpoint_interval <= 0) return;
    const CheckpointOptions options{.mapping = p.checkpoint_mapping,
                                    .sync_seconds = p.checkpoint_sync,
                                    .sync_also = {file(trajectory_name), file("energy.csv"), file("md.log")}};
    auto marked = state;
    marked.outputs = start_marks_;
    if (in_place_) {
        // Before any file changes there is a state that fits what it will be like.
        auto contents = *input.checkpoint;
        contents.input = input.stored;
        contents.state = marked;
        checkpoint_ = CheckpointWriter::resume(system.comm(), file("checkpoint.h5"), contents, options, system.atoms,
                                               system.box());
        checkpoint_->agree(checkpoint_sync_due);
        checkpoint_->submit(marked, system.atoms, system.box());
        checkpoint_->finish();
        on_all(system.comm(), [this] {
            if (const auto error = checkpoint_->error(); !error.empty()) throw Failure(error);
        });
    } else {
        checkpoint_ = CheckpointWriter::create(system.comm(), file("checkpoint.h5"), input.stored, options, marked,
                                               system.atoms, system.box());
    }
    last_checkpoint_ = state.step;
}

void Outputs::open_trajectory(const Communicator& comm, const TrajectoryInfo& info)
{
    std::int64_t there = 0;
    on_root(comm, [&] { there = goes_on_in(trajectory_name) ? 1 : 0; });
    const auto path = file(trajectory_name);
    trajectory_ = comm.max(there) != 0 ? TrajectoryWriter::resume(comm, path, info, start_step_)
                                       : TrajectoryWriter::create(comm, path, info);
}

void Outputs::open_texts(const std::vector<std::string>& columns)
{
    const auto energies = file("energy.csv"), log = file("md.log");
    energy_file_ = start_marks_.energies.bytes > 0 ? EnergyFile::resume(energies, columns, start_marks_.energies.bytes)
                                                   : EnergyFile::create(energies, columns);
    if (start_marks_.log.bytes > 0)
        log_.emplace(log, start_marks_);
    else
        log_.emplace(log);
}

OutputMarks Outputs::marks() const
{
    OutputMarks marks = start_marks_;
    if (trajectory_) marks.frames = trajectory_->frames(), marks.last_frame = trajectory_->last_step();
    if (energy_file_) marks.energies = energy_file_->mark();
    if (log_) marks.log = log_->mark(), marks.last_table = log_->last_table();
    return marks;
}

void Outputs::describe(const RunInput& input, System& system, const std::optional<MeshReport>& mesh)
{
    mesh_ = mesh;
    const auto& comm = system.comm();
    const auto& topology = system.topology();
    const auto least = -comm.max(-std::int64_t{system.atoms.n_owned}),
               most = comm.max(std::int64_t{system.atoms.n_owned});
    const auto copies = comm.max(std::int64_t{system.atoms.n_total - system.atoms.n_owned});
    if (!log_) return;
    diagnoses_ = diagnose(topology);
    auto& log = *log_;
    const auto& n = system.partition().grid().n();
    log.line(parallel_text(comm.size()));
    log.line(fmt::format("System: {}: {} atoms, {} molecules, {} constraints, total charge {:.4f} e", topology.name,
                         topology.n_atoms(), topology.n_molecules(), topology.n_constraints(),
                         topology.total_charge()));
    const Mat3 box = system.box().vectors();
    log.line(fmt::format("Box: ({:.5f} 0 0) ({:.5f} {:.5f} 0) ({:.5f} {:.5f} {:.5f}) nm, {:.3f} nm^3", box(0, 0),
                         box(1, 0), box(1, 1), box(2, 0), box(2, 1), box(2, 2), system.box().volume()));
    log.line(fmt::format("Domains: {} x {} x {}, {} to {} atoms per rank, at most {} copies", n[0], n[1], n[2], least,
                         most, copies));
    if (mesh) log.line(mesh_text(*mesh));
    if (topology.n_virtual_sites() > 0) log.line(fmt::format("Virtual sites: {}", topology.n_virtual_sites()));
    if (!system.constraints().empty())
        log.line("Constraints:\n" + system.constraints().description() + diagnosis_text(diagnoses_, topology));
    if (start_step_ != parameters_.init_step || input.in_place)
        log.line(fmt::format("Going on from the checkpoint of step {}", start_step_));
    for (const auto& note : input.notes.texts()) log.line("Note: " + note);
    log.line("\nParameters:\n" + effective_mdp(input.settings));
}

void Outputs::start_clocks(System& system)
{
    system.timers = {};
    clocks_.start(system.comm(), checkpoint_);
}

bool Outputs::wants_energies(std::int64_t step) const
{
    const auto due = [step](std::int64_t interval) { return interval > 0 && step % interval == 0; };
    return due(parameters_.nstenergy) || due(parameters_.nstlog);
}

std::vector<std::pair<std::string, double>> Outputs::energies_of(const Measurement& m) const
{
    std::vector<std::pair<std::string, double>> energies;
    for (const auto term : terms_) {
        const auto k = static_cast<std::size_t>(term);
        energies.emplace_back(energy_term_keys[k], m.forces.energy[k]);
    }
    energies.emplace_back("potential", m.forces.potential);
    energies.emplace_back("kinetic", m.kinetic);
    energies.emplace_back("conserved", m.conserved);
    return energies;
}

void Outputs::measured(const Measurement& m)
{
    if (!first_) first_ = m;
    last_ = m;
    const auto due = [&m](std::int64_t interval) { return interval > 0 && m.step % interval == 0; };
    const auto energies = energies_of(m);
    if (energy_file_ && due(parameters_.nstenergy) && !energy_file_->has_row(m.step)) {
        std::vector<double> values;
        for (const auto& [key, value] : energies) values.push_back(value);
        values.push_back(m.temperature);
        values.push_back(m.mean_pressure());
        for (const auto& [key, value] : box_report_.values(m)) values.push_back(value);
        energy_file_->append(m.step, m.time, values);
    }
    if (log_ && (due(parameters_.nstlog) || m.step == start_step_)) log_->energies(m, energies, box_report_.values(m));
}

void Outputs::frame(System& system, const Clock& clock)
{
    const auto step = step_ = clock.step;
    if (log_)
        log_->progress(step, start_step_, parameters_.endless() ? -1 : parameters_.last_step(), clocks_.wall_seconds());
    if (!trajectory_ || !trajectory_->wants(step)) return;
    const auto timer = system.timers.measure(Stage::output);
    trajectory_->append(step, clock.time(), system.atoms, system.box());
}

bool Outputs::wants_constraint_forces() const
{
    return trajectory_ && trajectory_->waits_for_constraint_forces();
}

void Outputs::constraint_forces(System& system, std::span<const Vec3> forces)
{
    const auto timer = system.timers.measure(Stage::output);
    trajectory_->add_constraint_forces(system.atoms, forces);
}

Votes Outputs::votes() const
{
    Votes votes;
    const bool out_of_time = parameters_.maxh > 0.0 && seconds_since_start() > 0.99 * 3600.0 * parameters_.maxh;
    votes[Vote::stop] = stop_requested() || out_of_time ? 1 : 0;
    votes[Vote::output_failed] = problem().empty() ? 0 : 1;
    const auto bits = checkpoint_ ? checkpoint_->votes() : 0;
    votes[Vote::checkpoint_sync_due] = (bits & checkpoint_sync_due) != 0 ? 1 : 0;
    votes[Vote::checkpoint_sync_busy] = (bits & checkpoint_sync_busy) != 0 ? 1 : 0;
    return votes;
}

void Outputs::agreed(const Communicator& comm, const Votes& votes)
{
    if (votes.yes(Vote::stop)) stopping_ = true;
    if (checkpoint_)
        checkpoint_->agree((votes.yes(Vote::checkpoint_sync_due) ? std::uint64_t{checkpoint_sync_due} : 0) |
                           (votes.yes(Vote::checkpoint_sync_busy) ? std::uint64_t{checkpoint_sync_busy} : 0));
    if (votes.yes(Vote::output_failed))
        on_all(comm, [this] {
            if (const auto text = problem(); !text.empty()) throw Failure(text);
        });
}

/// Why this rank cannot write what it has to; empty, if it can.
std::string Outputs::problem() const
{
    std::string text = folder_.problem();
    if (text.empty() && checkpoint_) text = checkpoint_->error();
    if (text.empty() && energy_file_) text = energy_file_->error();
    return text;
}

bool Outputs::stopped() const
{
    return stopping_ && step_ < parameters_.last_step();
}

void Outputs::repartitioned(System& system)
{
    if (checkpoint_) checkpoint_->repartition(system.atoms);
}

void Outputs::warn(std::int64_t count, const std::string& first)
{
    constexpr std::int64_t most = 20;
    if (!log_ || ++n_warnings_ > most) return;
    auto text = "Warning: " + first;
    if (count > 1) text += fmt::format(" ({} more like it)", count - 1);
    if (n_warnings_ == most) text += " No more of these will be shown.";
    log_->line(text);
    std::fprintf(stderr, "holon-md: %s\n", text.c_str());
}

void Outputs::checkpoint(System& system, const Clock& clock, bool lent)
{
    if (!checkpoint_ || clock.step % parameters_.checkpoint_interval != 0) return;
    submit(system, clock, lent);
}

void Outputs::submit(System& system, const Clock& clock, bool lent)
{
    checkpoint_->submit(run_state(system, clock, marks()), system.atoms, system.box(), lent);
    last_checkpoint_ = clock.step;
}

EnergyReport Outputs::report(const Measurement& m) const
{
    return {m.step, m.time, energies_of(m), m.temperature, m.mean_pressure(), m.virial};
}

Summary Outputs::summary(const System& system, const StepCosts& costs) const
{
    Summary s;
    s.program = "holon-md";
    s.version = HOLON_VERSION;
    add_parallel(s, system.comm().size());
    s.domains = system.partition().grid().n();
    s.atoms = system.topology().n_atoms();
    s.constraints = system.topology().n_constraints();
    s.virtual_sites = system.topology().n_virtual_sites();
    s.start_step = start_step_;
    s.end_step = step_;
    s.wall_s = costs.wall_s;
    s.cpu_s = costs.cpu_s;
    s.checkpoint = costs.checkpoint;
    const double ns = 1e-3 * static_cast<double>(step_ - start_step_) * parameters_.dt; // of simulated time
    if (s.wall_s > 0.0 && !scheme_entry(parameters_.integrator).traits.minimises)
        s.ns_per_day = ns * 86400.0 / s.wall_s;
    if (first_) s.initial = report(*first_);
    if (last_) s.final = report(*last_);
    s.mesh = mesh_;
    s.constraint_sets = diagnoses_;
    return s;
}

void Outputs::finish(System& system, const Clock& clock, const std::string& remark)
{
    const auto& comm = system.comm();
    auto costs = clocks_.read(comm, checkpoint_);
    costs.sum_up(comm);
    const auto state = run_state(system, clock, {});
    step_ = state.step;
    if (checkpoint_) {
        if (last_checkpoint_ != state.step) submit(system, clock);
        checkpoint_->finish();
        on_all(comm, [this] {
            if (const auto error = checkpoint_->error(); !error.empty()) throw Failure(error);
        });
    }
    if (trajectory_) trajectory_->finish();
    const auto confout = file("confout.gro");
    // Whoever asked for the end may not wait for long: what takes longest comes last then.
    if (!stopped()) write_state_gro(confout, system, state);
    auto s = summary(system, costs);
    s.status = stopped() ? "stopped" : "finished";
    s.state_hash = system.hash();
    s.constraint_length_error = system.constraint_errors.length();
    s.constraint_velocity_error = system.constraint_errors.velocity();
    s.constraint_iterations = system.constraint_errors.iterations();
    s.timings = mean_timings(comm, system.timers.seconds());
    s.cpu_timings = mean_timings(comm, system.timers.cpu_seconds());
    s.load_balance = load_report(system);
    s.communication = communication_report(system, costs.reductions);
    on_root(comm, [&] {
        energy_file_->finish();
        if (!energy_file_->error().empty()) throw Failure(energy_file_->error());
        log_->end_progress();
        if (last_) log_->energies(*last_, energies_of(*last_), box_report_.values(*last_));
        if (parameters_.nstenergy > 0) log_->line(add_statistics(file("energy.csv"), system, parameters_, s));
        if (!remark.empty()) log_->line(remark);
        log_->timings(s.timings, s.wall_s);
        if (s.load_balance) log_->line(load_text(*s.load_balance));
        if (s.ranks > 1) log_->line(communication_text(*s.communication, s.ranks, s.end_step - s.start_step));
        log_->line(fmt::format("{} at step {} after {:.2f} s: {:.3f} ns/day, state {}", s.status, state.step, s.wall_s,
                               s.ns_per_day, state_hash_text(*s.state_hash)));
        log_->finish();
        if (!log_->error().empty()) std::fprintf(stderr, "holon-md: note: %s\n", log_->error().c_str());
        if (checkpoint_) checkpoint_->mark_outputs(marks());
        write_summary(file("summary.json"), s);
    });
    if (stopped()) write_state_gro(confout, system, state);
}

void Outputs::report_failure(const System& system, const std::string& message)
{
    if (!log_) return;
    log_->end_progress();
    log_->line("Failed: " + message);
    if (checkpoint_) checkpoint_->mark_outputs(marks());
    auto s = summary(system, clocks_.read(system.comm(), checkpoint_));
    s.status = "failed";
    s.message = message;
    try {
        write_summary(file("summary.json"), s);
    } catch (const Failure& second) { // as on a full disk: the first message is the one that matters
        log_->line(second.what());
    }
}

} // namespace holon
