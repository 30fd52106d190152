#include <holon/comm/instruction_set_choice.hpp>

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace holon {

InstructionSet choose_instruction_set(const std::optional<std::string_view>& asked, InstructionSet best)
{
    if (!asked) return best;
    const auto variable = instruction_set_variable + ("=" + std::string(*asked)) + ": ";
    const auto& names = instruction_set_names;
    const auto found = std::find(names.begin(), names.end(), *asked);
    if (found == names.end())
        throw InputError(variable + "unknown instruction set. Choose baseline, v3 or v4, or unset the variable.");
    const auto set = static_cast<InstructionSet>(found - names.begin());
    if (set > best) {
        throw InputError(variable + "a processor of this run can not execute these instructions. Choose " +
                         name_of(best) + ", the best that all of them can, or unset the variable.");
    }
    return set;
}

void agree_on_instruction_set(const Communicator& comm)
{
    const auto best = static_cast<InstructionSet>(-comm.max(-static_cast<std::int64_t>(best_instruction_set())));
    std::int64_t chosen = 0;
    on_root(comm, [&] {
        const char* text = std::getenv(instruction_set_variable);
        const auto asked = text != nullptr ? std::optional<std::string_view>(text) : std::nullopt;
        chosen = static_cast<std::int64_t>(choose_instruction_set(asked, best));
    });
    use_instruction_set(static_cast<InstructionSet>(comm.max(chosen)));
}

} // namespace holon
