#pragma once

#include <holon/core/index.hpp>
#include <holon/dynamics/operator.hpp>

#include <string>
#include <vector>

namespace holon {

/// What minimisers have in common. The velocities, which have no other use here, hold the constrained accelerations.
class Minimiser : public Operator {
protected:
    static constexpr double smallest_length = 1e-7; // [nm] below, positions do not change in a meaningful way

    explicit Minimiser(const SchemeInput& input) : emtol_(input.parameters.emtol) {}

    /// Tells the energies, computes the constrained forces, and whether and why the run ends here. Returns the largest
    /// of these forces of any atom [kJ/mol/nm]. Collective.
    double begin(Step& step, bool exhausted);

    static std::size_t owned(const System& system) { return index(system.atoms.n_owned); }
    static double largest_force(const System& system);

    /// Leaves the constrained accelerations, scaled to at most about 1 nm/ps per component, in the velocities; x_ref
    /// are the positions. Returns the largest constrained force of any atom [kJ/mol/nm]. Collective.
    double project_forces(Step& step);
    double scale() const { return steepest_; } // of the accelerations in the velocities [1/ps]

private:
    static void measure(Step& step);
    void tell_constraint_forces(Step& step) const;
    void note_overlap(Step& step);
    std::string verdict(const Clock& clock, double force, bool exhausted) const;

    double emtol_;
    bool overlap_noted_ = false;
    double steepest_ = 0.0; // acceleration [nm/ps^2]
};

} // namespace holon
