#include "schemes/minimiser.hpp"

#include <holon/core/fixed_sum.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holon {

double Minimiser::begin(Step& step, bool exhausted)
{
    auto& system = step.system;
    note_overlap(step);
    measure(step);
    const double force = project_forces(step);
    if (system.health.any_failure()) system.fail_together(step.clock.step);
    if (step.recorder.wants_constraint_forces()) tell_constraint_forces(step);
    step.verdict = verdict(step.clock, force, exhausted);
    step.ended = !step.verdict.empty();
    return force;
}

double Minimiser::largest_force(const System& system)
{
    const auto& atoms = system.atoms;
    double force = 0.0;
    for (std::size_t i = 0; i < owned(system); ++i)
        force = std::max(force, to_real(atoms.v[i], velocity_unit).norm() * atoms.mass[i]);
    return largest(system.comm(), force);
}

void Minimiser::measure(Step& step)
{
    Measurement m;
    m.step = step.clock.step;
    m.time = step.clock.time();
    m.forces = step.system.totals();
    m.conserved = m.forces.potential;
    m.virial = m.forces.virial;
    m.pressure = pressure_tensor(Mat3::Zero(), m.virial, step.system.box().volume());
    step.recorder.measured(m);
}

double Minimiser::project_forces(Step& step)
{
    auto& system = step.system;
    auto& atoms = system.atoms;
    steepest_ = 0.0;
    for (std::size_t i = 0; i < owned(system); ++i)
        steepest_ = std::max(steepest_, (to_real(atoms.f[i], force_unit) * atoms.inverse_mass[i]).norm());
    steepest_ = largest(system.comm(), steepest_);
    if (steepest_ == 0.0) return 0.0;
    for (std::size_t i = 0; i < owned(system); ++i)
        atoms.v[i] = to_lattice(to_real(atoms.f[i], force_unit) * (atoms.inverse_mass[i] / steepest_), velocity_unit);
    system.hold_frozen();
    atoms.x_ref = atoms.x;
    system.constrain_velocities({.step = step.clock.step, .dt = 1.0});
    return largest_force(system) * steepest_;
}

/// Completes the frame of this step: what project_forces() has made of the forces, less the forces.
void Minimiser::tell_constraint_forces(Step& step) const
{
    const auto& atoms = step.system.atoms;
    std::vector<Vec3> forces(owned(step.system));
    for (std::size_t i = 0; i < forces.size(); ++i)
        forces[i] = to_real(atoms.v[i], velocity_unit) * (atoms.mass[i] * steepest_) - to_real(atoms.f[i], force_unit);
    step.recorder.constraint_forces(step.system, forces);
}

std::string Minimiser::verdict(const Clock& clock, double force, bool exhausted) const
{
    if (force < emtol_ || force == 0.0)
        return fmt::format("Converged: the largest force is {:.4g} kJ/mol/nm, below emtol = {:g}.", force, emtol_);
    if (exhausted)
        return fmt::format("No further descent at the precision of the forces: the largest force is {:.4g} "
                           "kJ/mol/nm, not below emtol = {:g}.",
                           force, emtol_);
    if (clock.at_end())
        return fmt::format("Stopped after {} steps: the largest force is {:.4g} kJ/mol/nm, not below emtol = {:g}.",
                           clock.step, force, emtol_);
    return {};
}

/// Says once that, for the time being, forces and perhaps energies are not what the force field makes of the
/// positions.
void Minimiser::note_overlap(Step& step)
{
    const auto overlap = step.system.health.take_overlap();
    if (overlap.empty() || overlap_noted_) return;
    overlap_noted_ = true;
    step.recorder.warn(1, fmt::format("Step {}: {}. While atoms overlap like that, each such force counts as {:.2g} "
                                      "kJ/mol/nm and steps are judged by energies that go with these. Those shown "
                                      "count by their logarithm beyond {:.1e} kJ/mol.",
                                      step.clock.step, overlap, force_bound * force_unit, largest_exact));
}

} // namespace holon
