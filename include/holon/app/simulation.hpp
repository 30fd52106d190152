#pragma once

#include <holon/app/engine.hpp>
#include <holon/app/measurement.hpp>
#include <holon/app/outputs.hpp>
#include <holon/integrators/kinetic.hpp>
#include <holon/integrators/scheme.hpp>
#include <holon/io/checkpoint.hpp>

#include <cstdint>
#include <vector>

namespace holon {

/// After positions have changed: all ranks agree on failures (Failure, thrown together) and on whether to go on (false:
/// asked to stop), and the new positions are on their way to where they are needed, for compute_forces(). Collective.
bool settle_in(Engine& engine, Outputs& outputs, std::int64_t step);

/// Molecular dynamics: leap-frog, velocity Verlet or Langevin, with constraints and thermostat.
class Simulation {
public:
    /// Step and thermostat work come from `state`; positions and velocities are in the engine already.
    Simulation(Engine& engine, const Parameters& parameters, const RunState& state, Outputs& outputs);

    /// Before the first step of a new run: velocities drawn if asked for, positions and velocities put on the
    /// constraints. Collective.
    static void prepare_start(Engine& engine, const Parameters& parameters, std::int64_t step);

    /// Advances to step `last`, or until asked to stop, and measures the last step. Collective.
    void run(std::int64_t last);

    RunState state() const; // of the present step
    std::int64_t step() const { return step_; }

private:
    struct Kinetic {
        double total = 0.0; // [kJ/mol]
        Mat3 tensor = Mat3::Zero();
    };

    void apply_thermostat();
    void first_half();
    void exchange_heat();
    void second_half();
    void checkpoint(bool lent);
    void measure(const Kinetic& before, const ConstraintResult& constrained);
    void write_constraint_forces(const std::vector<IVec3>& unconstrained);
    Kinetic kinetic() const;
    double time() const;

    Engine& engine_;
    const Parameters& parameters_;
    Outputs& outputs_;
    const Scheme& scheme_;
    DegreesOfFreedom dof_;
    std::int64_t step_ = 0;
    double thermostat_work_ = 0.0; // what the thermostat has put in since the start of the run [kJ/mol]
};

} // namespace holon
