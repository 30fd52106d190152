#pragma once

#include "values.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holon {

enum class KeyRule {
    computed, // read into MdpValues
    noted,    // accepted; a note says what Holon does instead, unless the value is GROMACS' default
    off,      // a method that Holon does not have: accepted only where the value switches it off
    inert,    // a detail of a method that is off
    renamed,  // an old name
    obsolete, // ignored, as GROMACS does
};

/// One key of the .mdp file, and what Holon does with it.
struct MdpKey {
    std::string name;
    KeyRule rule = KeyRule::computed;
    std::string text;        // noted, off: what the user should know; renamed: the new name
    std::string neutral;     // noted: GROMACS' default; off: the words that switch it off
    std::string help;        // of Holon's own keys
    bool may_change = false; // when a run goes on from a checkpoint
    std::function<void(MdpValues&, const std::string&)> read; // throws BadValue; of noted keys: checks only
    std::function<std::string(const MdpValues&)> write;       // what read() takes, in canonical form
};

/// All keys of GROMACS 2022 to 2026 with the old names it still knows, and Holon's own.
const std::vector<MdpKey>& mdp_keys();

/// The key of that name (case, `-` and `_` do not matter); renamed ones lead to the new name. nullptr: unknown.
/// Numbered keys of methods that are off, such as pull-group1-name, all lead to one inert key.
const MdpKey* find_mdp_key(std::string_view name);

/// The parts of the table; `run`: what is run and written; `restraint`: whatever holds or drives atoms; `box`: what
/// changes the box; `step`: what makes time steps longer; `own`: how Holon does it; `other`: what it does not compute.
std::vector<MdpKey> run_mdp_keys();
std::vector<MdpKey> nonbonded_mdp_keys();
std::vector<MdpKey> temperature_mdp_keys();
std::vector<MdpKey> restraint_mdp_keys();
std::vector<MdpKey> own_mdp_keys();
std::vector<MdpKey> box_mdp_keys();
std::vector<MdpKey> step_mdp_keys();
std::vector<MdpKey> other_mdp_keys();

} // namespace holon
