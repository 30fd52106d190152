#pragma once

#include <holon/system/atoms.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace holon {

/// The terms of one kind that this rank computes: local atom indices, `interaction_info[kind].atoms` per term.
/// Each term of the system is on exactly one rank.
struct LocalTerms {
    std::vector<std::int32_t> atoms;
    std::vector<std::int32_t> parameters; // index into Topology::parameters[kind]
    std::size_t size() const { return parameters.size(); }
};

using LocalTermLists = std::array<LocalTerms, interaction_count>;

/// Which bonded terms are computed where: each belongs to the owner of its anchor, an atom in the middle of the term.
class TermIndex {
public:
    explicit TermIndex(const Topology& topology);

    /// For each molecule type: which other atoms must be local where an atom is owned, for bonded terms anchored there
    /// and for its constraints in clusters that domains may cut.
    std::vector<MoleculeNeeds> needs(const std::vector<MoleculeClusters>& clusters) const;

    /// The terms anchored at owned atoms, in local indices. Pre: all atoms in needs() are local.
    LocalTermLists localise(const Atoms& atoms, const Partition& partition) const;

private:
    struct Term {
        std::uint8_t kind;
        std::int32_t term;
    };
    struct Anchored { // terms of atom a: terms[begin[a] .. begin[a + 1])
        std::vector<std::int32_t> begin;
        std::vector<Term> terms;
    };
    const Topology& topology_;
    std::vector<Anchored> anchored_; // per molecule type
};

} // namespace holon
