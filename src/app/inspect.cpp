#include <holon/app/inspect.hpp>

#include "inspect.hpp"

#include <holon/comm/instruction_set_choice.hpp>
#include <holon/core/error.hpp>
#include <holon/io/trajectory.hpp>

#include <charconv>
#include <cstdio>
#include <fmt/format.h>

namespace holon {

namespace {

constexpr const char* usage =
    "holon-inspect FILE [FILE2] [options]\n\n"
    "Shows and verifies a checkpoint.h5 or trajectory.h5md; with two files, compares their states or frames.\n\n"
    "  --slot N[,M]      a state other than the newest; with two numbers, that of the second file or\n"
    "  --step N[,M]      two states of one file to compare\n"
    "  --gro FILE        write the state as a .gro file at full precision\n"
    "  --branch FOLDER   make a new run that begins with the state: holon-md --restart FOLDER/checkpoint.h5\n"
    "  --text NAME       print a stored text: mdp, topology, index, command-line, ...\n"
    "  --help, --version\n\n"
    "Exit status: 0 good, or equal; 1 different; 2 a file or an argument that cannot be used; 3 cannot write.\n";

struct Options {
    std::vector<std::string> files;
    std::vector<std::int64_t> slots, steps; // one or two
    std::string gro, folder, text;
};

[[noreturn]] void reject(const std::string& why)
{
    throw InputError(fmt::format("command line: {} (see --help)", why));
}

std::vector<std::int64_t> numbers_of(const std::string& option, std::string_view text)
{
    std::vector<std::int64_t> numbers;
    for (const char *at = text.data(), *end = at + text.size(); at <= end; ++at) {
        const auto parsed = std::from_chars(at, end, numbers.emplace_back());
        at = parsed.ptr;
        if (parsed.ec != std::errc{} || (at != end && *at != ',') || numbers.size() > 2)
            reject(fmt::format("{} {}: expected a number, or two with a comma", option, text));
    }
    return numbers;
}

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const auto& word = arguments[k];
        const auto value = [&]() -> const std::string& {
            if (k + 1 == arguments.size()) reject(word + " needs a value");
            return arguments[++k];
        };
        if (!word.starts_with("-"))
            options.files.push_back(word);
        else if (word == "--slot")
            options.slots = numbers_of(word, value());
        else if (word == "--step")
            options.steps = numbers_of(word, value());
        else if (word == "--gro")
            options.gro = value();
        else if (word == "--branch")
            options.folder = value();
        else if (word == "--text")
            options.text = value();
        else
            reject("unknown option " + word);
    }
    if (options.files.empty() || options.files.size() > 2) reject("expected one or two files");
    if (!options.slots.empty() && !options.steps.empty()) reject("--slot and --step exclude each other");
    return options;
}

/// The choice for the first (0) or second (1) state; a single number counts for both.
StateChoice choice_of(const Options& options, std::size_t which)
{
    StateChoice choice;
    const auto pick = [which](const std::vector<std::int64_t>& numbers) {
        return numbers[std::min(which, numbers.size() - 1)];
    };
    if (!options.slots.empty()) choice.slot = static_cast<int>(pick(options.slots));
    if (!options.steps.empty()) choice.step = pick(options.steps);
    return choice;
}

int print_text(const std::string& path, const std::string& name)
{
    const auto input = CheckpointFile(path).input();
    const auto found = input.texts.find(name);
    if (found == input.texts.end()) throw InputError(fmt::format("{} has no text '{}'.", path, name));
    std::fputs(found->second.c_str(), stdout);
    return inspect_good;
}

int inspect(const Options& options)
{
    const auto& files = options.files;
    const bool chosen = !options.slots.empty() || !options.steps.empty();
    const bool wants_state = chosen || !options.gro.empty() || !options.folder.empty() || !options.text.empty();
    const bool trajectory = TrajectoryFile::recognises(files.front());
    if (trajectory && wants_state) reject("the options are for checkpoints, and " + files.front() + " is a trajectory");
    if (files.size() == 2 && TrajectoryFile::recognises(files[1]) != trajectory)
        throw InputError(fmt::format(
            "{} and {} are files of different kinds. Give two checkpoints or two trajectories.", files[0], files[1]));
    if (trajectory) return files.size() == 1 ? show_trajectory(files[0]) : compare_trajectories(files[0], files[1]);
    const bool two_states = files.size() == 2 || options.slots.size() == 2 || options.steps.size() == 2;
    if (two_states) {
        if (!options.gro.empty() || !options.folder.empty() || !options.text.empty())
            reject("--gro, --branch and --text are for one state of one file");
        return compare_states({files.front(), choice_of(options, 0)}, {files.back(), choice_of(options, 1)});
    }
    if (!options.text.empty()) return print_text(files[0], options.text);
    if (!wants_state) return show_checkpoint(files[0]);
    const WholeState state(files[0], choice_of(options, 0));
    if (!options.gro.empty()) extract_gro(state, options.gro);
    if (!options.folder.empty()) branch(state, options.folder);
    if (options.gro.empty() && options.folder.empty()) fmt::print("{}\n", state.text());
    return inspect_good;
}

} // namespace

int inspect_program(const std::vector<std::string>& arguments)
{
    if (arguments.size() == 1 && (arguments[0] == "-h" || arguments[0] == "--help")) {
        std::fputs(usage, stdout);
        return inspect_good;
    }
    if (arguments.size() == 1 && arguments[0] == "--version") {
        fmt::print("holon-inspect {}\n", HOLON_VERSION);
        return inspect_good;
    }
    const auto say = [](const std::exception& error, InspectStatus status) {
        std::fflush(stdout);
        fmt::print(stderr, "holon-inspect: {}\n", error.what());
        return status;
    };
    try {
        agree_on_instruction_set(Communicator());
        return inspect(parse(arguments));
    } catch (const InputError& error) {
        return say(error, inspect_bad);
    } catch (const std::exception& error) {
        return say(error, inspect_failed);
    }
}

} // namespace holon
