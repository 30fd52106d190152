#pragma once

#include <holon/mesh/mesh_settings.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <memory>

namespace holon {

/// Coefficients of a modifier that switches the force of r^-p off between r1 and rc: F(r) gets A d^2 + B d^3, d = r -
/// r1, and the potential -A/3 d^3 - B/4 d^4 - C (GROMACS reference manual, "Modified non-bonded interactions").
struct ForceSwitch {
    double a = 0.0, b = 0.0, c = 0.0;
};
ForceSwitch force_switch(int power, double r1, double rc);

/// What the non-bonded functions need to know, derived once from the input.
struct NonbondedConstants {
    double coulomb_factor = 0.0;   // 1/(4 pi eps0 epsilon_r) [kJ/mol nm/e^2]
    bool reaction_field = false;   // also acts between excluded atoms and on each charge by itself
    double k_rf = 0.0, c_rf = 0.0; // V = q q K (1/r + k_rf r^2 - c_rf) [1/nm^3, 1/nm]
    double r_coulomb = 0.0, r_coulomb_switch = 0.0, r_vdw = 0.0, r_vdw_switch = 0.0; // [nm]
    Modifier coulomb_modifier = Modifier::none;                                      // potential_shift is part of c_rf
    std::shared_ptr<const MeshSettings> mesh;                                        // the Ewald split, if there is one
    Modifier vdw_modifier = Modifier::none;
    ForceSwitch dispersion, repulsion, coulomb;           // force_switch: of r^-6, r^-12, r^-1
    double dispersion_shift = 0.0, repulsion_shift = 0.0; // V_LJ = c12 (r^-12 - shift) - c6 (r^-6 - shift)

    double cutoff() const { return r_coulomb > r_vdw ? r_coulomb : r_vdw; }
    explicit NonbondedConstants(const Parameters& parameters, std::shared_ptr<const MeshSettings> mesh = nullptr);
};

/// What the reaction field or the shift of a plain cut-off makes of a charge by itself, -1/2 K c_rf q^2 [kJ/mol]; and
/// of all charges of the system: constant.
inline double self_energy(double charge, const NonbondedConstants& constants)
{
    return -0.5 * constants.coulomb_factor * constants.c_rf * charge * charge;
}
double self_energy(const Topology& topology, const NonbondedConstants& constants);

} // namespace holon
