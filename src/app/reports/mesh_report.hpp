#pragma once

#include <holon/dynamics/system.hpp>
#include <holon/io/summary.hpp>

#include <optional>
#include <string>

namespace holon {

/// The mesh that the system has, if any, and its error, measured at the present positions. Collective.
std::optional<MeshReport> mesh_report(System& system, const Parameters& parameters);

/// For md.log.
std::string mesh_text(const MeshReport& mesh);

} // namespace holon
