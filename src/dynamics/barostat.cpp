#include <holon/dynamics/barostat.hpp>

#include <holon/core/units.hpp>

namespace holon {

PressureSettings::PressureSettings(const Parameters& p)
    : type(p.pcoupltype), tau(p.tau_p), interval(static_cast<double>(p.nstpcouple) * p.dt),
      kT(units::boltzmann * std::max(0.0, p.ensemble_temperature))
{
    const auto pressure = [&p](std::size_t k) { return p.ref_p[k] / units::bar_per_kj_per_mol_nm3; };
    const auto softness = [&p](std::size_t k) { return p.compressibility[k] * units::bar_per_kj_per_mol_nm3; };
    switch (type) {
    case CouplingType::isotropic:
        reference.diagonal().setConstant(pressure(0));
        compressibility.diagonal().setConstant(softness(0));
        break;
    case CouplingType::semiisotropic:
    case CouplingType::surface_tension: {
        const bool tension = type == CouplingType::surface_tension;
        if (tension) surface_tension = pressure(0);
        reference.diagonal() = Vec3(pressure(tension ? 1 : 0), pressure(tension ? 1 : 0), pressure(1));
        compressibility.diagonal() = Vec3(softness(0), softness(0), softness(1));
        break;
    }
    case CouplingType::anisotropic:
        for (std::size_t k = 0; k < 3; ++k) {
            constexpr int rows[] = {1, 2, 2}, columns[] = {0, 0, 1};
            reference(static_cast<int>(k), static_cast<int>(k)) = pressure(k);
            reference(rows[k], columns[k]) = reference(columns[k], rows[k]) = pressure(3 + k);
            compressibility(static_cast<int>(k), static_cast<int>(k)) = softness(k);
            compressibility(rows[k], columns[k]) = softness(3 + k);
        }
        break;
    }
}

bool PressureSettings::hydrostatic() const
{
    return surface_tension == 0.0 && reference.isDiagonal(0.0) && reference(0, 0) == reference(1, 1) &&
           reference(1, 1) == reference(2, 2);
}

Mat3 PressureSettings::outside(const Mat3& box) const
{
    Mat3 pressure = reference;
    for (int k = 0; k < 2; ++k) pressure(k, k) -= surface_tension / box(2, 2);
    return pressure;
}

std::array<bool, 3> kept_vectors(const Parameters& parameters, const Box& box)
{
    std::array<bool, 3> kept = {true, true, true};
    if (parameters.pcoupl != "no") {
        const Mat3 soft = PressureSettings(parameters).compressibility;
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i <= k; ++i)
                if (box.master()(k, i) != 0.0 && !soft.row(i).isZero(0.0)) kept[static_cast<std::size_t>(k)] = false;
    }
    const auto& [ax, by, cz, bx, cx, cy] = parameters.deform;
    return {kept[0] && ax == 0.0, kept[1] && by == 0.0 && bx == 0.0, kept[2] && cz == 0.0 && cx == 0.0 && cy == 0.0};
}

PressureWork::PressureWork(const PressureSettings& settings, const SchemeInput& input)
    : hydrostatic_(settings.hydrostatic() ? settings.reference(0, 0) : 0.0), box_(input.box),
      along_the_way_(input.state.declare({.name = "pressure-work", .role = Role::ledger, .values = {0.0}}))
{
}

void PressureWork::add(const PressureSettings& settings, const Mat3& from, const Mat3& to)
{
    if (settings.hydrostatic()) return;
    const auto work = [&](const Mat3& box) {
        const Mat3 strain = box.inverse() * (to - from);
        return box.diagonal().prod() * settings.outside(box).cwiseProduct(strain).sum();
    };
    along_the_way_[0] += 0.5 * (work(from) + work(to));
}

double PressureWork::energy() const
{
    return hydrostatic_ * box_.volume() + along_the_way_[0];
}

} // namespace holon
