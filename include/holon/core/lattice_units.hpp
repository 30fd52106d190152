#pragma once

/// What one unit of the integer representations is. No more than numbers: also for kernels.
namespace holon {

inline constexpr int position_bits = 48; // 1 unit of a position = 2^-48 nm
inline constexpr int velocity_bits = 44; // 1 unit of a velocity = 2^-44 nm/ps
inline constexpr int force_bits = 28;    // 1 unit of a force = 2^-28 kJ/mol/nm
inline constexpr int energy_bits = 36;   // 1 unit of an energy or virial contribution = 2^-36 kJ/mol

constexpr double lattice_unit(int bits)
{
    return bits == 0 ? 1.0 : 0.5 * lattice_unit(bits - 1);
}
inline constexpr double position_unit = lattice_unit(position_bits); // [nm]
inline constexpr double velocity_unit = lattice_unit(velocity_bits); // [nm/ps]
inline constexpr double force_unit = lattice_unit(force_bits);       // [kJ/mol/nm]
inline constexpr double energy_unit = lattice_unit(energy_bits);     // [kJ/mol]

} // namespace holon
