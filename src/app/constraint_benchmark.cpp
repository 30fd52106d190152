#include <holon/app/constraint_benchmark.hpp>

#include "program.hpp"

#include <holon/app/input.hpp>
#include <holon/comm/on_root.hpp>
#include <holon/constraints/benchmark.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/dynamics/dynamics.hpp>
#include <holon/io/atomic_file.hpp>

#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <unordered_map>

namespace holon {

namespace {

constexpr const char* program = "holon-bench-constraints";

constexpr const char* usage =
    "mpirun -n N holon-bench-constraints -f FILE.mdp -c FILE.gro -p FILE.top [options]\n\n"
    "Gives one unconstrained step of the system to each constraint solver that takes its clusters, and shows what "
    "both\n"
    "stages of it took: iterations, largest error left, messages and bytes of the busiest rank, reductions, and\n"
    "microseconds of CPU time per constraint (of a rank's equal share; the busiest rank, and the mean). Writes "
    "nothing\n"
    "but that. The input is given as to holon-md, with every .mdp key an option, or by --restart.\n\n"
    "  --solvers LIST     of solvers, as in newton,wiggle+newton (all)\n"
    "  --tolerances LIST  relative errors with which iterative solvers stop (1e-4,1e-6,1e-8,1e-10,1e-12)\n"
    "  --lincs LIST       order/iterations (4/1,4/2,6/2,8/1,8/4)\n"
    "  --repeats N        of each stage, of which the fastest counts: waiting for others is CPU time, too (20)\n"
    "  --csv FILE         write the table as comma-separated values, too\n"
    "  --help, --version\n";

struct BenchmarkOptions {
    BenchmarkAxes axes;
    std::string csv;
    std::vector<std::string> others; // for holon-md's parser
};

[[noreturn]] void reject(const std::string& option, const std::string& value, const char* expected)
{
    throw InputError(fmt::format("command line: {} {}: expected {} (see --help)", option, value, expected));
}

std::vector<std::string> parts_of(const std::string& list)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

template <class Number>
bool read_number(std::string_view text, Number& number)
{
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

void read_tolerances(const std::string& option, const std::string& list, std::vector<double>& tolerances)
{
    tolerances.clear();
    for (const auto& part : parts_of(list)) {
        double tolerance = 0.0;
        if (!read_number(part, tolerance) || !(tolerance > 0.0 && tolerance < 1.0))
            reject(option, list, "numbers between 0 and 1");
        tolerances.push_back(tolerance);
    }
}

void read_lincs(const std::string& option, const std::string& list, std::vector<std::pair<int, int>>& lincs)
{
    lincs.clear();
    for (const auto& part : parts_of(list)) {
        const auto slash = std::min(part.find('/'), part.size() - 1);
        int order = 0, iterations = 0;
        if (!read_number(std::string_view(part).substr(0, slash), order) ||
            !read_number(std::string_view(part).substr(slash + 1), iterations) || order < 1 || order > 64 ||
            iterations < 0 || iterations > 1000)
            reject(option, list, "order/iterations, as in 4/1,8/2");
        lincs.emplace_back(order, iterations);
    }
}

/// Takes the program's own options out of the command line.
BenchmarkOptions parse(const std::vector<std::string>& arguments)
{
    BenchmarkOptions options;
    auto& axes = options.axes;
    // A name on its own stands for the guess in front of SHAKE, which is in the list under its full name.
    std::erase(axes.solvers, "wiggle");
    // There are no forces in this step: it would be Newton's method.
    std::erase(axes.solvers, "edberg_evans_morriss");
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const auto equals = arguments[k].find('=');
        const auto name = arguments[k].substr(0, equals);
        const auto value = [&]() -> std::string {
            if (equals != std::string::npos) return arguments[k].substr(equals + 1);
            if (k + 1 == arguments.size()) throw InputError("command line: " + name + " needs a value (see --help)");
            return arguments[++k];
        };
        if (name == "--solvers")
            axes.solvers = parts_of(value());
        else if (name == "--tolerances")
            read_tolerances(name, value(), axes.tolerances);
        else if (name == "--lincs")
            read_lincs(name, value(), axes.lincs);
        else if (name == "--repeats") {
            const auto text = value();
            if (!read_number(text, axes.repeats) || axes.repeats < 1) reject(name, text, "a number of at least 1");
        } else if (name == "--csv")
            options.csv = value();
        else
            options.others.push_back(arguments[k]);
    }
    return options;
}

/// A step without constraints, from a state that keeps them.
struct FreeStep {
    std::vector<AtomRecord> records; // at its start, velocities at its end
    std::unordered_map<AtomId, IVec3> moved;
};

/// Takes one step of the input with exact constraints, so that velocities are as in a run, and the next without any.
FreeStep free_step(System& system, RunInput& input)
{
    const auto& parameters = input.settings.parameters;
    system.distribute(std::move(input.records), std::move(input.kept));
    if (!input.checkpoint) prepare_start(system, parameters, input.state.step);
    Dynamics dynamics(system, parameters, input.state.step);
    Recorder nobody;
    dynamics.run(input.state.step + 1, nobody);
    system.repartition();
    system.compute_forces(false); // those that there are belong to the atoms in the old order
    const auto start = system.atoms.x;
    dynamics.begin_step();
    auto& atoms = system.atoms;
    FreeStep step;
    for (std::int32_t a = 0; a < atoms.n_owned; ++a) {
        const auto k = index(a);
        step.moved.emplace(atoms.id[k], atoms.x[k] - start[k]);
        atoms.x[k] = start[k];
        step.records.push_back(canonical(atoms, system.box(), a));
    }
    return step;
}

std::vector<BenchmarkRow> run_benchmark(const Communicator& comm, RunInput& input, const BenchmarkAxes& axes)
{
    const auto in_run = input.settings.parameters;
    auto& parameters = input.settings.parameters;
    if (scheme_entry(parameters.integrator).traits.minimises) parameters.integrator = "md";
    parameters.constraint_algorithm = "newton";
    const auto& topology = *input.topology;
    if (topology.n_constraints() == 0)
        throw InputError("The system has no constraints. Ask for some: --constraints all-bonds.");
    System system(comm, input.topology, parameters, input.box, input.start_box, input.intermolecular);
    auto step = free_step(system, input);

    // The solvers see the domains of a run, and whatever copies the most demanding of them needs.
    const auto clusters = clusters_of(topology);
    ConstraintBenchmark benchmark(topology, clusters, axes, solver_order(in_run), solver_settings(in_run, comm));
    auto needs = TermIndex(topology).needs(clusters);
    benchmark.add_needs(needs);
    Partition partition(comm, topology, {clusters, needs}, parameters, input.box, system.partition().grid());
    Atoms atoms;
    partition.distribute(std::move(step.records), {}, atoms, {});
    atoms.x_ref = atoms.x;
    for (std::size_t a = 0; a < index(atoms.n_owned); ++a) {
        const auto moved = step.moved.find(atoms.id[a]);
        HOLON_ASSERT(moved != step.moved.end(), std::to_string(atoms.id[a])); // same grid, same owners
        atoms.x[a] += moved->second;
    }
    return benchmark.run(atoms, directory_of(partition), input.box, parameters.dt);
}

void show(const Communicator& comm, const RunInput& input, const std::vector<BenchmarkRow>& rows,
          const std::string& csv)
{
    on_root(comm, [&] {
        fmt::print("{}: {} atoms, {} constraints, dt = {:g} ps\n\n{}", input.topology->name, input.topology->n_atoms(),
                   input.topology->n_constraints(), input.settings.parameters.dt, benchmark_table(rows, comm.size()));
        if (!csv.empty()) write_file_atomically(csv, benchmark_csv(rows, comm.size()));
    });
}

} // namespace

int constraint_benchmark_program(int argc, char** argv)
{
    return run_on_all_ranks(argc, argv, program, [&](const Communicator& comm) -> int {
        const auto own = parse({argv + 1, argv + argc});
        const auto options = parse_command_line(own.others, false);
        if (options.help || options.version) {
            if (comm.root()) fmt::print("{}", options.help ? usage : "holon-bench-constraints " HOLON_VERSION "\n");
            return finished;
        }
        if (!options.output.empty())
            throw InputError("command line: --output: there is no output folder; see --csv (and --help)");
        auto input = read_input(comm, options, program);
        show(comm, input, run_benchmark(comm, input, own.axes), own.csv);
        return finished;
    });
}

} // namespace holon
