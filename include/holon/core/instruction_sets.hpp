#pragma once

/// HOLON_CALL(name, arguments...): calls name_v4, name_v3 or name_baseline, of a kernel that is compiled once for each
/// instruction set (holon_kernel() in CMakeLists.txt), whichever is the fastest that this processor can run.
#if defined(HOLON_X86_KERNELS)
#define HOLON_CALL(name, ...)                                                                                          \
    (__builtin_cpu_supports("x86-64-v4")   ? name##_v4(__VA_ARGS__)                                                    \
     : __builtin_cpu_supports("x86-64-v3") ? name##_v3(__VA_ARGS__)                                                    \
                                           : name##_baseline(__VA_ARGS__))
#else
#define HOLON_CALL(name, ...) name##_baseline(__VA_ARGS__)
#endif
