#pragma once

#include "unit_motion.hpp"

#include <array>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// A constraint between atoms of two units; it points from the first to the second.
struct UnitLink {
    std::array<std::int32_t, 2> unit{}, site{}, atom{}; // site: place in the unit; atom: index in the cluster
    double d2 = 0.0;                                    // [nm^2]
};

/// What clusters of rigid units have in common in all molecules of a type.
struct LinkedShape {
    LinkedShape(const MoleculeType& molecule, const ConstraintCluster& cluster);

    LinkedShape(const LinkedShape&) = delete; // units point into it
    LinkedShape& operator=(const LinkedShape&) = delete;

    std::string molecule_name;
    std::size_t n_atoms = 0;
    std::deque<RigidTemplate> bodies;
    std::vector<Unit> units; // bodies, then single atoms
    std::vector<UnitLink> links;

    struct Length {                // any constraint, in units or between them
        std::int32_t i = 0, j = 0; // indices in the cluster
        double d2 = 0.0;           // [nm^2]
    };
    std::vector<Length> lengths;
};

/// Bodies whole, in one frame each, from one atom to the next that a distance binds to it. Per atom of the cluster.
void make_bodies_whole(const LinkedShape& shape, const Box& box, std::span<IVec3> positions);

/// The units of one cluster in one stage, and the multipliers of its links: l_k moves the first atom of link k by the
/// impulse +l_k r_k, the second by -l_k r_k, with all that is rigid with them.
class LinkedMotion {
public:
    /// `reference`, `trial`: per atom of the cluster; bodies are whole, in one frame each. Trial numbers are positions,
    /// or velocities. `box`: for links from unit to unit.
    LinkedMotion(const LinkedShape& shape, std::span<const IVec3> reference, std::span<const IVec3> trial,
                 const Box& box, bool velocities);

    const LinkedShape& shape() const { return *shape_; }
    std::size_t n_links() const { return shape_->links.size(); }
    const UnitMotion& unit(std::int32_t u) const { return units_[index(u)]; }

    /// Reference direction [nm].
    const Vec3& r(std::size_t link) const { return r_[link]; }
    /// As it is now: the vector of the link [nm], or the relative velocity of its ends [nm/ps].
    Vec3 s(std::size_t link) const;

    /// Adds to a multiplier. Units are where they were until settle().
    void push(std::size_t link, double more);
    /// Finds where units are; false if there is no place for one.
    bool settle();
    bool settle(std::size_t link); // the two units of a link

    /// What `r` l at link `from` changes s of a link by, per l and sign turned: what m_i^-1 + m_j^-1 times r is for two
    /// single atoms.
    Vec3 response(std::size_t link, std::size_t from) const;

    /// Change of an atom of a unit.
    Vec3 change(std::size_t unit, std::size_t atom) const { return units_[unit].change(atom); }
    bool is_sound() const;
    void add_virial(VirialSum& virial, double force_factor) const;

private:
    const LinkedShape* shape_;
    std::vector<UnitMotion> units_;
    std::vector<Vec3> r_, trial_; // per link
    std::vector<double> multipliers_;
};

} // namespace holon
