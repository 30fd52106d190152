#include <holon/app/input.hpp>

#include <holon/comm/on_root.hpp>
#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>
#include <holon/core/parallel.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/scaling_groups.hpp>
#include <holon/dynamics/scheme.hpp>
#include <holon/dynamics/scheme_check.hpp>
#include <holon/io/coordinates.hpp>
#include <holon/io/index_file.hpp>
#include <holon/io/text_file.hpp>
#include <holon/io/topology_file.hpp>
#include <holon/system/freeze.hpp>
#include <holon/system/mass_repartition.hpp>

#include "constraint_check.hpp"
#include "outputs/run_folder.hpp"
#include "restraints.hpp"
#include "rigid_bodies.hpp"
#include "springs.hpp"
#include "torsion_only.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace holon {

namespace {

std::string read_on_root(const Communicator& comm, const std::string& path, std::string_view what)
{
    std::string text;
    on_root(comm, [&] { text = read_text_file(path, what); });
    comm.broadcast(text);
    return text;
}

/// The topology with all its includes. Collective.
std::string read_topology_text(const Communicator& comm, const RunOptions& options, const RunSettings& settings)
{
    std::string text;
    on_root(comm, [&] {
        const TopologySearch search{settings.include_dirs, settings.defines, options.tables, settings.parameters.morse};
        text = expand_topology(options.topology, search).to_text();
    });
    comm.broadcast(text);
    return text;
}

/// What such a text says, without the names of files and the numbers of lines.
std::string content_of(const std::string& topology_text)
{
    return ExpandedTopology::from_text(topology_text).content();
}

std::string read_index_text(const Communicator& comm, const RunOptions& options)
{
    return options.index.empty() ? std::string() : read_on_root(comm, options.index, "index groups");
}

/// Nine numbers, row by row, exactly [nm].
std::string box_text(const Box& box)
{
    std::string text;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) text += fmt::format("{}{:a}", text.empty() ? "" : " ", box.master()(i, j));
    return text;
}

/// That of a checkpoint; older ones have none, and a box that does not change.
Box start_box_of(const CheckpointInput& stored, const Box& present, const std::string& path)
{
    const auto found = stored.texts.find("start-box");
    if (found == stored.texts.end()) return present;
    Mat3 vectors;
    const char* next = found->second.c_str();
    for (int k = 0; k < 9; ++k) {
        char* end = nullptr;
        vectors(k / 3, k % 3) = std::strtod(next, &end);
        if (end == next)
            throw InputError(
                fmt::format("{}: the box of the start of the run is damaged. Use a copy of the file.", path));
        next = end;
    }
    return {vectors, present.lattice_bits()};
}

/// Lattice of the box: periodic shifts must be multiples of what the pair kernels resolve.
int box_bits(Precision precision)
{
    return precision == Precision::mixed ? 22 : 44;
}

/// A cutoff of half the box stays one when the box comes onto its lattice, and half of it may become a little less.
void fit_cutoffs(RunInput& input)
{
    constexpr double decimals = 1e-9; // relative; of the input
    auto& p = input.settings.parameters;
    const auto& box = input.start_box;
    const double half = box.max_cutoff(), exact = Box(box.master(), position_bits).max_cutoff();
    for (double* cutoff : {&p.rcoulomb, &p.rvdw})
        if (*cutoff > half && *cutoff <= exact * (1.0 + decimals)) *cutoff = half;
}

/// What the texts stand for, in the order in which it is needed. `check_count` refuses a topology of so many atoms
/// before memory is taken for groups of them.
void interpret(RunInput& input, const std::string& topology_text, const std::string& index_text,
               const std::string& index_name, Notes& notes, const std::function<void(std::int64_t)>& check_count)
{
    const auto& parameters = input.settings.parameters;
    input.topology = std::make_shared<Topology>(
        read_topology(ExpandedTopology::from_text(topology_text),
                      {parameters.constraints, parameters.disre != DistanceRestraints::no, parameters.morse}, notes,
                      &input.intermolecular));
    if (const double factor = parameters.mass_repartition_factor; factor > 1.0)
        repartition_masses(*input.topology, factor, fmt::format("mass-repartition-factor = {:g}", factor), notes);
    check_count(input.topology->n_atoms());
    std::vector<AtomGroup> groups;
    if (!index_text.empty()) groups = parse_index(index_text, index_name, input.topology->n_atoms());
    resolve_groups(input.settings, *input.topology, groups);
    freeze_atoms(*input.topology, input.settings.parameters.frozen_groups, parameters.changes_box());
    auto as_run = *input.topology;
    make_springs(as_run, parameters);
    check_scheme(as_run, parameters, notes);
}

