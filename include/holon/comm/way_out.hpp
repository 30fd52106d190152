#pragma once

#include <holon/comm/communicator.hpp>

namespace holon {

/// True, if all ranks call this within so many seconds [s]. For the way out: whatever the others wait for meanwhile is
/// not disturbed, and after a false nothing can be said to them any more.
bool all_arrive(const Communicator& comm, double patience);

} // namespace holon
