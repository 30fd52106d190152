#include <holon/dynamics/nose_hoover.hpp>

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/propagate.hpp>
#include <holon/dynamics/scheme.hpp>
#include <holon/dynamics/thermostat.hpp>

#include "operators/every.hpp"

#include <cmath>

namespace holon {

namespace {

/// One symmetric step: the chain from its end to its head, the group, and back.
double symmetric_step(std::span<double> rates, double& heat, double& kinetic, double time, const ChainSettings& chain)
{
    const std::size_t last = rates.size() - 1;
    const auto inertia = [&chain](std::size_t k) { return k == 0 ? chain.first_inertia() : chain.inertia; };
    const auto accelerate = [&](std::size_t k) {
        const double below = k == 0 ? 2.0 * kinetic - chain.dof * chain.thermal_energy
                                    : inertia(k - 1) * rates[k - 1] * rates[k - 1] - chain.thermal_energy;
        const double friction = k < last ? portable::exp(-0.25 * time * rates[k + 1]) : 1.0;
        rates[k] = (rates[k] * friction + 0.5 * time * below / inertia(k)) * friction;
    };
    for (std::size_t k = rates.size(); k-- > 0;) accelerate(k);
    const double factor = portable::exp(-time * rates[0]);
    kinetic *= factor * factor;
    heat += chain.dof * chain.thermal_energy * time * rates[0];
    for (std::size_t k = 1; k < rates.size(); ++k) heat += chain.thermal_energy * time * rates[k];
    for (std::size_t k = 0; k < rates.size(); ++k) accelerate(k);
    return factor;
}

} // namespace

double advance_chain(std::span<double> rates, double& heat, double kinetic, double time, const ChainSettings& chain)
{
    // M. Suzuki, Phys. Lett. A 146, 319 (1990): four steps of p and one of 1 - 4 p, p = 1 / (4 - 4^(1/3)).
    constexpr double outer = 0.41449077179437573714;
    double factor = 1.0;
    for (const double part : {outer, outer, 1.0 - 4.0 * outer, outer, outer})
        factor *= symmetric_step(rates, heat, kinetic, part * time, chain);
    return factor;
}

double chain_energy(std::span<const double> rates, const ChainSettings& chain)
{
    double sum = 0.5 * chain.first_inertia() * rates[0] * rates[0];
    for (const double rate : rates.subspan(1)) sum += 0.5 * chain.inertia * rate * rate;
    return sum;
}

namespace {

/// The baths of all coupling groups, and what the parts of a step do with them. The inertia of a bath is that of ref-t,
/// also where annealing changes the temperature.
class Baths : public Operator {
public:
    explicit Baths(const SchemeInput& input)
        : parameters_(input.parameters), dof_(input.dof.per_group), length_(index(input.parameters.nh_chain_length)),
          rates_(input.state.declare({.name = "nose-hoover-rates",
                                      .parity = Parity::odd,
                                      .values = std::vector<double>(dof_.size() * length_)})),
          heat_(input.state.declare({.name = "nose-hoover-heat", .role = Role::ledger, .values = {0.0}}))
    {
    }

protected:
    bool coupled(std::size_t g) const { return parameters_.tc_groups[g].tau > 0.0 && dof_[g] > 0.0; }
    std::span<double> rates(std::size_t g) const { return rates_.subspan(g * length_, length_); }

    ChainSettings settings(std::size_t g, double time) const
    {
        const auto& group = parameters_.tc_groups[g];
        const double period = group.tau / (2.0 * units::pi);
        return {dof_[g], units::boltzmann * group.temperature_at(time),
                period * period * units::boltzmann * group.temperature};
    }

    double interval(const Clock& clock) const { return static_cast<double>(parameters_.nsttcouple) * clock.dt; }

    /// What the baths hold [kJ/mol].
    double energy() const
    {
        double sum = heat_[0];
        for (std::size_t g = 0; g < dof_.size(); ++g)
            if (coupled(g)) sum += chain_energy(rates(g), settings(g, 0.0));
        return sum;
    }

    std::vector<double> kinetic_energies(const System& system) const
    {
        return group_kinetic_energies(system.atoms, dof_.size(), system.comm());
    }

    /// Multiplies the velocities of each coupled group by what `factor` makes of the rate of its bath.
    template <class Factor>
    void scale(System& system, Factor factor) const
    {
        const auto timer = system.timers.measure(Stage::integrate);
        std::vector<double> of_group(dof_.size(), 1.0);
        for (std::size_t g = 0; g < of_group.size(); ++g)
            if (coupled(g)) of_group[g] = factor(g);
        scale_velocities(system.atoms, of_group);
    }

