#include "influence.hpp"

#include <holon/core/index.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace holon {

namespace {

/// k of a mode, in signed numbers.
int signed_mode(int k, int n)
{
    return 2 * k < n + n % 2 ? k : k - n;
}

/// Sums of numbers that are rounded one by one [energy_unit], in 64 bits: a number that is added to this one is rounded
/// as llrint() rounds it, for as long as it is below 2^50.
class RoundedSum {
public:
    void add(double units)
    {
        sum_ += std::bit_cast<std::int64_t>(units + rounder) - std::bit_cast<std::int64_t>(rounder);
    }
    FixedSum value() const { return FixedSum::from_raw(sum_); }

private:
    static constexpr double rounder = 0x1.8p52;
    std::int64_t sum_ = 0;
};

constexpr double small = 0x1p50; // what a row may come to in RoundedSum

} // namespace

template <class Real>
Influence<Real>::Influence(std::shared_ptr<const EwaldSplit> split, const Window& window, const Modes& modes,
                           double factor, double charge_scale)
    : split_(std::move(split)), n_(modes.n), ky_(modes.ky), kz_(modes.kz), factor_(factor), charge_scale_(charge_scale)
{
    for (std::size_t k = 0; k < 3; ++k)
        for (int m = 0; m <= n_[k] / 2; ++m)
            window_factor_[k].push_back(1.0 / (window.transform(m, n_[k]) * window.transform(m, n_[k])));
    const auto per_row = index(kz_.size());
    values_.resize(index(n_[0]) * index(ky_.size()) * per_row);
    shapes_.resize(values_.size());
}

/// The inverse of a box is lower triangular, as the box is. The order of these operations is that of all modes.
template <class Real>
typename Influence<Real>::Row Influence<Real>::row(int x, int y) const
{
    const double mx = signed_mode(x, n_[0]), my = signed_mode(y, n_[1]);
    return {2.0 * units::pi * (inverse_(0, 0) * mx), 2.0 * units::pi * (inverse_(1, 0) * mx + inverse_(1, 1) * my),
            inverse_(2, 0) * mx, inverse_(2, 1) * my, inverse_(2, 2)};
}

template <class Real>
void Influence<Real>::follow(const Box& box)
{
    inverse_ = box.inverse();
    const double volume = box.volume();
    // Rows of -x are those of x where no other vector of the box leans along x, and so with y.
    const bool x_stands = inverse_(1, 0) == 0.0 && inverse_(2, 0) == 0.0;
    const bool y_stands = inverse_(1, 0) == 0.0 && inverse_(2, 1) == 0.0;
    const auto copy = [this](auto& numbers, std::size_t from, std::size_t to) {
        std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(from), kz_.size(),
                    numbers.begin() + static_cast<std::ptrdiff_t>(to));
    };
    for (int x = 0; x < n_[0]; ++x)
        for (int y = ky_.begin; y < ky_.end; ++y) {
            int from_x = x, from_y = y;
            if (x_stands && signed_mode(x, n_[0]) < 0) from_x = n_[0] - x;
            if (y_stands && signed_mode(y, n_[1]) < 0 && n_[1] - y >= ky_.begin) from_y = n_[1] - y;
            if (from_x == x && from_y == y) {
                follow_row(x, y, volume);
                continue;
            }
            copy(values_, row_of(from_x, from_y), row_of(x, y));
            copy(shapes_, row_of(from_x, from_y), row_of(x, y));
        }
}

template <class Real>
void Influence<Real>::follow_row(int x, int y, double volume)
{
    const auto at = row(x, y);
    const double plane = at.kx * at.kx, most = split_->k_max();
    const double window = window_factor_[0][index(std::abs(signed_mode(x, n_[0])))] *
                          window_factor_[1][index(std::abs(signed_mode(y, n_[1])))];
    const auto begin = row_of(x, y);
    for (int z = kz_.begin; z < kz_.end; ++z) {
        const auto i = begin + index(z - kz_.begin);
        const double kz = at.kz(z), k2 = plane + (at.ky * at.ky + kz * kz), k = std::sqrt(k2);
        values_[i] = shapes_[i] = Real(0);
        if (k2 == 0.0 || k > most) continue;
        values_[i] = static_cast<Real>(factor_ / k2 * split_->transform(k) / volume *
                                       (window * window_factor_[2][index(z)]) / charge_scale_);
        shapes_[i] = static_cast<Real>((split_->transform_slope(k) - 2.0) / k2);
    }
}

template <class Real>
void Influence<Real>::add_energy_and_virial(std::span<const std::complex<Real>> charges, ForceSums& sums) const
{
    const double scale = 0.5 / charge_scale_;
    for (int x = 0; x < n_[0]; ++x)
        for (int y = ky_.begin; y < ky_.end; ++y) {
            const auto at = row(x, y);
            const auto begin = row_of(x, y);
            const auto for_each = [&](auto use) {
                for (int z = kz_.begin; z < kz_.end; ++z) {
                    const auto i = begin + index(z - kz_.begin);
                    // Of k and -k, which a real transform leaves out, each.
                    const double weight = z == 0 || 2 * z == n_[2] ? 1.0 : 2.0;
                    const double re = charges[i].real(), im = charges[i].imag();
                    const double energy = scale * weight * static_cast<double>(values_[i]) * (re * re + im * im);
                    use(energy, static_cast<double>(shapes_[i]), at.kz(z));
                }
            };
            double largest = 0.0; // NaN if any is
            for_each([&](double energy, double shape, double kz) {
                largest += energy * (1.0 + std::abs(shape) * (at.kx * at.kx + (at.ky * at.ky + kz * kz)));
            });
            const auto each = [&](double energy, double shape, double kz, const auto& add) {
                const double of_shape = -0.5 * energy * shape, along = -0.5 * energy;
                const std::array k = {at.kx, at.ky, kz};
                add(9, energy);
                for (std::size_t a = 0; a < 3; ++a)
                    for (std::size_t b = 0; b <= a; ++b)
                        add(3 * a + b, (a == b ? along : 0.0) + of_shape * (k[a] * k[b]));
            };
            std::array<FixedSum, 10> of_row;
            if (largest * (1.0 / energy_unit) < small) [[likely]] {
                std::array<RoundedSum, 10> rounded;
                for_each([&](double energy, double shape, double kz) {
                    each(energy, shape, kz,
                         [&](std::size_t to, double value) { rounded[to].add(value * (1.0 / energy_unit)); });
                });
                for (std::size_t k = 0; k < of_row.size(); ++k) of_row[k] = rounded[k].value();
            } else {
                for_each([&](double energy, double shape, double kz) {
                    each(energy, shape, kz, [&](std::size_t to, double value) { of_row[to].add(value); });
                });
            }
            sums.energy[index(EnergyTerm::coulomb_reciprocal)] += of_row[9];
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b)
                    sums.virial[3 * a + b] += of_row[3 * std::max(a, b) + std::min(a, b)];
        }
}

template class Influence<float>;
template class Influence<double>;

} // namespace holon
