#pragma once

#include <holon/io/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace holon {

/// The `key = value` lines of .mdp text, `;` comments taken off, in order. Keys are as written, values may be empty.
/// Throws InputError for a line without a key or without `=`.
std::vector<Setting> parse_mdp_text(std::string_view text, const std::string& name);

/// GROMACS' rule for keys and choices: case, `-` and `_` do not matter. The text without them, in lower case.
std::string plain(std::string_view text);

/// The words of a value, separated by blanks.
std::vector<std::string> words(std::string_view text);

/// The candidate with the fewest letters to insert, delete, replace or swap with their neighbour; empty if all are too
/// far from the word to have been meant.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// How messages begin: "where: key = value", or that it is the default.
std::string described(const Setting& setting);

/// Throws InputError: "where: key = value: why".
[[noreturn]] void reject(const Setting& setting, const std::string& why);

} // namespace holon
