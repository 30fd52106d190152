#include "parallel_report.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/parallel.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace holon {

std::string parallel_text(int ranks)
{
    return fmt::format("holon-md {} on {} ranks, threads of each: {}, instruction set {}", HOLON_VERSION, ranks,
                       thread_count(), name_of(instruction_set()));
}

void add_parallel(Summary& summary, int ranks)
{
    summary.ranks = ranks;
    summary.threads_per_rank = thread_count();
    summary.instruction_set = instruction_set();
}

std::optional<LoadBalanceReport> load_report(System& system)
{
    if (system.comm().size() == 1) return std::nullopt;
    const auto load = system.load_report();
    constexpr std::array names = {"auto", "yes", "no"};
    return LoadBalanceReport{names[index(load.mode)], load.first, load.last, load.mean, load.moves};
}

CommunicationReport communication_report(const System& system, std::int64_t reductions)
{
    const auto& comm = system.comm();
    const auto sent = [&comm](std::int64_t mine) { return CommunicationReport::Sent{comm.sum(mine), comm.max(mine)}; };
    const auto& halo = system.partition().halo();
    const auto* mesh = system.force_field().long_range();
    return CommunicationReport{system.force_field().reach(),
                               system.force_field().halo_widths()[0],
                               sent(halo.messages()),
                               sent(halo.copies_sent()),
                               sent(mesh != nullptr ? mesh->messages() : 0),
                               sent(mesh != nullptr ? mesh->bytes_sent() : 0),
                               reductions};
}

std::string communication_text(const CommunicationReport& c, int ranks, std::int64_t steps)
{
    const auto mean = [ranks](const CommunicationReport::Sent& sent) {
        return static_cast<double>(sent.total) / ranks;
    };
    return fmt::format("Sent per rank and step, twice for the halo: {:.1f} messages with {:.0f} copies; for the mesh: "
                       "{:.1f} messages, {:.0f} bytes. Reductions over all ranks per step: {:.2f}",
                       mean(c.halo_messages), mean(c.halo_copies), mean(c.mesh_messages), mean(c.mesh_bytes),
                       static_cast<double>(c.reductions) / static_cast<double>(std::max<std::int64_t>(1, steps)));
}

std::string load_text(const LoadBalanceReport& load)
{
    return fmt::format("Load: the busiest rank had {:.1f} % more than the mean over the run; {:.1f} % at first, {:.1f} "
                       "% at last; faces of domains moved {} times (dlb = {})",
                       100.0 * load.mean, 100.0 * load.first, 100.0 * load.last, load.moves, load.mode);
}

} // namespace holon
