#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

namespace holon {

namespace {

/// Leap-frog: R. W. Hockney, Methods Comput. Phys. 9, 136 (1970). Velocities are half a step behind the positions; the
/// kinetic energy of a step is the mean of those half a step before and after it.
Scheme make(const SchemeInput& input)
{
    using namespace parts;
    auto box = parts::box(input);
    auto outside = outside_work(input);
    auto heat = shadow_heat(input);
    return sequence(frame(), std::move(outside.note_start), thermostat(input), kinetic_energy(0.5),
                    thermostat_before_kick(input), std::move(heat.before_first_kick), kick(1.0), slow_kick(1.0, input),
                    thermostat_after_kick(input), drift(1.0), constrain_positions(1.0),
                    std::move(heat.after_first_kick), kinetic_energy(0.5), std::move(box.pressure), measure(input),
                    std::move(outside.book_work), std::move(box.change), next_step(input), remove_com_motion(input),
                    checkpoint_during(forces(input)));
}

} // namespace

SchemeEntry md_scheme()
{
    return {"md", {.half_step = true, .couples_pressure = true, .splits_forces = true}, make};
}

} // namespace holon
