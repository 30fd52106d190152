#include <holon/app/torsions.hpp>

#include "program.hpp"
#include "torsions/molecule_forces.hpp"

#include <holon/constraints/torsion_modes.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/io/atomic_file.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace holon {

namespace {

constexpr const char* program = "holon-torsions";

constexpr const char* usage =
    "holon-torsions {minimise|modes} -f FILE.mdp -c FILE.gro -p FILE.top [options]\n\n"
    "Turns a molecule about its bonds: finds a minimum of its energy (minimise), and the normal modes there (modes).\n"
    "Bonds, angles, flat groups and closed rings stay as they are. The input is one molecule, given as to holon-md "
    "with\n"
    "every .mdp key an option; precision is double unless asked for otherwise. One rank.\n\n"
    "  --torque NUMBER    at a minimum no derivative by a torsion is larger [kJ/mol] (0.1; of modes 0.01)\n"
    "  --steps N          of the minimisation, at most (2000)\n"
    "  --gro FILE         write the minimum, at full precision (*.gro)\n"
    "  --csv FILE         write steps, or modes with the rates of all torsions (*.csv)\n"
    "  --cartesian        take second derivatives by the atoms' coordinates and project them: the same, slower\n"
    "  --help, --version\n";

struct TorsionOptions {
    bool modes = false, cartesian = false;
    double torque = 0.0; // 0: not given
    int steps = 2000;
    std::string gro, csv;
    RunOptions run;
};

template <class Number>
Number number_of(const std::string& option, const std::string& text)
{
    Number number{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || !(number > Number{}))
        throw InputError(fmt::format("command line: {} {}: expected a number above 0 (see --help)", option, text));
    return number;
}

/// Takes the program's own options out of the command line, and adds what follows for holon-md's.
TorsionOptions parse(const std::vector<std::string>& arguments)
{
    TorsionOptions options;
    std::vector<std::string> others;
    bool chosen = false, precision = false;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const auto& name = arguments[k];
        const auto value = [&]() -> const std::string& {
            if (k + 1 == arguments.size()) throw InputError("command line: " + name + " needs a value (see --help)");
            return arguments[++k];
        };
        if (name == "minimise" || name == "modes") {
            chosen = true;
            options.modes = name == "modes";
        } else if (name == "--torque") {
            options.torque = number_of<double>(name, value());
        } else if (name == "--steps") {
            options.steps = number_of<int>(name, value());
        } else if (name == "--gro") {
            options.gro = value();
        } else if (name == "--csv") {
            options.csv = value();
        } else if (name == "--cartesian") {
            options.cartesian = true;
        } else {
            precision = precision || name.starts_with("--precision");
            others.push_back(name);
        }
    }
    for (const char* word : {"--constraints", "torsion-only", "--integrator", "steep"}) others.emplace_back(word);
    if (!precision) others.insert(others.end(), {"--precision", "double"});
    options.run = parse_command_line(others, false);
    if (options.run.help || options.run.version) return options;
    if (!chosen) throw InputError("command line: say what to do: minimise or modes (see --help)");
    if (!options.run.output.empty())
        throw InputError("command line: --output: there is no output folder; see --gro and --csv (and --help)");
    if (!options.run.restart.empty())
        throw InputError("command line: --restart: give the input with -f, -c and -p (see --help)");
    return options;
}

std::string name_of(const MoleculeType& type, const std::array<std::int32_t, 2>& bond)
{
    const auto of = [&](std::int32_t a) { return fmt::format("{}{}", type.atoms[index(a)].name, a + 1); };
    return of(bond[0]) + "-" + of(bond[1]);
}

void minimise(const TorsionOptions& options, MoleculeForces& molecule, TorsionTree& tree)
{
    std::string rows = "step,energy_kJ_per_mol,largest_torque_kJ_per_mol,largest_turn_rad\n";
    TorsionMinimiserSettings settings;
    settings.steps = options.steps;
    settings.torque = options.torque > 0.0 ? options.torque : options.modes ? 0.01 : 0.1;
    settings.tell = [&](const TorsionStep& step) {
        rows += fmt::format("{},{:.17g},{:.17g},{:.17g}\n", step.number, step.energy, step.largest_torque,
                            step.largest_turn);
        if (step.number % 100 == 0)
            fmt::print("step {:5}: {:.6f} kJ/mol, largest torque {:.3g} kJ/mol\n", step.number, step.energy,
                       step.largest_torque);
    };
    const auto found = minimise_torsions(
        tree, molecule.positions(), [&](std::span<const Vec3> x) { return molecule.at(x); }, settings);
    molecule.at(found.x); // the last that was tried may be another
    fmt::print("{} after {} steps: {:.6f} kJ/mol, largest torque {:.3g} kJ/mol, {} {:g}\n",
               found.converged ? "Converged" : "Stopped", found.last.number, found.last.energy,
               found.last.largest_torque, found.converged ? "below" : "not below", settings.torque);
    if (!options.csv.empty() && !options.modes) write_file_atomically(options.csv, rows);
    if (!options.gro.empty()) molecule.write_gro(options.gro);
}

/// Of an angular frequency squared [1/ps^2]; negative if that is.
double wavenumber(double square)
{
    constexpr double light = 0.0299792458; // cm/ps
    return std::copysign(std::sqrt(std::abs(square)) / (2.0 * M_PI * light), square);
}

void show_modes(const TorsionOptions& options, MoleculeForces& molecule, const TorsionTree& tree)
{
    const MoleculeEnergy energy = [&](std::span<const Vec3> x) { return molecule.at(x); };
    const auto modes =
        torsion_modes(tree, options.cartesian ? stiffness_by_atoms(tree, energy) : stiffness_by_torsions(tree, energy));
    fmt::print("{} modes; the first, negative where the energy falls [1/cm]:\n", modes.squares.size());
    for (Eigen::Index k = 0; k < std::min<Eigen::Index>(10, modes.squares.size()); ++k)
        fmt::print("{:5} {:10.3f}\n", k + 1, wavenumber(modes.squares[k]));
    if (options.csv.empty()) return;
    std::string text = "mode,wavenumber_per_cm";
    for (std::size_t t = 0; t < tree.n_torsions(); ++t) text += "," + name_of(molecule.type(), tree.bond(t));
    for (Eigen::Index k = 0; k < modes.squares.size(); ++k) {
        text += fmt::format("\n{},{:.10g}", k + 1, wavenumber(modes.squares[k]));
        for (const double rate : modes.torsions.col(k)) text += fmt::format(",{:.8g}", rate);
    }
    write_file_atomically(options.csv, text + "\n");
}

} // namespace

int torsions_program(int argc, char** argv)
{
    return run_on_all_ranks(argc, argv, program, [&](const Communicator& comm) -> int {
        const auto options = parse({argv + 1, argv + argc});
        if (options.run.help || options.run.version) {
            if (comm.root()) fmt::print("{}", options.run.help ? usage : "holon-torsions " HOLON_VERSION "\n");
            return finished;
        }
        auto input = read_input(comm, options.run, program);
        MoleculeForces molecule(comm, input);
        for (const auto& note : input.notes.texts()) fmt::print(stderr, "{}: note: {}\n", program, note);
        TorsionTree tree(molecule.type());
        fmt::print("{}: {} atoms, {} torsions, {} rings that turn\n", molecule.type().name, tree.n_atoms(),
                   tree.n_torsions(), tree.n_loops());
        minimise(options, molecule, tree);
        if (options.modes) show_modes(options, molecule, tree);
        return finished;
    });
}

} // namespace holon
