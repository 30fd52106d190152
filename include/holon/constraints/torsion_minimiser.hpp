#pragma once

#include <holon/constraints/torsion_tree.hpp>

#include <functional>
#include <span>
#include <vector>

namespace holon {

/// The energy of a molecule whose atoms are at x [nm], and the forces on them [kJ/mol, kJ/mol/nm].
struct EnergyAndForces {
    double energy = 0.0;
    std::vector<Vec3> forces;
};
using MoleculeEnergy = std::function<EnergyAndForces(std::span<const Vec3> x)>;

/// A step of a minimisation in torsions.
struct TorsionStep {
    int number = 0;
    double energy = 0.0;         // [kJ/mol]
    double largest_torque = 0.0; // largest derivative along what loops leave free [kJ/mol]
    double largest_turn = 0.0;   // that led here [rad]
};

struct TorsionMinimiserSettings {
    double torque = 0.1; // converged if all derivatives are below [kJ/mol]
    int steps = 1000;    // at most
    double turn = 0.2;   // no torsion turns by more in a step [rad]
    std::function<void(const TorsionStep&)> tell = [](const TorsionStep&) {};
};

struct TorsionMinimum {
    std::vector<Vec3> x; // [nm]
    EnergyAndForces at;
    TorsionStep last;
    bool converged = false;
};

/// Minimises the energy of a molecule in its torsions (H. Abe, W. Braun, T. Noguti, N. Go, Comput. Chem. 8, 239
/// (1984)): bonds, angles and closed loops stay as they are in `x`, the energy falls with every step. Quasi-Newton with
/// limited memory; its first guess of the inverse second derivatives is the inverse of the mass matrix, which the
/// recursion applies in O(n) and which leaves loops closed. The whole molecule does not move: only its inner energy is
/// minimised. Leaves the tree at the minimum.
TorsionMinimum minimise_torsions(TorsionTree& tree, std::vector<Vec3> x, const MoleculeEnergy& energy,
                                 const TorsionMinimiserSettings& settings);

} // namespace holon
