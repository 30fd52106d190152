#include <holon/dynamics/v_rescale.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/random.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/propagate.hpp>
#include <holon/dynamics/thermostat.hpp>

#include "operators/every.hpp"

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

/// A stream of deviates for one group and step.
class Deviates {
public:
    Deviates(std::uint64_t seed, std::int64_t step, std::uint32_t group)
        : random_(seed), step_(static_cast<std::uint64_t>(step)), group_(group)
    {
    }

    double normal() { return normal_pair(next())[0]; }
    double uniform() { return uniform_pair(next())[0]; }

    /// Gamma deviate of shape a >= 1 and scale 1: G. Marsaglia, W. W. Tsang, ACM Trans. Math. Softw. 26, 363 (2000).
    double gamma(double a)
    {
        const double d = a - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
        for (;;) {
            const double x = normal();
            const double w = 1.0 + c * x;
            const double v = w * w * w;
            if (w > 0.0 && portable::log(uniform()) < 0.5 * x * x + d - d * v + d * portable::log(v)) return d * v;
        }
    }

    /// Sum of the squares of n independent normal deviates.
    double sum_of_squares(double n)
    {
        if (n <= 0.0) return 0.0;
        if (n >= 2.0) return 2.0 * gamma(0.5 * n);
        // Shape below one: gamma(a) = gamma(a + 1) U^(1/a).
        const double a = 0.5 * n;
        return 2.0 * gamma(a + 1.0) * portable::exp(portable::log(uniform()) / a);
    }

private:
    Philox::Block next() { return random_(step_, group_, stream_++); }

    static constexpr std::uint32_t first_stream = 1000; // apart from the streams of other uses of the seed
    Philox random_;
    std::uint64_t step_;
    std::uint32_t group_;
    std::uint32_t stream_ = first_stream;
};

} // namespace

double rescaled_kinetic_energy(double kinetic, double target, double dof, double dt, double tau, const RandomKey& key)
{
    Deviates deviates(key.seed, key.step, static_cast<std::uint32_t>(key.group));
    const double decay = tau > 0.0 ? portable::exp(-dt / tau) : 0.0;
    const double r1 = deviates.normal();
    const double rest = deviates.sum_of_squares(dof - 1.0);
    const double result = decay * kinetic + (1.0 - decay) * target / dof * (rest + r1 * r1) +
                          2.0 * r1 * std::sqrt(decay * (1.0 - decay) * kinetic * target / dof);
    return std::max(0.0, result);
}

namespace {

class VRescale : public Operator {
public:
    explicit VRescale(const SchemeInput& input)
        : parameters_(input.parameters), dof_(input.dof.per_group),
          work_(input.state.declare({.name = "thermostat-work", .role = Role::ledger, .values = {0.0}}))
    {
    }

    void apply(Step& step) override
    {
        auto& system = step.system;
        const auto timer = system.timers.measure(Stage::integrate);
        const double interval = static_cast<double>(parameters_.nsttcouple) * step.clock.dt;
        const auto energies = group_kinetic_energies(system.atoms, dof_.size(), system.comm());
        std::vector<double> scale(energies.size(), 1.0);
        for (std::size_t g = 0; g < energies.size(); ++g) {
            const auto& group = parameters_.tc_groups[g];
            if (group.tau < 0.0 || dof_[g] <= 0.0 || energies[g] <= 0.0) continue;
            const double target = 0.5 * dof_[g] * units::boltzmann * group.temperature;
            const double wanted = rescaled_kinetic_energy(energies[g], target, dof_[g], interval, group.tau,
                                                          {parameters_.ld_seed, step.clock.step, g});
            scale[g] = std::sqrt(wanted / energies[g]);
            work_[0] += wanted - energies[g];
        }
        scale_velocities(system.atoms, scale);
    }

    double stored_energy() const override { return -work_[0]; }

private:
    const Parameters& parameters_;
    const std::vector<double>& dof_;
    std::span<double> work_; // done on the system [kJ/mol]
};

Part make(const SchemeInput& input)
{
    return std::make_unique<Every>(input.parameters.nsttcouple, std::make_unique<VRescale>(input));
}

} // namespace

ThermostatEntry v_rescale_thermostat()
{
    return {"v-rescale", make};
}

} // namespace holon
