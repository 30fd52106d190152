#pragma once

#include <holon/core/box.hpp>
#include <holon/forces/cmap_surface.hpp>
#include <holon/mesh/mesh_settings.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/local_terms.hpp>
#include <holon/system/topology.hpp>

#include <span>
#include <vector>

namespace holon {

/// What a bonded force sees. Positions are in any periodic image: differences go through box.minimum_image(), in
/// integers, so that a term gives the same bits on any rank.
struct BondedContext {
    const Topology& topology;
    const Box& box;
    std::span<const AtomId> id;     // [local atom]
    std::span<const IVec3> x;       // [local atom], 2^-48 nm
    std::span<const double> charge; // [local atom], e
    std::span<IVec3> f;             // [local atom], 2^-28 kJ/mol/nm, added to
    ForceSums& sums;                // energy and virial, added to if wanted
    bool want_energy = true;        // energies and virial are needed at this step
    double coulomb_factor = 0.0;    // 1/(4 pi eps0 epsilon_r) [kJ/mol nm/e^2]
    double k_rf = 0.0, c_rf = 0.0;  // reaction field: V = q q K (1/r + k_rf r^2 - c_rf) within r_coulomb [1/nm^3, 1/nm]
    double r_coulomb = 0.0;         // [nm]
    const MeshSettings* mesh = nullptr;     // Ewald split instead of a reaction field
    std::span<const CmapSurface> cmap = {}; // cmap_surfaces(topology), made once
};

/// Adds forces (each rounded once to the force lattice, summing to exactly zero over the atoms of a term), energies and
/// virial of all terms of one kind.
using BondedForce = void (*)(const BondedContext&, const LocalTerms&);

/// The implementation of each kind of interaction; see src/forces/<name>.cpp.
BondedForce bonded_force(Interaction kind);

} // namespace holon
