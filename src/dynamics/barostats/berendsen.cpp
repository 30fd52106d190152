#include <holon/core/index.hpp>
#include <holon/dynamics/barostat.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

/// Weak coupling: H. J. C. Berendsen et al., J. Chem. Phys. 81, 3684 (1984). Relaxes the pressure; the volume
/// fluctuates less than in any ensemble. What positions cost is booked by the virials before and after, the first half
/// of it once the step before has been measured.
///
/// That misses dt^2/6 of the second derivative of the forces in time: nothing on average, unless the change answers to
/// the very vibrations that make it. So the pressure that decides is one that was seen so long ago that these have
/// passed, right after a change, for which the virial is at hand.
class Berendsen : public Barostat {
public:
    explicit Berendsen(const SchemeInput& input)
        : settings_(input.parameters),
          given_(input.state.declare({.name = "barostat-work", .role = Role::ledger, .values = {0.0}})),
          last_(input.state.declare({.name = "barostat-last", .role = Role::ledger, .values = std::vector(9, 0.0)}))
    {
        // Any later, and the box swings up where matter is 20 times as stiff as `compressibility` says.
        const double ago = std::min(vibrations, settings_.tau / 64.0); // [ps]
        n_waiting_ = static_cast<std::int64_t>(std::clamp(std::ceil(ago / settings_.interval), 1.0, most_waiting));
        waiting_ =
            input.state.declare({.name = "barostat-waiting", .values = std::vector(1 + 9 * index(n_waiting_), 0.0)});
    }

    void decide(const PressureState& state) override
    {
        const bool waited = waiting_[0] >= static_cast<double>(n_waiting_); // at first there is no past
        last() = waited ? Mat3(first_waiting()) : strain_by(state);
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
        first_waiting() = strain_by(state);
        waiting_[0] += 1.0;
    }

    double stored_energy() const override { return -given_[0]; }

private:
    static constexpr double vibrations = 0.03; // [ps], of water, until they have forgotten themselves
    static constexpr double most_waiting = 16; // all are in each checkpoint

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
    Eigen::Map<Mat3> first_waiting()
    {
        const auto place = static_cast<std::int64_t>(waiting_[0]) % n_waiting_;
        return Eigen::Map<Mat3>(waiting_.subspan(1 + 9 * index(place)).data());
    }

    PressureSettings settings_;
    std::span<double> given_;    // potential energy [kJ/mol]
    std::span<double> last_;     // strain
    std::int64_t n_waiting_;     // strains that are decided on and have not come about
    std::span<double> waiting_;  // how many have been decided on, and a ring of those
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
