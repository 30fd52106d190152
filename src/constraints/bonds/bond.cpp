#include "bond.hpp"

#include <holon/core/index.hpp>

#include <fmt/format.h>

namespace holon {

std::string atom_list(const MoleculeType& molecule, std::span<const std::int32_t> atoms)
{
    constexpr std::size_t shown = 8;
    std::string text;
    for (std::size_t k = 0; k < std::min(shown, atoms.size()); ++k)
        text += fmt::format("{}{} {}", k > 0 ? ", " : "", atoms[k] + 1, molecule.atoms[index(atoms[k])].name);
    return atoms.size() > shown ? fmt::format("{} and {} more", text, atoms.size() - shown) : text;
}

std::string failure_message(const std::string& molecule_name, std::int64_t molecule, std::span<const AtomId> atoms,
                            const char* why, const ConstraintStage& stage)
{
    std::string ids;
    for (const auto id : atoms) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", std::int64_t{id} + 1);
    return fmt::format("Constraints of atoms {} (molecule {}, {}) in step {}: {}.", ids, molecule + 1, molecule_name,
                       stage.step, why);
}

} // namespace holon
