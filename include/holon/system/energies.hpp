#pragma once

#include <holon/core/fixed_sum.hpp>
#include <holon/core/index.hpp>
#include <holon/core/vec3.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace holon {

/// Terms of the potential energy: X(identifier, key in summary.json and energy.csv).
#define HOLON_ENERGY_TERMS(X)                                                                                          \
    X(bond, "bond")                                                                                                    \
    X(angle, "angle")                                                                                                  \
    X(urey_bradley, "urey-bradley")                                                                                    \
    X(proper_dihedral, "proper-dihedral")                                                                              \
    X(ryckaert_bellemans, "ryckaert-bellemans")                                                                        \
    X(improper_dihedral, "improper-dihedral")                                                                          \
    X(cmap, "cmap")                                                                                                    \
    X(lj_14, "lj-14")                                                                                                  \
    X(coulomb_14, "coulomb-14")                                                                                        \
    X(lj, "lj")                                                                                                        \
    X(lj_correction, "lj-correction")                                                                                  \
    X(coulomb_short, "coulomb-short")                                                                                  \
    X(coulomb_long, "coulomb-long")                                                                                    \
    X(coulomb_real, "coulomb-real")                                                                                    \
    X(coulomb_reciprocal, "coulomb-reciprocal")                                                                        \
    X(coulomb_self, "coulomb-self")                                                                                    \
    X(coulomb_exclusion, "coulomb-exclusion")                                                                          \
    X(position_restraint, "position-restraint")                                                                        \
    X(restraint_bond, "restraint-bond")                                                                                \
    X(distance_restraint, "distance-restraint")                                                                        \
    X(angle_restraint, "angle-restraint")                                                                              \
    X(dihedral_restraint, "dihedral-restraint")                                                                        \
    X(constraint_spring, "constraint-spring")                                                                          \
    X(fixman, "fixman")

enum class EnergyTerm {
#define X(name, key) name,
    HOLON_ENERGY_TERMS(X)
#undef X
        count
};

inline constexpr std::size_t energy_term_count = index(EnergyTerm::count);

inline constexpr std::array<std::string_view, energy_term_count> energy_term_keys = {
#define X(name, key) key,
    HOLON_ENERGY_TERMS(X)
#undef X
};

/// Order-independent sums of one force evaluation on one rank (or, after Communicator::sum, of all).
/// virial: row-major -1/2 sum r (x) f [kJ/mol] of the terms that add it directly.
/// position_force: row-major sum x (x) f over local atoms of the pair forces, exact: only the sum over all ranks has a
/// meaning (and is then -2 x virial), so it stays an integer, raw() in units of 2^-position_force_bits kJ/mol, until
/// then.
struct ForceSums {
    std::array<FixedSum, energy_term_count> energy;
    std::array<FixedSum, 9> virial;
    std::array<FixedSum, 9> position_force;
    int position_force_bits = 0;
    /// Of the energies what is beyond those that go with clamped forces: energies less this fall along the forces.
    FixedSum excess{};

    void add(EnergyTerm term, double value) { energy[index(term)].add(value); }

    /// Adds -1/2 d (x) f for a force f on the atom at the head of d and -f at its tail.
    void add_virial(const Vec3& d, const Vec3& f)
    {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) virial[index(3 * i + j)].add(-0.5 * d[i] * f[j]);
    }
};

} // namespace holon
