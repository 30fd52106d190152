#pragma once

#include <holon/system/atoms.hpp>
#include <holon/system/parameters.hpp>

#include <cstdint>
#include <vector>

namespace holon {

/// Forces that come from outside and depend on no position: an electric field, and accelerations of groups of atoms.
/// They have no energy and no virial, as in GROMACS: with them energy is not conserved.
class ExternalForces {
public:
    /// `parameters` must outlive this object.
    explicit ExternalForces(const Parameters& parameters);

    /// After atoms have changed owners.
    void set_up(const Atoms& atoms);

    /// Whether there are none, on any rank.
    bool empty() const { return !has_field_ && parameters_.accelerated_groups.empty(); }

    /// Those of owned atoms at time t [ps].
    std::vector<IVec3> at(const Atoms& atoms, double t) const;

private:
    struct Accelerated {
        std::int32_t atom;
        Vec3 acceleration;
    };
    const Parameters& parameters_;
    bool has_field_;
    std::vector<Accelerated> accelerated_; // owned
};

} // namespace holon
