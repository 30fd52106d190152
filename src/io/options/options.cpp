#include <holon/io/options.hpp>

#include "mdp/keys.hpp"
#include "mdp/text.hpp"

#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace holon {

namespace po = boost::program_options;

namespace {

/// Files and flags; the strings go to `options` when they are parsed.
po::options_description program_options(RunOptions& o)
{
    const auto file = [](std::string& target) { return po::value(&target)->value_name("FILE"); };
    po::options_description description("Files and what to do with them", 100);
    auto add = description.add_options();
    add("parameters,f", file(o.parameters), "run parameters (.mdp)");
    add("coordinates,c", file(o.coordinates), "coordinates, velocities, box (.gro, .pdb, .cif, .g96)");
    add("topology,p", file(o.topology), "topology (.top)");
    add("index,n", file(o.index), "atom groups (.ndx), beside the default groups");
    add("restraint-coordinates,r", file(o.restraint_coordinates),
        "reference positions of position restraints, likewise");
    add("tableb", po::value(&o.tables)->value_name("FILE"),
        "table of a bonded interaction, as table_b0.xvg; may be repeated; else beside the topology");
    add("output,o", po::value(&o.output)->value_name("FOLDER"), "folder of the output");
    add("restart", file(o.restart), "go on from this checkpoint.h5, in its folder or in that of -o");
    add("resume", po::bool_switch(&o.resume), "start, or go on where the output folder has a checkpoint");
    add("overwrite", po::bool_switch(&o.overwrite), "start anew in a folder that holds a run");
    add("reverse-velocities", po::bool_switch(&o.reverse_velocities), "turn time round at the start");
    add("dry-run", po::bool_switch(&o.dry_run),
        "check all input, try a few steps, show domains, speed, memory and disk; write nothing");
    add("define", po::value(&o.defines)->value_name("NAME[=VALUE]"), "define for the topology; may be repeated");
    add("help,h", po::bool_switch(&o.help), "show this text");
    add("keys", po::bool_switch(&o.keys), "show every key of the .mdp file, with its default");
    add("version", po::bool_switch(&o.version), "show the version");
    return description;
}

/// Every key of the .mdp file; `define` is above.
po::options_description key_options()
{
    po::options_description description;
    for (const MdpKey& key : mdp_keys())
        if (key.name != "define") description.add_options()(key.name.c_str(), po::value<std::string>());
    return description;
}

std::vector<std::string> long_names(const po::options_description& description)
{
    std::vector<std::string> names;
    for (const auto& option : description.options()) names.push_back(option->long_name());
    return names;
}

[[noreturn]] void unknown_option(const std::string& name, const po::options_description& known)
{
    const std::string nearest = nearest_name(name, long_names(known));
    throw InputError("command line: unknown option " + printable(name) +
                     (nearest.empty() ? "; see --help" : "; did you mean --" + nearest + "?"));
}

/// Option names in the spelling that Boost knows: `-`, `_` and case do not matter.
std::vector<std::string> canonical_arguments(std::vector<std::string> arguments, const po::options_description& known)
{
    std::map<std::string, std::string> spelling;
    for (const std::string& name : long_names(known)) spelling.emplace(plain(name), name);
    for (std::string& argument : arguments) {
        if (!argument.starts_with("--")) continue;
        const std::string name = argument.substr(2, argument.find('=') - 2);
        const auto found = spelling.find(plain(name));
        if (found == spelling.end()) unknown_option("--" + name, known);
        argument.replace(2, name.size(), found->second);
    }
    return arguments;
}

/// Boost would ignore an argument without an option and take one option for the value of another.
void check_parsed(const std::vector<po::option>& options)
{
    for (const po::option& option : options)
        if (!option.value.empty() && option.value.front().starts_with("--"))
            throw InputError("command line: --" + option.string_key + " needs a value, found " + option.value.front());
    for (const po::option& option : options)
        if (option.position_key >= 0)
            throw InputError("command line: unexpected argument '" + printable(option.value.front()) +
                             "'; a value with blanks needs quotes, as in --tc-grps \"Protein Water\"");
}

void parse(const std::vector<std::string>& arguments, const po::options_description& known, po::variables_map& values)
{
    namespace style = po::command_line_style;
    try {
        const auto parsed = po::command_line_parser(canonical_arguments(arguments, known))
                                .options(known)
                                .style(style::unix_style & ~style::allow_guessing & ~style::allow_sticky)
                                .run();
        check_parsed(parsed.options);
        po::store(parsed, values);
    } catch (const po::unknown_option& error) {
        unknown_option(error.get_option_name(), known);
    } catch (const po::error& error) {
        throw InputError("command line: " + std::string(error.what()));
    }
}

void require(bool condition, const std::string& message)
{
    if (!condition) throw InputError("command line: " + message + " (see --help)");
}

/// What a restart may not be given, because the checkpoint has it.
void check_combination(const RunOptions& o, bool needs_output)
{
    if (o.restart.empty()) {
        require(!o.parameters.empty(), "the run parameters are missing: -f FILE.mdp");
        require(!o.coordinates.empty(), "the coordinates are missing: -c FILE.gro");
        require(!o.topology.empty(), "the topology is missing: -p FILE.top");
        require(!needs_output || !o.output.empty(), "the output folder is missing: -o FOLDER");
        require(!o.resume || !o.output.empty(), "--resume needs the output folder: -o FOLDER");
        require(!o.resume || !o.overwrite, "--resume and --overwrite exclude each other");
        return;
    }
    const bool has_input = !o.parameters.empty() || !o.coordinates.empty() || !o.topology.empty() || !o.index.empty() ||
                           !o.restraint_coordinates.empty() || !o.defines.empty() || !o.tables.empty();
    require(!has_input,
            "--restart takes the input from the checkpoint: leave out -f, -c, -p, -n, -r, --tableb and --define");
    require(!o.resume, "--restart and --resume exclude each other");
}

} // namespace

