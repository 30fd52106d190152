#pragma once

#include <holon/dynamics/scheme.hpp>

#include <cstdint>
#include <optional>

namespace holon {

/// Before the first step of a new run: velocities drawn if asked for; but for a continuation, what comm-mode removes is
/// removed, positions and velocities are put on the constraints. Collective.
void prepare_start(System& system, const Parameters& parameters, std::int64_t step);

/// How far the constraints would take an atom from where it is [nm], as the first step of a continuation does; 0 where
/// they can not be satisfied. The system stays as it is. Collective.
double distance_from_constraints(System& system, std::int64_t step);

/// Takes a system through time, or down its potential energy: applies the operators of a scheme again and again.
class Dynamics {
public:
    /// What the scheme of `parameters` declares finds its values in system.state. Both must outlive this object.
    Dynamics(System& system, const Parameters& parameters, std::int64_t step);

    /// Advances to step `last`, or until asked to stop, or until there is nothing to do any more. The last step is
    /// begun like any other, to measure forces of constraints and kinetic energies, and taken back. Collective.
    void run(std::int64_t last, Recorder& recorder);

    /// From the end of a run: the next step up to where constraints would act. Collective.
    void begin_step();

    const Clock& clock() const { return clock_; }           // of the present step
    const std::string& verdict() const { return verdict_; } // why the run ended, where that is worth saying

private:
    System& system_;
    DegreesOfFreedom dof_;
    Scheme scheme_;
    Clock clock_;
    bool groups_move_; // see Step
    bool minimises_;   // takes steps, but no time
    std::string verdict_;
};

} // namespace holon