void check_atom_count(const std::string& path, std::int64_t in_file, std::int64_t in_topology)
{
    if (in_file != in_topology)
        throw InputError(
            fmt::format("{}: {} atoms, but the topology has {}. Coordinates and topology must describe the "
                        "same system, molecule by molecule in the same order ([ molecules ]).",
                        path, in_file, in_topology));
}

/// Deals the atoms of a file of coordinates, which rank 0 has opened, out to the ranks, piece by piece, so that no rank
/// holds them all. Collective.
void read_coordinates(const Communicator& comm, const std::string& path, CoordinateReader* reader, RunInput& input)
{
    constexpr std::int64_t piece = 20000;
    Mat3 vectors = Mat3::Zero();
    std::int64_t velocities = 0, renamed = 0;
    const auto& topology = *input.topology;
    on_root(comm, [&] {
        vectors = reader->box();
        velocities = reader->has_velocities() ? 1 : 0;
    });
    comm.broadcast(std::as_writable_bytes(std::span(vectors.data(), 9)));
    input.has_velocities = comm.max(velocities) != 0;
    input.box = Box(vectors, box_bits(input.settings.parameters.precision));

    std::string first_renamed;
    int target = 0;
    for (std::int64_t begin = 0; begin < topology.n_atoms(); begin += piece, target = (target + 1) % comm.size()) {
        Outbox<AtomRecord> dealt;
        on_root(comm, [&] {
            for (const auto& atom : reader->next(piece)) {
                AtomRecord record;
                record.id = atom.id;
                record.x = to_lattice(atom.position, position_unit);
                record.v = to_lattice(atom.velocity, velocity_unit);
                record.image = input.box.wrap(record.x);
                dealt.send(target, record);
                const auto& expected = topology.atom(atom.id).name;
                if (expected != atom.atom_name && renamed++ == 0)
                    first_renamed = fmt::format("atom {} is {} in the topology and {} in the coordinates", atom.id + 1,
                                                expected, printable(atom.atom_name));
            }
        });
        dealt.exchange(comm, input.records);
    }
    on_root(comm, [&] {
        if (reader->n_without_velocity() > 0 && !input.settings.parameters.gen_vel)
            input.notes.add(fmt::format("{}: {} atoms have no velocity, unlike others: they start at rest", path,
                                        reader->n_without_velocity()));
    });
    if (renamed > 0)
        input.notes.add(fmt::format("{}: {} atom names differ from the topology's ({}). The topology's are used; check "
                                    "that the order of the atoms is the same.",
                                    path, renamed, first_renamed));
}

