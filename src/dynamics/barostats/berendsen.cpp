#include <holon/dynamics/barostat.hpp>

namespace holon {

namespace {

/// Weak coupling: H. J. C. Berendsen et al., J. Chem. Phys. 81, 3684 (1984). Relaxes the pressure; the volume
/// fluctuates less than in any ensemble. What positions cost is booked by the virials before and after, the first half
/// of it once the step before has been measured.
///
/// That misses dt^2/6 of the second derivative of the forces in time: nothing on average, unless the change answers to
/// the very vibrations that make it. So the pressure that decides is the one seen right after the last change, an
/// interval ago, which the virial is at hand for.
class Berendsen : public Barostat {
public:
    explicit Berendsen(const SchemeInput& input)
        : settings_(input.parameters),
          given_(input.state.declare({.name = "barostat-work", .role = Role::ledger, .values = {0.0}})),
          last_(input.state.declare({.name = "barostat-last", .role = Role::ledger, .values = std::vector(9, 0.0)})),
          next_(input.state.declare({.name = "barostat-next", .values = std::vector(9, 0.0)})),
          any_next_(input.state.declare({.name = "barostat-any-next", .values = {0.0}})[0])
    {
    }

    void decide(const PressureState& state) override
    {
        last() = any_next_ != 0.0 ? Mat3(next()) : strain_by(state); // the first of all
        before_ = state.virial;
    }

    BoxChange change(const Mat3& box) override
    {
        book(before_, last());
        return {box * (Mat3::Identity() + last())};
    }

    void note_outcome(const PressureState& state) override
    {
        const Mat3 strain = last();
        book(state.virial, (Mat3::Identity() + strain).inverse() * strain); // in terms of the new box
        next() = strain_by(state);
        any_next_ = 1.0;
    }

    double stored_energy() const override { return -given_[0]; }

private:
    Mat3 strain_by(const PressureState& state) const
    {
        Mat3 pressure = state.pressure;
        if (settings_.type == CouplingType::isotropic) pressure.diagonal().setConstant(pressure.trace() / 3.0);
        if (settings_.type == CouplingType::semiisotropic || settings_.type == CouplingType::surface_tension)
            pressure(0, 0) = pressure(1, 1) = 0.5 * (pressure(0, 0) + pressure(1, 1));
        return settings_.interval / (3.0 * settings_.tau) *
               settings_.compressibility.cwiseProduct(pressure - settings_.outside(state.box));
    }

    /// Half of what a change of positions gives to the potential energy, by virial and strain at one of its ends.
    void book(const Mat3& virial, const Mat3& strain) { given_[0] += virial.cwiseProduct(strain).sum(); }

    Eigen::Map<Mat3> last() { return Eigen::Map<Mat3>(last_.data()); }
    Eigen::Map<Mat3> next() { return Eigen::Map<Mat3>(next_.data()); }

    PressureSettings settings_;
    std::span<double> given_;    // potential energy [kJ/mol]
    std::span<double> last_;     // strain
    std::span<double> next_;     // likewise, if there has been a change
    double& any_next_;           // 1: there has
    Mat3 before_ = Mat3::Zero(); // virial at its start [kJ/mol], in the step that it ends
};

std::unique_ptr<Barostat> make(const SchemeInput& input)
{
    return std::make_unique<Berendsen>(input);
}

} // namespace

BarostatEntry berendsen_barostat()
{
    return {"Berendsen", {.looks_back = true}, make};
}

} // namespace holon
