#include <holon/forces/restraint_frame.hpp>

namespace holon {

RestraintFrame::RestraintFrame(RefcoordScaling scaling, const Topology& topology, const Box& start, const Box& now)
{
    const Mat3 with_box = start.inverse() * now.vectors();
    switch (scaling) {
    case RefcoordScaling::no:
        fixed_ = Mat3::Identity();
        break;
    case RefcoordScaling::all:
        map_ = with_box;
        break;
    case RefcoordScaling::com: {
        Vec3 mean = Vec3::Zero();
        for (const auto& [id, reference] : topology.restraint_references) mean += reference;
        if (!topology.restraint_references.empty()) mean /= static_cast<double>(topology.restraint_references.size());
        shift_ = moved(with_box, mean) - mean;
        fixed_ = Mat3::Identity();
        fixed_shift_ = mean;
        break;
    }
    }
}

} // namespace holon
