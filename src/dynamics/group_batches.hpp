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
    /// Groups of as many members, one after the other.
    struct Alike {
        std::vector<std::int32_t> atoms;
        std::vector<double> masses;
    };
    void append(std::size_t n_members, const Alike& groups);

    std::vector<Batch> batches_;
    std::vector<double> masses_, weights_;
    std::vector<std::int32_t> atoms_;
    std::map<std::size_t, Alike> waiting_; // by their number of members
};

} // namespace holon::scaling_groups
