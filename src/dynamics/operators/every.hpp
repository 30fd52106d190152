#pragma once

#include <holon/dynamics/operator.hpp>

#include <cstdint>

namespace holon {

/// Another operator, in every so many steps.
class Every : public Operator {
public:
    Every(std::int64_t interval, Part part) : interval_(interval), part_(std::move(part)) {}

    void apply(Step& step) override
    {
        if (step.clock.step % interval_ == 0) part_->apply(step);
    }
    double stored_energy() const override { return part_->stored_energy(); }

private:
    std::int64_t interval_;
    Part part_;
};

} // namespace holon
