#include <holon/core/index.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/publish.hpp>
#include <holon/dynamics/scheme.hpp>

#include "schemes/minimiser.hpp"

#include <algorithm>

namespace holon {

namespace {

/// Steepest descent along the forces that constraints leave. Each trial moves the fastest atom by the step length; this
/// grows by 1.2 after a trial that lowers the energy and halves after one that does not, or that is too far from the
/// constraints. Atoms may overlap at the start, see PairForce and to_fixed(). The velocities, which have no other use
/// here, hold the directions and then the displacements: these follow their atoms wherever they go.
class SteepestDescent : public Minimiser {
public:
    explicit SteepestDescent(const SchemeInput& input)
        : Minimiser(input), length_(input.state.declare({.name = "steep-length", .values = {input.parameters.emstep}}))
    {
    }

    void apply(Step& step) override
    {
        auto& system = step.system;
        const auto energy = system.totals().descent;
        begin(step, length_[0] < smallest_length);
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
        for (std::size_t i = 0; i < index(atoms.n_owned); ++i) atoms.x[i] -= atoms.v[i];
    }

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
