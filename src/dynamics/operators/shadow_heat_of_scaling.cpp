#include <holon/core/index.hpp>

#include "operators/shadow_heat.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace holon {

namespace {

/// Kinetic energies of a coupling group in a step [kJ/mol]: before it, between its kicks, after it.
using OfStep = std::array<double, 3>;

/// Of scaling the velocities v of a group by s between these two steps: (s^2 - 1) dt^2/12 v.V''.v. Of three kinetic
/// energies of a step, 4 K(1/2) - 3 K(1) - K(0) is dt^2/2 v.V''.v - dt v.F with v and F at its end; the same of a step
/// backwards that begins with s v has s^2 and -s in the place of these factors: the forces cancel.
double heat_of(const OfStep& before, const OfStep& after)
{
    if (before[2] <= 0.0 || after[0] <= 0.0) return 0.0;
    const double s = std::sqrt(after[0] / before[2]);
    const double backwards = 4.0 * before[1] - 3.0 * before[2] - before[0],
                 forwards = 4.0 * after[1] - 3.0 * after[0] - after[2];
    return (1.0 - 1.0 / s) / 6.0 * (s * backwards + forwards);
}

/// What the parts share.
class ScalingAccount {
public:
    explicit ScalingAccount(const SchemeInput& input)
        : every_(input.parameters.nsttcouple), groups_(input.dof.per_group.size()),
          numbers_(input.state.declare(
              {.name = "shadow-heat-of-scaling", .role = Role::ledger, .values = std::vector(2 + 3 * groups_, 0.0)}))
    {
    }

    double booked() const { return numbers_[0]; } // [kJ/mol]

    /// Kinetic energies at place 0, 1, 2 of the step that begins with number n; after the last it is entered.
    void note(const System& system, std::int64_t n, std::size_t place)
    {
        const bool follows = n % every_ == 0, leads = (n + 1) % every_ == 0;
        if (!follows && !leads) return;
        if (place == 0) sums_.clear();
        const auto now = local_group_kinetic_energies(system.atoms, groups_);
        sums_.insert(sums_.end(), now.begin(), now.end());
        if (place < 2) return;
        system.comm().sum(std::span(sums_));
        for (std::size_t g = 0; g < groups_; ++g) {
            OfStep energies;
            for (std::size_t k = 0; k < 3; ++k) energies[k] = sums_[k * groups_ + g].value();
            const auto last = numbers_.subspan(2 + 3 * g, 3);
            if (follows && numbers_[1] == static_cast<double>(n))
                numbers_[0] += heat_of({last[0], last[1], last[2]}, energies);
            std::ranges::copy(energies, last.begin());
        }
        numbers_[1] = static_cast<double>(n + 1);
    }

private:
    std::int64_t every_;
    std::size_t groups_;
    std::span<double> numbers_; // booked; where the last step noted has ended; that step, of each group
    std::vector<FixedSum> sums_;
};

/// One of the parts.
class Note : public Operator {
public:
    Note(std::shared_ptr<ScalingAccount> account, std::size_t place) : account_(std::move(account)), place_(place) {}

    void apply(Step& step) override
    {
        const auto timer = step.system.timers.measure(Stage::integrate);
        account_->note(step.system, step.clock.step - (place_ == 2 ? 1 : 0), place_);
    }
    double stored_energy() const override { return place_ == 2 ? -account_->booked() : 0.0; }

private:
    std::shared_ptr<ScalingAccount> account_;
    std::size_t place_;
};

} // namespace

parts::ShadowHeatParts shadow_heat_of_scaling(const SchemeInput& input)
{
    const auto account = std::make_shared<ScalingAccount>(input);
    return {.before_first_kick = std::make_unique<Note>(account, 0),
            .after_first_kick = std::make_unique<Note>(account, 1),
            .before_last_kick = nullptr,
            .after_last_kick = std::make_unique<Note>(account, 2),
            .after_change = nullptr};
}

} // namespace holon
