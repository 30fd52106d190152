#include <holon/comm/communicator.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include "mpi_impl.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

namespace holon {

namespace {

/// Within a node, Open MPI 4 hands messages of up to 4 KiB over in shared memory, and lets the receiver of longer ones
/// fetch them by system calls, which take longer than a second copy of some 10 KiB: a twentieth of the time of
/// constraints that are cut. What the user has set holds.
void hand_over_at_once()
{
    ::setenv("OMPI_MCA_btl_vader_eager_limit", "32768", 0);
}

MPI_Comm comm_of(const Communicator& c)
{
    return c.impl().comm;
}

int int_count(std::size_t n)
{
    HOLON_ASSERT(n <= index(std::numeric_limits<int>::max()), std::to_string(n));
    return static_cast<int>(n);
}

template <class T>
void reduce(const Communicator& c, std::span<T> values, MPI_Datatype type, MPI_Op op)
{
    if (c.size() == 1 || values.empty()) return;
    ++c.impl().reductions;
    const auto n = int_count(values.size());
    if (c.tasks() == nullptr ||
        c.tasks()->empty()) { // alike on all ranks: the two kinds of reduction do not match each other
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), n, type, op, comm_of(c)), "MPI_Allreduce");
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, values.data(), n, type, op, comm_of(c), &request), "MPI_Iallreduce");
    wait_for(c, {&request, 1});
}

} // namespace

void check_mpi(int code, const char* call)
{
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Failure(std::string(call) + " failed: " + std::string(text, index(length)));
}

void wait_for(const Communicator& comm, std::span<MPI_Request> requests)
{
    if (requests.empty()) return;
    const auto n = static_cast<int>(requests.size());
    if (auto* tasks = comm.tasks(); tasks != nullptr && !tasks->empty()) {
        int complete = 0;
        do check_mpi(MPI_Testall(n, requests.data(), &complete, MPI_STATUSES_IGNORE), "MPI_Testall");
        while (complete == 0 && tasks->do_piece());
        if (complete != 0) return;
    }
    check_mpi(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

bool complete_within(double seconds, std::span<MPI_Request> requests)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (int complete = 0; std::chrono::steady_clock::now() < deadline;) {
        check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, MPI_STATUSES_IGNORE),
                  "MPI_Testall");
        if (complete != 0) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

Communicator Communicator::working_on(TaskList& tasks) const
{
    auto copy = *this;
    copy.tasks_ = &tasks;
    return copy;
}

Session::Session(int& argc, char**& argv)
{
    hand_over_at_once();
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
}

Session::~Session()
{
    MPI_Finalize();
}

void Session::abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}

Communicator::Communicator() : impl_(std::make_shared<Impl>()) {}

Communicator Communicator::world()
{
    auto impl = std::make_shared<Impl>();
    impl->comm = MPI_COMM_WORLD;
    MPI_Comm_rank(impl->comm, &impl->rank);
    MPI_Comm_size(impl->comm, &impl->size);
    return Communicator(std::move(impl));
}

int Communicator::rank() const
{
    return impl_->rank;
}
int Communicator::size() const
{
    return impl_->size;
}
bool Communicator::on_several_computers() const
{
    if (size() == 1) return false;
    MPI_Comm computer = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_of(*this), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &computer),
              "MPI_Comm_split_type");
    int ranks = 0;
    MPI_Comm_size(computer, &ranks);
    MPI_Comm_free(&computer);
    return ranks < size();
}
std::int64_t Communicator::reductions() const
{
    return impl_->reductions;
}

void Communicator::sum(std::span<std::int64_t> values) const
{
    reduce(*this, values, MPI_INT64_T, MPI_SUM);
}
void Communicator::max(std::span<std::int64_t> values) const
{
    reduce(*this, values, MPI_INT64_T, MPI_MAX);
}

void Communicator::sum(std::span<FixedSum> values) const
{
    if (size() == 1 || values.empty()) return;
    // 128 bits travel as three limbs of 40, 40 and 48 bits: sums over up to 2^23 ranks cannot overflow any of them.
    constexpr int limb_bits = 40;
    constexpr int128 mask = (int128{1} << limb_bits) - 1;
    std::vector<std::int64_t> limbs(3 * values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
        const int128 raw = values[k].raw();
        limbs[3 * k] = static_cast<std::int64_t>(raw & mask);
        limbs[3 * k + 1] = static_cast<std::int64_t>((raw >> limb_bits) & mask);
        limbs[3 * k + 2] = static_cast<std::int64_t>(raw >> (2 * limb_bits));
    }
    sum(std::span(limbs));
    for (std::size_t k = 0; k < values.size(); ++k) {
        const int128 high = int128{limbs[3 * k + 2]} * (int128{1} << (2 * limb_bits));
        const int128 middle = int128{limbs[3 * k + 1]} * (int128{1} << limb_bits);
        values[k] = FixedSum::from_raw(high + middle + limbs[3 * k]);
    }
}

