#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/vec3.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace holon {

/// What one rank sends to one other (or, for periodic images, to itself) at every halo update.
/// `atoms` are local indices of the sender; copy k gets the sender's value and `wraps[wrap_of[k]]` box vectors more.
struct HaloSend {
    int rank = 0;
    std::vector<std::int32_t> atoms;
    std::vector<std::int32_t> wrap_of;
    std::vector<Image> wraps;
};

/// What one rank receives from one other: local indices where the copies go, in the order in which they are sent.
struct HaloReceive {
    int rank = 0;
    std::vector<std::int32_t> atoms;
};

/// Three numbers and a fourth, which stays here: rows that vector instructions load and store as one.
struct alignas(4 * sizeof(double)) PaddedVec3 {
    Vec3 value = Vec3::Zero();
    double fourth = 0.0;
};

/// Keeps copies of atoms up to date with their owners, and brings back what was summed on the copies.
/// The lists are set at repartition. Copies may be anywhere in the local arrays.
class HaloExchange {
public:
    HaloExchange(Communicator comm, std::vector<HaloSend> sends, std::vector<HaloReceive> receives,
                 const Box& box = {});
    ~HaloExchange();
    HaloExchange(HaloExchange&&) noexcept;
    HaloExchange& operator=(HaloExchange&&) noexcept;

    /// Owners -> copies, each copy shifted into the receiver's frame. Collective among neighbours. Between start and
    /// finish, owners may be read, and no other exchange be started. To finish what has not been started does nothing.
    void start_positions(std::span<IVec3> x);
    void finish_positions(std::span<IVec3> x);
    void update_positions(std::span<IVec3> x)
    {
        start_positions(x);
        finish_positions(x);
    }

    /// From now on copies are shifted by the vectors of this box.
    void follow(const Box& box);

    /// Owners -> copies, without shifts (velocities, increments). Collective among neighbours.
    void update(std::span<IVec3> values);
    void update(std::span<Vec3> values);
    void update(std::span<PaddedVec3> values);

    /// Copies -> owners, added in integers, so that no order matters; copies are left as they were. Collective.
    /// Between start and finish, more may be added to owners, and no other exchange be started.
    void start_accumulate(std::span<IVec3> values);
    void finish_accumulate(std::span<IVec3> values);
    void accumulate(std::span<IVec3> values)
    {
        start_accumulate(values);
        finish_accumulate(values);
    }

    std::int64_t messages() const; // sent per exchange to other ranks
    std::int64_t copies_sent() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
