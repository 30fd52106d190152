#pragma once

#include <holon/core/box.hpp>
#include <holon/mesh/ewald_split.hpp>
#include <holon/mesh/window.hpp>
#include <holon/system/energies.hpp>

#include "fourier_grid.hpp"
#include "influence_kernel.hpp"

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <vector>

namespace holon {

/// What the modes of charges on a grid are multiplied with to be those of the potential, for the modes of one rank.
/// A box that follows a pressure asks for it anew every few steps, and for the virial as often: both are lines of
/// numbers along z.
template <class Real>
class Influence {
public:
    /// Modes [x][y][z] of one rank.
    struct Modes {
        std::array<int, 3> n; // of the grid
        Range ky, kz;         // y and z of this rank; of a real transform, z >= 0
    };

    /// `factor`: 4 pi times Coulomb's [kJ/mol nm/e^2]. The grid counts charges, and the potential times that, in units
    /// of 1 / `charge_scale`, a power of two.
    Influence(std::shared_ptr<const EwaldSplit> split, const Window& window, const Modes& modes, double factor,
              double charge_scale);

    void follow(const Box& box);

    /// Potential per charge, both as the grid counts them [kJ/mol/e].
    std::span<const Real> values() const { return values_; }

    /// E_k and -1/2 V P_ab with V P_ab = sum_k E_k [delta_ab + (k chi'/chi - 2) k_a k_b / k^2], of the modes of the
    /// charges.
    void add_energy_and_virial(std::span<const std::complex<Real>> charges, ForceSums& sums) const;

private:
    std::size_t row_of(int x, int y) const
    {
        return (static_cast<std::size_t>(x) * static_cast<std::size_t>(ky_.size()) +
                static_cast<std::size_t>(y - ky_.begin)) *
               static_cast<std::size_t>(kz_.size());
    }
    influence::WaveVectors wave_vectors(int x, int y) const;
    void follow_row(int x, int y, double volume);

    std::shared_ptr<const EwaldSplit> split_;
    std::array<int, 3> n_;
    Range ky_, kz_;
    double factor_, charge_scale_;
    std::array<std::vector<double>, 3> window_factor_; // 1 / w^2 of the window's transform w, by |mode|
    Mat3 inverse_ = Mat3::Zero();                      // of the box [1/nm]
    std::vector<Real> values_;
    std::vector<Real> shapes_; // (k chi'/chi - 2) / k^2 [nm^2]
};

} // namespace holon
