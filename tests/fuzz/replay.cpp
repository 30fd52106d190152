// Runs a fuzzer's function over all files of the folders named on the command line, without libFuzzer. What hangs or
// takes absurd memory fails, too.
#include "fuzzer.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr unsigned longest_s = 60; // for an input, on a crowded machine and under sanitizers
[[maybe_unused]] constexpr rlim_t most_memory = rlim_t{4} << 30;

char current[4096]; // the input's name, for the handler

void too_long(int)
{
    [[maybe_unused]] auto written = write(STDERR_FILENO, current, std::strlen(current));
    written = write(STDERR_FILENO, ": takes too long\n", 17);
    _exit(1);
}

void run(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::snprintf(current, sizeof current, "%s", path.c_str());
    std::fprintf(stderr, "%s\n", current);
    alarm(longest_s);
    // A copy of just this size: reading beyond it is found by the address sanitizer.
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
    alarm(0);
}

} // namespace

int main(int argc, char** argv)
{
#ifndef HOLON_SANITIZED // sanitizers map terabytes
    const rlimit limit{most_memory, most_memory};
    setrlimit(RLIMIT_AS, &limit);
#endif
    std::signal(SIGALRM, too_long);
    int inputs = 0;
    for (int k = 1; k < argc; ++k)
        for (const auto& entry : std::filesystem::directory_iterator(argv[k])) {
            run(entry.path());
            ++inputs;
        }
    std::printf("%d inputs\n", inputs);
    return inputs > 0 ? 0 : 1; // a corpus that is not found tests nothing
}
