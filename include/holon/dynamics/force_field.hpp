#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/timer.hpp>
#include <holon/dynamics/health.hpp>
#include <holon/forces/bonded.hpp>
#include <holon/forces/dispersion_correction.hpp>
#include <holon/forces/external_forces.hpp>
#include <holon/forces/gathered_terms.hpp>
#include <holon/forces/group_energies.hpp>
#include <holon/forces/pair_force.hpp>
#include <holon/mesh/mesh.hpp>
#include <holon/system/force_groups.hpp>
#include <holon/system/load_balance.hpp>
#include <holon/system/partition.hpp>
#include <holon/virtual_sites/virtual_sites.hpp>

#include <array>
#include <memory>
#include <vector>

namespace holon {

/// Potential energy and virial of the whole system, without constraint forces.
struct ForceTotals {
    std::array<double, energy_term_count> energy{}; // [kJ/mol]
    double potential = 0.0;                         // their sum
    std::vector<double> of_groups;                  // as GroupEnergies has them, if it does
    Mat3 virial = Mat3::Zero();                     // -1/2 sum r (x) f [kJ/mol]
    /// Potential energy, but for constants, as the forces have it: where these are clamped it rises less [2^-36
    /// kJ/mol].
    int128 descent = 0;
};

class FixmanPotential;

/// What a force field works on.
struct ForceContext {
    Atoms& atoms;
    Partition& partition;
    LoadBalance& load;
    Health& health;
    Timers& timers;
    double time; // [ps]
};

/// All interactions of a system but its constraints, and the lists that they need.
class ForceField {
public:
    ~ForceField();

    /// `topology` and `box` must outlive this object; the box may change, see follow_box(). The mesh is chosen for
    /// `start_box`. Throws InputError, if the box is too small for the cutoff. Collective.
    ForceField(Communicator comm, const Topology& topology, const Parameters& parameters, const Box& box,
               const Box& start_box, const IntermolecularTerms& intermolecular = {});

    /// After the box has changed: whatever depends on it. `map`: what it does to positions (rows) that go along. Throws
    /// InputError as above. Collective.
    void follow_box(const Mat3& map);

    /// Whether what rebuild_lists() has made is good for the box as it is and atoms that have moved by up to
    /// `displacement` [nm], see largest_displacement().
    bool lists_hold(double displacement) const;

    /// Which copies bonded terms and virtual sites ask for.
    std::vector<MoleculeNeeds> needs(const std::vector<MoleculeClusters>& clusters) const
    {
        auto needs = term_index_.needs(clusters);
        sites_.add_needs(clusters, needs);
        pair_lists_.add_needs(needs);
        return needs;
    }

    /// After atoms have changed owners. Collective.
    void declare_state(State& state) { gathered_terms_.declare_state(state); } // before any forces
    void advance() { gathered_terms_.advance(); }                              // what they were becomes past
    void rebuild_terms(const ForceContext& context);
    void rebuild_lists(const ForceContext& context);

    /// Virtual sites follow their parents; of what is told of a start, see VirtualSites::settle_in(). Collective.
    void place_sites(const ForceContext& context);
    bool settle_sites_in(const ForceContext& context) { return sites_.settle_in(context.atoms); }

    /// Forces of these groups at the present positions, copies of which must be up to date or on their way; with
    /// energies and virial, if wanted. Collective.
    /// Without energies, those of pairs are left out of the totals, which cost more than all else.
    void compute(const ForceContext& context, ForceGroups groups, bool want_totals, bool want_energies = true);

    /// Relative rms error of the forces of all atoms at the present positions: against pair forces in double and a much
    /// finer mesh. (Of the precision of the run: what that rounds is a hundredth of what it leaves out at most, and
    /// transforms in double would be two more megabytes of code.) NaN where atoms overlap. Only with a mesh.
    /// Collective.
    double mesh_error(const ForceContext& context);

    const ForceTotals& totals() const { return totals_; }

    /// Those of the forces of owned atoms that come from outside, of which the virial has nothing; empty: none.
    const std::vector<IVec3>& outside_forces() const { return outside_forces_; }
    const ExternalForces& external_forces() const { return external_forces_; }
    double reach() const { return nonbonded_.cutoff() + skin_; } // how far from an atom others must be known [nm]
    HaloWidths halo_widths() const { return pair_lists_.reach(skin_); }
    double largest_displacement(const Atoms& atoms) const; // of an atom of this rank since rebuild_lists() [nm]

    const LongRange* long_range() const { return long_range_.get(); }          // null: none
    const MeshSettings* mesh_settings() const { return mesh_settings_.get(); } // null: no mesh

    /// Once the box has grown so much since the mesh was chosen that its forces err more than they should: what to say.
    /// Said once; empty otherwise.
    std::string outgrown_mesh();

private:
    void use_volume();
    bool has_bonded(int group) const;
    void add_bonded(const ForceContext& context, ForceGroups groups, ForceSums* sums);
    void sum_by_groups(const Atoms& atoms);
    void spread_from_sites(const ForceContext& context, ForceGroups groups, ForceSums* sums);
    void add_outside_forces(const ForceContext& context);
    void reduce(ForceSums& sums);

    Communicator comm_;
    const Topology& topology_;
    Parameters parameters_;
    const Box& box_;
    Box start_box_;
    Mat3 box_of_lists_ = Mat3::Zero();                  // rows [nm]
    bool outgrown_ = false;                             // has been said
    std::shared_ptr<const MeshSettings> mesh_settings_; // null: no mesh
    NonbondedConstants nonbonded_;
    double skin_;
    GroupOfTerm group_;
    TermIndex term_index_;
    PairLists pair_lists_;
    PairForce pair_force_;
    std::vector<BondedForces> bonded_forces_; // of each group
    VirtualSites sites_;
    GatheredTerms gathered_terms_;
    ExternalForces external_forces_;
    std::vector<IVec3> outside_forces_; // those of the last step
    GroupEnergies group_energies_;
    std::unique_ptr<FixmanPotential> fixman_; // null: not wanted
    std::unique_ptr<LongRange> long_range_;   // null: none
    double self_energy_;
    MeshConstants mesh_constants_;
    LongRangeCorrection dispersion_;
    ForceTotals totals_;
};

} // namespace holon
