#include <holon/core/index.hpp>

#include "operators/shadow_heat.hpp"

#include <cmath>

namespace holon {

namespace {

/// What the kick k of a step does to the velocities v of a group before it [kJ/mol].
struct GroupKick {
    double kinetic; // 1/2 sum m v^2
    double product; // sum m v.k
    double square;  // 1/2 sum m k^2

    double gain() const { return product + square; }
};

/// Of scaling by s the velocities v of a group, half a step behind the positions, before this kick. Those at the time
/// of the positions are v + k/2 and change by as much: beside (s^2 - 1) m v^2/2 that is (s - 1) m v.k/2 of kinetic
/// energy, and the second term gains (s^2 - 1) dt^2/12 v.V''.v, known by the kick before, k + dt^2 V''.v/m, and its
/// `gain`.
double heat_of(double s, double gain, const GroupKick& kick)
{
    const double with_v = kick.product / s, curvature = gain - with_v + kick.square;
    return 0.5 * (s - 1.0) * with_v + (s * s - 1.0) / 12.0 * curvature;
}

/// What the parts share.
class LeapFrogAccount {
public:
    explicit LeapFrogAccount(const SchemeInput& input)
        : every_(input.parameters.nsttcouple), groups_(input.dof.per_group.size()),
          numbers_(input.state.declare(
              {.name = "shadow-heat-of-leap-frog", .role = Role::ledger, .values = std::vector(2 + 2 * groups_, 0.0)}))
    {
    }

    double booked() const { return numbers_[0]; } // [kJ/mol]

    void before_kick(const System& system, std::int64_t n)
    {
        if (!next_to_action(n)) return;
        const auto& atoms = system.atoms;
        sums_ = local_group_kinetic_energies(atoms, groups_);
        before_.assign(atoms.v.begin(), atoms.v.begin() + atoms.n_owned);
    }

    void after_kick(const System& system, std::int64_t n)
    {
        if (!next_to_action(n)) return;
        const auto kicks = local_group_kicks(system.atoms, before_, groups_);
        sums_.insert(sums_.end(), kicks.begin(), kicks.end());
        system.comm().sum(std::span(sums_));
        const bool changed = n % every_ == 0 && numbers_[1] == static_cast<double>(n);
        for (std::size_t g = 0; g < groups_; ++g) {
            const GroupKick kick = {sums_[g].value(), sums_[groups_ + 2 * g].value(),
                                    sums_[groups_ + 2 * g + 1].value()};
            double &end = numbers_[2 + 2 * g], &gain = numbers_[3 + 2 * g];
            if (changed && end > 0.0 && kick.kinetic > 0.0)
                numbers_[0] += heat_of(std::sqrt(kick.kinetic / end), gain, kick);
            end = kick.kinetic + kick.gain();
            gain = kick.gain();
        }
        numbers_[1] = static_cast<double>(n + 1);
    }

private:
    bool next_to_action(std::int64_t n) const { return n % every_ == 0 || (n + 1) % every_ == 0; }

    std::int64_t every_;
    std::size_t groups_;
    std::span<double> numbers_; // booked; where the last step noted has ended; kinetic energy then, gain, of each group
    std::vector<FixedSum> sums_;
    std::vector<IVec3> before_;
};

/// One of the parts.
class EnterKick : public Operator {
public:
    EnterKick(std::shared_ptr<LeapFrogAccount> account, bool after) : account_(std::move(account)), after_(after) {}

    void apply(Step& step) override
    {
        const auto timer = step.system.timers.measure(Stage::integrate);
        if (after_)
            account_->after_kick(step.system, step.clock.step);
        else
            account_->before_kick(step.system, step.clock.step);
    }
    double stored_energy() const override { return after_ ? -account_->booked() : 0.0; }

private:
    std::shared_ptr<LeapFrogAccount> account_;
    bool after_;
};

} // namespace

parts::ShadowHeatParts shadow_heat_of_leap_frog(const SchemeInput& input)
{
    const auto account = std::make_shared<LeapFrogAccount>(input);
    return {.before_first_kick = std::make_unique<EnterKick>(account, false),
            .after_first_kick = std::make_unique<EnterKick>(account, true),
            .before_last_kick = nullptr,
            .after_last_kick = nullptr,
            .after_change = nullptr};
}

} // namespace holon
