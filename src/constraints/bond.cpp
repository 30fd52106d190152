#include "bond.hpp"

#include <fmt/format.h>

namespace holon {

std::string failure_message(const std::string& molecule_name, std::int64_t molecule, std::span<const AtomId> atoms,
                            const char* why, const ConstraintStage& stage)
{
    std::string ids;
    for (const auto id : atoms) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", std::int64_t{id} + 1);
    return fmt::format("Constraints of atoms {} (molecule {}, {}) in step {}: {}.", ids, molecule + 1, molecule_name,
                       stage.step, why);
}

} // namespace holon
