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
    return sequence(frame(), std::move(outside.note_start), kinetic_energy(1.0), thermostat_before_kick(input),
                    kick(0.5), slow_kick(0.5, input), drift(1.0), constrain_positions(0.5), std::move(box.pressure),
                    measure(input), std::move(outside.book_work), std::move(box.change), next_step(input),
                    forces(input), kick(0.5), slow_kick(0.5, input), constrain_velocities(), thermostat(input),
                    constrain_coupled_velocities(input), remove_com_motion(input), checkpoint());
}

} // namespace

SchemeEntry md_vv_scheme()
{
    return {"md-vv", {.couples_pressure = true, .splits_forces = true, .half_kicks = true, .reversible = true}, make};
}

} // namespace holon
