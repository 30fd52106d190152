#pragma once

#include <holon/system/local_terms.hpp>
#include <holon/system/partition.hpp>

#include <support/reference.hpp>

#include <cstdint>
#include <vector>

namespace holon::test {

/// A system as the ranks of `comm` hold it.
struct Distributed {
    const TestSystem& system;
    Communicator comm;
    Parameters parameters;
    std::vector<MoleculeClusters> clusters;
    TermIndex terms;
    Partition partition;
    Atoms atoms;

    /// `lists`: per atom of the only molecule type, see MoleculeNeeds.
    Distributed(const TestSystem& s, const Communicator& c, const std::vector<int>& grid,
                const std::vector<std::uint8_t>& lists = {});

    std::vector<MoleculeNeeds> needs_of(const std::vector<std::uint8_t>& lists) const;

    static std::vector<MoleculeClusters> clusters_of(const Topology& topology);

    /// Puts the faces of the domains anywhere, alike on all ranks; some domains become slivers.
    void move_faces(unsigned seed);

    void distribute(double width);

    /// Moves all owned atoms by up to `distance` [nm]; the same displacements on any number of ranks.
    void displace(double distance, unsigned seed);

    std::vector<AtomRecord> state() const;
};

/// Small ones in boxes of all shapes.
std::vector<TestSystem> all_systems();

/// Owned once, groups whole, every copy where its owner's atom is, in some image.
void expect_sound(const Distributed& d);

} // namespace holon::test
