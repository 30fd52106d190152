#include <holon/comm/node_mutex.hpp>

#include "mpi_impl.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace holon {

namespace {

/// The mutex lies at the beginning of a page that processes map.
pthread_mutex_t* map_page(int descriptor)
{
    void* page = ::mmap(nullptr, sizeof(pthread_mutex_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    return page == MAP_FAILED ? nullptr : static_cast<pthread_mutex_t*>(page);
}

void initialise(pthread_mutex_t* mutex)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST); // its holder may be killed
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

pthread_mutex_t* create(const std::string& name)
{
    const int descriptor = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (descriptor < 0) return nullptr;
    if (::ftruncate(descriptor, sizeof(pthread_mutex_t)) != 0) {
        ::close(descriptor);
        return nullptr;
    }
    auto* mutex = map_page(descriptor);
    if (mutex != nullptr) initialise(new (mutex) pthread_mutex_t);
    return mutex;
}

pthread_mutex_t* open(const std::string& name)
{
    const int descriptor = ::shm_open(name.c_str(), O_RDWR, 0);
    return descriptor < 0 ? nullptr : map_page(descriptor);
}

void unmap(pthread_mutex_t* mutex)
{
    if (mutex != nullptr) ::munmap(mutex, sizeof(pthread_mutex_t));
}

/// Null, if not all ranks of the group, which are of one node, could map it.
pthread_mutex_t* share(MPI_Comm group)
{
    int rank = 0;
    MPI_Comm_rank(group, &rank);
    std::int64_t creator = ::getpid();
    check_mpi(MPI_Bcast(&creator, 1, MPI_INT64_T, 0, group), "MPI_Bcast");
    const std::string name = "/holon-" + std::to_string(creator);
    auto* mutex = rank == 0 ? create(name) : nullptr;
    check_mpi(MPI_Barrier(group), "MPI_Barrier");
    if (rank != 0) mutex = open(name);
    int all = mutex != nullptr ? 1 : 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, group), "MPI_Allreduce");
    if (rank == 0) ::shm_unlink(name.c_str()); // it lives on where it is mapped
    if (all != 0) return mutex;
    unmap(mutex);
    return nullptr;
}

} // namespace

struct NodeMutex::Impl {
    pthread_mutex_t* shared = nullptr;
    pthread_mutex_t own;
    bool first = true;

    pthread_mutex_t* mutex() { return shared != nullptr ? shared : &own; }
    Impl() { initialise(&own); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { unmap(shared); }
};

NodeMutex::NodeMutex(const Communicator& comm, int groups) : impl_(std::make_shared<Impl>())
{
    if (comm.size() == 1) return;
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm.impl().comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
              "MPI_Comm_split_type");
    int rank = 0;
    MPI_Comm_rank(node, &rank);
    impl_->first = rank == 0;
    MPI_Comm group = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(node, rank % groups, rank, &group), "MPI_Comm_split");
    impl_->shared = share(group);
    MPI_Comm_free(&group);
    MPI_Comm_free(&node);
}

void NodeMutex::lock()
{
    using std::chrono::microseconds;
    for (microseconds pause(200);; pause = std::min(2 * pause, microseconds(1000))) {
        const int code = pthread_mutex_trylock(impl_->mutex());
        if (code == EOWNERDEAD) pthread_mutex_consistent(impl_->mutex());
        if (code != EBUSY) return;
        std::this_thread::sleep_for(pause);
    }
}

void NodeMutex::unlock()
{
    pthread_mutex_unlock(impl_->mutex());
}

bool NodeMutex::first() const
{
    return impl_->first;
}

} // namespace holon
