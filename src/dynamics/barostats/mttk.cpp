#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/barostat.hpp>

namespace holon {

namespace {

/// Equations of motion of G. J. Martyna, D. J. Tobias, M. L. Klein, J. Chem. Phys. 101, 4177 (1994), of the scaling
/// groups: the logarithm of a length, e, is driven by the pressure against a mass, W. Between two actions the box
/// stands still; at one, e gets what it gains in the interval, and the box takes the interval's motion.
class Mttk : public Barostat {
public:
    explicit Mttk(const SchemeInput& input)
        : settings_(input.parameters), work_(settings_, input),
          rate_(input.state.declare({.name = "box-velocity", .parity = Parity::odd, .values = {0.0}})),
          start_volume_(input.state.declare({.name = "barostat-volume", .values = {input.box.volume()}}))
    {
        const double groups = 3.0 * static_cast<double>(input.n_scaling_groups),
                     removed = input.parameters.comm_mode == CommMode::none ? 0.0 : 3.0;
        more_ = 3.0 / std::max(1.0, groups - removed);
        const double omega = 2.0 * units::pi / settings_.tau;
        mass_ = 9.0 * start_volume_[0] / (omega * omega * settings_.compressibility(0, 0));
    }

    BoxChange change(const PressureState& state) override
    {
        const double before = rate_[0];
        const double force =
            state.volume * (state.pressure.trace() - settings_.reference.trace()) + more_ * 2.0 * state.kinetic.trace();
        rate_[0] += settings_.interval / mass_ * force;
        middle_ = 0.5 * (before + rate_[0]);
        in_action_ = true;
        const double by = rate_[0] * settings_.interval;
        return {portable::exp(by) * state.box, portable::exp(-(1.0 + more_) * by) * Mat3::Identity()};
    }

    void done() override { in_action_ = false; }

    double stored_energy() const override
    {
        const double rate = in_action_ ? middle_ : rate_[0];
        return work_.energy() + 0.5 * mass_ * rate * rate;
    }

private:
    PressureSettings settings_;
    PressureWork work_;
    std::span<double> rate_;         // de/dt, half an interval before or after the present step [1/ps]
    std::span<double> start_volume_; // [nm^3]
    double more_;                    // 3 over the degrees of freedom of the groups
    double mass_;                    // [kJ/mol ps^2]
    double middle_ = 0.0;            // de/dt at the step that is being taken
    bool in_action_ = false;
};

std::unique_ptr<Barostat> make(const SchemeInput& input)
{
    return std::make_unique<Mttk>(input);
}

} // namespace

BarostatEntry mttk_barostat()
{
    return {"MTTK", {.isotropic_only = true, .intervals_per_tau = 200.0}, make};
}

} // namespace holon
