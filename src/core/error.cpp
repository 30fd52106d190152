#include <holon/core/error.hpp>

#include <holon/core/shown_text.hpp>

#include <cstdio>
#include <cstdlib>

namespace holon {

InputError::InputError(const std::string& message) : std::runtime_error(without_control_characters(message)) {}

void assertion_failed(const char* condition, const char* file, int line, const std::string& values)
{
    std::fprintf(stderr, "holon: internal error: %s is false at %s:%d (%s). Please report it.\n", condition, file, line,
                 values.c_str());
    std::abort();
}

} // namespace holon
