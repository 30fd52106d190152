#pragma once

#include <holon/core/memory.hpp>
#include <holon/core/vec3.hpp>

#include "wide_kernel.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

/// Pairs in double, beside the pair kernel or in place of it: what the wide kernel finds and computes, in memory.
namespace holon::pair {

/// Two places in a list's clusters.
struct PlacePair {
    std::int32_t i, j;
};

/// Single pairs, and memory for more.
class PairBlock {
public:
    SinglePairs pairs{};

    /// Room for n pairs; those that there are stay.
    void grow(std::size_t n);

private:
    Room<std::int32_t> i_, j_;
    std::array<Room<double>, 3> d_;
};

/// The pairs of a row within the cutoff, and those that are for the caller to judge: see find_pairs_*().
void find_pairs(const WideRow& row, PairBlock& found, PairBlock& unsure);

/// Their energies [kJ/mol], in `memory`.
std::span<const double> energies_of(const WideInteraction& interaction, const PairBlock& block, Room<double>& memory);

/// Adds forces of pairs to those of atoms, many at a time: in double, with 64-bit sums, so that their order makes no
/// difference. Refers to all it is given.
class WideForces {
public:
    struct Memory {
        PairBlock found, unsure;
        std::array<Room<std::int64_t>, 3> force;
        std::vector<FullCluster> of_clusters; // forces: what rows have added up; none: no rows
    };
    /// f: per atom, on the lattice of forces.
    WideForces(const WideInteraction& interaction, const PairList& list, const Atoms& atoms, std::span<IVec3> f,
               Memory& memory);

    /// One pair, d from j to i [nm]. Those at the same place push each other apart, unless they attract.
    void add(PlacePair p, const Vec3& d);

    /// All of a row within the cutoff; judge(p) is to add() what is not clear and is.
    template <class Judge>
    void add_row(const WideRow& row, Judge judge)
    {
        add_sure(row);
        const auto& unsure = memory_.unsure.pairs;
        for (std::int64_t n = 0; n < unsure.n; ++n) judge(PlacePair{unsure.i[n], unsure.j[n]});
    }

    /// Adds the last of them. Returns a message if some were at the same place or clamped, else an empty string.
    [[nodiscard]] std::string finish();

private:
    void add_sure(const WideRow& row);
    void hand_on_rows();
    void add_collected();
    bool forces_of_found();
    std::string clamped_text() const;

    const WideInteraction& interaction_;
    const PairList& list_;
    const Atoms& atoms_;
    std::span<IVec3> f_;
    Memory& memory_;
    std::string overlap_;
};

} // namespace holon::pair
