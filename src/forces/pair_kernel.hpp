#pragma once

#include <holon/system/pair_list.hpp>

#include "pair_functions.hpp"

#include <cstdint>

/// The vectorised pair kernel: one source, compiled once per instruction set, chosen when the program starts. All
/// variants do the same IEEE operations in the same order, so they give the same bits.
namespace holon::pair {

inline constexpr int kernel_force_bits = 14; // 1 unit of a pair force = 2^-14 kJ/mol/nm
inline constexpr float wide_limit = 4096.0F; // [kJ/mol/nm] pairs with larger forces take the wide path

/// Forces on a cluster's atoms as partners, before they are folded: lane 4 a + b belongs to atom b.
struct alignas(64) LaneForces {
    std::int32_t x[16], y[16], z[16];
};

/// Forces on a cluster's atoms as owners of a row.
struct alignas(16) RowForces {
    std::int32_t x[4], y[4], z[4];
};

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
struct KernelData {
    const Cluster* clusters;
    std::int64_t n_clusters;
    const std::int64_t* row_begin;
    const PairList::Entry* entries;
    const float* charge;      // per place, times sqrt(coulomb factor)
    const std::int32_t* type; // per place
    const float* c6;          // n_types x n_types
    const float* c12;
    std::int32_t n_types;
    Constants<float> constants;
    LaneForces* partner;        // per cluster, zero at the start
    RowForces* row;             // per cluster, zero at the start
    std::uint8_t* row_has_wide; // per cluster, set where a pair was left to the wide path
};

/// Adds all pairs of the list: plain Coulomb or reaction field, and this form of Lennard-Jones.
void run_kernel_baseline(Form vdw, const KernelData& data);
void run_kernel_v3(Form vdw, const KernelData& data);
void run_kernel_v4(Form vdw, const KernelData& data);

/// 1/sqrt by integer seed and three Newton steps: the same bits on any processor, unlike the hardware's estimates.
/// T: float or a vector of them, I: the integers of the same size.
template <class T, class I>
inline __attribute__((always_inline)) T inverse_sqrt(T x, I bits)
{
    const I seed = 0x5f375a86 - (bits >> 1);
    T y;
    __builtin_memcpy(&y, &seed, sizeof y);
    const T half = 0.5F * x;
    y = y * (1.5F - half * y * y);
    y = y * (1.5F - half * y * y);
    return y * (1.5F - half * y * y);
}

} // namespace holon::pair
