#include <holon/dynamics/parts.hpp>

#include "operators/every.hpp"

namespace holon {

namespace {

class RemoveComMotion : public Operator {
public:
    explicit RemoveComMotion(std::size_t n_groups) : n_groups_(n_groups) {}

    void apply(Step& step) override
    {
        remove_com_motion(step.system.atoms, n_groups_, step.system.comm());
        step.system.hold_frozen();
    }

private:
    std::size_t n_groups_;
};

} // namespace

Part parts::remove_com_motion(const SchemeInput& input)
{
    const auto& p = input.parameters;
    if (p.comm_mode == CommMode::none || p.nstcomm <= 0) return nullptr;
    return std::make_unique<Every>(p.nstcomm, std::make_unique<RemoveComMotion>(p.comm_groups.size()));
}

} // namespace holon
