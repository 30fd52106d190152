#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/instruction_sets.hpp>

#include <optional>
#include <string_view>

namespace holon {

/// The environment variable that chooses the instruction set: baseline, v3 or v4. That of rank 0 counts.
inline constexpr const char* instruction_set_variable = "HOLON_INSTRUCTION_SET";

/// The set that is asked for, or the best one if none is; `best` is what every processor of the run can execute.
/// InputError for an unknown name and for a set beyond `best`.
InstructionSet choose_instruction_set(const std::optional<std::string_view>& asked, InstructionSet best);

/// All ranks use the same instruction set from now on: the one that the environment asks for, or the best that all of
/// their processors can execute. InputError alike on all ranks, as choose_instruction_set(). Collective.
void agree_on_instruction_set(const Communicator& comm);

} // namespace holon
