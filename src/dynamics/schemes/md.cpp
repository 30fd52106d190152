#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

namespace holon {

namespace {

/// Leap-frog: R. W. Hockney, Methods Comput. Phys. 9, 136 (1970). Velocities are half a step behind the positions; the
/// kinetic energy of a step is the mean of those half a step before and after it.
Scheme make(const SchemeInput& input)
{
    using namespace parts;
    return sequence(frame(), thermostat(input), kinetic_energy(0.5), thermostat_before_kick(input), kick(1.0),
                    thermostat_after_kick(input), drift(1.0), constrain_positions(1.0), kinetic_energy(0.5),
                    measure(input), next_step(), remove_com_motion(input), checkpoint_during(forces()));
}

} // namespace

SchemeEntry md_scheme()
{
    return {"md", {.half_step = true}, make};
}

} // namespace holon
