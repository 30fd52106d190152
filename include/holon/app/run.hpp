#pragma once

namespace holon {

/// holon-md from start to end. Returns the exit status: 0 finished, 75 stopped and can be continued, 2 bad input, 3
/// failed. Collective.
int run_program(int argc, char** argv);

} // namespace holon
