#pragma once

#include <string>
#include <vector>

namespace holon {

/// The program holon-inspect. Exit status: 0 good, or equal; 1 different; 2 a file or an argument that cannot be used;
/// 3 something could not be written.
int inspect_program(const std::vector<std::string>& arguments);

} // namespace holon
