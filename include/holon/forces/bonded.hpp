#pragma once

#include <holon/core/box.hpp>
#include <holon/forces/nonbonded.hpp>
#include <holon/forces/restraint_frame.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/local_terms.hpp>
#include <holon/system/topology.hpp>

#include <functional>
#include <memory>

namespace holon {

/// All interactions of system/interactions.hpp.
///
/// Each force is rounded once to the force lattice, and those of a term sum to exactly zero over its atoms. Differences
/// of positions are taken in integers, nearest image, so that a term gives the same bits on any rank. The frequent
/// kinds are vectorised, in double: see src/forces/bonded_kernel.hpp.
class BondedForces {
public:
    /// `topology` and `box` must outlive this object. Throws InputError for a correction map that is no grid.
    BondedForces(const Topology& topology, const NonbondedConstants& constants, const Box& box);
    BondedForces(BondedForces&&) noexcept;
    ~BondedForces();

    /// Where the references of position restraints are; as given, unless told otherwise.
    void set_restraints(const RestraintFrame& frame);

    /// Takes over the terms of this rank and the charges of their atoms. After every change of local indices.
    void set_up(LocalTermLists terms, const Atoms& atoms);

    /// Adds forces to atoms.f, energies and virial to `sums`, if given. Returns a message if a force was clamped at
    /// force_bound, else an empty string.
    std::string add_forces(Atoms& atoms, ForceSums* sums) const;

    /// A pair of atoms whose interaction is bonded: local numbers, and energies [kJ/mol].
    struct PairTerm {
        bool of_14; // else one that counts with all other pairs
        std::int32_t i, j;
        double lj, coulomb;
    };
    /// Calls use(term) for each: pairs in the topology, and excluded ones, of which some electrostatics is left. Slow.
    void for_each_pair(const Atoms& atoms, const std::function<void(const PairTerm&)>& use) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
