#include <holon/dynamics/v_rescale.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/random.hpp>
#include <holon/dynamics/thermostat.hpp>

#include "operators/every.hpp"
#include "thermostats/rescaling.hpp"

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
    Philox::Block next() { return random_(step_, group_, Stream::thermostat, draws_++); }

    Philox random_;
    std::uint64_t step_;
    std::uint32_t group_;
    std::uint32_t draws_ = 0;
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

class VRescale : public Rescaling {
public:
    using Rescaling::Rescaling;

private:
    double wanted(const ThermalState& state, double interval, std::int64_t step) const override
    {
        return rescaled_kinetic_energy(state.kinetic, state.target, state.dof, interval, state.tau,
                                       {parameters_.ld_seed, step, state.group});
    }
};

Part make(const SchemeInput& input)
{
    return std::make_unique<Every>(input.parameters.nsttcouple, std::make_unique<VRescale>(input));
}

} // namespace

ThermostatEntry v_rescale_thermostat()
{
    return {"v-rescale", {}, make};
}

} // namespace holon
