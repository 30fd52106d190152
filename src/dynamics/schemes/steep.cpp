#include <holon/core/fixed_sum.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/publish.hpp>
#include <holon/dynamics/scheme.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holon {

namespace {

constexpr double smallest_length = 1e-7; // [nm] below, positions do not change in a meaningful way

/// Steepest descent along the forces that constraints leave. Each trial moves the fastest atom by the step length; this
/// grows by 1.2 after a trial that lowers the energy and halves after one that does not, or that is too far from the
/// constraints. Atoms may overlap at the start, see PairForce and to_fixed(). The velocities, which have no other use
/// here, hold the directions and then the displacements: these follow their atoms wherever they go.
class SteepestDescent : public Operator {
public:
    explicit SteepestDescent(const SchemeInput& input)
        : emtol_(input.parameters.emtol),
          length_(input.state.declare({.name = "steep-length", .values = {input.parameters.emstep}}))
    {
    }

    void apply(Step& step) override
    {
        auto& system = step.system;
        note_overlap(step);
        const auto energy = system.totals().descent;
        measure(step);
        const double force = project_forces(step);
        if (system.health.any_failure()) system.fail_together(step.clock.step);
        if (step.recorder.wants_constraint_forces()) tell_constraint_forces(step);
        step.verdict = verdict(step.clock, force);
        step.ended = !step.verdict.empty();
        if (!step.ended) descend(step, energy);
        for (auto& v : system.atoms.v) v = IVec3::Zero();
    }

private:
    /// A trial from a state of this energy (ForceTotals::descent).
    void descend(Step& step, int128 energy)
    {
        auto& system = step.system;
        ++step.clock.step;
        bool lower = move(step, length_[0]);
        if (!publish_positions(system, step.recorder, step.clock.step)) step.clock.last = step.clock.step;
        system.compute_forces(true);
        if (lower && system.totals().descent >= energy) {
            lower = false;
            take_back(system.atoms);
            publish_positions(system, step.recorder, step.clock.step);
            system.compute_forces(true);
        }
        // Further than half the box nothing can be told from its image.
        length_[0] = lower ? std::min(1.2 * length_[0], 0.5 * system.box().max_cutoff()) : 0.5 * length_[0];
    }

    static std::size_t owned(const System& system) { return static_cast<std::size_t>(system.atoms.n_owned); }

    static double largest(const System& system, double mine)
    {
        return from_ordered_bits(system.comm().max(ordered_bits(mine)));
    }

    static double largest_force(const System& system)
    {
        const auto& atoms = system.atoms;
        double force = 0.0;
        for (std::size_t i = 0; i < owned(system); ++i)
            force = std::max(force, to_real(atoms.v[i], velocity_unit).norm() * atoms.mass[i]);
        return largest(system, force);
    }

    static void measure(Step& step)
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

    /// Leaves the constrained accelerations, scaled to at most about 1 nm/ps per component, in the velocities. Returns
    /// the largest constrained force of any atom [kJ/mol/nm].
    double project_forces(Step& step)
    {
        auto& system = step.system;
        auto& atoms = system.atoms;
        steepest_ = 0.0;
        for (std::size_t i = 0; i < owned(system); ++i)
            steepest_ = std::max(steepest_, (to_real(atoms.f[i], force_unit) * atoms.inverse_mass[i]).norm());
        steepest_ = largest(system, steepest_);
        if (steepest_ == 0.0) return 0.0;
        for (std::size_t i = 0; i < owned(system); ++i)
            atoms.v[i] =
                to_lattice(to_real(atoms.f[i], force_unit) * (atoms.inverse_mass[i] / steepest_), velocity_unit);
        system.hold_frozen();
        atoms.x_ref = atoms.x;
        system.constrain_velocities({.step = step.clock.step, .dt = 1.0});
        return largest_force(system) * steepest_;
    }

    /// Completes the frame of this step: what project_forces() has made of the forces, less the forces.
    void tell_constraint_forces(Step& step) const
    {
        const auto& atoms = step.system.atoms;
        std::vector<Vec3> forces(owned(step.system));
        for (std::size_t i = 0; i < forces.size(); ++i)
            forces[i] =
                to_real(atoms.v[i], velocity_unit) * (atoms.mass[i] * steepest_) - to_real(atoms.f[i], force_unit);
        step.recorder.constraint_forces(step.system, forces);
    }

    std::string verdict(const Clock& clock, double force) const
    {
        if (force < emtol_ || force == 0.0)
            return fmt::format("Converged: the largest force is {:.4g} kJ/mol/nm, below emtol = {:g}.", force, emtol_);
        if (length_[0] < smallest_length)
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
    void note_overlap(Step& step)
    {
        const auto overlap = step.system.health.take_overlap();
        if (overlap.empty() || overlap_noted_) return;
        overlap_noted_ = true;
        step.recorder.warn(1,
                           fmt::format("Step {}: {}. While atoms overlap like that, each such force counts as {:.2g} "
                                       "kJ/mol/nm and steps are judged by energies that go with these. Those shown "
                                       "count by their logarithm beyond {:.1e} kJ/mol.",
                                       step.clock.step, overlap, force_bound * force_unit, largest_exact));
    }

    /// Moves the atom with the largest force by `length`, the others in proportion; the velocities then hold the
    /// displacements [2^-48 nm]. False, and nothing has moved: constraints can not be kept so far away.
    static bool move(Step& step, double length)
    {
        auto& system = step.system;
        auto& atoms = system.atoms;
        const double force = largest_force(system);
        atoms.x_ref = atoms.x;
        for (std::size_t i = 0; i < owned(system); ++i)
            atoms.x[i] +=
                to_lattice(to_real(atoms.v[i], velocity_unit) * (atoms.mass[i] * length / force), position_unit);
        system.constrain_positions({.step = step.clock.step});
        const bool kept = system.health.take_failure().empty();
        if (!kept) {
            system.health.take_warnings(); // of what is not done
            atoms.x = atoms.x_ref;
        }
        for (std::size_t i = 0; i < owned(system); ++i) atoms.v[i] = atoms.x[i] - atoms.x_ref[i];
        return kept;
    }

    static void take_back(Atoms& atoms)
    {
        for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) atoms.x[i] -= atoms.v[i];
    }

    double emtol_;
    bool overlap_noted_ = false;
    double steepest_ = 0.0;    // acceleration [nm/ps^2]
    std::span<double> length_; // of the next step [nm]
};

Scheme make(const SchemeInput& input)
{
    using namespace parts;
    return sequence(frame(), std::make_unique<SteepestDescent>(input), checkpoint());
}

} // namespace

SchemeEntry steep_scheme()
{
    return {"steep", {.minimises = true}, make};
}

} // namespace holon
