#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/constraints/constraints.hpp>
#include <holon/core/timer.hpp>
#include <holon/dynamics/force_field.hpp>
#include <holon/dynamics/health.hpp>
#include <holon/dynamics/scaling_groups.hpp>
#include <holon/dynamics/votes.hpp>
#include <holon/system/load_balance.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/state.hpp>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace holon {

/// What brings a system back to where it was, in the same step: see System::snapshot().
struct Snapshot {
    std::vector<IVec3> x, v;
    std::vector<double> kept;
    std::vector<Global> globals;
};

enum class Hold {
    velocities,
    positions_too, // back to where the step began
    at_start       // velocities, also of atoms frozen along all axes
};

/// A system as this rank holds it, and the verbs of the time step that need more than its own atoms.
class System {
public:
    /// Throws InputError if the box is too small for the cutoff or the domains do not fit the ranks. Collective.
    /// `start_box`: that of the start of the run, for which the mesh is chosen, if it is another.
    System(Communicator comm, std::shared_ptr<const Topology> topology, const Parameters& parameters, const Box& box,
           const std::optional<Box>& start_box = {}, const IntermolecularTerms& intermolecular = {});

    System(const System&) = delete;
    System& operator=(const System&) = delete;

    /// Takes over the atoms, from records anywhere on the ranks. Collective.
    void distribute(std::vector<AtomRecord> records, std::vector<KeptNumber> kept = {});

    /// Moves the faces of domains, if that makes their loads more even, sends atoms to the owners of their present
    /// positions and renews copies, terms, constraints and pair list. Collective.
    void repartition();

    /// True if repartition() must come before the next forces, by the agreed displacement.
    bool stale(const Votes& votes) const;

    /// Another box [rows, nm], and all that hangs on it; too skewed vectors are flipped, see Box::reduce(). Positions
    /// have to be moved by the caller, and to be published before anything else happens to them, see stale(). Throws
    /// Failure, alike on all ranks, for a box that can not be. Collective.
    void set_box(Mat3 vectors);

    /// Virtual sites follow the atoms: wherever these have moved, before anything looks at positions. Collective.
    void place_sites();

    /// Copies follow their owners, at once (virtual sites, too) or until compute_forces() needs them: the mesh does
    /// not. Collective.
    void update_halo();
    void start_halo_update();

    /// Forces at the present positions; with energies and virial, if wanted. Copies must be up to date or on their way.
    /// Collective.
    void compute_forces(bool want_totals, ForceGroups groups = all_force_groups, bool want_energies = true);
    const ForceTotals& totals() const { return forces_.totals(); }

    /// See ForceField. Collective.
    double mesh_error() { return forces_.mesh_error(force_context()); }

    /// See Constraints. Failures are kept for the vote. Collective.
    ConstraintResult constrain_positions(const ConstraintStage& stage);
    ConstraintResult constrain_velocities(const ConstraintStage& stage);

    /// Positions, velocities and all that is declared, as they are before a step that may have to be taken back; and
    /// back to them, with no repartition in between. Collective.
    Snapshot snapshot() const;
    void restore(Snapshot&& before);

    /// The same motion backwards: velocities and what else is odd under reversal of time change their signs.
    void reverse();

    /// Velocities of atoms that are frozen along some axes become 0 along these. (Those frozen along all have an
    /// infinite mass; only their velocities at the start have to be seen to.)
    void hold_frozen(Hold what = Hold::velocities);

    /// Hash of atoms, box and all declared numbers that are dynamics (holon/core/state_hash.hpp). Collective.
    std::uint64_t hash() const;

    /// Agrees on this rank's displacement and health and on what the caller adds. Collective.
    Votes vote(Votes mine) const;

    /// Throws Failure with the first failure of any rank, on all ranks. Collective.
    [[noreturn]] void fail_together(std::int64_t step) const;

    const Communicator& comm() const { return comm_; }
    const Topology& topology() const { return *topology_; }
    const Box& box() const { return box_; }
    const Partition& partition() const { return partition_; }
    void declare_state() { forces_.declare_state(state); } // that forces have; before they are computed

    /// Forces that are computed from now on are those of a later time t [ps].
    void advance(double t)
    {
        time = t;
        forces_.advance();
    }
    const ForceField& force_field() const { return forces_; }
    const Constraints& constraints() const { return constraints_; }
    const std::vector<MoleculeClusters>& clusters() const { return clusters_; } // of each molecule type
    std::int64_t n_repartitions() const { return n_repartitions_; }
    ScalingGroups& scaling_groups();                    // of the atoms as they are shared out
    LoadReport load_report() { return load_.report(); } // Collective.

    Atoms atoms;
    State state;
    double time = 0.0; // at which forces are computed [ps]
    Timers timers;
    Health health;
    ConstraintErrors constraint_errors;

private:
    std::vector<MoleculeNeeds> needs() const;
    std::array<double, 3> thinnest_domain() const;
    ForceContext force_context() { return {atoms, partition_, load_, health, timers, time}; }
    void renew_local_lists();
    bool exploding() const;

    Communicator comm_;
    std::shared_ptr<const Topology> topology_;
    Parameters parameters_;
    Box box_;
    bool flipped_ = false; // the box, since the last repartition
    std::vector<MoleculeClusters> clusters_;
    ForceField forces_;
    Constraints constraints_;
    Partition partition_;
    LoadBalance load_;
    std::int64_t n_repartitions_ = 0;
    std::unique_ptr<ScalingGroups> scaling_groups_; // null: not asked for since the last repartition
};

/// find_clusters() of each molecule type.
std::vector<MoleculeClusters> clusters_of(const Topology& topology);

} // namespace holon
