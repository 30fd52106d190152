#include <holon/constraints/benchmark.hpp>

#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace holon {

namespace {

constexpr double exact_residual = 1e-12;

bool is_lincs(const std::string& solver)
{
    return solver == "lincs" || solver.ends_with("+lincs");
}

/// The clusters for which the condition holds.
template <class Condition>
std::vector<MoleculeClusters> select(const Topology& topology, std::vector<MoleculeClusters> clusters,
                                     Condition condition)
{
    for (std::size_t type = 0; type < clusters.size(); ++type)
        std::erase_if(clusters[type].clusters, [&](const ConstraintCluster& cluster) {
            return !condition(topology.molecule_types[type], cluster);
        });
    return clusters;
}

bool empty(const std::vector<MoleculeClusters>& clusters)
{
    return std::ranges::all_of(clusters, [](const MoleculeClusters& type) { return type.clusters.empty(); });
}

/// The text of the first rank that has one. Collective.
std::string first_text(const Communicator& comm, std::string text)
{
    const auto first = -comm.max(text.empty() ? -std::int64_t{comm.size()} : -std::int64_t{comm.rank()});
    if (first == comm.size()) return {};
    comm.broadcast(text, static_cast<int>(first));
    return text;
}

} // namespace

ConstraintBenchmark::ConstraintBenchmark(const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                                         const BenchmarkAxes& axes, const std::vector<std::string>& order,
                                         const SolverSettings& settings)
    : topology_(topology), settings_(settings), repeats_(axes.repeats)
{
    settings_.topology = &topology_;
    Selection waters(clusters.size()), all = clusters;
    for (std::size_t type = 0; type < clusters.size(); ++type) {
        for (const auto& settle : topology.molecule_types[type].settles)
            waters[type].clusters.push_back(settle_cluster(settle));
        topology_.molecule_types[type].settles.clear();
        all[type].clusters.insert(all[type].clusters.end(), waters[type].clusters.begin(), waters[type].clusters.end());
    }
    const auto of_size = [&](bool small) {
        return select(topology_, clusters, [small](const MoleculeType&, const ConstraintCluster& cluster) {
            return cluster.small == small;
        });
    };
    const std::pair<const char*, Selection> kinds[] = {
        {"rigid water", waters}, {"groups of hydrogens", of_size(true)}, {"larger clusters", of_size(false)}};
    for (const auto& [kind, selection] : kinds)
        for (const auto& solver : axes.solvers) add_solver(kind, selection, solver, axes);

    if (empty(all)) return;
    std::string rule;
    for (const auto& name : order) rule += (rule.empty() ? "" : ", ") + name;
    auto& whole = cases_.emplace_back();
    whole.row = {.clusters = "all, as in the run", .solver = rule, .setting = ""};
    count(all, whole.row);
    whole.constraints = std::make_unique<Constraints>(topology_, all, order, settings);
}

/// A row for each setting of a solver, for the clusters that it takes.
void ConstraintBenchmark::add_solver(const std::string& kind, const Selection& clusters, const std::string& solver,
                                     const BenchmarkAxes& axes)
{
    auto settings = settings_;
    if (is_lincs(solver)) {
        for (const auto& [order, iterations] : axes.lincs) {
            settings.lincs_order = order;
            settings.lincs_iterations = iterations;
            add_case(kind, clusters, solver, fmt::format("{}/{}", order, iterations), settings);
        }
        return;
    }
    for (const double tolerance : axes.tolerances) {
        settings.tolerance = tolerance;
        add_case(kind, clusters, solver, fmt::format("{:.0e}", tolerance), settings);
    }
}

void ConstraintBenchmark::add_case(const std::string& kind, const Selection& clusters, const std::string& solver,
                                   const std::string& setting, const SolverSettings& settings)
{
    const auto tested = make_solver(solver, settings);
    const auto accepted =
        select(topology_, clusters, [&](const MoleculeType& molecule, const ConstraintCluster& cluster) {
            return tested->takes(molecule, cluster);
        });
    BenchmarkRow row{.clusters = kind, .solver = solver, .setting = setting};
    count(accepted, row);
    if (row.n_constraints == 0) return;
    cases_.push_back(
        {row, std::make_unique<Constraints>(topology_, accepted, std::vector{solver}, settings), !is_lincs(solver)});
}

void ConstraintBenchmark::count(const Selection& clusters, BenchmarkRow& row) const
{
    for (const auto& block : topology_.blocks)
        for (const auto& cluster : clusters[index(block.type)].clusters) {
            row.n_clusters += block.count;
            row.n_constraints += block.count * cluster.n_constraints();
        }
}

void ConstraintBenchmark::add_needs(std::vector<MoleculeNeeds>& needs) const
{
    for (const auto& tested : cases_) tested.constraints->add_needs(needs);
}

