#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/forces/bonded.hpp>
#include <holon/forces/distance_averages.hpp>
#include <holon/system/intermolecular.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/state.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// Terms whose atoms may be anywhere: all ranks learn the positions of these atoms, which takes one small message a
/// step; each computes all terms, and takes the forces on the atoms that it owns.
class GatheredTerms {
public:
    /// `topology`, `parameters` and `box` must outlive this object.
    GatheredTerms(Communicator comm, const Topology& topology, const NonbondedConstants& constants, const Box& box,
                  const Parameters& parameters, const IntermolecularTerms& terms);

    /// Declares the averages over time that distance restraints go by. Before any forces.
    void declare_state(State& state);

    /// After atoms have changed owners.
    void set_up(const Atoms& atoms, const Partition& partition);

    /// Adds forces on owned atoms; energies and virial to the sums of one rank, if wanted. Returns a message if a force
    /// was clamped at force_bound, else an empty string. Collective.
    std::string add_forces(Atoms& atoms, ForceSums* sums);

    /// The step of the last forces is over: averages take it in.
    void advance() { averages_.advance(); }

    /// See BondedForces; on one rank, at the positions of the last add_forces(), with atom numbers in the system.
    void for_each_pair(const std::function<void(AtomId, AtomId, const BondedForces::PairTerm&)>& use) const;

private:
    struct Owned {
        std::size_t gathered;
        std::size_t local;
    };
    Communicator comm_;
    const Topology& topology_;
    const NonbondedConstants constants_;
    const Box& box_;
    const Parameters& parameters_;
    std::vector<DistanceRestraint> restraints_;
    DistanceAverages averages_;
    Atoms gathered_;
    std::vector<Owned> owned_;
    BondedForces forces_;
};

} // namespace holon
