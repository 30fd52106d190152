#include <holon/dynamics/propagate.hpp>

#include "owned_atoms.hpp"
#include "propagate_kernel.hpp"

#include <holon/core/instruction_sets.hpp>

#include <utility>
#include <vector>

namespace holon {

namespace {

void drift_from(const std::vector<IVec3>& start, Atoms& atoms, double dt)
{
    const double scale = dt * velocity_unit / position_unit;
    for_slices_of_owned(atoms, [&](std::size_t begin, std::int64_t n) {
        HOLON_CALL(propagate::drift, n, start[begin].data(), atoms.v[begin].data(), scale, atoms.x[begin].data());
    });
}

} // namespace

void kick(Atoms& atoms, std::span<const IVec3> f, double dt)
{
    const double scale = dt * force_unit / velocity_unit;
    for_slices_of_owned(atoms, [&](std::size_t begin, std::int64_t n) {
        HOLON_CALL(propagate::kick, n, f[begin].data(), &atoms.inverse_mass[begin], scale, atoms.v[begin].data());
    });
}

void drift(Atoms& atoms, double dt)
{
    drift_from(atoms.x, atoms, dt);
}

void drift_from_reference(Atoms& atoms, double dt)
{
    std::swap(atoms.x, atoms.x_ref);
    atoms.x.resize(atoms.x_ref.size());
    drift_from(atoms.x_ref, atoms, dt);
}

void scale_velocities(Atoms& atoms, std::span<const double> of_group)
{
    for_each_owned(atoms, [&](std::size_t i) {
        for (int k = 0; k < 3; ++k)
            atoms.v[i][k] = round_to_int_clamped(static_cast<double>(atoms.v[i][k]) * of_group[atoms.tc_group[i]]);
    });
}

} // namespace holon
