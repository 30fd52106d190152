#pragma once

#include "bond.hpp"
#include "bond_kernel.hpp"

#include <holon/core/instruction_sets.hpp>

#include <vector>

namespace holon {

/// Arrays for kernels have a place for each of n things, and empty ones to fill the last block of eight, of which there
/// is at least one.
constexpr std::size_t places_for(std::size_t n)
{
    constexpr auto lanes = static_cast<std::size_t>(bonds::lanes);
    return (n / lanes + 1) * lanes;
}

/// A vector for each place, x, y and z apart, as the kernels of constraints take them.
class BondVectors {
public:
    void resize(std::size_t n_places)
    {
        n_ = n_places;
        values_.assign(3 * n_places, 0.0);
    }
    Vec3 operator[](std::size_t k) const { return {values_[k], values_[n_ + k], values_[2 * n_ + k]}; }
    double* data() { return values_.data(); }
    const double* data() const { return values_.data(); }

    /// to - from for each place, whose empty ones have the same atom twice: nearest images [nm], given the box of
    /// positions, or velocities [nm/ps].
    void set(const std::vector<IVec3>& values, const std::vector<std::int32_t>& from,
             const std::vector<std::int32_t>& to, const Box* box)
    {
        if (values.empty()) return;
        std::array<std::int64_t, 9> rows{};
        for (std::size_t k = 0; k < rows.size() && box != nullptr; ++k)
            rows[k] = box->lattice_vector(static_cast<int>(k / 3))[static_cast<Eigen::Index>(k % 3)];
        const bonds::Differences differences{.n = static_cast<std::int64_t>(n_),
                                             .values = numbers_of(values),
                                             .from = from.data(),
                                             .to = to.data(),
                                             .box = box != nullptr ? rows.data() : nullptr,
                                             .unit = box != nullptr ? position_unit : velocity_unit};
        HOLON_CALL(bonds::set_vectors, differences, data());
    }

    /// Largest |a.b - wanted| x weight; `wanted` may be null: 0.
    static double largest_error(const BondVectors& a, const BondVectors& b, const std::vector<double>* wanted,
                                const std::vector<double>& weight)
    {
        return HOLON_CALL(bonds::largest_error, static_cast<std::int64_t>(a.n_), a.data(), b.data(),
                          wanted != nullptr ? wanted->data() : nullptr, weight.data());
    }

private:
    std::size_t n_ = 0;
    std::vector<double> values_;
};

} // namespace holon
