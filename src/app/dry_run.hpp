#pragma once

#include <holon/app/input.hpp>

namespace holon {

/// What --dry-run does: prepares the run and takes it through steps for some seconds, all as it will be but for files,
/// of which none is touched, and prints what it will be and take. InputError and Failure as of the run. Collective.
void dry_run(RunInput& input, const RunOptions& options, const Communicator& comm);

} // namespace holon
