#include <holon/comm/way_out.hpp>

#include "mpi_impl.hpp"

#include <chrono>
#include <vector>

namespace holon {

bool all_arrive(const Communicator& comm, double patience)
{
    constexpr int tag = 92;
    const MPI_Comm mpi = comm.impl().comm;
    std::vector<MPI_Request> requests;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    const auto done = [&] {
        const std::chrono::duration<double> left = deadline - std::chrono::steady_clock::now();
        return complete_within(left.count(), requests);
    };
    const auto receive = [&](int from) {
        check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, mpi, &requests.emplace_back()), "MPI_Irecv");
    };
    const auto send = [&](int to) {
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, to, tag, mpi, &requests.emplace_back()), "MPI_Isend");
    };
    if (comm.size() == 1) return true;
    if (!comm.root()) {
        send(0);
        receive(0);
        return done();
    }
    for (int r = 1; r < comm.size(); ++r) receive(r);
    if (!done()) return false;
    requests.clear();
    for (int r = 1; r < comm.size(); ++r) send(r);
    return done();
}

} // namespace holon
