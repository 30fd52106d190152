#pragma once

#include <holon/core/index.hpp>
#include <holon/system/energies.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace holon {

/// Every bonded interaction of the topology: X(name, atoms per term, parameters used, energy it counts as).
/// The functional form and the meaning of the parameters stand in src/forces/<name>.hpp or .cpp. Angles are in radians.
///   harmonic_bond        b0 [nm], k [kJ/mol/nm^2]                 1/2 k (b-b0)^2
///   g96_bond             b0, k [kJ/mol/nm^4]                      1/4 k (b^2-b0^2)^2
///   morse_bond           b0, D [kJ/mol], beta [1/nm]              D (1-exp(-beta(b-b0)))^2
///   cubic_bond           b0, k [kJ/mol/nm^2], kcub [1/nm]         k (b-b0)^2 (1 + kcub (b-b0))
///   fene_bond            bm, k [kJ/mol/nm^2]                      -1/2 k bm^2 ln(1-b^2/bm^2)
///   restraint_bond       low, up1, up2 [nm], k [kJ/mol/nm^2]      flat from low to up1, linear beyond up2
///   tabulated_bond       table, k                                 k V(b) by a table of the topology
///   constraint_spring    d [nm], k [kJ/mol/nm^2]                  1/2 k (b-d)^2 in the place of a constraint
///   harmonic_angle       theta0, k [kJ/mol/rad^2]                 1/2 k (theta-theta0)^2
///   g96_angle            theta0, k [kJ/mol]                       1/2 k (cos theta-cos theta0)^2
///   urey_bradley         theta0, k, r13 [nm], kUB [kJ/mol/nm^2]   harmonic angle + 1/2 kUB (r_ik-r13)^2
///   cross_bond_bond      r1, r2 [nm], k [kJ/mol/nm^2]             k (r_ij-r1) (r_jk-r2)
///   cross_bond_angle     r1, r2, r3 [nm], k [kJ/mol/nm^2]         k (r_ik-r3) (r_ij-r1 + r_jk-r2)
///   quartic_angle        theta0, C0..C4 [kJ/mol/rad^n]            sum C_n (theta-theta0)^n
///   linear_angle         a, k [kJ/mol/nm^2]                       1/2 k (r_j - a r_i - (1-a) r_k)^2
///   restricted_angle     theta0, k [kJ/mol]                       1/2 k (cos theta-cos theta0)^2 / sin^2 theta
///   tabulated_angle      table, k                                 k V(theta) likewise
///   proper_dihedral      phi0, k [kJ/mol], n                      k (1+cos(n phi-phi0))
///   periodic_improper    phi0, k, n                               as proper_dihedral, counted as improper
///   harmonic_improper    xi0, k [kJ/mol/rad^2]                    1/2 k (xi-xi0)^2
///   ryckaert_bellemans   C0..C5 [kJ/mol]                          sum C_n cos^n(phi-180)
///   restricted_dihedral  phi0, k [kJ/mol]                         1/2 k (cos phi-cos phi0)^2 / sin^2 phi
///   bending_torsion      a0..a4 [kJ/mol]                          sin^3 theta1 sin^3 theta2 sum a_n cos^n phi
///   tabulated_dihedral   table, k                                 k V(phi) likewise
///   pair_14              c6, c12                                  LJ + fudgeQQ * Coulomb of the atoms' charges
///   pair_14_explicit     c6, c12, qq [e^2, scaled]                LJ + Coulomb of the given product
///   pair_explicit        c6, c12, qq [e^2]                        likewise, counted with the other pairs; no cutoff
///   cmap                 grid index                               correction map over two dihedrals of five atoms
///   position_restraint   kx, ky, kz [kJ/mol/nm^2]                 harmonic to the atom's reference position
///   flat_bottom_restraint  shape, r [nm], k [kJ/mol/nm^2]         harmonic beyond r from there
///   angle_restraint      theta0, k [kJ/mol], n                    k (1-cos(n (theta-theta0))) of two vectors
///   angle_restraint_z    theta0, k, n                             likewise of a vector and the z axis
///   dihedral_restraint   phi0, dphi, k [kJ/mol/rad^2]             1/2 k (|phi-phi0| - dphi)^2 beyond dphi
///   excluded_pair        (none)                                   what a pair that the list leaves out still feels
#define HOLON_INTERACTIONS(X)                                                                                          \
    X(harmonic_bond, 2, 2, bond)                                                                                       \
    X(g96_bond, 2, 2, bond)                                                                                            \
    X(morse_bond, 2, 3, bond)                                                                                          \
    X(cubic_bond, 2, 3, bond)                                                                                          \
    X(fene_bond, 2, 2, bond)                                                                                           \
    X(restraint_bond, 2, 4, restraint_bond)                                                                            \
    X(tabulated_bond, 2, 2, bond)                                                                                      \
    X(constraint_spring, 2, 2, constraint_spring)                                                                      \
    X(harmonic_angle, 3, 2, angle)                                                                                     \
    X(g96_angle, 3, 2, angle)                                                                                          \
    X(urey_bradley, 3, 4, urey_bradley)                                                                                \
    X(cross_bond_bond, 3, 3, angle)                                                                                    \
    X(cross_bond_angle, 3, 4, angle)                                                                                   \
    X(quartic_angle, 3, 6, angle)                                                                                      \
    X(linear_angle, 3, 2, angle)                                                                                       \
    X(restricted_angle, 3, 2, angle)                                                                                   \
    X(tabulated_angle, 3, 2, angle)                                                                                    \
    X(proper_dihedral, 4, 3, proper_dihedral)                                                                          \
    X(periodic_improper, 4, 3, improper_dihedral)                                                                      \
    X(harmonic_improper, 4, 2, improper_dihedral)                                                                      \
    X(ryckaert_bellemans, 4, 6, ryckaert_bellemans)                                                                    \
    X(restricted_dihedral, 4, 2, proper_dihedral)                                                                      \
    X(bending_torsion, 4, 5, proper_dihedral)                                                                          \
    X(tabulated_dihedral, 4, 2, proper_dihedral)                                                                       \
    X(pair_14, 2, 2, lj_14)                                                                                            \
    X(pair_14_explicit, 2, 3, lj_14)                                                                                   \
    X(pair_explicit, 2, 3, lj)                                                                                         \
    X(cmap, 5, 1, cmap)                                                                                                \
    X(position_restraint, 1, 3, position_restraint)                                                                    \
    X(flat_bottom_restraint, 1, 3, position_restraint)                                                                 \
    X(angle_restraint, 4, 3, angle_restraint)                                                                          \
    X(angle_restraint_z, 2, 3, angle_restraint)                                                                        \
    X(dihedral_restraint, 4, 3, dihedral_restraint)                                                                    \
    X(excluded_pair, 2, 0, coulomb_short)

enum class Interaction {
#define X(name, atoms, parameters, energy) name,
    HOLON_INTERACTIONS(X)
#undef X
        count
};

inline constexpr std::size_t interaction_count = index(Interaction::count);

struct InteractionInfo {
    std::string_view name;
    int atoms;
    int parameters;
    EnergyTerm energy; // that of the Coulomb forces of pairs has an energy of its own
};

inline constexpr std::array<InteractionInfo, interaction_count> interaction_info = {{
#define X(name, atoms, parameters, energy) {#name, atoms, parameters, EnergyTerm::energy},
    HOLON_INTERACTIONS(X)
#undef X
}};

/// Parameters of one interaction, in the order of the table above; unused places are zero.
using InteractionParameters = std::array<double, 6>;

} // namespace holon
