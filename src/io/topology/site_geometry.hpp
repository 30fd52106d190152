#pragma once

#include <holon/system/topology.hpp>

#include "sites.hpp"

#include <optional>
#include <vector>

namespace holon {

/// Parameters of SiteKind::plane_angle: angle s-i-j [rad], distance s-i [nm].
std::vector<double> in_plane(double angle, double distance);

/// Parameters of a site that is to replace a bonded atom: from the bonds and angles between it and its parents, or for
/// those that masses in the place of a CH3 or NH3 group construct, those of the group. None, if these do not tell them.
/// `mirrored`: on the other side of the plane or line.
std::optional<std::vector<double>> site_parameters(const VirtualSite& site, bool mirrored,
                                                   const GivenGeometry& geometry);

} // namespace holon
