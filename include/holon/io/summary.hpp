#pragma once

#include <holon/constraints/diagnosis.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/vec3.hpp>
#include <holon/io/checkpoint.hpp>
#include <holon/io/energy_statistics.hpp>

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
    double time = 0.0;                                     // [ps]
    std::vector<std::pair<std::string, double>> energies;  // key, value [kJ/mol], in the order in which they are shown
    std::vector<std::pair<std::string, double>> by_groups; // likewise, by pairs of energygrps
    double temperature = 0.0;                              // [K]
    double pressure = 0.0;                                 // [bar]
    Mat3 virial = Mat3::Zero();
};

/// The mesh of a run.
struct MeshReport {
    std::string method;                  // esp, spme or ewald
    std::array<int, 3> grid = {0, 0, 0}; // ewald has none
    int width = 0;                       // of the window, in points
    std::array<double, 3> spacing{};     // [nm]
    std::string split;                   // prolate or gaussian
    double split_parameter = 0.0;        // band of the prolate function, or beta [1/nm]
    double window_band = 0.0;            // 0: B-splines
    double split_radius = 0.0;           // where the pair part ends [nm]
    int pair_degree = 0;                 // of the polynomial in r^2 that pairs use
    double expected_error = 0.0;         // relative rms error of the forces
    std::optional<double> measured_error;
};

/// What the ranks send each other at every step: of all ranks together, and of the one that sends most.
struct CommunicationReport {
    struct Sent {
        std::int64_t total = 0, most = 0;
    };
    double halo_width = 0.0;         // of the atoms that need the widest [nm]
    double halo_of_charges = 0.0;    // of those without Lennard-Jones [nm]
    Sent halo_messages, halo_copies; // of one update of the copies; forces come back in as many
    Sent mesh_messages, mesh_bytes;  // of one computation of the long-range forces
    std::int64_t reductions = 0;     // over all ranks, of the whole run
};

/// How unevenly the work of the ranks was shared out: the most of any rank over the mean, minus one.
struct LoadBalanceReport {
    std::string mode;                           // auto, yes or no
    double first = 0.0, last = 0.0, mean = 0.0; // measured first and last, and of the whole run
    std::int64_t moves = 0;                     // of the faces of domains
};

/// What summary.json says about a run. Parts that a run did not come to are left out.
struct Summary {
    std::string program, version;
    std::string status; // finished, stopped or failed
    int ranks = 1;
    InstructionSet instruction_set = InstructionSet::baseline; // of the kernels
    int threads_per_rank = 1;
    std::array<int, 3> domains = {1, 1, 1};
    std::int64_t atoms = 0, constraints = 0, virtual_sites = 0;
    std::int64_t start_step = 0, end_step = 0;
    double wall_s = 0.0, ns_per_day = 0.0; // of the steps: without preparations and the files of the end
    std::optional<std::uint64_t> state_hash;
    std::optional<EnergyReport> initial, final;
    std::optional<EnergyStatistics> statistics;              // of energy.csv
    std::optional<double> conserved_drift;                   // of it [kT/ns per degree of freedom]
    double constraint_length_error = 0.0;                    // max |r^2 - d^2| / (2 d^2)
    double constraint_velocity_error = 0.0;                  // max [1/ps]
    std::int64_t constraint_iterations = 0;                  // most of any solver in any stage
    std::vector<std::pair<std::string, double>> timings;     // stage, wall time [s]
    std::vector<std::pair<std::string, double>> cpu_timings; // stage, CPU time of a rank [s]
    double cpu_s = 0.0;                                      // likewise, of all ranks with their helper threads
    CheckpointStats checkpoint;                              // of all ranks together
    std::optional<MeshReport> mesh;
    std::optional<LoadBalanceReport> load_balance; // of several ranks
    std::optional<CommunicationReport> communication;
    std::vector<ConstraintDiagnosis> constraint_sets; // of each molecule type
    std::string message;                              // why a run failed; empty otherwise
};

/// The text of summary.json.
std::string summary_text(const Summary& summary);

/// Replaces summary.json as a whole. Failure, if that does not work.
void write_summary(const std::string& path, const Summary& summary);

} // namespace holon
