#pragma once

#include <holon/comm/communicator.hpp>

// The C++ bindings are gone from the standard and warn.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <functional>
#include <span>

namespace holon {

struct Communicator::Impl {
    MPI_Comm comm = MPI_COMM_NULL; // null: one rank, no MPI
    int rank = 0;
    int size = 1;
    std::int64_t reductions = 0;
    std::uint64_t exchanges = 0;
    const std::function<bool()>* meanwhile = nullptr; // see Meanwhile
};

/// Waits until all requests are complete; pieces of other work, if there is any, are done meanwhile.
void wait_for(const Communicator::Impl& comm, std::span<MPI_Request> requests);

/// Throws Failure with MPI's own words if a call failed.
void check_mpi(int code, const char* call);

} // namespace holon
