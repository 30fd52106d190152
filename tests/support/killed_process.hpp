#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holon::test {

/// Runs `work` in a process of its own, which counts its steps in what it is given, and kills it up to 5 ms after it
/// has done `steps` of them, however fast the machine is; true if it was killed, and had not ended before.
inline bool kill_after(int steps, const std::function<void(std::atomic<int>&)>& work, std::mt19937& random)
{
    void* const page =
        mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    auto& done = *new (page) std::atomic<int>(0);
    const auto child = fork();
    if (child == 0) {
        [&]() noexcept {
            work(done);
            _exit(0);
        }();
    }
    int status = 0;
    bool ended = false;
    while (!ended && done < steps) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        ended = waitpid(child, &status, WNOHANG) == child;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 5000)(random)));
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    munmap(page, sizeof(std::atomic<int>));
    return WIFSIGNALED(status);
}

} // namespace holon::test
