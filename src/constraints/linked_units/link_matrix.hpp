#pragma once

#include "linked_motion.hpp"
#include "newton/newton_elimination.hpp"

#include <vector>

namespace holon {

/// The matrix A_kl of the links of a cluster, planned once for its molecule type; see unit_newton.cpp.
class LinkMatrix {
public:
    explicit LinkMatrix(const LinkedShape& shape);

    /// Solves A l = g with A_kl = s_k.(response of k to l); `g` becomes l. Returns -1, or a link that depends on
    /// others: the sine of the angle to them in the metric of the masses is below 3e-6.
    std::int32_t solve(const LinkedMotion& motion, std::span<const Vec3> s, std::vector<double>& g);

private:
    struct Element {
        std::int32_t row = 0, column = 0; // links
        std::int32_t position = 0;        // in the values
    };
    std::vector<std::int32_t> number_of_; // per link: when it is eliminated
    std::vector<Element> elements_;
    Elimination elimination_;
    std::vector<double> values_, rhs_, scale_;
};

} // namespace holon
