#include <holon/dynamics/barostat.hpp>

namespace holon {

namespace {

/// Weak coupling: H. J. C. Berendsen et al., J. Chem. Phys. 81, 3684 (1984). Relaxes the pressure; the volume
/// fluctuates less than in any ensemble. What positions cost is booked by the pressures before and after.
class Berendsen : public Barostat {
public:
    explicit Berendsen(const SchemeInput& input)
        : settings_(input.parameters),
          given_(input.state.declare({.name = "barostat-work", .role = Role::ledger, .values = {0.0}})),
          last_(input.state.declare({.name = "barostat-last", .role = Role::ledger, .values = std::vector(9, 0.0)}))
    {
    }

    BoxChange change(const PressureState& state) override
    {
        Mat3 pressure = state.pressure;
        if (settings_.type == CouplingType::isotropic) pressure.diagonal().setConstant(pressure.trace() / 3.0);
        if (settings_.type == CouplingType::semiisotropic || settings_.type == CouplingType::surface_tension)
            pressure(0, 0) = pressure(1, 1) = 0.5 * (pressure(0, 0) + pressure(1, 1));
        const Mat3 strain = settings_.interval / (3.0 * settings_.tau) *
                            settings_.compressibility.cwiseProduct(pressure - settings_.outside(state.box));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) last_[static_cast<std::size_t>(3 * i + j)] = strain(i, j);
        book(state);
        return {state.box * (Mat3::Identity() + strain)};
    }

    void note_outcome(const PressureState& state) override { book(state); }

    double stored_energy() const override { return -given_[0]; }

private:
    /// Half of what the last change of positions gives to the potential energy, by the virial at one of its ends.
    void book(const PressureState& state)
    {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) given_[0] += state.virial(i, j) * last_[static_cast<std::size_t>(3 * i + j)];
    }

    PressureSettings settings_;
    std::span<double> given_; // potential energy [kJ/mol]
    std::span<double> last_;  // change
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
