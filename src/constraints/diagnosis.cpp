#include <holon/constraints/diagnosis.hpp>
#include <holon/core/index.hpp>

#include "lincs/lincs_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace holon {

namespace {

/// Those furthest from what was asked for come first.
std::string left_out(const MoleculeType& molecule)
{
    constexpr std::size_t most_lines = 12;
    auto implied = molecule.implied;
    std::ranges::stable_sort(implied, std::greater{}, [](const ImpliedConstraint& one) {
        return std::abs(one.length / one.constraint.length - 1.0);
    });
    std::string text;
    for (std::size_t k = 0; k < std::min(implied.size(), most_lines); ++k) {
        const auto& [c, length] = implied[k];
        text += fmt::format("  left out, since the others imply it: atoms {} {} and {} {}, {:.5f} nm instead of "
                            "{:.5f} nm\n",
                            c.i + 1, molecule.atoms[index(c.i)].name, c.j + 1, molecule.atoms[index(c.j)].name, length,
                            c.length);
    }
    if (implied.size() > most_lines)
        text += fmt::format("  and {} more, none of them further off\n", implied.size() - most_lines);
    return text;
}

} // namespace

std::vector<ConstraintDiagnosis> diagnose(const Topology& topology)
{
    std::vector<ConstraintDiagnosis> result;
    for (std::size_t t = 0; t < topology.molecule_types.size(); ++t) {
        const auto& molecule = topology.molecule_types[t];
        ConstraintDiagnosis d;
        d.molecule_type = molecule.name;
        for (const auto& block : topology.blocks)
            if (index(block.type) == t) d.molecules += block.count;
        d.rigid_waters = std::ssize(molecule.settles);
        d.bodies = std::ssize(molecule.bodies);
        d.rank = std::ssize(molecule.constraints) + std::ssize(molecule.planes) + 3 * d.rigid_waters;
        for (const auto& body : molecule.bodies) {
            d.rank += body.n_constraints();
            d.atoms_in_bodies += std::ssize(body.atoms);
        }
        d.constraints = d.rank + std::ssize(molecule.implied);
        if (d.constraints == 0 || d.molecules == 0) continue;
        auto clusters = find_clusters(molecule).clusters;
        std::erase_if(clusters, [](const ConstraintCluster& cluster) { return !cluster.of_distances(); });
        d.clusters = std::ssize(clusters);
        const KnownAngles angles(&topology, molecule);
        for (const auto& cluster : clusters) {
            const auto n = cluster.n_constraints();
            d.smallest_cluster = d.largest_cluster == 0 ? n : std::min(d.smallest_cluster, n);
            d.largest_cluster = std::max(d.largest_cluster, n);
            d.lincs_radius = std::max(d.lincs_radius, lincs_spectrum(angles, molecule, cluster).radius);
        }
        result.push_back(d);
    }
    return result;
}

std::string diagnosis_text(const std::vector<ConstraintDiagnosis>& diagnoses, const Topology& topology)
{
    std::string text;
    for (const auto& d : diagnoses) {
        text += fmt::format("{}: {} constraints of rank {}", d.molecule_type, d.constraints, d.rank);
        if (d.rigid_waters > 0) text += fmt::format(", rigid waters: {}", d.rigid_waters);
        if (d.bodies > 0) text += fmt::format(", rigid bodies: {} of {} atoms", d.bodies, d.atoms_in_bodies);
        if (d.clusters > 0)
            text += fmt::format(", clusters: {} of {}{}, spectral radius of the LINCS matrix {:.3f}{}", d.clusters,
                                d.smallest_cluster,
                                d.largest_cluster > d.smallest_cluster ? fmt::format(" to {}", d.largest_cluster) : "",
                                d.lincs_radius, d.lincs_radius < 1.0 ? "" : " (LINCS would not converge)");
        text += "\n";
        const auto molecule = std::ranges::find(topology.molecule_types, d.molecule_type, &MoleculeType::name);
        text += left_out(*molecule);
    }
    return text;
}

} // namespace holon