RunOptions parse_command_line(const std::vector<std::string>& arguments, bool needs_output)
{
    RunOptions options;
    po::options_description known = program_options(options);
    known.add(key_options());
    po::variables_map values;
    parse(arguments, known, values);
    po::notify(values);
    if (options.help || options.keys || options.version) return options;

    for (std::string& define : options.defines) {
        if (define.starts_with("-D")) define.erase(0, 2);
        const bool named = !define.empty() && (std::isalpha(static_cast<unsigned char>(define[0])) || define[0] == '_');
        require(named && define.find_first_of(" \t;\r\n") == std::string::npos,
                "--define " + printable(define) + ": expected NAME or NAME=VALUE, without blanks");
    }
    for (const MdpKey& key : mdp_keys()) {
        const auto found = values.find(key.name);
        if (key.name == "define" || found == values.end()) continue;
        const auto& value = found->second.as<std::string>();
        require(value.find_first_of(";\r\n") == std::string::npos,
                "--" + key.name + " must not contain ';' or line ends");
        options.settings.push_back({key.name, value, "command line"});
    }
    check_combination(options, needs_output && !options.dry_run);
    return options;
}

std::string help_text()
{
    RunOptions unused;
    po::options_description own_keys("Keys of Holon's own", 100);
    for (const MdpKey& key : mdp_keys())
        if (!key.help.empty())
            own_keys.add_options()(key.name.c_str(), po::value<std::string>()->value_name("VALUE"), key.help.c_str());

    std::ostringstream text;
    text << "Molecular dynamics of GROMACS systems on any number of ranks.\n\n"
            "  mpirun -n 4 holon-md -f md.mdp -c conf.gro -p topol.top -o run\n"
            "  mpirun -n 8 holon-md --restart run/checkpoint.h5 --nsteps 100000\n\n"
         << program_options(unused) << '\n'
         << own_keys
         << "\nEvery key of the .mdp file is an option too, as in --dt 0.002 or --tc-grps \"Protein Water\": it wins "
            "over\n"
            "the file, and the keys above may stand in the file. Case, - and _ do not matter. A restart may change "
            "only\nnsteps, output intervals, domains, mesh-ranks, dlb, skin, maxh and checkpoint-*.\n"
            "\nHOLON_INSTRUCTION_SET=baseline, v3 (AVX2) or v4 (AVX-512) in the environment of rank 0 chooses the "
            "kernels,\nwhich all give the same bits; without it, it is the best that all processors have.\n";
    return text.str();
}

std::string keys_text()
{
    std::string text;
    const MdpValues defaults;
    for (const MdpKey& key : mdp_keys()) {
        if (key.rule != KeyRule::computed || !key.write) continue;
        const auto value = key.write(defaults);
        text +=
            key.name + " =" + (value.empty() ? "" : " " + value) + (key.help.empty() ? "" : "   ; " + key.help) + "\n";
    }
    return text;
}

} // namespace holon
