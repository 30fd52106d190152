#pragma once

#include <holon/system/topology.hpp>

#include "fields.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace holon {

/// Collects the constraints and settles of a molecule type while it is read. Errors are InputErrors at the line at
/// fault.
class RigidParts {
public:
    /// `source` must outlive this.
    explicit RigidParts(const ExpandedTopology& source) : source_(source) {}

    /// |x_i - x_j| = length [nm]
    void add_constraint(const Fields& fields, std::int32_t i, std::int32_t j, double length);

    /// The distance of the ends of angle i-j-k [rad], from its two bonds; false if these are not both constraints so
    /// far.
    bool add_angle(const Fields& fields, const std::array<std::int32_t, 3>& atoms, double angle);

    /// Columns: oxygen (read already), function type, O-H distance, H-H distance [nm].
    void add_settle(const Fields& fields, std::int32_t oxygen, const std::vector<TopologyAtom>& atoms);

    /// Whether the two are held at a distance so far, settles apart.
    bool constrains(std::int32_t i, std::int32_t j) const { return bonds_.contains(std::minmax(i, j)); }

    /// Takes out the constraints between atoms i and j of which remove(i, j) is true.
    template <class Remove>
    void remove_constraints(Remove remove)
    {
        std::erase_if(constraints_,
                      [&](const ConstraintLine& line) { return remove(line.constraint.i, line.constraint.j); });
    }

    /// Refuses, with this message, constraints and settles of atoms of which refused(atom) is true.
    template <class Refused>
    void refuse_atoms(Refused refused, std::string_view message) const
    {
        for (const auto& line : constraints_)
            if (refused(line.constraint.i) || refused(line.constraint.j))
                Fields(source_, line.line, line.section).fail(message);
        for (const auto& line : settles_)
            for (std::int32_t atom = line.settle.oxygen; atom < line.settle.oxygen + 3; ++atom)
                if (refused(atom)) Fields(source_, line.line, "settles").fail(message);
    }

    /// Fills in the molecule's settles and its constraints, sorted and without those that are there twice or within a
    /// settle. Where the ends of an angle are bound already, that bond is what holds the angle.
    void store(MoleculeType& molecule) const;

private:
    struct ConstraintLine {
        Constraint constraint; // i < j
        std::size_t line;
        std::string_view section;
    };
    struct SettleLine {
        Settle settle;
        std::size_t line;
    };

    /// Per atom the settle it belongs to; -1: none.
    std::vector<std::int32_t> settle_of_atoms(std::size_t n_atoms) const;

    const ExpandedTopology& source_;
    std::map<std::pair<std::int32_t, std::int32_t>, double> bonds_; // lengths
    std::vector<ConstraintLine> constraints_;
    std::vector<SettleLine> settles_;
};

} // namespace holon
