#pragma once

#include <holon/core/log.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holon {

/// One `key = value` and where it was given, as messages name it: "md.mdp:12" or "command line".
struct Setting {
    std::string key;
    std::string value;
    std::string where;
    bool given = true; // false: the value is the default, and `where` the file that could give another
};

/// The command line. Empty: not given.
struct RunOptions {
    std::string parameters;
    std::string coordinates;
    std::string topology;
    std::string index;
    std::string output;
    std::string restraint_coordinates;
    std::vector<std::string> tables; // of bonded interactions
    std::string restart;
    bool resume = false;
    bool overwrite = false;
    bool reverse_velocities = false;
    bool dry_run = false;
    bool help = false;
    bool keys = false;
    bool version = false;
    std::vector<std::string> defines; // NAME or NAME=value, from --define
    std::vector<Setting> settings;    // every .mdp key given as an option
};

/// Parses the arguments (without the program's name). `-`, `_` and case do not matter in option names.
/// Throws InputError: unknown option (with the nearest known one), missing value, options that exclude each other,
/// missing files of a start, the output folder among them if the program writes one. With --help, --keys or --version
/// nothing else is asked for.
RunOptions parse_command_line(const std::vector<std::string>& arguments, bool needs_output = true);

/// The text of --help.
std::string help_text();

/// The text of --keys: every key of the .mdp file that is computed with, as `key = default`, with a line for help.
std::string keys_text();

/// The settings of a run after defaults, `.mdp` and command line have been merged.
struct RunSettings {
    Parameters parameters;                 // groups have names only until resolve_groups()
    bool derive_ld_seed = true;            // the seed was -1: the application derives it from the input's content,
    bool derive_gen_seed = true;           // stores it in parameters and clears the flag
    std::vector<std::string> defines;      // for the topology: NAME or NAME=value
    std::vector<std::string> include_dirs; // for the topology
    std::vector<Setting> effective;        // every key that Holon computes with, as it is in force
};

/// Merges `.mdp` text with the command line, which wins. `name` stands for the text in messages. Notes say what Holon
/// computes differently from GROMACS. Throws InputError with file and line: syntax, unknown key (with the nearest known
/// one), key given twice, value out of range or not a number, a method that Holon does not have, contradictions.
///  - coulombtype = cut-off computes plain Coulomb as GROMACS does: epsilon_rf = epsilon_r. With reaction-field the
///    modifier is always potential_shift, since GROMACS' reaction field includes the shift whatever the modifier says.
///  - tc_groups is empty if tcoupl = no; comm_groups is empty if comm-mode = none, else {System} if none were given.
RunSettings read_settings(std::string_view mdp_text, const std::string& name, const RunOptions& options, Notes& notes);

/// The settings as `.mdp` text, from which read_settings() makes the same Parameters again. For checkpoint.h5.
std::string effective_mdp(const RunSettings& settings);

/// Settings of a run that goes on from a checkpoint: `stored` is its effective mdp text, `wanted` what was asked for
/// now (read_settings of the stored text with the new command line, or of the input that --resume names). Seeds that
/// were derived are taken over. Throws InputError if anything differs that may not change: all but nsteps, output
/// intervals, domains, mesh-ranks, dlb, skin, maxh and checkpoint-*.
RunSettings continue_settings(const std::string& stored, RunSettings wanted);

/// Fills in the atoms of the groups in settings.parameters, looked for in the index file first, then among the default
/// groups; case does not matter. Throws InputError for an unknown group, for an atom in two groups of a kind or, with
/// temperature coupling, in none.
void resolve_groups(RunSettings& settings, const Topology& topology, std::span<const AtomGroup> index_groups);

} // namespace holon
