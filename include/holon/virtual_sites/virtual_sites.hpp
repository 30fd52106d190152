#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/needs.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/topology.hpp>

#include <memory>
#include <span>
#include <vector>

namespace holon {

/// Places the virtual sites and hands their forces to the atoms that they follow.
///
/// A site is placed by the rank that owns it, from exact differences to its first parent, so that its position is the
/// same on any domains. What it has of force goes to its parents in integers: each share is rounded once, and the first
/// parent gets what the others leave, so that forces still sum to exactly zero. Parents that other ranks own come, and
/// their shares go, in messages of their own, one exchange each for the sites that follow atoms alone, for those that
/// follow such sites, and so on; with no parent cut off from its site anywhere there are none.
class VirtualSites {
public:
    /// `topology` and `box` must outlive this object.
    VirtualSites(Communicator comm, const Topology& topology, const Box& box);
    ~VirtualSites();

    /// True if the system has none: then nothing here needs to be called.
    bool empty() const;

    /// Adds the parents that must be local where a site is owned.
    void add_needs(std::span<const MoleculeClusters> clusters, std::vector<MoleculeNeeds>& needs) const;

    /// After atoms have changed owners. Collective.
    void rebuild(const Atoms& atoms, const Partition& partition);

    /// Places the owned sites by the present positions of their parents. Collective.
    void place(Atoms& atoms);

    /// The same for sites that may be anywhere: as well, their velocities become zero, and one that is owned with its
    /// first parent gets the periodic image of this. True if that changes anything on any rank: then copies have to be
    /// set up again. Collective.
    bool settle_in(Atoms& atoms);

    /// Takes the forces off the sites and adds them to their parents: `f` are the complete forces of owned atoms, at
    /// the positions where the sites were placed last. Adds to the virial of `sums`, if given. Collective.
    void spread(const Atoms& atoms, std::span<IVec3> f, ForceSums* sums);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
