#pragma once

#include <holon/app/engine.hpp>
#include <holon/app/outputs.hpp>
#include <holon/io/checkpoint.hpp>

#include <cstdint>

namespace holon {

/// Steepest descent with an adaptive step, constraints kept: as GROMACS' `integrator = steep`.
///
/// Each trial moves along the forces left after projection onto the constraints, the fastest atom by the step length
/// [nm]; the step grows by 1.2 after a trial that lowers the energy and halves after one that does not, or that is too
/// far from the constraints. Atoms may overlap at the start, see PairForce and to_fixed(). Ends when the largest force
/// is below emtol, when the step has shrunk to nothing, or at step `last`.
class Minimiser {
public:
    Minimiser(Engine& engine, const Parameters& parameters, const RunState& state, Outputs& outputs);

    void run(std::int64_t last); // Collective.
    RunState state() const;
    std::int64_t step() const { return step_; }
    const std::string& verdict() const { return verdict_; } // how the run ended, for the log

private:
    double project_forces();
    void write_constraint_forces();
    bool move(double length);
    void take_back();
    void note_overlap();
    void measure();

    Engine& engine_;
    const Parameters& parameters_;
    Outputs& outputs_;
    std::int64_t step_;
    double length_;         // of the next trial [nm]
    double steepest_ = 0.0; // of all accelerations, unconstrained [nm/ps^2]: the scale of the velocities
    bool overlap_noted_ = false;
    std::string verdict_;
};

} // namespace holon
