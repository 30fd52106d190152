#include "system_report.hpp"

#include "mesh_report.hpp"
#include "parallel_report.hpp"

#include <holon/system/springs.hpp>

#include <fmt/format.h>

namespace holon {

namespace {

/// How many, how stiff, and the steps that they permit.
std::string springs_text(const SpringReport& report)
{
    return fmt::format(
        "Springs: {} in the place of constraints, up to {:.4g} kJ/mol/nm^2; largest stable step {:.4g} ps "
        "in every shape, {:.4g} ps for the fastest by itself; a tenth of the shortest period: {:.4g} ps",
        report.springs, report.largest_constant, report.stable_step(), report.unstable_step(), report.accurate_step());
}

} // namespace

std::string system_text(const System& system, const std::optional<MeshReport>& mesh,
                        const std::vector<ConstraintDiagnosis>& diagnoses)
{
    const auto& comm = system.comm();
    const auto& topology = system.topology();
    const auto least = -comm.max(-std::int64_t{system.atoms.n_owned}),
               most = comm.max(std::int64_t{system.atoms.n_owned});
    const auto copies = comm.max(std::int64_t{system.atoms.n_total - system.atoms.n_owned});
    if (!comm.root()) return {};
    const auto& n = system.partition().grid().n();
    const Mat3 box = system.box().vectors();
    auto text = parallel_text(comm.size()) + "\n";
    text += fmt::format("System: {}: {} atoms, {} molecules, {} constraints, total charge {:.4f} e\n", topology.name,
                        topology.n_atoms(), topology.n_molecules(), topology.n_constraints(), topology.total_charge());
    text += fmt::format("Box: ({:.5f} 0 0) ({:.5f} {:.5f} 0) ({:.5f} {:.5f} {:.5f}) nm, {:.3f} nm^3\n", box(0, 0),
                        box(1, 0), box(1, 1), box(2, 0), box(2, 1), box(2, 2), system.box().volume());
    text += fmt::format("Domains: {} x {} x {}, {} to {} atoms per rank, at most {} copies\n", n[0], n[1], n[2], least,
                        most, copies);
    if (mesh) text += mesh_text(*mesh) + "\n";
    if (const auto springs = spring_report(topology); springs.springs > 0) text += springs_text(springs) + "\n";
    if (topology.n_virtual_sites() > 0) text += fmt::format("Virtual sites: {}\n", topology.n_virtual_sites());
    if (!system.constraints().empty())
        text += "Constraints:\n" + system.constraints().description() + diagnosis_text(diagnoses, topology) + "\n";
    return text;
}

} // namespace holon
