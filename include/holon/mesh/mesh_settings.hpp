#pragma once

#include <holon/core/box.hpp>
#include <holon/mesh/ewald_split.hpp>
#include <holon/mesh/pair_polynomial.hpp>
#include <holon/mesh/window.hpp>
#include <holon/system/parameters.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>

namespace holon {

/// What the electrostatics beyond the cutoff works with.
struct MeshSettings {
    MeshKind kind = MeshKind::esp;
    std::shared_ptr<const EwaldSplit> split;
    std::shared_ptr<const Window> window;
    std::array<int, 3> grid{};
    double split_parameter = 0.0; // band of the prolate split, or beta [1/nm]
    double window_band = 0.0;     // of the prolate window; 0 for splines
    double expected_error = 0.0;  // relative rms error of the total force in water
    PairPolynomial pair;
    std::int64_t most_ranks = std::numeric_limits<std::int64_t>::max(); // that transform the grid; changes no bit
    double potential_shift = 0.0; // taken off 1/r - smooth(r) for pairs that interact, not for excluded ones [1/nm]
};

inline constexpr double charges_of_liquids = 100.0; // charged atoms per volume [1/nm^3]

/// Chosen from the input alone.
/// esp: the cheapest split radius, split, window and grid for parameters.mesh_accuracy, or, if that is 0, for an error
/// below that of smooth PME with rcoulomb, fourier_spacing, pme_order and ewald_rtol. spme: these four as GROMACS
/// understands them.
MeshSettings choose_mesh(const Parameters& parameters, const Box& box, double charge_density = charges_of_liquids);

/// A prolate mesh with a small fraction of the error that `settings` are expected to have, for double precision: what
/// they are measured against.
MeshSettings reference_mesh(const Parameters& parameters, const Box& box, const MeshSettings& settings);

/// The split of the plain Ewald sum: ewald_beta, or, if 0, from ewald_rtol.
MeshSettings plain_ewald(const Parameters& parameters);

} // namespace holon
