#pragma once

#include <holon/dynamics/operator.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace holon {

/// Whose velocities a thermostat draws anew, and when: whole constraint clusters, of groups with a tau-t above 0.
class Draws {
public:
    explicit Draws(const SchemeInput& input);
    virtual ~Draws() = default;

    virtual bool any_at(std::int64_t step) const = 0; // of some rank, perhaps

    /// The owned atoms of which this is so at this step: valid until they change, or until a step beyond the next is
    /// asked for.
    const std::vector<std::size_t>& at(const System& system, std::int64_t step);

protected:
    const Parameters& parameters_;

private:
    /// Of the cluster whose first atom has this id, where there may be any; `tau` [ps] is that of its group.
    virtual bool is_hit(std::int64_t step, AtomId first, double tau) const = 0;

    struct List {
        std::int64_t step = -1, repartition = -1; // that it is for
        std::vector<std::size_t> atoms;
    };

    std::vector<std::vector<std::int32_t>> first_; // of the cluster of each atom of each molecule type
    std::array<List, 2> lists_;                    // of even and odd steps
};

} // namespace holon
