#include <holon/forces/external_forces.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <algorithm>

namespace holon {

namespace {

constexpr double per_volt = 1.602176634e-19 * units::avogadro * 1e-3; // energy of a charge e [kJ/mol]

/// [V/nm]. C. Caleman, D. van der Spoel, Angew. Chem. Int. Ed. 47 (2008) 1417: pulses of a laser.
double at_time(const ElectricField& field, double t)
{
    if (field.sigma <= 0.0) return field.amplitude * portable::cos(field.omega * t);
    const double after = t - field.t0, widths = after / field.sigma;
    return field.amplitude * portable::cos(field.omega * after) * portable::exp(-0.5 * widths * widths);
}

IVec3 rounded(const Vec3& f)
{
    return {round_to_int_clamped(f[0] / force_unit), round_to_int_clamped(f[1] / force_unit),
            round_to_int_clamped(f[2] / force_unit)};
}

} // namespace

ExternalForces::ExternalForces(const Parameters& parameters)
    : parameters_(parameters), has_field_(std::ranges::any_of(parameters.electric_field,
                                                              [](const auto& field) { return field.amplitude != 0.0; }))
{
}

void ExternalForces::set_up(const Atoms& atoms)
{
    accelerated_.clear();
    if (parameters_.accelerated_groups.empty()) return;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i)
        for (const auto& group : parameters_.accelerated_groups)
            if (group.atoms.contains(atoms.id[static_cast<std::size_t>(i)]))
                accelerated_.push_back({i, group.acceleration});
}

std::vector<IVec3> ExternalForces::at(const Atoms& atoms, double t) const
{
    std::vector<IVec3> forces(static_cast<std::size_t>(atoms.n_owned), IVec3::Zero());
    for (const auto& [atom, acceleration] : accelerated_) {
        const auto i = static_cast<std::size_t>(atom);
        forces[i] += rounded(atoms.mass[i] * acceleration);
    }
    if (!has_field_) return forces;
    Vec3 field;
    for (std::size_t k = 0; k < 3; ++k)
        field[static_cast<int>(k)] = per_volt * at_time(parameters_.electric_field[k], t);
    for (std::size_t i = 0; i < forces.size(); ++i) forces[i] += rounded(atoms.charge[i] * field);
    return forces;
}

FixedSum ExternalForces::work(const Atoms& atoms, std::span<const IVec3> start, double t0, double t1) const
{
    const auto before = at(atoms, t0), after = at(atoms, t1);
    FixedSum work;
    for (std::size_t i = 0; i < before.size(); ++i)
        work.add(0.5 * dot(to_real(IVec3(before[i] + after[i]), force_unit),
                           to_real(IVec3(atoms.x[i] - start[i]), position_unit)));
    return work;
}

} // namespace holon
