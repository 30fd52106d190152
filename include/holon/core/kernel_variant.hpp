#pragma once

/// HOLON_NAME(name): name_v4, name_v3 or name_baseline, in a source that is compiled once for each instruction set
/// (holon_kernel() in CMakeLists.txt defines HOLON_VARIANT). HOLON_CALL chooses among them: see instruction_sets.hpp.
/// Nothing is included here: what such a source shares with others must not be compiled for one instruction set.
#if !defined(HOLON_VARIANT)
#define HOLON_VARIANT baseline
#endif
#define HOLON_JOIN(name, variant) name##_##variant
#define HOLON_NAME_OF(name, variant) HOLON_JOIN(name, variant)
#define HOLON_NAME(name) HOLON_NAME_OF(name, HOLON_VARIANT)
