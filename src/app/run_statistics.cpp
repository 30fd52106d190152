#include "run_statistics.hpp"

#include <holon/core/error.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/kinetic.hpp>
#include <holon/dynamics/scheme.hpp>

#include <fmt/format.h>

namespace holon {

namespace {

std::string table(const EnergyStatistics& s, const std::optional<double>& conserved_drift)
{
    std::string text = fmt::format("\nStatistics of the {} rows of energy.csv, steps {} to {} ({:g} to {:g} ps):\n"
                                   "  {:<24} {:>18} {:>14} {:>16} {:>16}\n",
                                   s.rows, s.first_step, s.last_step, s.first_time, s.last_time, "", "average", "error",
                                   "rms fluctuation", "drift");
    for (const auto& column : s.columns) {
        const auto unit = column.name.ends_with("_K") ? "K" : column.name.ends_with("_bar") ? "bar" : "kJ/mol";
        const auto name = column.name.substr(0, column.name.find('_'));
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