void Communicator::bitwise_or(std::span<std::uint64_t> values) const
{
    reduce(*this, values, MPI_UINT64_T, MPI_BOR);
}

std::int64_t Communicator::exclusive_sum(std::int64_t value) const
{
    if (size() == 1) return 0;
    std::int64_t below = 0;
    check_mpi(MPI_Exscan(&value, &below, 1, MPI_INT64_T, MPI_SUM, comm_of(*this)), "MPI_Exscan");
    return rank() == 0 ? 0 : below;
}

void Communicator::broadcast(std::span<std::byte> data, int root) const
{
    if (size() == 1 || data.empty()) return;
    constexpr std::size_t piece = std::size_t{1} << 30;
    for (std::size_t begin = 0; begin < data.size(); begin += piece) {
        const auto count = int_count(std::min(piece, data.size() - begin));
        check_mpi(MPI_Bcast(data.data() + begin, count, MPI_BYTE, root, comm_of(*this)), "MPI_Bcast");
    }
}

void Communicator::broadcast(std::string& text, int root) const
{
    if (size() == 1) return;
    auto length = static_cast<std::uint64_t>(text.size());
    broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
    text.resize(length);
    broadcast(std::as_writable_bytes(std::span(text.data(), text.size())), root);
}

std::vector<std::byte> Communicator::gather_alike(std::span<const std::byte> data) const
{
    if (size() == 1) return {data.begin(), data.end()};
    const int n = int_count(data.size());
    std::vector<std::byte> all(data.size() * index(size()));
    check_mpi(MPI_Allgather(data.data(), n, MPI_BYTE, all.data(), n, MPI_BYTE, comm_of(*this)), "MPI_Allgather");
    return all;
}

std::vector<std::byte> Communicator::gather_any(std::span<const std::byte> data) const
{
    if (size() == 1) return {data.begin(), data.end()};
    std::vector<int> sizes, offsets;
    std::size_t total = 0;
    for (const auto count : all_gather(data.size())) {
        offsets.push_back(int_count(total));
        sizes.push_back(int_count(count));
        total += count;
    }
    std::vector<std::byte> all(total);
    check_mpi(MPI_Allgatherv(data.data(), int_count(data.size()), MPI_BYTE, all.data(), sizes.data(), offsets.data(),
                             MPI_BYTE, comm_of(*this)),
              "MPI_Allgatherv");
    return all;
}

void Communicator::barrier() const
{
    if (size() > 1) check_mpi(MPI_Barrier(comm_of(*this)), "MPI_Barrier");
}

/// Nobody counts messages for each other, which would take a table of all ranks: synchronous sends end when they are
/// received, and a rank whose sends have ended joins a barrier; when all have, there is nothing left to receive
/// (Hoefler, Siebert and Lumsdaine, PPoPP 2010, algorithm NBX).
std::vector<Message> Communicator::exchange(std::vector<Message> outgoing) const
{
    if (size() == 1) return outgoing;
    // Ranks that have left the barrier may send the next exchange's messages to one that has not noticed yet.
    constexpr int message_tag = 90;
    const int tag = message_tag + static_cast<int>(impl_->exchanges++ % 2);
    std::vector<Message> incoming;
    std::vector<MPI_Request> sends;
    for (auto& message : outgoing) {
        if (message.data.empty()) continue;
        if (message.rank == rank()) {
            incoming.push_back(std::move(message));
            continue;
        }
        check_mpi(MPI_Issend(message.data.data(), int_count(message.data.size()), MPI_BYTE, message.rank, tag,
                             comm_of(*this), &sends.emplace_back()),
                  "MPI_Issend");
    }
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool in_barrier = false;
    for (int done = 0; done == 0;) {
        int arrived = 0;
        MPI_Status status;
        check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_of(*this), &arrived, &status), "MPI_Iprobe");
        if (arrived != 0) {
            int bytes = 0;
            check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
            auto& message = incoming.emplace_back();
            message.rank = status.MPI_SOURCE;
            message.data.resize(index(bytes));
            check_mpi(
                MPI_Recv(message.data.data(), bytes, MPI_BYTE, message.rank, tag, comm_of(*this), MPI_STATUS_IGNORE),
                "MPI_Recv");
        }
        if (in_barrier) {
            check_mpi(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
            continue;
        }
        int sent = 0;
        check_mpi(MPI_Testall(int_count(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE), "MPI_Testall");
        if (sent == 0) continue;
        check_mpi(MPI_Ibarrier(comm_of(*this), &barrier), "MPI_Ibarrier");
        in_barrier = true;
    }
    std::ranges::sort(incoming, {}, &Message::rank);
    return incoming;
}

} // namespace holon
