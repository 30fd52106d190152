#pragma once

#include <holon/comm/communicator.hpp>

#include <functional>
#include <string>

namespace holon {

/// Runs `work` on rank 0. An exception there is thrown alike on all ranks: InputError as such, any other as Failure.
/// Collective.
void on_root(const Communicator& comm, const std::function<void()>& work);

/// Runs `work` on every rank. If any of them fails, all throw the message of the first that did, as on_root().
/// Collective. `work` must not communicate.
void on_all(const Communicator& comm, const std::function<void()>& work);

} // namespace holon
