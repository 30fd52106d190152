#pragma once

#include <holon/core/fixed_sum.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace holon {

/// Types whose bytes are their value; Eigen's fixed-size vectors are, though the language does not call them trivial.
template <class T>
inline constexpr bool is_plain = std::is_standard_layout_v<T>&& std::is_trivially_destructible_v<T>;

/// Bytes to or from one rank.
struct Message {
    int rank = 0;
    std::vector<std::byte> data;
};

/// Work that communicates with nobody, to be done while messages are waited for.
class TaskList {
public:
    /// `piece` does a few microseconds' work and does not throw; where there was none left, it returns false.
    void add(std::function<bool()> piece) { tasks_.push_back(std::move(piece)); }
    void clear() { tasks_.clear(), next_ = 0; }
    bool empty() const { return tasks_.empty(); } // also false when all is done

    /// A piece of the first task with any left; false, if there is none.
    bool do_piece()
    {
        for (; next_ < tasks_.size(); ++next_)
            if (tasks_[next_]()) return true;
        return false;
    }

private:
    std::vector<std::function<bool()>> tasks_;
    std::size_t next_ = 0;
};

/// The ranks of a run and what they can do together. MPI stays behind this value type; copies share the communicator.
/// Only integers are reduced: a floating-point reduction would depend on the number of ranks.
class Communicator {
public:
    Communicator(); // one rank, no MPI: for tests and serial tools
    static Communicator world();

    int rank() const;
    int size() const;
    bool on_several_computers() const; // collective
    bool root() const { return rank() == 0; }
    std::int64_t reductions() const; // over all ranks, so far

    // All of the following are collective.
    void sum(std::span<std::int64_t> values) const;
    void sum(std::span<FixedSum> values) const;
    void max(std::span<std::int64_t> values) const;
    void bitwise_or(std::span<std::uint64_t> values) const;
    std::int64_t sum(std::int64_t value) const
    {
        sum(std::span(&value, 1));
        return value;
    }
    std::int64_t max(std::int64_t value) const
    {
        max(std::span(&value, 1));
        return value;
    }
    bool any(bool flag) const { return max(std::int64_t{flag}) != 0; }
    std::int64_t exclusive_sum(std::int64_t value) const; // sum over the ranks below this one
    void broadcast(std::span<std::byte> data, int root = 0) const;
    void broadcast(std::string& text, int root = 0) const;
    /// Plain values of all ranks, in rank order: one from each, or any number from each.
    template <class T>
    std::vector<T> all_gather(const T& value) const
    {
        return values_in<T>(gather_alike(std::as_bytes(std::span(&value, 1))));
    }
    template <class T>
    std::vector<T> concatenate(std::span<const T> values) const
    {
        return values_in<T>(gather_any(std::as_bytes(values)));
    }
    void barrier() const;

    /// Sends each message to its rank (at most one per rank; to oneself is allowed) and returns those received,
    /// in rank order. Nobody needs to know who will send.
    std::vector<Message> exchange(std::vector<Message> outgoing) const;

    /// The same ranks; but who waits for them in sum, max or bitwise_or, or for persistent messages (HaloExchange,
    /// BufferExchange) of this copy, works on `tasks` meanwhile, which must outlive it. Collective: when there is a
    /// reduction, the list is empty on all ranks or on none.
    Communicator working_on(TaskList& tasks) const;
    TaskList* tasks() const { return tasks_; } // null: none

    struct Impl;
    Impl& impl() const { return *impl_; }

private:
    explicit Communicator(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    std::vector<std::byte> gather_alike(std::span<const std::byte> data) const; // as many from each
    std::vector<std::byte> gather_any(std::span<const std::byte> data) const;
    template <class T>
    static std::vector<T> values_in(const std::vector<std::byte>& bytes)
    {
        static_assert(is_plain<T>);
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
        return values;
    }

    std::shared_ptr<Impl> impl_;
    TaskList* tasks_ = nullptr;
};

/// Starts MPI and ends it. One per program, in main().
class Session {
public:
    Session(int& argc, char**& argv);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Ends all ranks at once with this exit status: for errors that only this rank knows of.
    [[noreturn]] static void abort(int status);
};

/// Appends plain values to a message and takes them out again in the same order.
class Packer {
public:
    explicit Packer(std::vector<std::byte>& bytes) : bytes_(bytes) {}
    template <class T>
    void put(const T& value)
    {
        static_assert(is_plain<T>);
        const auto* begin = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), begin, begin + sizeof(T));
    }

private:
    std::vector<std::byte>& bytes_;
};

class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
    template <class T>
    T get()
    {
        static_assert(is_plain<T>);
        T value;
        std::memcpy(static_cast<void*>(&value), bytes_.data(), sizeof(T));
        bytes_ = bytes_.subspan(sizeof(T));
        return value;
    }
    bool empty() const { return bytes_.empty(); }

private:
    std::span<const std::byte> bytes_;
};

} // namespace holon
