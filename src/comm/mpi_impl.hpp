#pragma once

#include <holon/comm/communicator.hpp>

#define OMPI_SKIP_MPICXX 1 // the C++ bindings are gone from the standard and warn
#include <mpi.h>

namespace holon {

struct Communicator::Impl {
    MPI_Comm comm = MPI_COMM_NULL; // null: one rank, no MPI
    int rank = 0;
    int size = 1;
    std::int64_t reductions = 0;
    std::uint64_t exchanges = 0;
};

/// Throws Failure with MPI's own words if a call failed.
void check_mpi(int code, const char* call);

} // namespace holon