    void add_heat(double heat) const { heat_[0] += heat; }

private:
    const Parameters& parameters_;
    const std::vector<double>& dof_;
    std::size_t length_;
    std::span<double> rates_; // [group][bath] [1/ps]
    std::span<double> heat_;  // see advance_chain()
};

/// Half a step of the chains, with velocities at whole steps.
class HalfStep : public Baths {
public:
    using Baths::Baths;

    void apply(Step& step) override
    {
        const auto energies = kinetic_energies(step.system);
        scale(step.system, [&](std::size_t g) {
            double heat = 0.0;
            const double factor =
                advance_chain(rates(g), heat, energies[g], 0.5 * interval(step.clock), settings(g, step.clock.time()));
            add_heat(heat);
            return factor;
        });
    }
};

/// The same at the beginning of a step; what the baths hold belongs to the state before it, like the energies.
class FirstHalfStep : public HalfStep {
public:
    FirstHalfStep(const SchemeInput& input, std::int64_t every) : HalfStep(input), every_(every) {}

    void apply(Step& step) override
    {
        stored_ = energy();
        if (step.clock.step % every_ == 0) HalfStep::apply(step);
    }
    double stored_energy() const override { return stored_; }

private:
    std::int64_t every_;
    double stored_ = 0.0;
};

/// Leap-frog. B. L. Holian, A. F. Voter, R. Ravelo, Phys. Rev. E 52, 2338 (1995): v' = ((1 - q) v + dt f / m) / (1 +
/// q), q half the rate times the interval. The rate gets half of its push by the velocities before that, the other half
/// in the next step by those after it, so that an action is the same forwards and backwards however long the interval
/// is; at every step both are one push by the same velocities.
class LeapFrogBaths : public Baths {
public:
    explicit LeapFrogBaths(const SchemeInput& input)
        : Baths(input), every_(input.parameters.nsttcouple), first_step_(input.parameters.init_step)
    {
    }

    void apply(Step& step) override
    {
        const auto n = step.clock.step;
        const double after = n > first_step_ && (n - 1) % every_ == 0 ? 0.5 : 0.0, // of the action before this step
            ahead = n % every_ == 0 ? 0.5 : 0.0;
        if (after + ahead == 0.0) return;
        const auto energies = kinetic_energies(step.system);
        const double dt = interval(step.clock);
        for (std::size_t g = 0; g < energies.size(); ++g) {
            if (!coupled(g)) continue;
            const auto bath = settings(g, step.clock.time());
            double& rate = rates(g)[0];
            const double before = rate, push = 2.0 * energies[g] - bath.dof * bath.thermal_energy;
            rate += (after + ahead) * dt * push / bath.first_inertia();
            add_heat(bath.dof * bath.thermal_energy * dt * (after * before + ahead * rate));
        }
    }
    double stored_energy() const override { return energy(); }

private:
    std::int64_t every_, first_step_;
};

class FrictionBeforeKick : public Baths {
public:
    using Baths::Baths;
    void apply(Step& step) override
    {
        scale(step.system, [&](std::size_t g) { return 1.0 - 0.5 * interval(step.clock) * rates(g)[0]; });
    }
};

class FrictionAfterKick : public Baths {
public:
    using Baths::Baths;
    void apply(Step& step) override
    {
        scale(step.system, [&](std::size_t g) { return 1.0 / (1.0 + 0.5 * interval(step.clock) * rates(g)[0]); });
    }
};

bool half_step(const SchemeInput& input)
{
    return scheme_entry(input.parameters.integrator).traits.half_step;
}

template <class Which>
Part every(const SchemeInput& input)
{
    return std::make_unique<Every>(input.parameters.nsttcouple, std::make_unique<Which>(input));
}

Part make(const SchemeInput& input)
{
    if (half_step(input)) return std::make_unique<LeapFrogBaths>(input);
    return every<HalfStep>(input);
}

Part before_kick(const SchemeInput& input)
{
    if (half_step(input)) return every<FrictionBeforeKick>(input);
    return std::make_unique<FirstHalfStep>(input, input.parameters.nsttcouple);
}

Part after_kick(const SchemeInput& input)
{
    return half_step(input) ? every<FrictionAfterKick>(input) : nullptr;
}

} // namespace

ThermostatEntry nose_hoover_thermostat()
{
    return {"nose-hoover", {.least_steps = 20.0, .inertia = true}, make, before_kick, after_kick};
}

} // namespace holon
