#include <holon/core/error.hpp>

#include <cstdio>
#include <cstdlib>

namespace holon {

void assertion_failed(const char* condition, const char* file, int line, const std::string& values)
{
    std::fprintf(stderr, "holon: internal error: %s is false at %s:%d (%s). Please report it.\n", condition, file, line,
                 values.c_str());
    std::abort();
}

} // namespace holon
