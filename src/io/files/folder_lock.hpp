#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace holon {

/// Keeps a folder to one run, by a file that is locked (flock) and says who holds it. A run that was killed leaves the
/// file behind, but not the lock. Where locks do not reach, across nodes or on file systems without them, the holder
/// proves by a counter in the file that it is alive: a lock whose counter has stood still for `patience` is taken over.
/// A holder that was only asleep finds that out at its next heartbeat, see problem().
class FolderLock {
public:
    struct Timing {
        double heartbeat = 2.0; // [s]
        double patience = 15.0; // [s]
    };

    /// InputError, if the file cannot be written or another run holds the lock.
    explicit FolderLock(std::string path, Timing timing);
    explicit FolderLock(std::string path) : FolderLock(std::move(path), Timing{}) {}
    ~FolderLock();               // gives the folder free and removes the file
    std::string problem() const; // empty, or why the folder is not this run's any more
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    bool open_and_lock(); // true, if locks work here
    void wait_for_sign_of_life(const std::string& holder) const;
    std::string read() const;
    void write() const;
    void beat(const std::stop_token& stop);
    [[noreturn]] void refuse(const std::string& holder) const;

    std::string path_;
    Timing timing_;
    int descriptor_ = -1;
    std::string identity_; // of this run
    unsigned count_ = 0;
    std::mutex mutex_;
    std::string problem_;            // not changed after
    std::atomic<bool> lost_ = false; // this has become true
    std::condition_variable_any changed_;
    std::jthread thread_; // last: ends first
};

} // namespace holon
