#pragma once

#include <holon/dynamics/clock.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/io/checkpoint.hpp>

namespace holon {

/// What the integration is at, for the checkpoint.
RunState run_state(const System& system, const Clock& clock, const OutputMarks& outputs);

} // namespace holon
