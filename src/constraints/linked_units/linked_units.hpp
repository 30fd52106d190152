#pragma once

#include "cut_clusters/numbered_atoms.hpp"
#include "linked_motion.hpp"

#include <holon/constraints/solver.hpp>

#include <map>
#include <vector>

namespace holon {

/// Solvers for rigid units that constraints link, to each other and to single atoms: what they have in common. Each
/// says how the multipliers of the links of one cluster are found.
///
/// Across domains: every rank that owns an atom of a cluster solves for it as a whole, bit for bit alike, from copies
/// of all its atoms, after one exchange of what their owners have. The price: a large cluster is worked out on each of
/// its ranks, and held there in full.
class LinkedUnits : public Solver {
public:
    explicit LinkedUnits(const SolverSettings& settings) : settings_(settings) {}

    bool keeps_units() const override { return true; }
    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override;
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        return project(atoms, box, stage, false);
    }
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        return project(atoms, box, stage, true);
    }

protected:
    /// Settles the links of a cluster whose units are settled without. Returns the number of iterations, or -1 if there
    /// is no solution.
    virtual std::int64_t solve(LinkedMotion& motion, const ConstraintStage& stage, bool velocities) = 0;

    const SolverSettings& settings() const { return settings_; }

private:
    struct Cluster {
        std::int64_t molecule = 0;
        std::int32_t shape = 0;
        bool counted = false;              // in sums, on this rank
        std::vector<std::int32_t> numbers; // per atom, in numbered_
    };
    ConstraintResult project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities);
    static std::vector<IVec3> gathered(const Cluster& cluster, const std::vector<IVec3>& values);
    void move(const Cluster& cluster, const LinkedMotion& motion, const ConstraintStage& stage, bool velocities,
              Atoms& atoms);
    void note_errors(const Cluster& cluster, const Box& box, bool velocities, ConstraintResult& result) const;
    std::string failure_of(const Cluster& cluster, const ConstraintStage& stage) const;

    SolverSettings settings_;
    ShapeTable<LinkedShape> shapes_;
    std::vector<Cluster> clusters_;
    NumberedAtoms numbered_;
    std::vector<IVec3> reference_,
        values_; // per number: at the reference; trial position or velocity, as the owner has it
    std::vector<IVec3> whole_reference_, whole_values_; // per atom of the cluster in work
};

} // namespace holon
