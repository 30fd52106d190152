#include <holon/core/portable_math.hpp>
#include <holon/core/random.hpp>
#include <holon/dynamics/barostat.hpp>

#include <cmath>

namespace holon {

namespace {

/// Stochastic cell rescaling: M. Bernetti, G. Bussi, J. Chem. Phys. 153, 114107 (2020); anisotropic: V. Del Tatto et
/// al., Appl. Sci. 12, 1139 (2022). First-order Langevin dynamics of the box, and the right ensemble.
///
/// Each variable c of the box, the logarithm of its volume, of its area and height, or its elements, takes a step of
///     D_c h V S_c : (P - P0) / kT + sqrt(2 D_c h) xi,   D_c = n_c kT B_c / (3 tau V)
/// where S_c is the strain that it stands for and n_c how many diagonal elements it moves. Since D changes with the
/// volume, the isotropic variable is the root of the volume, with a constant D and kT/(2 V) more of pressure: that
/// step is reversible.
///
/// The effective energy that is conserved is what these steps have made of the probability of the state and would make
/// of it backwards: kT ln of the ratio of the probabilities of a step and of its reversal is taken off. Both ends of a
/// step enter it, so that it is booked in the next step of the system. What in it is but the change of a function of
/// the state, the mean of a step squared over twice its variance, is left out: it is of first order in the interval,
/// and large where the pressure is far off.
class CRescale : public Barostat {
public:
    explicit CRescale(const SchemeInput& input)
        : settings_(input.parameters), work_(settings_, input), random_(input.parameters.ld_seed)
    {
        const auto add = [this](const Mat3& strain, double moved, double softness) {
            if (softness != 0.0)
                variables_.push_back({strain, moved * settings_.kT * softness / (3.0 * settings_.tau)});
        };
        const auto diagonal = [](double x, double y, double z) { return Mat3(Vec3(x, y, z).asDiagonal()); };
        const auto& soft = settings_.compressibility;
        if (settings_.type == CouplingType::isotropic) {
            add(diagonal(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0), 3.0, soft(0, 0));
        } else if (settings_.type != CouplingType::anisotropic) {
            add(diagonal(0.5, 0.5, 0.0), 2.0, soft(0, 0));
            add(diagonal(0.0, 0.0, 1.0), 1.0, soft(2, 2));
        } else {
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j <= i; ++j) {
                    Mat3 element = Mat3::Zero();
                    element(i, j) = 1.0;
                    add(element, 1.0, soft(i, j));
                }
        }
        // Steps and deviates of the last action, the volume before it; all 0: it has been booked.
        last_ = input.state.declare(
            {.name = "barostat-last", .role = Role::ledger, .values = std::vector(2 * variables_.size() + 1, 0.0)});
        effective_ = input.state.declare({.name = "barostat-effective", .role = Role::ledger, .values = {0.0}});
    }

    void decide(const PressureState& state) override
    {
        for (std::size_t c = 0; c < variables_.size(); ++c) {
            const auto block =
                random_(static_cast<std::uint64_t>(state.step), static_cast<std::uint32_t>(c), Stream::barostat, 0);
            const double xi = normal_pair(block)[0];
            last_[2 * c] = drift(c, state) + width(c, state.volume) * xi;
            last_[2 * c + 1] = xi;
        }
        last_[2 * variables_.size()] = state.volume;
    }

    BoxChange change(const Mat3& box) override
    {
        const double volume = last_[2 * variables_.size()];
        Mat3 strain = Mat3::Zero();
        for (std::size_t c = 0; c < variables_.size(); ++c) {
            const double step = last_[2 * c];
            const double logarithm = isotropic() ? 2.0 * portable::log(1.0 + step / std::sqrt(volume)) : step;
            strain += logarithm * variables_[c].strain;
        }
        Mat3 by = strain;
        for (int k = 0; k < 3; ++k) by(k, k) = portable::exp(strain(k, k));
        const Mat3 to = box * by;
        work_.add(settings_, box, to);
        return {to, by.inverse()};
    }

    void note_outcome(const PressureState& state) override
    {
        const double before = last_[2 * variables_.size()];
        if (before == 0.0) return;
        const double growth = portable::log(state.volume / before);
        double of_steps = 0.0; // kT ln of the ratio, over kT
        for (std::size_t c = 0; c < variables_.size(); ++c) {
            const double step = last_[2 * c], xi = last_[2 * c + 1];
            const double from = width(c, before), to = width(c, state.volume);
            of_steps += step * ((step - from * xi) / (from * from) + drift(c, state) / (to * to)) +
                        0.5 * step * step * (1.0 / (to * to) - 1.0 / (from * from));
            if (!isotropic()) of_steps -= 0.5 * growth; // widths
        }
        // The ensemble is flat in the volume, or in lengths: in each variable it is as dense as the volume is large. In
        // the root of the volume, as that is.
        effective_[0] += settings_.kT * (of_steps - (isotropic() ? 0.5 : 1.0) * growth);
        last_[2 * variables_.size()] = 0.0;
    }

    double stored_energy() const override { return work_.energy() + effective_[0]; }

private:
    struct Variable {
        Mat3 strain;   // per unit of it
        double spread; // D times the volume [nm^3/ps]
    };

    bool isotropic() const { return settings_.type == CouplingType::isotropic; }

    /// The mean of a step.
    double drift(std::size_t c, const PressureState& state) const
    {
        const auto& [strain, spread] = variables_[c];
        const Mat3 excess = state.pressure - settings_.outside(state.box);
        const double drive = strain.cwiseProduct(excess).sum() * state.volume / settings_.kT;
        if (isotropic()) return 0.25 * spread * settings_.interval * (2.0 * drive + 1.0) / std::sqrt(state.volume);
        return spread / state.volume * settings_.interval * drive;
    }

    /// Its standard deviation.
    double width(std::size_t c, double volume) const
    {
        const double spread = variables_[c].spread * settings_.interval;
        return std::sqrt(isotropic() ? 0.5 * spread : 2.0 * spread / volume);
    }

    PressureSettings settings_;
    PressureWork work_;
    Philox random_;
    std::vector<Variable> variables_;
    std::span<double> last_, effective_;
};

std::unique_ptr<Barostat> make(const SchemeInput& input)
{
    return std::make_unique<CRescale>(input);
}

} // namespace

BarostatEntry c_rescale_barostat()
{
    return {"C-rescale", {.needs_temperature = true, .looks_back = true}, make};
}

} // namespace holon
