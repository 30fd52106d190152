#include "run_statistics.hpp"

#include <holon/core/error.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/kinetic.hpp>
#include <holon/dynamics/scheme.hpp>

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace holon {

namespace {

/// Of a column of energy.csv, whose name ends in its unit, if that is not kJ/mol: temperature_K.
std::pair<std::string, std::string_view> name_and_unit(const std::string& column)
{
    constexpr std::pair<std::string_view, std::string_view> units_of[] = {
        {"_K", "K"}, {"_bar", "bar"}, {"_nm", "nm"}, {"_nm3", "nm^3"}, {"_kg_m3", "kg/m^3"}};
    const bool of_groups = column.find(':') != std::string::npos; // whose names may be any
    for (const auto& [ending, unit] : units_of)
        if (!of_groups && column.ends_with(ending)) return {column.substr(0, column.size() - ending.size()), unit};
    return {column, "kJ/mol"};
}

std::string table(const EnergyStatistics& s, const std::optional<double>& conserved_drift)
{
    std::string text = fmt::format("\nStatistics of the {} rows of energy.csv, steps {} to {} ({:g} to {:g} ps):\n"
                                   "  {:<24} {:>18} {:>14} {:>16} {:>16}\n",
                                   s.rows, s.first_step, s.last_step, s.first_time, s.last_time, "", "average", "error",
                                   "rms fluctuation", "drift");
    for (const auto& column : s.columns) {
        const auto [name, unit] = name_and_unit(column.name);
        text += fmt::format("  {:<24} {:>18.6g} {:>14} {:>16.6g} {:>16.6g} {}\n", name, column.mean,
                            column.error ? fmt::format("{:.2g}", *column.error) : "-", column.rms_fluctuation,
                            column.drift * (s.last_time - s.first_time), unit);
    }
    text +=
        "  error: of the average, from block averages; drift: of the straight line that fits best, over that time\n";
    if (conserved_drift)
        text += fmt::format("  The conserved energy drifts by {:.3g} kT/ns per degree of freedom\n", *conserved_drift);
    return text;
}

} // namespace

std::string add_statistics(const std::string& path, const System& system, const Parameters& parameters,
                           Summary& summary)
{
    if (scheme_entry(parameters.integrator).traits.minimises) return {};
    try {
        const auto& s = summary.statistics.emplace(energy_statistics(path));
        const double dof = count_degrees_of_freedom(system.topology(), parameters).total;
        const auto *conserved = s.find("conserved"), *temperature = s.find("temperature_K");
        if (s.rows > 1 && conserved != nullptr && temperature != nullptr && temperature->mean > 0.0 && dof > 0.0)
            summary.conserved_drift = 1e3 * conserved->drift / (units::boltzmann * temperature->mean * dof);
        return table(s, summary.conserved_drift);
    } catch (const Failure& failure) {
        summary.statistics.reset();
        return std::string("No statistics: ") + failure.what();
    }
}

} // namespace holon