std::uint64_t text_hash(const std::string& text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL; // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

/// Seeds of -1 become a number that follows from topology and coordinates alone: the same start gives the same run,
/// however long it is, however it is divided into parts and wherever its files lie.
void derive_seeds(const Communicator& comm, RunInput& input, const std::string& topology_text)
{
    auto& settings = input.settings;
    const auto& p = settings.parameters;
    const bool ld =
        settings.derive_ld_seed && (p.tcoupl != "no" || p.pcoupl != "no" || scheme_entry(p.integrator).traits.own_bath);
    const bool gen = settings.derive_gen_seed && p.gen_vel;
    if (!ld && !gen) return;
    std::uint64_t hash = text_hash(content_of(topology_text)) + box_hash(input.box);
    std::uint64_t atoms = 0;
    for (const auto& record : input.records) atoms += atom_hash(record.id, record.x, record.image, record.v);
    hash += static_cast<std::uint64_t>(comm.sum(static_cast<std::int64_t>(atoms)));
    const auto seed = hash >> 33; // 31 bits: a number that a user can give, too
    if (ld) {
        settings.parameters.ld_seed = seed;
        settings.derive_ld_seed = false;
        input.notes.add(fmt::format("ld-seed = {} (derived from the input)", seed));
    }
    if (gen) {
        settings.parameters.gen_seed = seed;
        settings.derive_gen_seed = false;
        input.notes.add(fmt::format("gen-seed = {} (derived from the input)", seed));
    }
}

RunInput start(const Communicator& comm, const RunOptions& options, const std::string& command_line)
{
    RunInput input;
    input.output = options.output;
    input.settings =
        read_settings(read_on_root(comm, options.parameters, "parameters"), options.parameters, options, input.notes);
    const auto topology_text = read_topology_text(comm, options, input.settings);
    const auto index_text = read_index_text(comm, options);
    std::unique_ptr<CoordinateReader> reader; // on rank 0
    interpret(input, topology_text, index_text, options.index, input.notes, [&](std::int64_t n_atoms) {
        on_root(comm, [&] {
            reader = open_coordinates(options.coordinates);
            check_atom_count(options.coordinates, reader->n_atoms(), n_atoms);
        });
    });
    read_coordinates(comm, options.coordinates, reader.get(), input);
    input.start_box = input.box;
    const auto bodies =
        find_rigid_bodies(comm, *input.topology, input.settings.parameters, input.records, input.box, input.notes);
    if (const auto& p = input.settings.parameters; p.changes_box())
        make_clusters_whole(comm, *input.topology, input.box, kept_vectors(p, input.box), input.records);
    fit_cutoffs(input);
    const auto torsions =
        make_torsion_only(comm, *input.topology, input.settings.parameters, input.records, input.box, input.notes);
    const auto implied = torsions.empty()
                             ? leave_out_implied_constraints(comm, *input.topology, input.records, input.box)
                             : std::string(); // none depends on others
    const auto restraints = read_restraints(comm, options.restraint_coordinates, *input.topology, options.topology);
    set_restraints(*input.topology, restraints);
    derive_seeds(comm, input, topology_text);
    project_start_of_springs(comm, input);
    make_springs(*input.topology, input.settings.parameters);
    check_springs(*input.topology, input.settings.parameters, input.notes);

    input.state.step = input.settings.parameters.init_step;
    input.state.box = input.box.master();
    input.stored.atoms = input.topology->n_atoms();
    input.stored.run_id = new_run_id(comm);
    input.stored.texts = {{"mdp", effective_mdp(input.settings)},
                          {"topology", topology_text},
                          {"index", index_text},
                          {"restraints", restraints},
                          {"rigid-bodies", bodies},
                          {"torsion-only", torsions},
                          {"implied-constraints", implied},
                          {"start-box", box_text(input.start_box)},
                          {"command-line", command_line},
                          {"program-version", HOLON_VERSION},
                          {"title", input.topology->name}};
    return input;
}

/// What the command line of --resume names beside the checkpoint.
struct NamedInput {
    RunSettings settings;
    std::string topology, index; // texts
};

/// The run that is continued must be that of the files named on the command line.
void check_same_system(const NamedInput& named, const RunOptions& options, const std::string& path,
                       const std::string& topology, const std::string& index)
{
    const auto refuse = [&](const std::string& file, const char* what) {
        throw InputError(fmt::format("{}: the run in {} has another {}: it belongs to another system. Choose another "
                                     "folder with -o, continue that run with --restart {}, or replace it with "
                                     "--overwrite instead of --resume.",
                                     file, options.output, what, path));
    };
    if (content_of(named.topology) != content_of(topology)) refuse(options.topology, "topology");
    if (named.index != index) refuse(options.index.empty() ? options.topology : options.index, "index file");
}

/// Goes on from a checkpoint. `named`: the input on the command line (--resume), or none.
RunInput go_on(const Communicator& comm, const RunOptions& options, const std::string& path,
               std::optional<NamedInput> named)
{
    RunInput input;
    const auto parent = std::filesystem::path(path).parent_path().string();
    const auto folder = parent.empty() ? "." : parent;
    input.output = options.output.empty() ? folder : options.output;
    std::error_code ignored;
    input.in_place = options.output.empty() || std::filesystem::equivalent(input.output, folder, ignored);
    StateCheck check; // what has been written has to reach as far as the state
    if (input.in_place)
        check = [&folder, newest = true](std::uint64_t run_id, const RunState& state) mutable {
            return folder_mismatch(folder, run_id, state.outputs, std::exchange(newest, false));
        };
    auto contents = read_checkpoint(comm, path, check);
    const auto text = [&](const char* name) {
        const auto found = contents.input.texts.find(name);
        if (found == contents.input.texts.end())
            throw InputError(fmt::format("{}: the checkpoint has no {}. It was not written by holon-md.", path, name));
        return found->second;
    };
    for (const auto& note : contents.notes) input.notes.add(note);
    const auto stored_mdp = text("mdp");
    Notes unused; // what there is to say of the input was said at the start
    if (named) check_same_system(*named, options, path, text("topology"), text("index"));
    input.settings = continue_settings(stored_mdp, named ? std::move(named->settings)
                                                         : read_settings(stored_mdp, path, options, unused));
    interpret(input, text("topology"), text("index"), path, unused, [&](std::int64_t n_atoms) {
        if (contents.input.atoms != n_atoms)
            throw InputError(
                fmt::format("{}: {} atoms, but its topology has {}.", path, contents.input.atoms, n_atoms));
    });
    add_rigid_bodies(*input.topology, contents.input.texts["rigid-bodies"]);             // older ones have none
    set_torsion_only(*input.topology, contents.input.texts["torsion-only"]);             // likewise
    leave_out_constraints(*input.topology, contents.input.texts["implied-constraints"]); // likewise
    make_springs(*input.topology, input.settings.parameters);
    set_restraints(*input.topology, text("restraints"));
    input.state = contents.state;
    input.box = box_of(input.state, input.settings.parameters);
    input.start_box = start_box_of(contents.input, input.box, path);
    fit_cutoffs(input);
    input.records = contents.atoms;
    input.kept = contents.kept;
    input.stored = contents.input;
    input.stored.texts["mdp"] = effective_mdp(input.settings);

    if (!input.in_place) {
        input.stored.run_id = new_run_id(comm);
        input.state.outputs = {};
    }
    input.checkpoint = std::move(contents);
    const auto& p = input.settings.parameters;
    if (p.last_step() < input.state.step)
        throw InputError(
            fmt::format("{}: the checkpoint is at step {}, beyond the end of the run at init-step + nsteps = {}. Give "
                        "a larger --nsteps (steps of the whole run, from init-step = {} on).",
                        path, input.state.step, p.last_step(), p.init_step));
    return input;
}

} // namespace

Box box_of(const RunState& state, const Parameters& parameters)
{
    return {state.box, box_bits(parameters.precision)};
}

RunInput read_input(const Communicator& comm, const RunOptions& options, const std::string& command_line)
{
    on_all(comm, [] { thread_count(); }); // complains now, not in the middle of the run
    if (!options.restart.empty()) return go_on(comm, options, options.restart, std::nullopt);
    if (options.resume) {
        const auto path = options.output + "/checkpoint.h5";
        std::int64_t there = 0;
        on_root(comm, [&] { there = std::filesystem::exists(path) ? 1 : 0; });
        if (comm.max(there) != 0) {
            Notes unused;
            NamedInput named;
            named.settings = read_settings(read_on_root(comm, options.parameters, "parameters"), options.parameters,
                                           options, unused);
            named.topology = read_topology_text(comm, options, named.settings);
            named.index = read_index_text(comm, options);
            return go_on(comm, options, path, std::move(named));
        }
    }
    return start(comm, options, command_line);
}

} // namespace holon
