#pragma once

#include "scaling_groups_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace holon::scaling_groups {

/// The arrays of the kernels. Batches are in the order in which they are filled up: groups that are near each other in
/// memory stay so.
class GroupBatches {
public:
    /// Its atoms, and the masses of these [u].
    void add(std::span<const std::int32_t> atoms, std::span<const double> masses);
    /// After the last group: makes batches of those that are left.
    void finish();

    std::size_t size() const { return batches_.size(); }
    /// Batches from `begin` to `end`. This object must outlive it.
    Groups groups(std::size_t begin, std::size_t end) const;

private:
    struct Group {
        std::vector<std::int32_t> atoms;
        std::vector<double> weights;
        double mass;
    };
    void append(std::span<const Group> groups);

    std::vector<Batch> batches_;
    std::vector<double> masses_, weights_;
    std::vector<std::int32_t> atoms_;
    std::map<std::size_t, std::vector<Group>> waiting_; // by their number of members
};

} // namespace holon::scaling_groups
