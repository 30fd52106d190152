#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/constraints/constraints.hpp>
#include <holon/core/timer.hpp>
#include <holon/forces/bonded.hpp>
#include <holon/forces/dispersion_correction.hpp>
#include <holon/forces/pair_force.hpp>
#include <holon/mesh/mesh.hpp>
#include <holon/system/load_balance.hpp>
#include <holon/system/partition.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holon {

/// Potential energy and virial of the whole system, without constraint forces.
struct ForceTotals {
    std::array<double, energy_term_count> energy{}; // [kJ/mol]
    double potential = 0.0;                         // their sum
    Mat3 virial = Mat3::Zero();                     // -1/2 sum r (x) f [kJ/mol]
};

/// What all ranks agree on once per step: the largest of each.
struct Votes {
    std::int64_t displacement = 0; // since the pair list was built [2^-48 nm]
    std::int64_t failed = 0;
    std::int64_t warned = 0;
    std::int64_t stop = 0;                // asked to stop early
    std::int64_t output_failed = 0;       // something cannot be written
    std::int64_t checkpoint_sync_due = 0; // see CheckpointVote
    std::int64_t checkpoint_sync_busy = 0;
};

/// The system as this rank holds it, and the verbs of the time step that need more than its own atoms.
class Engine {
public:
    /// Throws InputError if the box is too small for the cutoff or the domains do not fit the ranks.
    Engine(Communicator comm, std::shared_ptr<const Topology> topology, const Parameters& parameters, const Box& box);

    /// Takes over the state, from records anywhere on the ranks. Collective.
    void distribute(std::vector<AtomRecord> records, std::vector<KeptNumber> kept = {});

    /// Moves the faces of domains, if that makes their loads more even, sends atoms to the owners of their present
    /// positions and renews copies, terms, constraints and pair list. Collective.
    void repartition();

    /// True if repartition() must come before the next forces, by the agreed displacement.
    bool stale(const Votes& votes) const;

    /// Copies follow their owners, at once or until compute_forces() needs them: the mesh does not. Collective.
    void update_halo();
    void start_halo_update();

    /// Forces at the present positions; with energies and virial, if wanted. Copies must be up to date or on their way.
    /// Collective.
    void compute_forces(bool want_totals);

    /// Relative rms error of the forces of all atoms at the present positions: against pair forces in double and a much
    /// finer mesh. (Of the precision of the run: what that rounds is a hundredth of what it leaves out at most, and
    /// transforms in double would be two more megabytes of code.) NaN where atoms overlap. Only with a mesh.
    /// Collective.
    double mesh_error();

    /// See Constraints. Failures are kept for the vote. Collective.
    ConstraintResult constrain_positions(const ConstraintStage& stage);
    ConstraintResult constrain_velocities(const ConstraintStage& stage);

    /// Agrees on this rank's displacement and failure and on what the caller adds. Collective.
    Votes vote(Votes mine) const;

    /// Atoms that overlap so much that their forces are clamped are a failure, but in a minimisation: the first such
    /// on any rank since this was asked last. Collective.
    std::string take_overlap();
    /// Whether there was a failure on any rank; it is forgotten, and warnings with it, for the step is taken back.
    /// Collective.
    bool forget_failure();

    /// Throws Failure with the first failure of any rank, on all ranks. Collective.
    [[noreturn]] void fail_together(std::int64_t step) const;
    /// What constraint solvers have warned of since this was asked last, on any rank: how often, and the first.
    /// Collective.
    std::pair<std::int64_t, std::string> take_warnings();
    bool any_failure() const { return comm_.any(!failure_.empty()); } // Collective.

    const Communicator& comm() const { return comm_; }
    const Topology& topology() const { return *topology_; }
    const Box& box() const { return box_; }
    const Partition& partition() const { return partition_; }
    double halo_width() const { return nonbonded_.cutoff() + skin_; } // [nm]
    const ForceTotals& totals() const { return totals_; }
    /// Potential energy, but for constants, as the forces have it: where they are clamped it rises less. In units of
    /// 2^-36 kJ/mol; of a minimisation.
    int128 descent() const { return descent_; }
    const LongRange* long_range() const { return long_range_.get(); }          // null: none
    const MeshSettings* mesh_settings() const { return mesh_settings_.get(); } // null: no mesh
    const Constraints& constraints() const { return constraints_; }
    std::int64_t n_repartitions() const { return n_repartitions_; }
    LoadReport load_report() { return load_.report(); }                                      // Collective.
    double length_error() const { return from_ordered_bits(comm_.max(length_error_)); }      // Collective.
    double velocity_error() const { return from_ordered_bits(comm_.max(velocity_error_)); }  // Collective. [1/ps]
    std::int64_t constraint_iterations() const { return comm_.max(constraint_iterations_); } // Collective. Most so far.

    void forget_constraint_errors() { length_error_ = velocity_error_ = 0; }

    Atoms atoms;
    Timers timers;

private:
    std::vector<MoleculeNeeds> needs() const;
    std::array<double, 3> thinnest_domain() const;
    void renew_local_lists();
    void renew_pair_lists();
    void finish_halo_update();
    void note_problems(const ConstraintResult& result);
    std::string first_text(std::string text) const;
    void reduce(ForceSums& sums);
    void note_failure(const std::string& problem); // the first counts
    void note_overlap(const std::string& problem);

    Communicator comm_;
    std::shared_ptr<const Topology> topology_;
    Parameters parameters_;
    Box box_;
    std::shared_ptr<const MeshSettings> mesh_settings_; // null: no mesh
    NonbondedConstants nonbonded_;
    double skin_;
    std::vector<MoleculeClusters> clusters_;
    TermIndex term_index_;
    Constraints constraints_;
    Partition partition_;
    LoadBalance load_;
    PairLists pair_lists_;
    PairForce pair_force_;
    BondedForces bonded_forces_;
    double self_energy_;
    std::unique_ptr<LongRange> long_range_; // null: none
    MeshConstants mesh_constants_;
    bool halo_under_way_ = false;
    LongRangeCorrection dispersion_;

    ForceTotals totals_;
    std::string failure_, warning_, overlap_;
    std::int64_t n_warnings_ = 0;                        // since they were taken last
    std::int64_t length_error_ = 0, velocity_error_ = 0; // ordered_bits()
    std::int64_t constraint_iterations_ = 0;
    std::int64_t n_repartitions_ = 0;
    int128 descent_ = 0;
};

} // namespace holon
