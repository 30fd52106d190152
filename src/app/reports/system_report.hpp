#pragma once

#include <holon/app/input.hpp>
#include <holon/constraints/diagnosis.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/io/summary.hpp>

#include <optional>
#include <string>
#include <vector>

namespace holon {

/// What is run, on what and how: ranks, system, box, domains, mesh, constraints; lines for rank 0, empty on others.
/// `diagnoses` are known to rank 0. Collective.
std::string system_text(const System& system, const std::optional<MeshReport>& mesh,
                        const std::vector<ConstraintDiagnosis>& diagnoses);

} // namespace holon
