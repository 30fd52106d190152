#include <holon/io/summary.hpp>

#include <holon/core/state_hash.hpp>
#include <holon/io/atomic_file.hpp>

#include <nlohmann/json.hpp>

namespace holon {

namespace {

using Json = nlohmann::ordered_json;

Json object_of(const std::vector<std::pair<std::string, double>>& values)
{
    auto object = Json::object();
    for (const auto& [key, value] : values) object[key] = value;
    return object;
}

Json report_of(const EnergyReport& report)
{
    auto virial = Json::array();
    for (int i = 0; i < 3; ++i) virial.push_back({report.virial(i, 0), report.virial(i, 1), report.virial(i, 2)});
    Json json = {{"step", report.step},
                 {"time_ps", report.time},
                 {"energies_kJ_per_mol", object_of(report.energies)},
                 {"temperature_K", report.temperature},
                 {"pressure_bar", report.pressure},
                 {"virial_kJ_per_mol", virial}};
    if (!report.by_groups.empty()) json["group_energies_kJ_per_mol"] = object_of(report.by_groups);
    return json;
}

Json statistics_of(const EnergyStatistics& statistics, const std::optional<double>& conserved_drift)
{
    Json json = {{"rows", statistics.rows},
                 {"first_step", statistics.first_step},
                 {"last_step", statistics.last_step},
                 {"columns", Json::object()}};
    for (const auto& column : statistics.columns) {
        Json& entry = json["columns"][column.name];
        entry = {{"mean", column.mean}, {"rms_fluctuation", column.rms_fluctuation}, {"drift_per_ps", column.drift}};
        if (column.error) entry["error"] = *column.error;
    }
    if (conserved_drift) json["conserved_drift_kT_per_ns_per_dof"] = *conserved_drift;
    return json;
}

Json constraints_of(const ConstraintDiagnosis& d)
{
    Json json = {{"molecule_type", d.molecule_type}, {"molecules", d.molecules},
                 {"constraints", d.constraints},     {"rank", d.rank},
                 {"rigid_waters", d.rigid_waters},   {"clusters", d.clusters}};
    if (d.clusters == 0) return json;
    json["smallest_cluster"] = d.smallest_cluster;
    json["largest_cluster"] = d.largest_cluster;
    json["lincs_spectral_radius"] = d.lincs_radius;
    return json;
}

Json mesh_of(const MeshReport& mesh)
{
    Json json = {{"method", mesh.method},
                 {"split", {{"kind", mesh.split}, {mesh.split == "prolate" ? "band" : "beta", mesh.split_parameter}}},
                 {"split_radius_nm", mesh.split_radius},
                 {"pair_polynomial_degree", mesh.pair_degree}};
    if (mesh.method == "ewald") return json;
    json["grid"] = mesh.grid;
    json["grid_points"] = std::int64_t{mesh.grid[0]} * mesh.grid[1] * mesh.grid[2];
    json["spacing_nm"] = mesh.spacing;
    json["width"] = mesh.width;
    if (mesh.window_band > 0.0) json["window_band"] = mesh.window_band;
    json["expected_error"] = mesh.expected_error;
    if (mesh.measured_error) json["measured_error"] = *mesh.measured_error;
    return json;
}

Json sent_of(const CommunicationReport::Sent& sent)
{
    return {{"total", sent.total}, {"most", sent.most}};
}

} // namespace

std::string summary_text(const Summary& s)
{
    Json json = {{"program", s.program},
                 {"version", s.version},
                 {"status", s.status},
                 {"ranks", s.ranks},
                 {"instruction_set", name_of(s.instruction_set)},
                 {"threads_per_rank", s.threads_per_rank},
                 {"domains", s.domains},
                 {"atoms", s.atoms},
                 {"constraints", s.constraints},
                 {"virtual_sites", s.virtual_sites},
                 {"start_step", s.start_step},
                 {"end_step", s.end_step},
                 {"wall_s", s.wall_s},
                 {"cpu_s", s.cpu_s},
                 {"ns_per_day", s.ns_per_day}};
    if (s.state_hash) json["state_hash"] = state_hash_text(*s.state_hash);
    if (s.initial) json["initial"] = report_of(*s.initial);
    if (s.final) json["final"] = report_of(*s.final);
    if (s.statistics) json["statistics"] = statistics_of(*s.statistics, s.conserved_drift);
    if (!s.constraint_sets.empty()) {
        json["constraint_sets"] = Json::array();
        for (const auto& set : s.constraint_sets) json["constraint_sets"].push_back(constraints_of(set));
    }
    json["constraint_error"] = {{"length_max_relative", s.constraint_length_error},
                                {"velocity_max_per_ps", s.constraint_velocity_error},
                                {"iterations_max", s.constraint_iterations}};
    if (s.mesh) json["mesh"] = mesh_of(*s.mesh);
    json["timings_s"] = object_of(s.timings);
    json["cpu_timings_s"] = object_of(s.cpu_timings);
    if (s.load_balance)
        json["load_balance"] = {{"mode", s.load_balance->mode},
                                {"moves", s.load_balance->moves},
                                {"imbalance_first", s.load_balance->first},
                                {"imbalance_last", s.load_balance->last},
                                {"imbalance_mean", s.load_balance->mean}};
    if (s.communication)
        json["communication"] = {{"halo_width_nm", s.communication->halo_width},
                                 {"halo_of_charges_nm", s.communication->halo_of_charges},
                                 {"halo_messages", sent_of(s.communication->halo_messages)},
                                 {"halo_copies", sent_of(s.communication->halo_copies)},
                                 {"mesh_messages", sent_of(s.communication->mesh_messages)},
                                 {"mesh_bytes", sent_of(s.communication->mesh_bytes)},
                                 {"reductions", s.communication->reductions}};
    json["checkpoint"] = {{"written", s.checkpoint.written},
                          {"blocked_s", s.checkpoint.blocked_s},
                          {"bytes_per_step", s.checkpoint.bytes_per_step},
                          {"pack_s", s.checkpoint.pack_s},
                          {"helper_cpu_s", s.checkpoint.helper_cpu_s}};
    if (!s.message.empty()) json["message"] = s.message;
    // Texts from the system may not be UTF-8; that must not keep the summary from being written.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_summary(const std::string& path, const Summary& summary)
{
    write_file_atomically(path, summary_text(summary));
}

} // namespace holon
