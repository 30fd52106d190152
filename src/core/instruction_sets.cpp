#include <holon/core/instruction_sets.hpp>

#include <holon/core/error.hpp>

#include <string>

namespace holon {

InstructionSet best_instruction_set()
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v4")) return InstructionSet::v4;
    if (__builtin_cpu_supports("x86-64-v3")) return InstructionSet::v3;
#endif
    return InstructionSet::baseline;
}

void use_instruction_set(InstructionSet set)
{
    HOLON_ASSERT(set <= best_instruction_set(), std::to_string(static_cast<int>(set)));
    detail::instruction_set_in_use = set;
}

InstructionSet detail::instruction_set_in_use = best_instruction_set();

} // namespace holon
