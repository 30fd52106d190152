#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace holon {

/// Does one job at a time, in the background or at once. Signals stay with the threads of the run.
class Worker {
public:
    enum class Way { thread, at_once }; // at_once: start() does the job itself
    explicit Worker(Way way = Way::thread);
    ~Worker(); // finishes the job in hand
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void start(std::function<void()> job); // waits for the job before
    void wait();
    bool busy() const;
    std::string error() const;  // of the first job that threw; empty, if none did
    double cpu_seconds() const; // of the thread, for the jobs that are done

private:
    void loop();
    static std::string outcome(const std::function<void()>& job); // why it has failed, or empty

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> job_;
    bool busy_ = false, end_ = false;
    std::string error_;
    double cpu_seconds_ = 0.0;
    std::thread thread_; // none: at once
};

} // namespace holon
