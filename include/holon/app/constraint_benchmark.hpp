#pragma once

namespace holon {

/// The program holon-bench-constraints. Returns the exit status: 0 done, 2 bad input, 3 failed. Collective.
int constraint_benchmark_program(int argc, char** argv);

} // namespace holon
