#pragma once

#include <holon/constraints/constraints.hpp>

#include <string>
#include <utility>
#include <vector>

namespace holon {

/// What a benchmark varies.
struct BenchmarkAxes {
    std::vector<std::string> solvers = solver_names();
    std::vector<double> tolerances = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
    std::vector<std::pair<int, int>> lincs = {{4, 1}, {4, 2}, {6, 2}, {8, 1}, {8, 4}}; // order, iterations
    int repeats = 20;
};

/// What one stage of one step takes. Counts are the largest of any rank, but for reductions, which are common to all.
struct StageCost {
    std::int64_t iterations = 0, messages = 0, bytes = 0, reductions = 0;
    double residual = 0.0;                // |r^2 - d^2| / (2 d^2), or |r.v| dt / d^2
    double cpu_max = 0.0, cpu_mean = 0.0; // [s] CPU time of a rank, the least of the repeats
    std::string failure;                  // of the first rank that has one

    bool same_outcome(const StageCost& other) const
    {
        return residual == other.residual && iterations == other.iterations && failure == other.failure;
    }
};

/// A line of the table.
struct BenchmarkRow {
    std::string clusters; // which kind of clusters
    std::string solver;
    std::string setting; // tolerance, or order/iterations; "exact", "any": the tolerance makes no difference
    std::int64_t n_clusters = 0, n_constraints = 0; // of the system, that the solver has taken
    StageCost positions{}, velocities{};
};

/// Gives the same unconstrained step to every solver that takes clusters of a kind: rigid waters, groups of hydrogens
/// (which are owned whole), and larger clusters (which domains may cut), so that all rows of a kind can be compared.
class ConstraintBenchmark {
public:
    /// `order` and `settings` are those of the run, which is the last row. `topology` must outlive this object.
    /// Throws InputError for an unknown solver.
    ConstraintBenchmark(const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                        const BenchmarkAxes& axes, const std::vector<std::string>& order,
                        const SolverSettings& settings);

    ConstraintBenchmark(const ConstraintBenchmark&) = delete;
    ConstraintBenchmark& operator=(const ConstraintBenchmark&) = delete;

    /// See Constraints: what all of the solvers need.
    void add_needs(std::vector<MoleculeNeeds>& needs) const;

    /// `step`: x_ref on the constraints (copies up to date), x and v of owned atoms after an unconstrained step of dt
    /// [ps]. The velocity stage projects v at x_ref. Collective.
    std::vector<BenchmarkRow> run(const Atoms& step, const AtomDirectory& directory, const Box& box, double dt);

private:
    struct Case {
        BenchmarkRow row;
        std::unique_ptr<Constraints> constraints;
        bool has_tolerance = false;
    };
    using Selection = std::vector<MoleculeClusters>;

    void add_solver(const std::string& kind, const Selection& clusters, const std::string& solver,
                    const BenchmarkAxes& axes);
    void add_case(const std::string& kind, const Selection& clusters, const std::string& solver,
                  const std::string& setting, const SolverSettings& settings);
    void count(const Selection& clusters, BenchmarkRow& row) const;
    StageCost measure(const Atoms& start, const Box& box, const ConstraintStage& stage, Constraints& constraints,
                      bool velocities) const;

    Topology topology_; // without settles: they are clusters like any other here
    SolverSettings settings_;
    int repeats_;
    std::vector<Case> cases_;
};

/// As text: a table for each kind of clusters and each stage.
std::string benchmark_table(const std::vector<BenchmarkRow>& rows, int ranks);

/// As comma-separated values with a line of names.
std::string benchmark_csv(const std::vector<BenchmarkRow>& rows, int ranks);

} // namespace holon
