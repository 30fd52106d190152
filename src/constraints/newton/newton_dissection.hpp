#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace holon {

/// A molecule's constraints, divided into nested groups. Each leaf holds constraints of its own; whatever holds several
/// leaves is a branch.
struct Dissection {
    struct Branch {
        std::int32_t parent = -1; // comes before its children
        std::int32_t tier = 0;    // 0: leaf; above that of its children
    };
    std::vector<Branch> branches;
    std::vector<std::int32_t> leaf_of; // per constraint: index of its branch
};

/// Divides constraints between atoms 0 to n_atoms - 1 into leaves of at most `leaf_size`, if it can be done, such that
/// few constraints share an atom with one of another leaf. `tier_factor`: a branch of tier t has up to
/// leaf_size * tier_factor^t constraints, so that there are few tiers.
///
/// A. George, SIAM J. Numer. Anal. 10, 345 (1973): nested dissection; each cut is the cheapest between the two ends of
/// the molecule, as a maximum flow finds it (L. R. Ford, D. R. Fulkerson, Can. J. Math. 8, 399 (1956)).
Dissection dissect(std::int32_t n_atoms, const std::vector<std::array<std::int32_t, 2>>& constraints,
                   std::int32_t leaf_size, std::int32_t tier_factor);

} // namespace holon
