/// A library to be loaded before a program (LD_PRELOAD) that waits for messages by MPICH over UCX: where there are more
/// ranks than processors, one that finds none lets another one go on, as Open MPI's ranks do (mpi_yield_when_idle).
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker)
{
    using Progress = unsigned (*)(void*);
    static const auto real = reinterpret_cast<Progress>(::dlsym(RTLD_NEXT, "ucp_worker_progress"));
    const unsigned done = real(worker);
    if (done == 0) ::sched_yield();
    return done;
}
