#pragma once

#include <holon/constraints/solver.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <string>
#include <vector>

namespace holon {

/// Names of the solvers for these parameters, in the order in which they may claim a cluster: SETTLE for rigid water,
/// dense Newton for small clusters, `constraint-algorithm` for the rest. A method of which dense Newton is but another
/// form or a rival comes before it, and Newton's method takes what the chosen one refuses.
std::vector<std::string> solver_order(const Parameters& parameters);

/// Tolerance for these parameters: shake-tol with SHAKE. LINCS' default leaves relative errors of 1e-5 to 1e-6, so that
/// what replaces it is held to 1e-6 or shake-tol, whichever is less.
double constraint_tolerance(const Parameters& parameters);

/// What the solvers are told in a run with these parameters.
SolverSettings solver_settings(const Parameters& parameters, const Communicator& comm);

/// A rigid water as a cluster like any other: three constraints, no two of one colour.
ConstraintCluster settle_cluster(const Settle& settle);

/// The constraints of the whole system: what the time step calls.
class Constraints {
public:
    /// Gives each cluster of each molecule type, and each settle, to the first solver of `order` that accepts it.
    /// `topology` must outlive this object; `clusters` holds find_clusters() of each molecule type.
    /// Throws InputError for an unknown solver, a cluster that none accepts, or a constraint that can not be kept.
    Constraints(const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                const std::vector<std::string>& order, const SolverSettings& settings);

    Constraints(const Constraints&) = delete;
    Constraints& operator=(const Constraints&) = delete;

    /// Adds what the solvers need around each atom to the needs of its molecule type; see Solver::add_needs.
    void add_needs(std::vector<MoleculeNeeds>& needs) const;

    /// After every repartition. Collective. See Solver::rebuild for what must be local.
    void rebuild(const Atoms& atoms, const AtomDirectory& directory);

    /// See Solver. Collective.
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage);
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage);

    bool empty() const { return solvers_.empty(); }

    /// For the log: the rule, one line per solver in use with the number of clusters and constraints that it has, and
    /// which clusters a solver refused, and why.
    std::string description() const;

private:
    struct SolverInUse {
        std::string name;
        std::unique_ptr<Solver> solver;
        PieceByPiece* pieces = nullptr; // the solver's, if it has any
        std::int64_t clusters = 0;      // in the whole system
        std::int64_t constraints = 0;
        std::vector<ClusterInstance> instances; // on this rank; only while rebuild() runs
    };
    struct TypeClusters {
        std::vector<ConstraintCluster> clusters; // the molecule type's own, then its settles
        std::vector<int> solver_of;              // per cluster: index into solvers_
        std::vector<std::int32_t> cluster_of;    // per atom; -1: unconstrained
    };

    void assign(std::size_t type, std::vector<SolverInUse>& candidates);
    ConstraintResult project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities);

    const Topology& topology_;
    TaskList while_waiting_;          // of solvers for messages: must outlive them
    std::vector<TypeClusters> types_; // per molecule type
    std::vector<SolverInUse> solvers_;
    std::string rule_;                  // the solvers in the order of their claims
    std::vector<std::string> refusals_; // for the log
};

} // namespace holon
