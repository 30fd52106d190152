#include "relaxation.hpp"

namespace holon {

double best_relaxation(const KnownAngles& angles, const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    // Beyond this radius, where triangles or free joints are, the theory asks for more than pays (bin/shake_test).
    constexpr double largest_radius = 0.9;
    constexpr double grain = 64.0; // no last bit of a cosine matters
    const double radius = std::min(lincs_spectrum(angles, molecule, cluster).radius, largest_radius);
    return std::round(grain * best_relaxation(radius * radius)) / grain;
}

} // namespace holon
