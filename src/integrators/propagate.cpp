#include <holon/integrators/propagate.hpp>

namespace holon {

namespace {

std::size_t owned(const Atoms& atoms)
{
    return static_cast<std::size_t>(atoms.n_owned);
}

} // namespace

void kick(Atoms& atoms, double dt)
{
    const double scale = dt * force_unit / velocity_unit;
    for (std::size_t i = 0; i < owned(atoms); ++i) {
        const double per_force = scale * atoms.inverse_mass[i];
        for (int k = 0; k < 3; ++k)
            atoms.v[i][k] += round_to_int_clamped(static_cast<double>(atoms.f[i][k]) * per_force);
    }
}

void drift(Atoms& atoms, double dt)
{
    const double scale = dt * velocity_unit / position_unit;
    for (std::size_t i = 0; i < owned(atoms); ++i)
        for (int k = 0; k < 3; ++k) atoms.x[i][k] += round_to_int_clamped(static_cast<double>(atoms.v[i][k]) * scale);
}

} // namespace holon
