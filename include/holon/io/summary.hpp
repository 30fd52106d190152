#pragma once

#include <holon/core/vec3.hpp>
#include <holon/io/checkpoint.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// Energies and what follows from them at one step. virial: -1/2 sum r (x) f [kJ/mol].
struct EnergyReport {
    std::int64_t step = 0;
    double time = 0.0;                                    // [ps]
    std::vector<std::pair<std::string, double>> energies; // key, value [kJ/mol], in the order in which they are shown
    double temperature = 0.0;                             // [K]
    double pressure = 0.0;                                // [bar]
    Mat3 virial = Mat3::Zero();
};

/// What summary.json says about a run. Parts that a run did not come to are left out.
struct Summary {
    std::string program, version;
    std::string status; // finished, stopped or failed
    int ranks = 1;
    std::array<int, 3> domains = {1, 1, 1};
    std::int64_t atoms = 0, constraints = 0;
    std::int64_t start_step = 0, end_step = 0;
    double wall_s = 0.0, ns_per_day = 0.0;
    std::optional<std::uint64_t> state_hash;
    std::optional<EnergyReport> initial, final;
    double constraint_length_error = 0.0;                // max |r^2 - d^2| / (2 d^2)
    double constraint_velocity_error = 0.0;              // max [1/ps]
    std::vector<std::pair<std::string, double>> timings; // stage, [s]
    CheckpointStats checkpoint;
    std::string message; // why a run failed; empty otherwise
};

/// The text of summary.json.
std::string summary_text(const Summary& summary);

/// Replaces summary.json as a whole. Failure, if that does not work.
void write_summary(const std::string& path, const Summary& summary);

} // namespace holon
