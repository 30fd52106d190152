#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/constraints/constraints.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace holon {

/// What goes wrong on this rank, until all ranks hear of it.
class Health {
public:
    explicit Health(Communicator comm) : comm_(std::move(comm)) {}

    void note(const std::string& failure); // the first counts; empty: none
    void note(const ConstraintResult& result);
    void warn(const std::string& warning); // on one rank, if it is the same on all; empty: of nothing

    /// Atoms that overlap so much that their forces are clamped are a failure, unless this is a minimisation.
    void note_overlap(const std::string& overlap);
    void allow_overlaps() { overlaps_allowed_ = true; }

    bool failed() const { return !failure_.empty(); }                 // on this rank
    bool warned() const { return n_warnings_ > 0; }                   // likewise
    bool any_failure() const { return comm_.any(!failure_.empty()); } // Collective.

    /// Throws Failure with the first failure of any rank, on all ranks; `otherwise`: this rank's, if it has noted none.
    /// Collective.
    [[noreturn]] void fail_together(std::int64_t step, const std::string& otherwise = {}) const;

    /// The first failure of any rank, which is forgotten; empty: none. Collective.
    std::string take_failure();

    /// The first overlap on any rank since this was asked last; empty: none. Collective.
    std::string take_overlap();

    /// What there has been warned of since this was asked last, on any rank: how often, and the first. Collective.
    std::pair<std::int64_t, std::string> take_warnings();

private:
    std::string first_text(std::string text) const;

    Communicator comm_;
    std::string failure_, warning_, overlap_;
    bool overlaps_allowed_ = false;
    std::int64_t n_warnings_ = 0; // since they were taken last
};

/// The largest errors that constraints have been left with, and the most iterations, so far.
class ConstraintErrors {
public:
    explicit ConstraintErrors(Communicator comm) : comm_(std::move(comm)) {}

    void note_lengths(const ConstraintResult& result) { note(result, length_); }
    void note_velocities(const ConstraintResult& result) { note(result, velocity_); }
    void forget() { length_ = velocity_ = 0; }

    double length() const { return from_ordered_bits(comm_.max(length_)); }     // relative. Collective.
    double velocity() const { return from_ordered_bits(comm_.max(velocity_)); } // [1/ps] Collective.
    std::int64_t iterations() const { return comm_.max(iterations_); }          // Collective.

private:
    void note(const ConstraintResult& result, std::int64_t& largest);

    Communicator comm_;
    std::int64_t length_ = 0, velocity_ = 0; // ordered_bits()
    std::int64_t iterations_ = 0;
};

} // namespace holon
