#pragma once

#include <holon/forces/pair_lists.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/topology.hpp>

#include <functional>
#include <memory>
#include <string>

namespace holon {

/// Lennard-Jones and Coulomb forces between the pairs of PairLists.
///
/// mixed: float arithmetic on the kernel lattice; each pair's force of either kind is rounded to 2^-11 kJ/mol/nm and
/// summed in 32-bit integers, so neither order nor layout matters. Pairs whose force reaches 2047 kJ/mol/nm
/// (overlapping atoms) are computed again in double and summed in 64 bits; which ones is a property of the pair alone.
/// double: everything in double on the full position lattice. Coordinates come from files with few decimals, so that
/// pairs lie exactly at the cutoff more often than one would think; the rounding to the lattice must not decide about
/// them, see tie_distance2() in the source.
class PairForce {
public:
    /// `box` must outlive this object.
    PairForce(const Topology& topology, const NonbondedConstants& constants, Precision precision, const Box& box);
    ~PairForce();

    /// Takes over types and charges of the atoms in the lists' clusters. After every PairLists::build().
    void set_up(const PairLists& lists, const Atoms& atoms);

    /// Adds the forces of either list's pairs to atoms.f. Pre: lists.load_positions() has seen the current positions.
    /// Pairs closer than least_distance2 of pair_functions.hpp count as that far apart, those at the same place push
    /// each other apart in a direction of their own. Returns a message if there are such or if a force was clamped at
    /// force_bound, else an empty string.
    [[nodiscard]] std::string add_coulomb(const PairLists& lists, Atoms& atoms);
    [[nodiscard]] std::string add_vdw(const PairLists& lists, Atoms& atoms);

    /// Adds the energies, and the virial of all that is in atoms.f: of both lists, and nothing else.
    void add_totals(const PairLists& lists, const Atoms& atoms, ForceSums& sums, bool energies = true) const;

    /// Calls use(i, j, energy) for each pair of this rank within the cutoff, by local numbers: the energies that
    /// add_totals() adds [kJ/mol], one by one and as slow as that.
    using PairEnergy = std::function<void(std::int32_t, std::int32_t, double)>;
    void for_each_energy(const PairLists& lists, const Atoms& atoms, const PairEnergy& coulomb,
                         const PairEnergy& vdw) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
