#include "worker.hpp"

#include <holon/core/cpu_time.hpp>
#include <holon/core/signals_blocked.hpp>

namespace holon {

Worker::Worker(Way way)
{
    if (way == Way::at_once) return;
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { loop(); });
}

Worker::~Worker()
{
    if (!thread_.joinable()) return;
    wait();
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Worker::start(std::function<void()> job)
{
    if (!thread_.joinable()) {
        const auto error = outcome(job);
        if (error_.empty()) error_ = error;
        return;
    }
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !busy_; });
        job_ = std::move(job);
        busy_ = true;
    }
    changed_.notify_all();
}

void Worker::wait()
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
}

bool Worker::busy() const
{
    const std::lock_guard lock(mutex_);
    return busy_;
}

std::string Worker::error() const
{
    const std::lock_guard lock(mutex_);
    return error_;
}

double Worker::cpu_seconds() const
{
    const std::lock_guard lock(mutex_);
    return cpu_seconds_;
}

std::string Worker::outcome(const std::function<void()>& job)
{
    try {
        job();
    } catch (const std::exception& exception) {
        return exception.what();
    }
    return "";
}

void Worker::loop()
{
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return busy_ || end_; });
        if (!busy_) return;
        lock.unlock();
        const auto error = outcome(job_);
        lock.lock();
        if (error_.empty()) error_ = error;
        cpu_seconds_ = thread_cpu_seconds();
        busy_ = false;
        changed_.notify_all();
    }
}

} // namespace holon
