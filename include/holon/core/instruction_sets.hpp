#pragma once

#include <array>
#include <cstddef>

namespace holon {

/// Instruction sets that kernels are compiled for (holon_kernel() in CMakeLists.txt), each with those before it:
/// x86-64-v3 has AVX2 and FMA, x86-64-v4 AVX-512. All give the same bits.
enum class InstructionSet { baseline, v3, v4 };
inline constexpr std::array instruction_set_names = {"baseline", "v3", "v4"};
constexpr const char* name_of(InstructionSet set)
{
    return instruction_set_names[static_cast<std::size_t>(set)];
}

/// The best one that this processor can run.
InstructionSet best_instruction_set();

/// The one that all kernels of this process use from now on, the best one until told otherwise. The processor must be
/// able to run it. To be set before anything is computed: see comm/instruction_set_choice.hpp.
void use_instruction_set(InstructionSet set);

namespace detail {
extern InstructionSet instruction_set_in_use;
}

/// The one in use.
inline InstructionSet instruction_set()
{
    return detail::instruction_set_in_use;
}

} // namespace holon

/// HOLON_CALL(name, arguments...): calls name_v4, name_v3 or name_baseline, of a kernel that is compiled once for each
/// instruction set, as instruction_set() says.
#if defined(HOLON_X86_KERNELS)
#define HOLON_CALL(name, ...)                                                                                          \
    (::holon::instruction_set() == ::holon::InstructionSet::v4   ? name##_v4(__VA_ARGS__)                              \
     : ::holon::instruction_set() == ::holon::InstructionSet::v3 ? name##_v3(__VA_ARGS__)                              \
                                                                 : name##_baseline(__VA_ARGS__))
#else
#define HOLON_CALL(name, ...) name##_baseline(__VA_ARGS__)
#endif
