#include <holon/core/units.hpp>
#include <holon/dynamics/barostat.hpp>

namespace holon {

namespace {

/// M. Parrinello, A. Rahman, J. Appl. Phys. 52, 7182 (1981): the box vectors have masses, such that tau-p is the period
/// of their motion, and groups that are at rest in the box have no velocity. Elements that pcoupltype ties together are
/// one variable: the box is a combination of `shapes_`, and the force on a variable that on the elements of its shape.
/// The box moves in the middle between two kicks, and its energy is that of the velocity where it stands: with half of
/// the last kick, and once it has moved, with half of another one.
class ParrinelloRahman : public Barostat {
public:
    explicit ParrinelloRahman(const SchemeInput& input)
        : settings_(input.parameters), work_(settings_, input),
          start_(input.state.declare({.name = "barostat-box", .values = elements(input.box.master())}))
    {
        Mat3 start;
        for (int k = 0; k < 9; ++k) start(k / 3, k % 3) = start_[static_cast<std::size_t>(k)];
        const double longest = start.maxCoeff();
        const double softness_to_mass = 3.0 * settings_.tau * settings_.tau * longest / (4.0 * units::pi * units::pi);
        const auto add = [&](const Mat3& shape, const Mat3& inert, double softness) {
            if (softness == 0.0) return;
            shapes_.push_back(shape);
            masses_.push_back(inert.cwiseProduct(inert).sum() * softness_to_mass / softness);
        };
        const Mat3 diagonal = start.diagonal().asDiagonal();
        const auto columns = [](Mat3 matrix, int begin, int end) {
            for (int k = 0; k < 3; ++k)
                if (k < begin || k >= end) matrix.col(k).setZero();
            return matrix;
        };
        const auto& soft = settings_.compressibility;
        if (settings_.type == CouplingType::isotropic) {
            add(start, diagonal, soft(0, 0));
        } else if (settings_.type != CouplingType::anisotropic) {
            add(columns(start, 0, 2), columns(diagonal, 0, 2), soft(0, 0));
            add(columns(start, 2, 3), columns(diagonal, 2, 3), soft(2, 2));
        } else {
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j <= i; ++j) {
                    Mat3 element = Mat3::Zero();
                    element(i, j) = 1.0;
                    add(element, element, soft(i, j));
                }
        }
        rates_ = input.state.declare(
            {.name = "box-velocity", .parity = Parity::odd, .values = std::vector(shapes_.size(), 0.0)});
        now_ = input.state.declare(
            {.name = "box-velocity-now", .role = Role::ledger, .values = std::vector(shapes_.size(), 0.0)});
    }

    void decide(const PressureState& state) override
    {
        const Mat3 force =
            state.volume * state.box.inverse().transpose() * (state.pressure - settings_.outside(state.box));
        for (std::size_t c = 0; c < shapes_.size(); ++c) {
            const double before = rates_[c];
            rates_[c] += settings_.interval * shapes_[c].cwiseProduct(force).sum() / masses_[c];
            now_[c] = 0.5 * (before + rates_[c]);
        }
    }

    BoxChange change(const Mat3& box) override
    {
        Mat3 to = box;
        for (std::size_t c = 0; c < shapes_.size(); ++c) {
            now_[c] = 2.0 * rates_[c] - now_[c];
            to += settings_.interval * rates_[c] * shapes_[c];
        }
        work_.add(settings_, box, to);
        return {to, to.inverse() * box};
    }

    double stored_energy() const override
    {
        double energy = work_.energy();
        for (std::size_t c = 0; c < shapes_.size(); ++c) energy += 0.5 * masses_[c] * now_[c] * now_[c];
        return energy;
    }

private:
    static std::vector<double> elements(const Mat3& matrix)
    {
        std::vector<double> list;
        for (int k = 0; k < 9; ++k) list.push_back(matrix(k / 3, k % 3));
        return list;
    }

    PressureSettings settings_;
    PressureWork work_;
    std::span<double> start_;    // box of the start of the run, rows [nm]
    std::vector<Mat3> shapes_;   // [nm], or 1 for a single element
    std::vector<double> masses_; // of the variables
    std::span<double> rates_;    // of the variables, half an interval before or after an action
    std::span<double> now_;      // the same, of the box as it stands
};

std::unique_ptr<Barostat> make(const SchemeInput& input)
{
    return std::make_unique<ParrinelloRahman>(input);
}

} // namespace

BarostatEntry parrinello_rahman_barostat()
{
    return {"Parrinello-Rahman", {.inertia = true, .intervals_per_tau = 200.0}, make};
}

} // namespace holon
