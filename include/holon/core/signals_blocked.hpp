#pragma once

#include <csignal>

namespace holon {

/// Threads that are made while it exists inherit that no signal reaches them but those that they cause themselves: one
/// to the process must find the thread that looks for it.
class SignalsBlocked {
public:
    SignalsBlocked()
    {
        sigset_t all;
        sigfillset(&all);
        for (const int own_fault : {SIGBUS, SIGFPE, SIGILL, SIGSEGV}) sigdelset(&all, own_fault);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

} // namespace holon
