#pragma once

#include <holon/dynamics/force_field.hpp>

#include <cstdint>

namespace holon {

/// Energies and what follows from them at one step, of the whole system.
struct Measurement {
    std::int64_t step = 0;
    double time = 0.0; // [ps]
    ForceTotals forces;
    double kinetic = 0.0;         // [kJ/mol]
    double conserved = 0.0;       // total energy and what operators have taken out of it [kJ/mol]
    double temperature = 0.0;     // [K]
    Mat3 virial = Mat3::Zero();   // -1/2 sum r (x) f with constraint forces [kJ/mol]
    Mat3 pressure = Mat3::Zero(); // [bar]

    /// The box, rows [nm]; and the pressure that it feels, if it has a barostat: that of the scaling groups [bar].
    Mat3 box = Mat3::Zero();
    Mat3 group_pressure = Mat3::Zero();

    double mean_pressure() const { return pressure.trace() / 3.0; }
};

/// Pressure tensor 2/V (kinetic - virial) [bar] from [kJ/mol] and [nm^3].
Mat3 pressure_tensor(const Mat3& kinetic, const Mat3& virial, double volume);

} // namespace holon
