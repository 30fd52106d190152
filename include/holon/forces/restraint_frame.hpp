#pragma once

#include <holon/core/box.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

namespace holon {

/// Where the references of position restraints are in a box that is no longer that of the start of the run.
class RestraintFrame {
public:
    RestraintFrame() = default; // as given: for boxes that stay as they are

    /// no: where they are given. all: at the same fractions of the box. com: their mean is at the same fraction, and
    /// they keep their distances.
    RestraintFrame(RefcoordScaling scaling, const Topology& topology, const Box& start, const Box& now);

    Vec3 reference(const Vec3& given) const { return moved(map_, given) + shift_; }

    /// What of the reference does not follow the box [nm]: x - reference and this, times the force, is what a restraint
    /// adds to the virial.
    Vec3 fixed(const Vec3& given) const { return moved(fixed_, given) - fixed_shift_; }

private:
    static Vec3 moved(const Mat3& map, const Vec3& r)
    {
        return {dot(map.col(0), r), dot(map.col(1), r), dot(map.col(2), r)};
    }

    Mat3 map_ = Mat3::Identity(); // of rows
    Vec3 shift_ = Vec3::Zero();
    Mat3 fixed_ = Mat3::Zero();
    Vec3 fixed_shift_ = Vec3::Zero();
};

} // namespace holon
