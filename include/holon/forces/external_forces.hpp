#pragma once

#include <holon/core/fixed_sum.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/parameters.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// Forces that come from outside and depend on no position: an electric field, and accelerations of groups of atoms.
/// They have no virial, as in GROMACS, and no potential, as positions have none in a periodic box, but do work.
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

    /// What they do to owned atoms, virtual sites among them, on the way from `start` at time t0 to where these are at
    /// t1: the mean of the forces at both times along the way [kJ/mol].
    FixedSum work(const Atoms& atoms, std::span<const IVec3> start, double t0, double t1) const;

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
