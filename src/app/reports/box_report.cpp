#include "box_report.hpp"

#include <holon/core/index.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/barostat.hpp>

#include <array>
#include <fmt/format.h>

namespace holon {

BoxReport::BoxReport(const Topology& topology, const Parameters& parameters) : parameters_(parameters)
{
    for (const auto& block : topology.blocks) {
        double molecule = 0.0;
        for (const auto& atom : topology.molecule_types[index(block.type)].atoms) molecule += atom.mass;
        mass_ += static_cast<double>(block.count) * molecule;
    }
}

std::vector<std::pair<std::string, double>> BoxReport::values(const Measurement& m) const
{
    std::vector<std::pair<std::string, double>> values;
    constexpr std::array<std::pair<int, int>, 6> elements = {{{0, 0}, {1, 1}, {2, 2}, {1, 0}, {2, 0}, {2, 1}}};
    constexpr std::array axes = {'x', 'y', 'z'};
    const auto add = [&](const std::string& name, const char* unit, const Mat3& matrix) {
        for (const auto& [i, j] : elements)
            values.emplace_back(fmt::format("{}_{}{}_{}", name, axes[index(i)], axes[index(j)], unit), matrix(i, j));
    };
    add("pressure", "bar", m.pressure);
    if (!parameters_.changes_box()) return values;
    const double volume = m.box.diagonal().prod();
    if (parameters_.pcoupl != "no") {
        const PressureSettings settings(parameters_);
        const double p_v =
            settings.outside(m.box + Mat3::Identity() * (volume > 0.0 ? 0.0 : 1.0)).trace() / 3.0 * volume;
        values.emplace_back("group_pressure_bar", m.group_pressure.trace() / 3.0);
        values.emplace_back("pV", p_v);
        values.emplace_back("enthalpy", m.forces.potential + m.kinetic + p_v);
    }
    values.emplace_back("volume_nm3", volume);
    values.emplace_back("density_kg_m3", volume > 0.0 ? mass_ / volume * units::kg_per_m3 : 0.0);
    add("box", "nm", m.box);
    return values;
}

} // namespace holon
