#include <holon/app/minimise.hpp>

#include <holon/app/measurement.hpp>
#include <holon/app/simulation.hpp>
#include <holon/core/fixed_sum.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holon {

namespace {

constexpr const char* length_name = "steep-length"; // in RunState
constexpr double smallest_length = 1e-7;            // [nm] below, positions do not change in a meaningful way

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

Minimiser::Minimiser(Engine& engine, const Parameters& parameters, const RunState& state, Outputs& outputs)
    : engine_(engine), parameters_(parameters), outputs_(outputs), step_(state.step),
      length_(state.has(length_name) ? state.real(length_name) : parameters.emstep)
{
}

RunState Minimiser::state() const
{
    RunState state;
    state.step = step_;
    state.time = static_cast<double>(step_);
    state.box = engine_.box().master();
    state.set(length_name, length_);
    return state;
}

/// Leaves the constrained accelerations, scaled to at most about 1 nm/ps per component, in the velocities, which have
/// no other use here. Returns the largest constrained force of any atom [kJ/mol/nm].
double Minimiser::project_forces()
{
    auto& atoms = engine_.atoms;
    const auto& comm = engine_.comm();
    const auto largest = [&comm](double mine) { return from_ordered_bits(comm.max(ordered_bits(mine))); };
    steepest_ = 0.0;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        steepest_ = std::max(steepest_, (to_real(atoms.f[i], force_unit) * atoms.inverse_mass[i]).norm());
    steepest_ = largest(steepest_);
    if (steepest_ == 0.0) return 0.0;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        atoms.v[i] = to_lattice(to_real(atoms.f[i], force_unit) * (atoms.inverse_mass[i] / steepest_), velocity_unit);
    atoms.x_ref = atoms.x;
    engine_.constrain_velocities({.step = step_, .dt = 1.0});
    double force = 0.0;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        force = std::max(force, to_real(atoms.v[i], velocity_unit).norm() * atoms.mass[i]);
    return largest(force) * steepest_;
}

/// Completes the frame of this step: what project_forces() has made of the forces, less the forces.
void Minimiser::write_constraint_forces()
{
    const auto& atoms = engine_.atoms;
    std::vector<Vec3> forces(index(atoms.n_owned));
    for (std::size_t i = 0; i < forces.size(); ++i)
        forces[i] = to_real(atoms.v[i], velocity_unit) * (atoms.mass[i] * steepest_) - to_real(atoms.f[i], force_unit);
    outputs_.constraint_forces(engine_, forces);
}

/// Moves the atom with the largest force by `length`, the others in proportion; the velocities then hold the
/// displacements [2^-48 nm], which follow their atoms wherever they go. False, and nothing has moved: constraints can
/// not be kept so far away.
bool Minimiser::move(double length)
{
    auto& atoms = engine_.atoms;
    double force = 0.0;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        force = std::max(force, to_real(atoms.v[i], velocity_unit).norm() * atoms.mass[i]);
    force = from_ordered_bits(engine_.comm().max(ordered_bits(force)));
    atoms.x_ref = atoms.x;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        atoms.x[i] += to_lattice(to_real(atoms.v[i], velocity_unit) * (atoms.mass[i] * length / force), position_unit);
    engine_.constrain_positions({.step = step_});
    const bool kept = !engine_.forget_failure();
    if (!kept) atoms.x = atoms.x_ref;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) atoms.v[i] = atoms.x[i] - atoms.x_ref[i];
    return kept;
}

void Minimiser::take_back()
{
    auto& atoms = engine_.atoms;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) atoms.x[i] -= atoms.v[i];
}

/// Says once that, for the time being, forces and perhaps energies are not what the force field makes of the positions.
void Minimiser::note_overlap()
{
    const auto overlap = engine_.take_overlap();
    if (overlap.empty() || overlap_noted_) return;
    overlap_noted_ = true;
    outputs_.warn(1, fmt::format("Step {}: {}. While atoms overlap like that, each such force counts as {:.2g} "
                                 "kJ/mol/nm and steps are judged by energies that go with these. Those shown count by "
                                 "their logarithm beyond {:.1e} kJ/mol.",
                                 step_, overlap, force_bound * force_unit, largest_exact));
}

void Minimiser::measure()
{
    Measurement m;
    m.step = step_;
    m.time = static_cast<double>(step_);
    m.forces = engine_.totals();
    m.conserved = m.forces.potential;
    m.virial = m.forces.virial;
    m.pressure = pressure_tensor(Mat3::Zero(), m.virial, engine_.box().volume());
    outputs_.measured(m);
}

void Minimiser::run(std::int64_t last)
{
    engine_.compute_forces(true);
    for (;;) {
        note_overlap();
        const auto energy = engine_.descent();
        outputs_.frame(engine_, step_, static_cast<double>(step_));
        measure();
        const double force = project_forces();
        if (engine_.any_failure()) engine_.fail_together(step_);
        if (outputs_.frame_waits_for_constraint_forces()) write_constraint_forces();
        if (force < parameters_.emtol || force == 0.0)
            verdict_ = fmt::format("Converged: the largest force is {:.4g} kJ/mol/nm, below emtol = {:g}.", force,
                                   parameters_.emtol);
        else if (length_ < smallest_length)
            verdict_ = fmt::format("No further descent at the precision of the forces: the largest force is {:.4g} "
                                   "kJ/mol/nm, not below emtol = {:g}.",
                                   force, parameters_.emtol);
        else if (step_ == last)
            verdict_ =
                fmt::format("Stopped after {} steps: the largest force is {:.4g} kJ/mol/nm, not below emtol = {:g}.",
                            step_, force, parameters_.emtol);
        if (!verdict_.empty()) break;

        ++step_;
        bool lower = move(length_);
        if (!settle_in(engine_, outputs_, step_)) last = step_;
        engine_.compute_forces(true);
        if (lower && engine_.descent() >= energy) {
            lower = false;
            take_back();
            settle_in(engine_, outputs_, step_);
            engine_.compute_forces(true);
        }
        // Further than half the box nothing can be told from its image.
        length_ = lower ? std::min(1.2 * length_, 0.5 * engine_.box().max_cutoff()) : 0.5 * length_;
        for (auto& v : engine_.atoms.v) v = IVec3::Zero();
        outputs_.checkpoint(engine_, state());
    }
    for (auto& v : engine_.atoms.v) v = IVec3::Zero();
}

} // namespace holon
