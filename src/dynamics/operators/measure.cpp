#include <holon/core/units.hpp>
#include <holon/dynamics/parts.hpp>

namespace holon {

namespace {

class KineticEnergy : public Operator {
public:
    explicit KineticEnergy(double weight) : weight_(weight) {}

    void apply(Step& step) override
    {
        if (!step.clock.totals) return;
        if (step.groups_move)
            step.kinetic.groups.emplace_back(
                weight_, step.system.scaling_groups().kinetic_tensor(step.system.atoms, step.system.box()));
        if (!step.clock.measured) return;
        const Mat3 tensor = kinetic_tensor(step.system.atoms, step.system.comm());
        step.kinetic.tensor += weight_ * tensor;
        step.kinetic.total += weight_ * tensor.trace();
    }

private:
    double weight_;
};

class Measure : public Operator {
public:
    Measure(double dof, bool mts) : dof_(dof), mts_(mts) {}

    void apply(Step& step) override
    {
        if (step.clock.measured) step.recorder.measured(measurement(step));
        step.kinetic = {};
        step.constraint_virial = Mat3::Zero();
        if (step.clock.at_end()) end(step);
    }

private:
    Measurement measurement(const Step& step) const
    {
        Measurement m;
        m.step = step.clock.step;
        m.time = step.clock.time();
        m.forces = step.system.totals();
        m.kinetic = step.kinetic.total;
        m.conserved = m.forces.potential + m.kinetic;
        for (const auto& part : step.scheme) m.conserved += part->stored_energy();
        m.temperature = dof_ > 0.0 ? 2.0 * m.kinetic / (dof_ * units::boltzmann) : 0.0;
        m.virial = m.forces.virial + step.constraint_virial;
        m.pressure = pressure_tensor(step.kinetic.tensor, m.virial, step.system.box().volume());
        m.group_pressure = step.group_pressure * units::bar_per_kj_per_mol_nm3;
        if (mts_) { // constraint forces are known with slow kicks in them: what the groups feel has the same mean
            m.virial = step.group_kinetic - 0.5 * step.system.box().volume() * step.group_pressure;
            m.pressure = m.group_pressure;
        }
        m.box = step.system.box().vectors();
        return m;
    }

    /// The run may end with a state from which no step leads further: that is for the next run to fail of.
    static void end(Step& step)
    {
        step.ended = true;
        if (const auto failure = step.system.health.take_failure(); !failure.empty())
            step.recorder.warn(1, "the constraint forces of the last step are not known: " + failure);
    }

    double dof_;
    bool mts_;
};

} // namespace

Part parts::kinetic_energy(double weight)
{
    return std::make_unique<KineticEnergy>(weight);
}

Part parts::measure(const SchemeInput& input)
{
    return std::make_unique<Measure>(input.dof.total, input.parameters.mts());
}

} // namespace holon
