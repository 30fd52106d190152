#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/parts.hpp>

#include <fmt/format.h>

namespace holon {

namespace {

/// Positions have been led to the end of the step: the half of it that follows the change has been taken, too.
void change_box(Step& step, const BoxChange& change)
{
    constexpr double most = 0.1; // relative, at once
    auto& system = step.system;
    const Mat3 strain = system.box().master().inverse() * change.box - Mat3::Identity();
    if (!(strain.cwiseAbs().maxCoeff() < most))
        throw Failure(fmt::format("step {}: the box would change by {:.0f} % at once. The system is far from the "
                                  "pressure that it is to have: minimise it and let it come to its temperature first, "
                                  "or take a longer tau-p.",
                                  step.clock.step, 100.0 * strain.cwiseAbs().maxCoeff()));
    const auto timer = system.timers.measure(Stage::integrate);
    system.scaling_groups().follow(system.atoms, system.box(), change, 0.5 * step.clock.dt);
    system.set_box(change.box);
}

PressureState pressure_state(Step& step)
{
    const auto timer = step.system.timers.measure(Stage::integrate);
    auto& system = step.system;
    std::vector<TensorSum> sums = {
        system.scaling_groups().internal_virial(system.atoms, system.box(), system.force_field().outside_forces())};
    for (const auto& [weight, sum] : step.kinetic.groups) sums.push_back(sum);
    const auto tensors = over_all(system.comm(), sums);
    step.group_kinetic.setZero();
    for (std::size_t k = 1; k < tensors.size(); ++k)
        step.group_kinetic += step.kinetic.groups[k - 1].first * tensors[k];
    PressureState state;
    state.step = step.clock.step;
    state.kinetic = step.group_kinetic;
    state.virial = system.totals().virial + tensors.front();
    state.box = system.box().master();
    state.volume = system.box().volume();
    state.pressure = 2.0 / state.volume * (state.kinetic - state.virial);
    return state;
}

/// The barostat, before and after the measurement.
struct Coupling {
    std::unique_ptr<Barostat> barostat;
    std::int64_t interval; // in steps
    BarostatTraits traits;

    bool decides_at(std::int64_t step) const { return step % interval == 0; }

    /// What kicks a box and lets it move is of second order if a move is as far from the kick before it as from that
    /// after it. Boxes move in the middle of a step: where an interval has no such middle, half a step before and after
    /// it in turns, so that two of them together have.
    bool moves_at(std::int64_t step) const
    {
        if (!traits.inertia) return decides_at(step);
        return step % interval == (interval - 1 + step / interval % 2) / 2;
    }
};

class Pressure : public Operator {
public:
    Pressure(std::shared_ptr<Coupling> coupling, DispersionCorrection correction)
        : coupling_(std::move(coupling)), feels_correction_(correction != DispersionCorrection::energy &&
                                                            correction != DispersionCorrection::all_energy)
    {
    }

    void apply(Step& step) override
    {
        auto& barostat = *coupling_->barostat;
        const bool moved = coupling_->traits.looks_back && coupling_->moves_at(step.clock.step - 1),
                   decides = coupling_->decides_at(step.clock.step);
        if (!moved && !decides && !step.clock.measured) return;
        const auto state = pressure_state(step);
        step.group_pressure = state.pressure;
        if (moved) barostat.note_outcome(state);
        if (decides) barostat.decide(state);
        if (!feels_correction_) not_felt_ = step.system.totals().energy[index(EnergyTerm::lj_correction)];
    }

    double stored_energy() const override { return coupling_->barostat->stored_energy() - not_felt_; }

private:
    std::shared_ptr<Coupling> coupling_;
    bool feels_correction_;
    double not_felt_ = 0.0; // what changes with the volume, but has no pressure [kJ/mol]
};

class ChangeBox : public Operator {
public:
    explicit ChangeBox(std::shared_ptr<Coupling> coupling) : coupling_(std::move(coupling)) {}

    void apply(Step& step) override
    {
        if (!coupling_->moves_at(step.clock.step)) return;
        change_box(step, coupling_->barostat->change(step.system.box().master()));
    }

private:
    std::shared_ptr<Coupling> coupling_;
};

/// Looks at the pressure of the groups where that of the atoms is not known.
class GroupPressure : public Operator {
public:
    void apply(Step& step) override
    {
        if (step.clock.measured) step.group_pressure = pressure_state(step).pressure;
    }
};

/// Velocities are those relative to the flow that takes matter along with the box; what this does to them is what
/// keeps free particles on straight lines. Frozen atoms go along, as in GROMACS; with a barostat they do not.
class Deform : public Operator {
public:
    explicit Deform(const SchemeInput& input)
    {
        const auto& rate = input.parameters.deform;
        rate_ << rate[0], 0.0, 0.0, rate[3], rate[1], 0.0, rate[4], rate[5], rate[2];
    }

    void apply(Step& step) override
    {
        const Mat3& box = step.system.box().master();
        const Mat3 to = box + step.clock.dt * rate_;
        if (!(to.diagonal().minCoeff() > 0.0))
            throw Failure(fmt::format("step {}: deform has shrunk the box to nothing", step.clock.step));
        change_box(step, {.box = to, .velocities = to.inverse() * box, .takes_frozen = true});
    }

private:
    Mat3 rate_; // [nm/ps]
};

} // namespace

parts::BoxParts parts::box(const SchemeInput& input)
{
    const auto* entry = barostat_entry(input.parameters.pcoupl);
    if (entry != nullptr) {
        auto coupling = std::make_shared<Coupling>(entry->make(input), input.parameters.nstpcouple, entry->traits);
        return {std::make_unique<Pressure>(coupling, input.parameters.dispersion_correction),
                std::make_unique<ChangeBox>(coupling)};
    }
    BoxParts parts;
    if (input.parameters.mts()) parts.pressure = std::make_unique<GroupPressure>();
    if (input.parameters.deforms()) parts.change = std::make_unique<Deform>(input);
    return parts;
}

} // namespace holon
