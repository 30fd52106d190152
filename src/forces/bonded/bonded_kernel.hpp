#pragma once

#include "function_types/bonded_math.hpp"

#include <holon/core/fixed_sum.hpp>

#include <cstdint>

/// The vectorised bonded terms: one source, compiled once per instruction set, chosen when the program starts. All
/// variants do the same IEEE operations in the same order, so they give the same bits.
namespace holon::bonded {

/// The kernels: X(name, type), the latter in name.hpp or as said there. A type has the number of its atoms, n_atoms,
/// and
///     TermForces<T, n_atoms, number of energies> compute<T>(difference, parameters)
/// for T a double or a vector of them: difference(i, j) = x_i - x_j of the term's atoms [nm], parameters[k] as in
/// bonded_terms.cpp, parameters.constants.
#define HOLON_BONDED_KERNELS(X)                                                                                        \
    X(harmonic_bond, HarmonicBond)                                                                                     \
    X(g96_bond, G96Bond)                                                                                               \
    X(harmonic_angle, HarmonicAngle)                                                                                   \
    X(g96_angle, G96Angle)                                                                                             \
    X(urey_bradley, UreyBradley)                                                                                       \
    X(periodic_dihedral, PeriodicDihedral)                                                                             \
    X(harmonic_improper, HarmonicImproper)                                                                             \
    X(ryckaert_bellemans, RyckaertBellemans)                                                                           \
    X(pair_14, Pair14)                                                                                                 \
    X(excluded_pair, ExcludedPair<ReactionField>)                                                                      \
    X(excluded_triangle, ExcludedTriangle<ReactionField>)                                                              \
    X(excluded_pair_mesh, ExcludedPair<MeshPart>)                                                                      \
    X(excluded_triangle_mesh, ExcludedTriangle<MeshPart>)

enum class Kernel {
#define X(name, type) name,
    HOLON_BONDED_KERNELS(X)
#undef X
};

inline constexpr int max_energies = 3; // of a kernel
inline constexpr int n_tensor = 6;     // elements of a virial: forces of terms turn nothing, so that it is symmetric

/// One atom of the terms of a batch: three times its local index.
struct alignas(32) LaneAtoms {
    std::int32_t lane[lanes];
};
/// One parameter of the terms of a batch.
struct alignas(64) LaneNumbers {
    double lane[lanes];
};

/// Of excluded pairs.
struct Constants {
    double cutoff2;            // [nm^2]
    double k_rf, c_rf;         // [1/nm^3, 1/nm]
    double polynomial_cutoff2; // PairPolynomial
    const double* ewald_force;
    const double* ewald_energy;
    int degree; // of ewald_force
};

/// Sums in units of 2^-36 kJ/mol.
struct Totals {
    int128 energy[max_energies];
    int128 virial[n_tensor]; // xx, yx, yy, zx, zy, zz
};

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
struct KernelData {
    std::int64_t n_terms, n_batches; // batch b has terms b, b + n_batches, ... in its lanes; the last is repeated
    std::int64_t first, last;        // batches to be done
    const LaneAtoms* atoms;          // n_atoms per batch
    const LaneNumbers* parameters;   // n_parameters per batch
    int n_parameters;
    Constants constants;
    const std::int64_t* x; // 2^-48 nm, three per atom
    std::int64_t* f;       // 2^-28 kJ/mol/nm, likewise; added to
    std::int64_t box[3][3];
    std::int64_t half_box[3];
    Totals* totals; // added to; null: not wanted
};

struct Reported {
    bool left_out = false; // excluded pairs beyond the cutoff
    bool clamped = false;  // forces, at force_bound
};

#define HOLON_DECLARE(variant) Reported run_##variant(Kernel kernel, const KernelData& data);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::bonded
