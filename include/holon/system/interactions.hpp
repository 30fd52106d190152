#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace holon {

/// Every bonded interaction of the topology: X(name, atoms per term, parameters used).
/// The functional form and the meaning of the parameters stand in src/forces/<name>.hpp or .cpp. Angles are in radians.
///   harmonic_bond        b0 [nm], k [kJ/mol/nm^2]                 1/2 k (b-b0)^2
///   g96_bond             b0, k [kJ/mol/nm^4]                      1/4 k (b^2-b0^2)^2
///   morse_bond           b0, D [kJ/mol], beta [1/nm]              D (1-exp(-beta(b-b0)))^2
///   harmonic_angle       theta0, k [kJ/mol/rad^2]                 1/2 k (theta-theta0)^2
///   g96_angle            theta0, k [kJ/mol]                       1/2 k (cos theta-cos theta0)^2
///   urey_bradley         theta0, k, r13 [nm], kUB [kJ/mol/nm^2]   harmonic angle + 1/2 kUB (r_ik-r13)^2
///   proper_dihedral      phi0, k [kJ/mol], n                      k (1+cos(n phi-phi0))
///   periodic_improper    phi0, k, n                               as proper_dihedral, counted as improper
///   harmonic_improper    xi0, k [kJ/mol/rad^2]                    1/2 k (xi-xi0)^2
///   ryckaert_bellemans   C0..C5 [kJ/mol]                          sum C_n cos^n(phi-180)
///   pair_14              c6, c12                                  LJ + fudgeQQ * Coulomb of the atoms' charges, no
///   cutoff pair_14_explicit     c6, c12, qq [e^2, scaled]                LJ + Coulomb of the given product, no cutoff
///   cmap                 grid index                               correction map over two dihedrals of five atoms
///   position_restraint   kx, ky, kz [kJ/mol/nm^2]                 harmonic to the atom's reference position
///   excluded_pair        (none)                                   long-range correction of a pair the pair list leaves
///   out
#define HOLON_INTERACTIONS(X)                                                                                          \
    X(harmonic_bond, 2, 2)                                                                                             \
    X(g96_bond, 2, 2)                                                                                                  \
    X(morse_bond, 2, 3)                                                                                                \
    X(harmonic_angle, 3, 2)                                                                                            \
    X(g96_angle, 3, 2)                                                                                                 \
    X(urey_bradley, 3, 4)                                                                                              \
    X(proper_dihedral, 4, 3)                                                                                           \
    X(periodic_improper, 4, 3)                                                                                         \
    X(harmonic_improper, 4, 2)                                                                                         \
    X(ryckaert_bellemans, 4, 6)                                                                                        \
    X(pair_14, 2, 2)                                                                                                   \
    X(pair_14_explicit, 2, 3)                                                                                          \
    X(cmap, 5, 1)                                                                                                      \
    X(position_restraint, 1, 3)                                                                                        \
    X(excluded_pair, 2, 0)

enum class Interaction {
#define X(name, atoms, parameters) name,
    HOLON_INTERACTIONS(X)
#undef X
        count
};

inline constexpr std::size_t interaction_count = static_cast<std::size_t>(Interaction::count);

struct InteractionInfo {
    std::string_view name;
    int atoms;
    int parameters;
};

inline constexpr std::array<InteractionInfo, interaction_count> interaction_info = {{
#define X(name, atoms, parameters) {#name, atoms, parameters},
    HOLON_INTERACTIONS(X)
#undef X
}};

/// Parameters of one interaction, in the order of the table above; unused places are zero.
using InteractionParameters = std::array<double, 6>;

} // namespace holon
