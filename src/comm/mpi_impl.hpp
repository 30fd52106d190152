#pragma once

#include <holon/comm/communicator.hpp>

// The C++ bindings are gone from the standard and warn.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <span>

namespace holon {

struct Communicator::Impl {
    MPI_Comm comm = MPI_COMM_NULL; // null: one rank, no MPI
    int rank = 0;
    int size = 1;
    std::int64_t reductions = 0;
    std::uint64_t exchanges = 0;
};

/// Waits until all requests are complete; tasks of the communicator, if it has any, are worked on meanwhile.
void wait_for(const Communicator& comm, std::span<MPI_Request> requests);

/// Whether all requests are complete within so many seconds.
bool complete_within(double seconds, std::span<MPI_Request> requests);

/// Throws Failure with MPI's own words if a call failed.
void check_mpi(int code, const char* call);

} // namespace holon
