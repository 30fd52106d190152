#pragma once

#include <span>

namespace holon {

/// A group of atoms and the bath at the head of its chain.
struct ChainSettings {
    double dof = 0.0;            // degrees of freedom of the group
    double thermal_energy = 0.0; // k T of the reference temperature of now [kJ/mol]
    double inertia = 0.0;        // Q of each bath but the first, (tau / 2 pi)^2 k T; dof times that of the first
    double first_inertia() const { return dof * inertia; }
};

/// Half a step (`time` [ps]) of a chain of Nose-Hoover baths and of the group that it acts on: Suzuki's fourth-order
/// product of five symmetric steps. G. J. Martyna, M. E. Tuckerman, D. J. Tobias, M. L. Klein, Mol. Phys. 87, 1117
/// (1996), eqs. 20 to 35.
/// rates [1/ps]: of the baths, the first acts on the group; heat [kJ/mol]: what flows into the baths but for their
/// kinetic energy, k T (dof d eta_1 + d eta_2 + ...), is added. Returns the factor for the velocities of the group,
/// whose kinetic energy is given [kJ/mol].
double advance_chain(std::span<double> rates, double& heat, double kinetic, double time, const ChainSettings& chain);

/// Kinetic energy of the baths [kJ/mol]. It, the heat and the energy of the system are conserved together.
double chain_energy(std::span<const double> rates, const ChainSettings& chain);

} // namespace holon
