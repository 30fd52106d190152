#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

namespace holon {

namespace {

/// Langevin dynamics: leap-frog with friction and noise as an impulse in the middle of the drift. N. Goga et al., J.
/// Chem. Theory Comput. 8, 3637 (2012).
Scheme make(const SchemeInput& input)
{
    using namespace parts;
    auto box = parts::box(input);
    auto outside = outside_work(input);
    return sequence(frame(), std::move(outside.note_start), kinetic_energy(0.5), kick(1.0), drift(1.0),
                    constrain_positions(1.0), kinetic_energy(0.5), std::move(box.pressure), measure(input),
                    friction_and_noise(input), std::move(outside.book_work), std::move(box.change), next_step(input),
                    remove_com_motion(input), checkpoint_during(forces(input)));
}

} // namespace

SchemeEntry sd_scheme()
{
    return {"sd", {.own_bath = true, .half_step = true, .couples_pressure = true}, make};
}

} // namespace holon
