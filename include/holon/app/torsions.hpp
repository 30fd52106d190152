#pragma once

namespace holon {

/// The program holon-torsions. Returns the exit status: 0 done, 2 bad input, 3 failed. On one rank.
int torsions_program(int argc, char** argv);

} // namespace holon
