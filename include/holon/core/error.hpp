#pragma once

#include <stdexcept>
#include <string>

namespace holon {

/// Input that cannot be used: what, where (file and line), what to do. Thrown before the loop, alike on all ranks.
class InputError : public std::runtime_error {
public:
    /// Control characters, which what it quotes may have, become '?', that a terminal shows it as it is; lines may end.
    explicit InputError(const std::string& message);
};

/// A failure while running: physics, disk, MPI. All ranks stop together; exit status 3.
class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Reports a broken invariant of the program itself and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const std::string& values);

} // namespace holon

/// Own invariant; `values` is any string that helps to find the reason.
#define HOLON_ASSERT(condition, values)                                                                                \
    do {                                                                                                               \
        if (!(condition)) ::holon::assertion_failed(#condition, __FILE__, __LINE__, (values));                         \
    } while (false)
