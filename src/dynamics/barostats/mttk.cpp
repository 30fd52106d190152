#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/barostat.hpp>

namespace holon {

namespace {

/// Equations of motion of G. J. Martyna, D. J. Tobias, M. L. Klein, J. Chem. Phys. 101, 4177 (1994), of the scaling
/// groups: the logarithm of a length, e, is driven by the pressure against a mass, W. It gets what it gains in an
/// interval at once, and the box moves in the middle between two of these kicks. Its energy is that of the velocity
/// where it stands: with half of the last kick, and once it has moved, with half of another one.
class Mttk : public Barostat {
public:
    explicit Mttk(const SchemeInput& input)
        : settings_(input.parameters), work_(settings_, input),
          rate_(input.state.declare({.name = "box-velocity", .parity = Parity::odd, .values = {0.0}})),
          now_(input.state.declare({.name = "box-velocity-now", .role = Role::ledger, .values = {0.0}})),
          start_volume_(input.state.declare({.name = "barostat-volume", .values = {input.box.volume()}}))
    {
        const double groups = 3.0 * static_cast<double>(input.n_scaling_groups),
                     removed = input.parameters.comm_mode == CommMode::none ? 0.0 : 3.0;
        more_ = 3.0 / std::max(1.0, groups - removed);
        const double omega = 2.0 * units::pi / settings_.tau;
        mass_ = 9.0 * start_volume_[0] / (omega * omega * settings_.compressibility(0, 0));
    }

    void decide(const PressureState& state) override
    {
        const double before = rate_[0];
        const double force =
            state.volume * (state.pressure.trace() - settings_.reference.trace()) + more_ * 2.0 * state.kinetic.trace();
        rate_[0] += settings_.interval / mass_ * force;
        now_[0] = 0.5 * (before + rate_[0]);
    }

    BoxChange change(const Mat3& box) override
    {
        now_[0] = 2.0 * rate_[0] - now_[0];
        const double by = rate_[0] * settings_.interval;
        return {portable::exp(by) * box, portable::exp(-(1.0 + more_) * by) * Mat3::Identity()};
    }

    double stored_energy() const override { return work_.energy() + 0.5 * mass_ * now_[0] * now_[0]; }

private:
    PressureSettings settings_;
    PressureWork work_;
    std::span<double> rate_;         // de/dt, half an interval before or after an action [1/ps]
    std::span<double> now_;          // the same, of the box as it stands
    std::span<double> start_volume_; // [nm^3]
    double more_;                    // 3 over the degrees of freedom of the groups
    double mass_;                    // [kJ/mol ps^2]
};

std::unique_ptr<Barostat> make(const SchemeInput& input)
{
    return std::make_unique<Mttk>(input);
}

} // namespace

BarostatEntry mttk_barostat()
{
    return {"MTTK", {.isotropic_only = true, .inertia = true, .intervals_per_tau = 200.0}, make};
}

} // namespace holon
