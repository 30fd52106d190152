#pragma once

/// GROMACS' units: nm, ps, u, e, kJ/mol, K. The only table of physical constants (CODATA 2018, the values GROMACS
/// uses).
namespace holon::units {

inline constexpr double avogadro = 6.02214076e23;                              // [1/mol]
inline constexpr double boltzmann = 1.380649e-23 * avogadro * 1e-3;            // [kJ/mol/K]
inline constexpr double electric_factor = 138.93545764438198;                  // 1/(4 pi eps0) [kJ/mol nm/e^2]
inline constexpr double bar_per_kj_per_mol_nm3 = 1e25 / avogadro * 1e3 * 1e-3; // 16.6054 bar = 1 kJ/mol/nm^3
inline constexpr double kg_per_m3 = 1e27 / avogadro * 1e-3;                    // 1.66054 kg/m^3 = 1 u/nm^3
inline constexpr double pi = 3.14159265358979323846;
inline constexpr double degree = pi / 180.0; // [rad]

} // namespace holon::units