StageCost ConstraintBenchmark::measure(const Atoms& start, const Box& box, const ConstraintStage& stage,
                                       Constraints& constraints, bool velocities) const
{
    const auto& comm = settings_.comm;
    ConstraintResult result;
    std::vector<double> seconds;
    Atoms atoms; // one and the same memory, as in a run
    for (int turn = 0; turn < std::max(1, repeats_); ++turn) {
        atoms = start;
        comm.barrier();
        const double begin = team_cpu_seconds();
        result = velocities ? constraints.project_velocities(atoms, box, stage)
                            : constraints.project_positions(atoms, box, stage);
        seconds.push_back(team_cpu_seconds() - begin);
    }
    const auto nanoseconds = static_cast<std::int64_t>(1e9 * *std::ranges::min_element(seconds));
    StageCost cost;
    cost.iterations = comm.max(result.iterations);
    cost.messages = comm.max(result.messages);
    cost.bytes = comm.max(result.bytes);
    cost.reductions = comm.max(result.reductions);
    cost.residual = from_ordered_bits(comm.max(result.residual)) * (velocities ? stage.dt : 1.0);
    cost.cpu_max = 1e-9 * static_cast<double>(comm.max(nanoseconds));
    cost.cpu_mean = 1e-9 * static_cast<double>(comm.sum(nanoseconds)) / comm.size();
    cost.failure = first_text(comm, result.failure);
    return cost;
}

std::vector<BenchmarkRow> ConstraintBenchmark::run(const Atoms& step, const AtomDirectory& directory, const Box& box,
                                                   double dt)
{
    auto at_reference = step;
    at_reference.x = step.x_ref;
    std::vector<BenchmarkRow> rows;
    std::size_t first = 0; // row of the present solver
    for (std::size_t k = 0; k < cases_.size(); ++k) {
        auto& [row, constraints, has_tolerance] = cases_[k];
        constraints->rebuild(step, directory);
        row.positions = measure(step, box, {.step = 0, .dt = dt}, *constraints, false);
        row.velocities = measure(at_reference, box, {.step = 0, .dt = dt}, *constraints, true);
        rows.push_back(row);

        const bool last = k + 1 == cases_.size() || cases_[k + 1].row.solver != row.solver ||
                          cases_[k + 1].row.clusters != row.clusters;
        if (!last) continue;
        const bool exact =
            has_tolerance && rows.size() > first + 1 &&
            std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), [&](const BenchmarkRow& other) {
                return other.positions.same_outcome(row.positions) && other.velocities.same_outcome(row.velocities);
            });
        if (exact) {
            rows.resize(first + 1);
            // Without an iteration nothing depends on the tolerance, but it may not be met.
            rows.back().setting = row.positions.residual < exact_residual ? "exact" : "any";
        }
        first = rows.size();
    }
    return rows;
}

namespace {

/// Microseconds of CPU time per constraint of a rank's equal share.
double per_constraint(double seconds, const BenchmarkRow& row, int ranks)
{
    return 1e6 * seconds * ranks / static_cast<double>(row.n_constraints);
}

} // namespace

std::string benchmark_table(const std::vector<BenchmarkRow>& rows, int ranks)
{
    std::string text;
    for (auto begin = rows.begin(); begin != rows.end();) {
        const auto end =
            std::find_if(begin, rows.end(), [&](const BenchmarkRow& row) { return row.clusters != begin->clusters; });
        for (const auto stage : {&BenchmarkRow::positions, &BenchmarkRow::velocities}) {
            text += fmt::format("{}: {}, {} rank{}\n", begin->clusters,
                                stage == &BenchmarkRow::positions ? "positions" : "velocities", ranks,
                                ranks == 1 ? "" : "s");
            text += fmt::format("{:<30}{:>8}{:>10}{:>12}{:>6}{:>10}{:>9}{:>10}{:>11}{:>11}{:>11}\n", "solver",
                                "setting", "clusters", "constraints", "iter", "residual", "messages", "bytes",
                                "reductions", "us max", "us mean");
            for (auto row = begin; row != end; ++row) {
                const auto& cost = (*row).*stage;
                text +=
                    fmt::format("{:<30}{:>8}{:>10}{:>12}{:>6}{:>10.1e}{:>9}{:>10}{:>11}{:>11.4f}{:>11.4f}\n",
                                row->solver, row->setting, row->n_clusters, row->n_constraints, cost.iterations,
                                cost.residual, cost.messages, cost.bytes, cost.reductions,
                                per_constraint(cost.cpu_max, *row, ranks), per_constraint(cost.cpu_mean, *row, ranks));
                if (!cost.failure.empty()) text += "  failed: " + cost.failure + "\n";
            }
            text += '\n';
        }
        begin = end;
    }
    return text;
}

std::string benchmark_csv(const std::vector<BenchmarkRow>& rows, int ranks)
{
    std::string text = "ranks,clusters,solver,setting,n_clusters,n_constraints,stage,iterations,residual,messages,"
                       "bytes,reductions,cpu_max_us,cpu_mean_us,us_per_constraint_max,us_per_constraint_mean,failed\n";
    for (const auto& row : rows)
        for (const auto stage : {&BenchmarkRow::positions, &BenchmarkRow::velocities}) {
            const auto& cost = row.*stage;
            text += fmt::format("{},\"{}\",\"{}\",{},{},{},{},{},{:.3e},{},{},{},{:.3f},{:.3f},{:.5f},{:.5f},{}\n",
                                ranks, row.clusters, row.solver, row.setting, row.n_clusters, row.n_constraints,
                                stage == &BenchmarkRow::positions ? "positions" : "velocities", cost.iterations,
                                cost.residual, cost.messages, cost.bytes, cost.reductions, 1e6 * cost.cpu_max,
                                1e6 * cost.cpu_mean, per_constraint(cost.cpu_max, row, ranks),
                                per_constraint(cost.cpu_mean, row, ranks), cost.failure.empty() ? 0 : 1);
        }
    return text;
}

} // namespace holon
