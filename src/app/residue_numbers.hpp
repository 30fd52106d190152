#pragma once

#include <holon/system/topology.hpp>

#include <algorithm>
#include <vector>

namespace holon {

/// Residue numbers for output, as GROMACS gives them: molecules of several residues keep the topology's numbers,
/// molecules of one residue are numbered on from the largest of those.
class ResidueNumbers {
public:
    explicit ResidueNumbers(const Topology& topology) : topology_(topology)
    {
        for (const auto& block : topology.blocks) {
            const auto& residues = type(block.type).residues;
            if (residues.size() > 1)
                for (const auto& residue : residues) next_ = std::max(next_, std::int64_t{residue.number} + 1);
        }
        for (const auto& block : topology.blocks) {
            first_.push_back(next_);
            if (type(block.type).residues.size() == 1) next_ += block.count;
        }
    }

    int of(const AtomPlace& place) const
    {
        const auto& molecule = type(place.molecule_type);
        const auto& atom = molecule.atoms[static_cast<std::size_t>(place.index)];
        if (molecule.residues.size() > 1) return molecule.residues[static_cast<std::size_t>(atom.residue)].number;
        const auto& block = topology_.blocks[static_cast<std::size_t>(place.block)];
        return static_cast<int>(first_[static_cast<std::size_t>(place.block)] + place.molecule - block.first_molecule);
    }

private:
    const MoleculeType& type(int index) const { return topology_.molecule_types[static_cast<std::size_t>(index)]; }

    const Topology& topology_;
    std::int64_t next_ = 1;
    std::vector<std::int64_t> first_; // per block
};

} // namespace holon
