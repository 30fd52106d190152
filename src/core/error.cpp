#include <holon/core/error.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace holon {

namespace {

std::string without_control_characters(std::string text)
{
    std::ranges::replace_if(
        text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }, '?');
    return text;
}

} // namespace

InputError::InputError(const std::string& message) : std::runtime_error(without_control_characters(message)) {}

void assertion_failed(const char* condition, const char* file, int line, const std::string& values)
{
    std::fprintf(stderr, "holon: internal error: %s is false at %s:%d (%s). Please report it.\n", condition, file, line,
                 values.c_str());
    std::abort();
}

} // namespace holon
