#include <holon/comm/way_out.hpp>

#include "mpi_impl.hpp"

#include <chrono>
#include <thread>
#include <vector>

namespace holon {

bool all_arrive(const Communicator& comm, double patience)
{
    constexpr int tag = 92;
    const MPI_Comm mpi = comm.impl().comm;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    std::vector<MPI_Request> requests;
    const auto done = [&] {
        for (int complete = 0; std::chrono::steady_clock::now() < deadline;) {
            check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, MPI_STATUSES_IGNORE),
                      "MPI_Testall");
            if (complete != 0) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
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
