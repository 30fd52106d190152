#include <holon/core/instruction_sets.hpp>

#include <holon/core/error.hpp>

#include <string>

namespace holon {

namespace {

#if defined(__clang__) && defined(__x86_64__)
// Clang (16) knows the levels' parts, but not by the levels' names: what tells a level from the one below.
bool has_v3()
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}
bool has_v4()
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#elif defined(__x86_64__)
bool has_v3()
{
    return __builtin_cpu_supports("x86-64-v3");
}
bool has_v4()
{
    return __builtin_cpu_supports("x86-64-v4");
}
#else
bool has_v3()
{
    return false;
}
bool has_v4()
{
    return false;
}
#endif

} // namespace

InstructionSet best_instruction_set()
{
    if (has_v4()) return InstructionSet::v4;
    if (has_v3()) return InstructionSet::v3;
    return InstructionSet::baseline;
}

void use_instruction_set(InstructionSet set)
{
    HOLON_ASSERT(set <= best_instruction_set(), std::to_string(static_cast<int>(set)));
    detail::instruction_set_in_use = set;
}

InstructionSet detail::instruction_set_in_use = best_instruction_set();

} // namespace holon
