#include "import_region.hpp"

#include <holon/core/index.hpp>

#include <algorithm>
#include <limits>

namespace holon {

ImportRegion::ImportRegion(const DomainGrid& grid, const Box& box, double width, double reach) : grid_(grid)
{
    constexpr double rounding = 1e-9; // [nm] of fractional coordinates
    for (std::size_t k = 0; k < 3; ++k) {
        width_[k] = (width + rounding) / box.height(static_cast<int>(k));
        reach_[k] = (reach + rounding) / box.height(static_cast<int>(k));
    }
}

bool ImportRegion::starts_below(int axis, const DomainGrid::Cell& from, const Bounds& bounds) const
{
    const auto k = index(axis);
    return grid_.lower(axis, from) - reach_[k] < bounds.high[k];
}

ImportRegion::Bounds ImportRegion::bounds(const DomainGrid::Cell& to, const DomainGrid::Cell& from) const
{
    // Of the domains that may own partners, row by row: lowest and highest face of the row of `to` along each axis.
    Bounds rows;
    rows.low.fill(std::numeric_limits<double>::max());
    rows.high.fill(std::numeric_limits<double>::lowest());
    const auto include = [&](int axis, const DomainGrid::Cell& partner) {
        const auto k = index(axis);
        rows.low[k] = std::min(rows.low[k], grid_.lower(axis, partner));
        rows.high[k] = std::max(rows.high[k], grid_.upper(axis, partner));
    };
    // Numbers of partners' domains along an axis go from that of `to` as far as the halo of `from` can reach, or are
    // that of `to` only, where the atom itself lies further along.
    const auto may_have_partners = [&](int axis, const DomainGrid::Cell& partner) {
        const auto k = index(axis);
        if (partner[k] == to[k]) return true;
        return from[k] == to[k] && grid_.lower(axis, partner) < grid_.upper(axis, from) + width_[k] + 2.0 * reach_[k];
    };
    DomainGrid::Cell partner = to;
    for (partner[0] = to[0]; may_have_partners(0, partner); ++partner[0]) {
        partner[1] = to[1];
        include(0, {to[0], partner[1], partner[2]});
        include(1, partner);
        for (; may_have_partners(1, partner); ++partner[1]) {
            partner[2] = to[2];
            include(2, partner);
        }
    }
    Bounds result;
    for (std::size_t k = 0; k < 3; ++k) {
        result.low[k] = rows.low[k] - width_[k] - reach_[k];
        if (from[k] > to[k]) result.high[k] = rows.high[k] + width_[k] + reach_[k];
    }
    return result;
}

} // namespace holon
