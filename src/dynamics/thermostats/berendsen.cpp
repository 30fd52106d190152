#include <holon/dynamics/thermostat.hpp>

#include "operators/every.hpp"
#include "thermostats/rescaling.hpp"

#include <algorithm>

namespace holon {

namespace {

/// Weak coupling: H. J. C. Berendsen, J. P. M. Postma, W. F. van Gunsteren, A. DiNola, J. R. Haak, J. Chem. Phys. 81,
/// 3684 (1984), eq. 11, v' = v sqrt(1 + dt / tau (T0 / T - 1)), the factor kept within 0.8 and 1.25.
class Berendsen : public Rescaling {
public:
    using Rescaling::Rescaling;

private:
    double wanted(const ThermalState& state, double interval, std::int64_t) const override
    {
        const double ratio = 1.0 + interval / state.tau * (state.target / state.kinetic - 1.0);
        return state.kinetic * std::clamp(ratio, 0.8 * 0.8, 1.25 * 1.25);
    }
};

Part make(const SchemeInput& input)
{
    return std::make_unique<Every>(input.parameters.nsttcouple, std::make_unique<Berendsen>(input));
}

} // namespace

ThermostatEntry berendsen_thermostat()
{
    return {"berendsen",
            {.least_steps = 5.0,
             .caution = "velocities get the right mean kinetic energy, but not the fluctuations of any ensemble; take "
                        "tcoupl = v-rescale where these matter"},
            make};
}

} // namespace holon
