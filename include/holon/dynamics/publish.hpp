#pragma once

#include <holon/dynamics/recorder.hpp>
#include <holon/dynamics/system.hpp>

#include <cstdint>

namespace holon {

/// After positions have changed: all ranks agree on failures (Failure, thrown together) and on whether to go on (false:
/// asked to stop), and the new positions are on their way to where they are needed, for compute_forces(). Collective.
bool publish_positions(System& system, Recorder& recorder, std::int64_t step);

} // namespace holon
