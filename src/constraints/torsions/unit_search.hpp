#pragma once

#include <holon/system/topology.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace holon::torsions {

using AtomPair = std::pair<std::int32_t, std::int32_t>; // ascending

/// Bonds and angles of a molecule type, by its atoms.
struct Skeleton {
    explicit Skeleton(const MoleculeType& molecule);

    std::vector<std::vector<std::int32_t>> bound; // per atom: ascending
    std::map<AtomPair, double> bonds, angles;     // lengths; distances of the ends [nm]

    bool is_bond(std::int32_t a, std::int32_t b) const { return bonds.contains(std::minmax(a, b)); }
    /// Cosine of the angle a-b-c, if it is known; else 2.
    double cosine(std::int32_t a, std::int32_t b, std::int32_t c) const;
};

/// Atoms of a unit.
struct UnitAtoms {
    std::set<std::int32_t> atoms;
    bool planar = false;
};

/// The units of a molecule; see TorsionUnit.
std::vector<UnitAtoms> find_units(const Skeleton& skeleton);

} // namespace holon::torsions
