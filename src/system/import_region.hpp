#pragma once

#include <holon/comm/domain_grid.hpp>

#include <array>
#include <optional>

namespace holon {

/// Which atoms of which domains a domain has copies of, in fractional coordinates (eighth shell).
///
/// Two atoms are paired in the domain R whose number along each axis is the smaller one of their two domains. So an
/// atom in a domain further along an axis than R has its partners in R's own row along that axis, and where it is not
/// further, partners are in R or beyond. From where those domains lie follows what R needs, wherever their faces are.
class ImportRegion {
public:
    /// `width`: of the halo; `reach`: how far atoms stick out of the domain that owns them. [nm]
    ImportRegion(const DomainGrid& grid, const Box& box, double width, double reach);

    struct Bounds {
        std::array<double, 3> low{-1e30, -1e30, -1e30}, high{1e30, 1e30, 1e30};
    };

    /// Where atoms of `from` are that are copied to `to`; `from` lies `from - to` >= 0 further along each axis. Cells
    /// may be periodic images.
    Bounds bounds(const DomainGrid::Cell& to, const DomainGrid::Cell& from) const;

    /// The cells that cell `from` sends to: use(cell, bounds).
    template <class Use>
    void for_each_receiver(const DomainGrid::Cell& from, Use use) const
    {
        auto to = from;
        for (to[0] = from[0]; starts_below(0, from, bounds(to, from)); --to[0]) {
            for (to[1] = from[1]; starts_below(1, from, bounds(to, from)); --to[1]) {
                for (to[2] = from[2]; starts_below(2, from, bounds(to, from)); --to[2])
                    if (to != from) use(to, bounds(to, from));
                to[2] = from[2];
            }
            to[1] = from[1];
        }
    }

private:
    bool starts_below(int axis, const DomainGrid::Cell& from, const Bounds& bounds) const;

    const DomainGrid& grid_;
    std::array<double, 3> width_{}, reach_{}; // fractional
};

} // namespace holon
