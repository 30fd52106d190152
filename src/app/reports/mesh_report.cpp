#include "mesh_report.hpp"

#include <holon/core/index.hpp>

#include <cmath>
#include <fmt/format.h>

namespace holon {

std::string mesh_text(const MeshReport& mesh)
{
    const auto split =
        (mesh.split == "prolate" ? fmt::format("prolate split of band {:.4g}", mesh.split_parameter)
                                 : fmt::format("Gaussian split, beta = {:.5g}/nm", mesh.split_parameter)) +
        fmt::format(", pairs up to {:.4g} nm", mesh.split_radius);
    if (mesh.method == "ewald") return fmt::format("Electrostatics: plain Ewald sum, {}", split);
    const auto window = mesh.window_band > 0.0 ? fmt::format("prolate window of band {:.4g}", mesh.window_band)
                                               : std::string("B-splines");
    auto text = fmt::format("Electrostatics: {} on {} x {} x {} points, {:.3f} x {:.3f} x {:.3f} nm apart; {}; {} of "
                            "{} points; relative rms force error: {:.1e} expected",
                            mesh.method, mesh.grid[0], mesh.grid[1], mesh.grid[2], mesh.spacing[0], mesh.spacing[1],
                            mesh.spacing[2], split, window, mesh.width, mesh.expected_error);
    if (mesh.measured_error) text += fmt::format(", {:.1e} measured", *mesh.measured_error);
    return text;
}

std::optional<MeshReport> mesh_report(System& system, const Parameters& parameters)
{
    const auto* settings = system.force_field().mesh_settings();
    if (settings == nullptr) return std::nullopt;
    MeshReport report;
    const bool prolate = settings->kind == MeshKind::esp;
    report.method = parameters.coulomb == CoulombKind::ewald ? "ewald" : prolate ? "esp" : "spme";
    report.split = prolate ? "prolate" : "gaussian";
    report.split_parameter = settings->split_parameter;
    report.split_radius = settings->pair.cutoff;
    report.pair_degree = static_cast<int>(settings->pair.force.size()) - 1;
    if (parameters.coulomb == CoulombKind::ewald) return report;
    report.grid = settings->grid;
    report.width = settings->window->width();
    for (int k = 0; k < 3; ++k) {
        const auto a = index(k);
        report.spacing[a] = system.box().vectors().row(k).norm() / report.grid[a];
    }
    report.window_band = settings->window_band;
    report.expected_error = settings->expected_error;
    if (const double error = system.mesh_error(); !std::isnan(error)) report.measured_error = error;
    return report;
}

} // namespace holon
