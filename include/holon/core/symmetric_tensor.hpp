#pragma once

#include <algorithm>
#include <cstddef>

namespace holon {

/// Calls use(place, number) for all nine places of a symmetric tensor, row by row, with the number of the element that
/// stands there: xx, yx, yy, zx, zy, zz.
template <class Use>
void for_each_place(Use use)
{
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
            const auto row = std::max(a, b), column = std::min(a, b);
            use(3 * a + b, row * (row + 1) / 2 + column);
        }
}

} // namespace holon
