#pragma once

#include <holon/dynamics/clock.hpp>
#include <holon/dynamics/kinetic.hpp>
#include <holon/dynamics/recorder.hpp>
#include <holon/dynamics/system.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// Kinetic energy [kJ/mol]; the tensor is 1/2 sum m v (x) v.
struct Kinetic {
    double total = 0.0;
    Mat3 tensor = Mat3::Zero();
    std::vector<std::pair<double, TensorSum>> groups = {}; // of the scaling groups: weights, shares of this rank
};

struct Step;

/// A piece of a time step.
class Operator {
public:
    virtual ~Operator() = default;

    /// Collective.
    virtual void apply(Step& step) = 0;

    /// What it has taken out of the system since the start of the run, less what it has put in: kinetic and potential
    /// energy and this, of all operators, are conserved [kJ/mol].
    virtual double stored_energy() const { return 0.0; }

    /// Whether it puts the atoms onto their constraints.
    virtual bool constrains() const { return false; }
};

using Part = std::unique_ptr<Operator>;

/// A time step: operators in the order in which they are applied, from one state that is recorded to the next.
using Scheme = std::vector<Part>;

/// What the operators of a step share.
struct Step {
    System& system;
    Recorder& recorder;
    const Scheme& scheme;
    Clock clock;
    bool groups_move = false;              // whether it matters how the scaling groups do
    Kinetic kinetic = {};                  // gathered for the measurement
    Mat3 group_kinetic = Mat3::Zero();     // of the scaling groups, where it matters: as Kinetic has it for atoms
    Mat3 group_pressure = Mat3::Zero();    // and their pressure [kJ/mol/nm^3]
    Mat3 constraint_virial = Mat3::Zero(); // likewise: of the whole system [kJ/mol]
    bool ended = false;                    // the run ends here: what of this step has been done is taken back
    std::string verdict = {};              // why, for the log
};

/// What operators are made from. All of it outlives them.
struct SchemeInput {
    const Parameters& parameters;
    const DegreesOfFreedom& dof;
    State& state; // to declare what they keep
    const Topology& topology;
    const Box& box;
    std::int64_t n_scaling_groups; // of the whole system
};

} // namespace holon
