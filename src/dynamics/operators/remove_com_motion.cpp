#include <holon/dynamics/langevin.hpp>
#include <holon/dynamics/parts.hpp>

#include "operators/every.hpp"

#include <algorithm>

namespace holon {

namespace {

class RemoveComMotion : public Operator {
public:
    explicit RemoveComMotion(const SchemeInput& input)
        : n_groups_(input.parameters.comm_groups.size()), angular_(input.parameters.comm_mode == CommMode::angular),
          any_held_(
              std::ranges::any_of(input.parameters.frozen_groups,
                                  [](const auto& group) { return std::ranges::count(group.axes, true) % 3 != 0; })),
          energy_(input.state.declare({.name = "removed-motion", .role = Role::ledger, .values = {0.0}}))
    {
    }

    void apply(Step& step) override
    {
        auto& system = step.system;
        const auto remove = [&] {
            double energy = remove_com_motion(system.atoms, n_groups_, system.comm());
            if (angular_) energy += remove_rotation(system.atoms, system.box(), n_groups_, system.comm());
            system.hold_frozen();
            return energy;
        };
        // Where atoms are held along some axes, less is removed than the motion has.
        energy_[0] += any_held_ ? -kinetic_energy_gained(system.atoms, system.comm(), remove) : remove();
    }

    double stored_energy() const override { return energy_[0]; }

private:
    std::size_t n_groups_;
    bool angular_, any_held_;
    std::span<double> energy_; // of the motions that have been removed [kJ/mol]
};

} // namespace

Part parts::remove_com_motion(const SchemeInput& input)
{
    const auto& p = input.parameters;
    if (p.comm_mode == CommMode::none || p.nstcomm <= 0) return nullptr;
    return std::make_unique<Every>(p.nstcomm, std::make_unique<RemoveComMotion>(input));
}

} // namespace holon
