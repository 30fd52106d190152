#include <holon/integrators/propagate.hpp>

#include "owned_atoms.hpp"

#include <algorithm>

namespace holon {

void kick(Atoms& atoms, double dt)
{
    const double scale = dt * force_unit / velocity_unit;
    for_each_owned(atoms, [&](std::size_t i) {
        const double per_force = scale * atoms.inverse_mass[i];
        for (int k = 0; k < 3; ++k)
            atoms.v[i][k] += round_to_int_clamped(static_cast<double>(atoms.f[i][k]) * per_force);
    });
}

void drift(Atoms& atoms, double dt)
{
    const double scale = dt * velocity_unit / position_unit;
    for_each_owned(atoms, [&](std::size_t i) {
        for (int k = 0; k < 3; ++k) atoms.x[i][k] += round_to_int_clamped(static_cast<double>(atoms.v[i][k]) * scale);
    });
}

void keep_reference(Atoms& atoms)
{
    atoms.x_ref.resize(atoms.x.size());
    parallel_for(atoms.x.size(), few_atoms, [&](std::size_t begin, std::size_t end) {
        std::copy_n(atoms.x.data() + begin, end - begin, atoms.x_ref.data() + begin);
    });
}

void scale_velocities(Atoms& atoms, std::span<const double> of_group)
{
    for_each_owned(atoms, [&](std::size_t i) {
        for (int k = 0; k < 3; ++k)
            atoms.v[i][k] = round_to_int_clamped(static_cast<double>(atoms.v[i][k]) * of_group[atoms.tc_group[i]]);
    });
}

} // namespace holon
