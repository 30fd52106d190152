#include "folder_lock.hpp"

#include "raw_file.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holon {

namespace {

constexpr std::size_t max_text = 512;

std::string host_name()
{
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

void sleep_seconds(double seconds)
{
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// "process 12 on host name, ..." -> 12 and name; 0 and nothing, if it is not such a text.
std::pair<pid_t, std::string> process_and_host(const std::string& text)
{
    std::array<char, 257> host{};
    int process = 0;
    if (std::sscanf(text.c_str(), "process %d on %256[^,]", &process, host.data()) != 2 || process < 1) return {0, ""};
    return {process, host.data()};
}

} // namespace

FolderLock::FolderLock(std::string path, Timing timing) : path_(std::move(path)), timing_(timing)
{
    std::random_device random;
    identity_ = fmt::format("process {} on {}, key {:08x}{:08x}", getpid(), host_name(), random(), random());
    const bool locked = open_and_lock();
    const auto holder = read();
    const auto [process, host] = process_and_host(holder);
    const bool elsewhere = process > 0 && host != host_name();
    const bool may_live = process > 0 && !locked && (kill(process, 0) == 0 || errno == EPERM); // or has its number
    if (elsewhere || may_live) wait_for_sign_of_life(holder);

    write();
    if (elsewhere || !locked) { // somebody else may have come to the same conclusion: the last one to write stays
        sleep_seconds(0.1 * timing_.patience);
        if (const auto now = read(); !now.starts_with(identity_)) refuse(now);
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
}

FolderLock::~FolderLock()
{
    thread_ = {};
    if (!lost_) ::unlink(path_.c_str());
    ::close(descriptor_);
}

std::string FolderLock::problem() const
{
    return lost_ ? problem_ : "";
}

bool FolderLock::open_and_lock()
{
    while (true) {
        descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor_ < 0)
            throw InputError(fmt::format("Cannot write into the output folder {}: {}. Choose another one with -o.",
                                         folder_of(path_), std::strerror(errno)));
        const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
        if (!locked && errno == EWOULDBLOCK) refuse(read());
        if (!locked) return false;
        // The run before may have removed the file after it was opened here.
        struct stat opened {
        }, named{};
        if (::fstat(descriptor_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 && opened.st_ino == named.st_ino)
            return true;
        ::close(descriptor_);
    }
}

void FolderLock::wait_for_sign_of_life(const std::string& holder) const
{
    constexpr int looks = 10;
    for (int k = 0; k < looks; ++k) {
        sleep_seconds(timing_.patience / looks);
        if (const auto now = read(); now != holder) refuse(now);
    }
}

/// Opened anew: a network file system may show the file as it was when a descriptor was opened.
std::string FolderLock::read() const
{
    std::string text(max_text, '\0');
    const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const auto n = ::pread(descriptor, text.data(), text.size(), 0);
    if (descriptor >= 0) ::close(descriptor);
    text.resize(n > 0 ? index(n) : 0);
    return text;
}

void FolderLock::write() const
{
    const auto text = fmt::format("{}, alive {:010}\n", identity_, count_);
    const auto size = static_cast<ssize_t>(text.size());
    if (::pwrite(descriptor_, text.data(), text.size(), 0) != size || ::ftruncate(descriptor_, size) != 0)
        throw InputError(fmt::format("Cannot write {}: {}.", path_, std::strerror(errno)));
}

void FolderLock::beat(const std::stop_token& stop)
{
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, stop, std::chrono::duration<double>(timing_.heartbeat), [] { return false; })) {
        if (stop.stop_requested()) return;
        if (const auto now = read(); process_and_host(now).first > 0 && !now.starts_with(identity_)) {
            const auto [process, host] = process_and_host(now);
            problem_ = fmt::format("Process {} on {} has taken over the folder {} while this run gave no sign of life",
                                   process, host, folder_of(path_));
            lost_ = true;
            return;
        }
        ++count_;
        try {
            write();
        } catch (const InputError&) {
            return; // the folder is gone or out of reach: the run itself will find out
        }
    }
}

void FolderLock::refuse(const std::string& holder) const
{
    if (descriptor_ >= 0) ::close(descriptor_);
    const auto [process, host] = process_and_host(holder);
    const auto who = process > 0 ? fmt::format("process {} on {}", process, host) : "another process";
    throw InputError(
        fmt::format("The folder {} is in use: {} is writing a run into it. Wait until it has ended, stop it, "
                    "or choose another folder with -o.",
                    folder_of(path_), who));
}

} // namespace holon
