#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/comm/domain_grid.hpp>
#include <holon/core/box.hpp>
#include <holon/core/parallel.hpp>
#include <holon/system/parameters.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace holon {

/// The work of a rank and where in its domain it is done: where its atoms are.
struct DomainLoad {
    static constexpr std::size_t bins = 8;
    std::int64_t load = 0;                                   // in any unit
    std::array<std::array<std::uint8_t, bins>, 3> profile{}; // atoms in each eighth along each axis; the most are 255

    /// `x`: of the owned atoms. Those that have left the domain count for the eighth at its face.
    static DomainLoad of(std::int64_t load, const DomainGrid& grid, int rank, const Box& box, std::span<const IVec3> x);
};

/// Moves the faces of the domains towards equal loads, from the loads of all ranks. Within an eighth of a domain the
/// load is taken to be uniform, and a face moves by at most half of a domain it borders on: a few rounds lead to the
/// balance of any load. Faces of slabs follow the loads of the slabs, those within a slab the loads of its columns,
/// those within a column the loads of its domains. No domain becomes thinner than `least`, fractional, per axis, except
/// where an equal share is.
DomainGrid balanced(const DomainGrid& grid, std::span<const DomainLoad> loads, const std::array<double, 3>& least);

/// How unevenly work was shared out: the most of any rank over the mean, minus one. What a step would save at most.
struct LoadReport {
    LoadBalancing mode = LoadBalancing::automatic;
    double first = 0.0; // before faces moved
    double last = 0.0;  // when it was measured last
    double mean = 0.0;  // of the run
    std::int64_t moves = 0;
};

/// Dynamic load balancing: measures the work of the ranks in CPU time of their threads and moves the faces of their
/// domains. Timings differ from run to run, and so do the faces; no bit of the trajectory depends on them.
class LoadBalance {
public:
    LoadBalance(Communicator comm, LoadBalancing mode) : comm_(std::move(comm)) { report_.mode = mode; }

    /// Counts the CPU time until it goes out of scope as work of this rank. Nothing that waits for others.
    class Scope {
    public:
        explicit Scope(double& seconds) : seconds_(seconds), begin_(team_cpu_seconds()) {}
        ~Scope() { seconds_ += team_cpu_seconds() - begin_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        double& seconds_;
        double begin_;
    };
    Scope measure() { return Scope(seconds_); }
    void add(double seconds) { seconds_ += seconds; }
    void count_step() { ++steps_; } // as many on all ranks

    /// At a repartition: the grid that is better than this one, if any. Collective.
    /// `x`: of the owned atoms; `least`: see balanced().
    std::optional<DomainGrid> better(const DomainGrid& grid, const Box& box, std::span<const IVec3> x,
                                     const std::array<double, 3>& least);

    /// Of the run so far, up to now. Collective.
    LoadReport report();

private:
    double measured_imbalance();

    Communicator comm_;
    double seconds_ = 0.0; // of work since the last measurement
    std::int64_t steps_ = 0;
    bool any_ = false;               // measured so far
    double most_ = 0.0, even_ = 0.0; // of the run: sums of the largest and of the mean work [s]
    LoadReport report_;
};

} // namespace holon
