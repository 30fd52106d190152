#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>
#include <holon/mesh/mesh.hpp>

#include <array>
#include <cmath>
#include <complex>

namespace holon {

namespace {

using Complex = std::complex<double>;

class PlainEwald final : public LongRange {
public:
    PlainEwald(Communicator comm, std::shared_ptr<const EwaldSplit> split, const Box& box, double coulomb_factor,
               double k_cutoff)
        : comm_(std::move(comm)), split_(std::move(split)), box_(box), coulomb_factor_(coulomb_factor),
          k_cutoff_(k_cutoff)
    {
        if (k_cutoff_ <= 0.0)
            for (k_cutoff_ = 1.0; split_->transform(k_cutoff_) > 1e-12;) k_cutoff_ *= 1.05;
        follow_box();
    }

    void follow_box() override
    {
        modes_.clear();
        for (int a = 0; a < 3; ++a)
            most_[index(a)] = static_cast<int>(k_cutoff_ * box_.vectors().row(a).norm() / (2.0 * units::pi));
        // One of k and -k each.
        for (int x = 0; x <= most_[0]; ++x)
            for (int y = x == 0 ? 0 : -most_[1]; y <= most_[1]; ++y)
                for (int z = x == 0 && y == 0 ? 1 : -most_[2]; z <= most_[2]; ++z) {
                    const Vec3 k = 2.0 * units::pi * (box_.inverse() * Vec3(x, y, z));
                    const double k2 = k.squaredNorm(), length = std::sqrt(k2);
                    if (length > k_cutoff_ || length > split_->k_max()) continue;
                    modes_.push_back(
                        {{x, y, z},
                         k,
                         4.0 * units::pi * coulomb_factor_ / box_.volume() / k2 * split_->transform(length),
                         (split_->transform_slope(length) - 2.0) / k2});
                }
    }

    void set_up(const Atoms&, double) override {}
    std::int64_t messages() const override { return 0; }
    std::int64_t bytes_sent() const override { return 0; }

    void start(const Atoms& atoms, ForceSums* sums) override
    {
        std::vector<std::array<FixedSum, 2>> rho(modes_.size());
        {
            const auto work = measure_work();
            for_each_phase(atoms, [&](std::size_t i, std::size_t m, Complex phase) {
                rho[m][0].add(atoms.charge[i] * phase.real());
                rho[m][1].add(atoms.charge[i] * phase.imag());
            });
        }
        if (!rho.empty()) comm_.sum(std::span(rho.front().data(), 2 * rho.size()));

        forces_.assign(index(atoms.n_owned), Vec3::Zero());
        const auto work = measure_work();
        for_each_phase(atoms, [&](std::size_t i, std::size_t m, Complex phase) {
            const Complex total(rho[m][0].value(), rho[m][1].value());
            forces_[i] += 2.0 * modes_[m].weight * atoms.charge[i] * std::imag(phase * std::conj(total)) * modes_[m].k;
        });
        if (sums == nullptr || !comm_.root()) return;
        for (std::size_t m = 0; m < modes_.size(); ++m) {
            const auto& mode = modes_[m];
            const double energy = mode.weight * std::norm(Complex(rho[m][0].value(), rho[m][1].value()));
            sums->add(EnergyTerm::coulomb_reciprocal, energy);
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    sums->virial[index(3 * a + b)].add(-0.5 * energy *
                                                       ((a == b ? 1.0 : 0.0) + mode.shape * mode.k[a] * mode.k[b]));
        }
    }

    std::string add_forces(Atoms& atoms) override
    {
        for (std::size_t i = 0; i < forces_.size(); ++i)
            for (int a = 0; a < 3; ++a) atoms.f[i][a] += round_to_int_clamped(forces_[i][a] / force_unit);
        return {};
    }

private:
    struct Mode {
        std::array<int, 3> m;
        Vec3 k;        // [1/nm]
        double weight; // of |rho|^2 in the energy, k and -k together [kJ/mol/e^2]
        double shape;  // V P_ab = E_k (delta_ab + shape k_a k_b) [nm^2]
    };

    /// Calls use(owned atom, mode, exp(i k r)), with powers of one factor per axis.
    template <class Use>
    void for_each_phase(const Atoms& atoms, Use use) const
    {
        std::array<std::vector<Complex>, 3> powers; // m from -most to most
        for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
            IVec3 x = atoms.x[i];
            box_.wrap(x);
            const Vec3 s = box_.fractional(x);
            for (std::size_t a = 0; a < 3; ++a) {
                powers[a].assign(index(2 * most_[a] + 1), 1.0);
                const auto middle = index(most_[a]);
                const auto [sine, cosine] = portable::sine_cosine_of_turns(s[static_cast<int>(a)]);
                const Complex factor(cosine, sine);
                for (std::size_t m = 1; m <= middle; ++m) {
                    powers[a][middle + m] = powers[a][middle + m - 1] * factor;
                    powers[a][middle - m] = std::conj(powers[a][middle + m]);
                }
            }
            for (std::size_t m = 0; m < modes_.size(); ++m) {
                const auto at = [&](std::size_t a) { return powers[a][index(modes_[m].m[a] + most_[a])]; };
                use(i, m, at(0) * at(1) * at(2));
            }
        }
    }

    Communicator comm_;
    std::shared_ptr<const EwaldSplit> split_;
    const Box& box_;
    double coulomb_factor_, k_cutoff_;
    std::array<int, 3> most_{};
    std::vector<Mode> modes_;
    std::vector<Vec3> forces_; // on owned atoms [kJ/mol/nm]
};

} // namespace

std::unique_ptr<LongRange> make_plain_ewald(Communicator comm, std::shared_ptr<const EwaldSplit> split, const Box& box,
                                            double coulomb_factor, double k_cutoff)
{
    return std::make_unique<PlainEwald>(std::move(comm), std::move(split), box, coulomb_factor, k_cutoff);
}

} // namespace holon
