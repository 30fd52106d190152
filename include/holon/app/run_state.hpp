#pragma once

#include <holon/dynamics/clock.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/io/checkpoint.hpp>

namespace holon {

/// What the integration is at, for the checkpoint.
RunState run_state(const System& system, const Clock& clock, const OutputMarks& outputs);

/// What a checkpoint has for System::state.
std::vector<Global> globals_of(const RunState& state);

} // namespace holon
