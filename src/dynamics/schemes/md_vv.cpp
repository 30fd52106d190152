#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

namespace holon {

namespace {

/// Velocity Verlet: W. C. Swope, H. C. Andersen, P. H. Berens, K. R. Wilson, J. Chem. Phys. 76, 637 (1982); with the
/// velocity stage of RATTLE: H. C. Andersen, J. Comput. Phys. 52, 24 (1983).
Scheme make(const SchemeInput& input)
{
    using namespace parts;
    auto box = parts::box(input);
    auto outside = outside_work(input);
    auto heat = shadow_heat(input);
    return sequence(frame(), std::move(outside.note_start), kinetic_energy(1.0), thermostat_before_kick(input),
                    std::move(heat.before_first_kick), kick(0.5), slow_kick(0.5, input), drift(1.0),
                    constrain_positions(0.5), std::move(heat.after_first_kick), std::move(box.pressure), measure(input),
                    std::move(outside.book_work), std::move(box.change), next_step(input), forces(input),
                    std::move(heat.before_last_kick), kick(0.5), slow_kick(0.5, input), constrain_velocities(),
                    std::move(heat.after_last_kick), thermostat(input), constrain_coupled_velocities(input),
                    remove_com_motion(input), std::move(heat.after_change), checkpoint());
}

} // namespace

SchemeEntry md_vv_scheme()
{
    return {.name = "md-vv",
            .traits = {.couples_pressure = true, .splits_forces = true, .half_kicks = true, .reversible = true},
            .make = make,
            .kept = parts::numbers_for_shadow_heat};
}

} // namespace holon
