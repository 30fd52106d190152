#pragma once

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include "mpi_impl.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// Messages of fixed sizes between fixed partners, again and again. Who has what it was sent goes on: whether others
/// have what this rank sent them matters only when its buffers are to be filled again.
class PersistentMessages {
public:
    explicit PersistentMessages(Communicator comm) : comm_(std::move(comm)) {}
    PersistentMessages(const PersistentMessages&) = delete;
    PersistentMessages& operator=(const PersistentMessages&) = delete;

    ~PersistentMessages()
    {
        // Receivers may still be reading. Where there was an error they may never come to it; but where all have met
        // it, some have yet to read what came before, and would take this rank down if its buffers were gone.
        constexpr double patience = 2.0; // s
        if (std::uncaught_exceptions() != 0)
            complete_within(patience, sends_);
        else if (!sends_.empty())
            MPI_Waitall(size(sends_), sends_.data(), MPI_STATUSES_IGNORE);
        for (auto* requests : {&receives_, &sends_})
            for (auto& request : *requests) MPI_Request_free(&request);
    }

    void add_receive(std::span<std::byte> buffer, int rank, int tag)
    {
        check_mpi(MPI_Recv_init(buffer.data(), count(buffer), MPI_BYTE, rank, tag, comm_.impl().comm,
                                &receives_.emplace_back()),
                  "MPI_Recv_init");
    }
    void add_send(std::span<const std::byte> buffer, int rank, int tag)
    {
        check_mpi(
            MPI_Send_init(buffer.data(), count(buffer), MPI_BYTE, rank, tag, comm_.impl().comm, &sends_.emplace_back()),
            "MPI_Send_init");
    }

    void start_receives() { start(receives_); }
    void start_sends()
    {
        start(sends_);
        are_sending_ = true;
    }
    /// One of them, by its number.
    void start_receive(std::size_t k) { check_mpi(MPI_Start(&receives_[k]), "MPI_Start"); }
    void start_send(std::size_t k)
    {
        check_mpi(MPI_Start(&sends_[k]), "MPI_Start");
        are_sending_ = true;
    }

    void wait_for_receives() { wait(receives_); }
    /// Until what was sent may be overwritten.
    void wait_for_sends()
    {
        if (std::exchange(are_sending_, false)) wait(sends_);
    }

private:
    using Requests = std::vector<MPI_Request>;
    static int count(std::span<const std::byte> buffer)
    {
        HOLON_ASSERT(buffer.size() <= index(std::numeric_limits<int>::max()), std::to_string(buffer.size()));
        return static_cast<int>(buffer.size());
    }
    static int size(const Requests& requests) { return static_cast<int>(requests.size()); }
    static void start(Requests& requests)
    {
        if (!requests.empty()) check_mpi(MPI_Startall(size(requests), requests.data()), "MPI_Startall");
    }
    void wait(Requests& requests) { wait_for(comm_, requests); }

    Communicator comm_;
    Requests receives_, sends_;
    bool are_sending_ = false; // some, since the last wait
};

} // namespace holon
