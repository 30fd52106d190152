#pragma once

#include <holon/core/box.hpp>
#include <holon/core/lattice.hpp>
#include <holon/core/vec3.hpp>

#include <cstdint>
#include <vector>

namespace holon {

/// An atom in transit or on disk.
struct AtomRecord {
    IVec3 x = IVec3::Zero();     // canonical [2^-48 nm]
    IVec3 v = IVec3::Zero();     // [2^-44 nm/ps]
    Image image = Image::Zero(); // box vectors to add to x for the unwrapped position
    AtomId id = 0;
};

/// One of the numbers that methods keep with atoms from step to step, in transit or on disk.
struct KeptNumber {
    AtomId id = 0;          // of the atom
    std::int32_t index = 0; // among those of the atom
    double value = 0.0;
    bool operator==(const KeptNumber&) const = default;
};

/// The atoms of one rank: [0, n_owned) are owned, [n_owned, n_total) are halo copies of other ranks' atoms or periodic
/// images of owned ones.
/// Positions are in the rank's local frame: continuous between repartitions (not wrapped), and a constraint cluster
/// that is owned whole is not torn by the periodic boundary. The canonical position is box.wrap(x), with `image` added
/// to its counts.
struct Atoms {
    std::int32_t n_owned = 0;
    std::int32_t n_total = 0;

    // Conserved: migrated and checkpointed. v and image are for owned atoms only, id and x for all.
    std::vector<AtomId> id;
    std::vector<IVec3> x;     // [2^-48 nm]
    std::vector<IVec3> v;     // [2^-44 nm/ps]
    std::vector<Image> image; // box vectors to add to x for the unwrapped position

    // Conserved, too: numbers that methods keep from step to step, as many with an atom as MoleculeNeeds::kept says of
    // its place in the molecule; 0 at the start. Both are empty if no method keeps any.
    std::vector<std::int32_t>
        kept_begin; // owned + 1: those of atom i are kept[kept_begin[i]] to kept[kept_begin[i + 1]]
    std::vector<double> kept;

    // Looked up from the topology at repartition.
    std::vector<std::int32_t> type;       // all
    std::vector<double> charge;           // all [e]
    std::vector<double> mass;             // all [u]
    std::vector<double> inverse_mass;     // all [1/u]; 0: a virtual site, which has no mass and no velocity
    std::vector<std::uint8_t> tc_group;   // owned
    std::vector<std::uint8_t> comm_group; // owned; 255: none

    // Dependent: recomputed.
    std::vector<IVec3> f; // all [2^-28 kJ/mol/nm]: of the terms of group 0, which is all of them but for
    std::vector<std::vector<IVec3>> f_further; // those of groups 1, 2, ..., where a scheme wants some less often
    std::vector<IVec3> x_ref; // all: positions at the start of the step, the reference of the constraints
};

/// The canonical state of owned atom i: what is hashed, checkpointed and sent.
inline AtomRecord canonical(const Atoms& atoms, const Box& box, std::int32_t i)
{
    const auto k = static_cast<std::size_t>(i);
    AtomRecord record{atoms.x[k], atoms.v[k], atoms.image[k], atoms.id[k]};
    record.image += box.wrap(record.x);
    return record;
}

/// Calls f(KeptNumber) for all numbers of owned atom i.
template <class F>
void for_each_kept(const Atoms& atoms, std::size_t i, F f)
{
    if (atoms.kept_begin.empty()) return;
    for (auto k = atoms.kept_begin[i]; k < atoms.kept_begin[i + 1]; ++k)
        f(KeptNumber{atoms.id[i], k - atoms.kept_begin[i], atoms.kept[static_cast<std::size_t>(k)]});
}

} // namespace holon
