#pragma once

#include "bond.hpp"
#include "bond_kernel.hpp"

#include <holon/comm/halo_exchange.hpp>
#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>

#include <span>
#include <vector>

namespace holon {

/// Arrays for kernels have a place for each of n things, and empty ones to fill the last block of eight, of which there
/// is at least one.
constexpr std::size_t places_for(std::size_t n)
{
    constexpr auto lanes = index(bonds::lanes);
    return (n / lanes + 1) * lanes;
}

/// The numbers of these rows, four for each, as kernels take them; null if there are none.
inline double* numbers_in(std::vector<PaddedVec3>& rows)
{
    return rows.empty() ? nullptr : rows.front().value.data();
}

/// Rows a, b and c of the lattice, as kernels take them.
inline std::array<std::int64_t, 9> rows_of(const Box& box)
{
    std::array<std::int64_t, 9> rows{};
    for (std::size_t k = 0; k < rows.size(); ++k)
        rows[k] = box.lattice_vector(static_cast<int>(k / 3))[static_cast<Eigen::Index>(k % 3)];
    return rows;
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
        const auto rows = box != nullptr ? rows_of(*box) : std::array<std::int64_t, 9>{};
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

/// Moves of some atoms [nm, nm/ps], `size` numbers from one to the next.
struct AtomMoves {
    std::span<const std::int32_t> targets; // index of an owned atom, or -1
    const double* moves = nullptr;
    int size = 3;
};

/// Moves atoms, and copies of their `values`, one for each target. Positions with their velocities, if inverse_dt is
/// not 0, or velocities.
inline void move_atoms(Atoms& atoms, bool velocities, double inverse_dt, const AtomMoves& some, IVec3* values)
{
    if (some.targets.empty()) return;
    const bonds::Moves all{.n = std::ssize(some.targets),
                           .moves = some.moves,
                           .size = some.size,
                           .per_unit = 1.0 / (velocities ? velocity_unit : position_unit),
                           .atoms = some.targets.data(),
                           .values = numbers_of(velocities ? atoms.v : atoms.x),
                           .velocities = velocities || inverse_dt == 0.0 ? nullptr : numbers_of(atoms.v),
                           .inverse_dt = inverse_dt,
                           .here = values->data()};
    HOLON_CALL(bonds::apply, all);
}

} // namespace holon
