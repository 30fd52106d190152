#include "influence.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/symmetric_tensor.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

/// k of a mode, in signed numbers.
int signed_mode(int k, int n)
{
    return 2 * k < n + n % 2 ? k : k - n;
}

constexpr double small = 0x1p50; // a sum of this many units, rounded in 64 bits

/// As the kernel does, of any size.
template <class Real>
void add_one_by_one(const influence::Row<Real>& row, ForceSums& sums)
{
    for (std::int64_t i = 0; i < row.n; ++i) {
        const double z = row.first + static_cast<double>(i);
        const double scale = z == 0.0 || z == row.edge ? row.scale : 2.0 * row.scale;
        const double re = row.charges[2 * i], im = row.charges[2 * i + 1];
        const auto share =
            influence::share_of(row.k, z, scale * static_cast<double>(row.values[i]) * (re * re + im * im),
                                static_cast<double>(row.shapes[i]));
        sums.energy[index(EnergyTerm::coulomb_reciprocal)].add(share.energy);
        for_each_place([&](std::size_t place, std::size_t k) { sums.virial[place].add(share.virial[k]); });
    }
}

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
influence::WaveVectors Influence<Real>::wave_vectors(int x, int y) const
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
    const auto vectors = wave_vectors(x, y);
    const double plane = vectors.kx * vectors.kx, most = split_->k_max(),
                 per_charge_scale = 1.0 / charge_scale_; // exact
    const double window = window_factor_[0][index(std::abs(signed_mode(x, n_[0])))] *
                          window_factor_[1][index(std::abs(signed_mode(y, n_[1])))];
    const auto begin = row_of(x, y);
    for (int z = kz_.begin; z < kz_.end; ++z) {
        const auto i = begin + index(z - kz_.begin);
        const double kz = vectors.kz(static_cast<double>(z)), k2 = plane + (vectors.ky * vectors.ky + kz * kz),
                     k = std::sqrt(k2);
        values_[i] = shapes_[i] = Real(0);
        if (k2 == 0.0 || k > most) continue;
        const auto [transform, slope] = split_->transform_and_slope(k);
        values_[i] = static_cast<Real>(factor_ / k2 * transform / volume * (window * window_factor_[2][index(z)]) *
                                       per_charge_scale);
        shapes_[i] = static_cast<Real>((slope - 2.0) / k2);
    }
}

template <class Real>
void Influence<Real>::add_energy_and_virial(std::span<const std::complex<Real>> charges, ForceSums& sums) const
{
    for (int x = 0; x < n_[0]; ++x)
        for (int y = ky_.begin; y < ky_.end; ++y) {
            const auto begin = row_of(x, y);
            const influence::Row<Real> modes{.n = kz_.size(),
                                             .first = static_cast<double>(kz_.begin),
                                             .edge = 0.5 * n_[2],
                                             .charges = reinterpret_cast<const Real*>(charges.data() + begin),
                                             .values = values_.data() + begin,
                                             .shapes = shapes_.data() + begin,
                                             .scale = 0.5 / charge_scale_,
                                             .k = wave_vectors(x, y)};
            influence::Sums of_row;
            HOLON_CALL(influence::sums, modes, of_row);
            if (!(of_row.bound < small)) {
                add_one_by_one(modes, sums);
                continue;
            }
            sums.energy[index(EnergyTerm::coulomb_reciprocal)] += FixedSum::from_raw(of_row.energy);
            for_each_place(
                [&](std::size_t place, std::size_t k) { sums.virial[place] += FixedSum::from_raw(of_row.virial[k]); });
        }
}

template class Influence<float>;
template class Influence<double>;

} // namespace holon
