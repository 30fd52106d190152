#pragma once

#include <holon/system/pair_list.hpp>

#include "combination_rule.hpp"
#include "force_table.hpp"
#include "pair_functions.hpp"

#include <cstdint>

/// The vectorised pair kernel: one source, compiled once per instruction set, chosen when the program starts. All
/// variants do the same IEEE operations in the same order, so they give the same bits.
namespace holon::pair {

/// 1 unit of a pair force = 2^-11 kJ/mol/nm. Pairs with forces beyond the limit [kJ/mol/nm] take the wide path: the
/// others are rounded by an addition, which takes up to 2^22 units.
inline constexpr int kernel_force_bits = 11;
inline constexpr float wide_limit = 2047.0F;

/// What turns F/r times a distance on the kernel lattice into units of pair forces: a power of two, as all scales here.
inline constexpr float vdw_scale = kernel_unit * static_cast<float>(1 << kernel_force_bits);

/// Minus the forces on a cluster's atoms before they are folded: lane 4 a + b has a part of those on atom b, in units
/// of pair forces; some kernels keep less of it. Atoms may have some 500 pairs at the limit.
struct alignas(64) LaneForces {
    std::int32_t x[16], y[16], z[16];
};

/// Pairs of two clusters that are left to the wide path.
struct WidePairs {
    std::int32_t row, cluster;
    std::uint32_t mask; // as in PairList::Entry
};

/// Lennard-Jones of two types of atoms: 6 c6 and 12 c12, times vdw_scale.
struct VdwOfTypes {
    float six_c6, twelve_c12;
};
HOLON_INLINE VdwOfTypes vdw_of_types(double c6, double c12)
{
    return {6.0F * vdw_scale * static_cast<float>(c6), 12.0F * vdw_scale * static_cast<float>(c12)};
}

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
struct KernelData {
    Clusters clusters;
    CentredClusters centred; // as many, or none
    std::int64_t n_clusters;
    std::int64_t first, last;   // rows to be done
    const PairList::Row* rows;  // per cluster: only those of close entries may be beyond the limit
    const std::int32_t* named;  // per cluster: entries of these rows that name it
    const float* charge;        // per place, times sqrt(coulomb factor); Coulomb lists
    Combination combination;    // Lennard-Jones lists
    const float *vdw_a, *vdw_b; // per place, unless a table: see CombinationRule, with vdw_scale
    const std::int32_t* type;   // per place, with the tables
    const VdwOfTypes* of_types; // n_types x n_types
    std::int32_t n_types;
    Constants<float> constants;
    const ForceTable* table; // Coulomb lists of the form ewald
    LaneForces* forces;      // per cluster, from the first row's on: the result
    WidePairs* wide;         // what is left out; room for one more than close entries
};

/// Adds forces of clusters [begin, end) to those of atoms: the sum of what each part of the rows has given.
struct FoldData {
    const LaneForces* forces; // per part and cluster
    std::int64_t n_clusters, begin, end;
    const PairList::Part* parts; // the first has all clusters
    int n_parts;
    const std::int32_t* atoms; // per place; -1: unused
    int shift;                 // a unit of pair forces is 2^shift of those of the atoms' forces
    std::int64_t* f;           // per atom: x, y, z
};

/// A pair's energy up to this [kJ/mol] is rounded to 2^-36 by adding 1.5 x 2^52 units; rows with larger ones, or with
/// pairs below the least distance, are left out.
inline constexpr double energy_limit = 0x1p14;

/// For the sum of a list's pair energies, in units of 2^-36 kJ/mol.
struct EnergyData {
    const Cluster* clusters;
    std::int64_t first, last; // rows to be done
    const PairList::Row* rows;
    const std::uint32_t *used_rows, *used; // per cluster, see PairList
    const double* charge;                  // as in KernelData
    const std::int32_t* type;
    const double* c6; // n_types x n_types
    const double* c12;
    std::int32_t n_types;
    Constants<float> cutoffs; // as in the force kernel: the same pairs
    Constants<double> constants;
    std::uint8_t* row_left_out; // per cluster, set where a row is left to the caller
};

/// The interaction of a list. Reaction field is a plain form of Coulomb.
enum class Kind { coulomb, vdw };

/// Calls use(kind, form) with constants.
template <class Use>
HOLON_INLINE auto with_constants(Kind kind, Form form, Use use)
{
    using std::integral_constant;
    constexpr integral_constant<Kind, Kind::coulomb> coulomb;
    constexpr integral_constant<Kind, Kind::vdw> vdw;
    constexpr integral_constant<Form, Form::force_switch> force_switch;
    constexpr integral_constant<Form, Form::potential_switch> potential_switch;
    constexpr integral_constant<Form, Form::plain> plain;
    if (kind == Kind::coulomb) {
        if (form == Form::ewald) return use(coulomb, integral_constant<Form, Form::ewald>{});
        if (form == Form::force_switch) return use(coulomb, force_switch);
        if (form == Form::potential_switch) return use(coulomb, potential_switch);
        return use(coulomb, plain);
    }
    if (form == Form::force_switch) return use(vdw, force_switch);
    if (form == Form::potential_switch) return use(vdw, potential_switch);
    return use(vdw, plain);
}

// run_kernel_*: returns how many wide ones there are.

#define HOLON_DECLARE(variant)                                                                                         \
    int128 run_energies_##variant(Kind kind, Form form, const EnergyData& data);                                       \
    std::size_t run_kernel_##variant(Kind kind, Form form, const KernelData& data);                                    \
    void fold_##variant(const FoldData& data);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::pair
