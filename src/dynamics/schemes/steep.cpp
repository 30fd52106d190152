#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/publish.hpp>
#include <holon/dynamics/scheme.hpp>

#include <cmath>
#include <fmt/format.h>

namespace holon {

namespace {

constexpr double smallest_length = 1e-7; // [nm] below, positions do not change in a meaningful way

/// Steepest descent along the forces that constraints leave, with a step length that grows while the energy falls. The
/// velocities, which have no other use here, hold the directions and then the displacements: these follow their atoms
/// wherever they go.
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
        const double energy = system.totals().potential;
        measure(step);
        const double force = project_forces(step);
        if (system.health.any_failure()) system.fail_together(step.clock.step);
        if (step.recorder.wants_constraint_forces()) tell_constraint_forces(step);
        step.verdict = verdict(step.clock, force);
        step.ended = !step.verdict.empty();
        if (!step.ended) {
            ++step.clock.step;
            if (!move(step, length_[0])) step.clock.last = step.clock.step;
            system.compute_forces(true);
            if (system.totals().potential < energy) {
                length_[0] *= 1.2;
            } else {
                length_[0] *= 0.5;
                take_back(step);
                system.compute_forces(true);
            }
        }
        for (auto& v : system.atoms.v) v = IVec3::Zero();
    }

private:
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
        if (force < emtol_)
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

    /// Moves the atom with the largest force by `length`, the others in proportion; the velocities then hold the
    /// displacements [2^-48 nm]. False: asked to stop.
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
        for (std::size_t i = 0; i < owned(system); ++i) atoms.v[i] = atoms.x[i] - atoms.x_ref[i];
        return publish_positions(system, step.recorder, step.clock.step);
    }

    static void take_back(Step& step)
    {
        auto& atoms = step.system.atoms;
        for (std::size_t i = 0; i < owned(step.system); ++i) atoms.x[i] -= atoms.v[i];
        publish_positions(step.system, step.recorder, step.clock.step);
    }

    double emtol_;
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
