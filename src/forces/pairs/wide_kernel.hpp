#pragma once

#include "pair_kernel.hpp"

/// Pairs in double, with 64-bit sums of their forces: those that are too large for the pair kernel, and all where it is
/// not used. One source, compiled once per instruction set, chosen when the program starts; all variants give the same
/// bits. Plain arrays only, as in KernelData.
namespace holon::pair {

/// Positions of four atoms, or forces on them, on their lattices. Unused places: anything.
using FullCluster = ClusterOf<std::int64_t>;

/// Single pairs, by their places in a list's clusters.
struct SinglePairs {
    std::int64_t n;
    std::int32_t *i, *j;
    double* d[3]; // from j to i [nm]
};

/// So many more than there are must have room in each array: vectors write there, too.
inline constexpr std::int64_t room_beyond = 16;

/// A row of a list, to be searched for the pairs within the cutoff.
struct WideRow {
    const FullCluster* clusters;
    std::int64_t ci;
    PairList::Row entries;
    const std::uint32_t *used_rows, *used; // per cluster, see PairList
    double cutoff2;                        // [nm^2]
    double rounding;                       // r^2 this near to it is not enough to tell [nm^2]
};

/// The interaction of a list.
struct WideInteraction {
    Kind kind;
    Form form;
    const Constants<double>& constants;
    const double* charge;     // per place, times sqrt(coulomb factor); Coulomb lists
    const std::int32_t* type; // per place; Lennard-Jones lists
    std::int32_t n_types;
    const double *c6, *c12, *six_c6, *twelve_c12; // n_types x n_types
};

/// find_pairs: writes the pairs of a row to `found`, and to `unsure` those that may be within the cutoff or are at the
/// same place: for the caller to judge. Both have room for all pairs of the row.
/// wide_forces: forces on the first atoms, on the lattice of forces. Pairs closer than least_distance2 count as that
/// far apart. Returns whether some are clamped at force_bound. wide_energies: [kJ/mol].
/// row_forces: adds the forces of a row's pairs to those of its list's clusters, but for `unsure` ones as above;
/// clamped forces as above.
#define HOLON_DECLARE(variant)                                                                                         \
    bool row_forces_##variant(const WideInteraction& interaction, const WideRow& row, FullCluster* forces,             \
                              SinglePairs& unsure);                                                                    \
    void find_pairs_##variant(const WideRow& row, SinglePairs& found, SinglePairs& unsure);                            \
    bool wide_forces_##variant(const WideInteraction& interaction, const SinglePairs& pairs,                           \
                               std::int64_t* const force[3]);                                                          \
    void wide_energies_##variant(const WideInteraction& interaction, const SinglePairs& pairs, double* energy);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::pair
