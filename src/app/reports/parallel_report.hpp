#pragma once

#include <holon/dynamics/system.hpp>
#include <holon/io/summary.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace holon {

/// What the run is on: ranks, threads, instruction set.
std::string parallel_text(int ranks);
void add_parallel(Summary& summary, int ranks);

/// How evenly the ranks of a run worked; nothing of a single one. Collective.
std::optional<LoadBalanceReport> load_report(System& system);
std::string load_text(const LoadBalanceReport& load);

/// What they send each other as the domains are now. Collective.
CommunicationReport communication_report(const System& system, std::int64_t reductions);
std::string communication_text(const CommunicationReport& sent, int ranks, std::int64_t steps);

} // namespace holon
