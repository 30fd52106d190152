/// A library to be loaded before a program (LD_PRELOAD): a signal that comes before main().
///
///   HOLON_EARLY_SIGNAL    its number; for holon-md alone, not for what starts it
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

[[gnu::constructor]] void send()
{
    const char* number = std::getenv("HOLON_EARLY_SIGNAL");
    if (number != nullptr && std::strcmp(program_invocation_short_name, "holon-md") == 0) std::raise(std::atoi(number));
}

} // namespace
