#pragma once

#include <holon/comm/communicator.hpp>

#include <functional>

namespace holon {

/// Exit status of the parallel programs.
enum Status { finished = 0, bad_input = 2, failed = 3, stopped = 75 };

/// Starts MPI, agrees on the instruction set, runs `body` on all ranks and returns what it does. What all ranks throw
/// alike is said once, on stderr after the name of the program: InputError ends with bad_input, Failure with failed.
/// What a rank throws alone ends all ranks, with its own message.
int run_on_all_ranks(int argc, char** argv, const char* program, const std::function<int(const Communicator&)>& body);

} // namespace holon
