#pragma once

#include <holon/dynamics/system.hpp>
#include <holon/io/summary.hpp>

#include <string>

namespace holon {

/// Adds to a summary what the rows of energy.csv, the file at `path`, say of a run through time, and returns it as a
/// table for the log. A table that is missing is no reason to fail at the end: the text says why then.
std::string add_statistics(const std::string& path, const System& system, const Parameters& parameters,
                           Summary& summary);

} // namespace holon
