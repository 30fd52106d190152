#pragma once

#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

namespace holon {

/// What the cutoff leaves out of the Lennard-Jones interaction of a fluid that is homogeneous beyond it.
struct LongRangeCorrection {
    double energy = 0.0; // [kJ/mol]
    double virial_diagonal =
        0.0; // each diagonal element of -1/2 sum r (x) f; pressure -2 virial_diagonal / volume [kJ/mol]
};

/// The dispersion correction (`DispCorr`) for the vdw cutoff and modifier of `parameters` in `volume` [nm^3]: c6, and
/// c12 for the `All` variants, averaged over all pairs of atoms that are not excluded. It also takes back what the
/// modifier does within the cutoff. GROMACS reference manual, "Long range Van der Waals interactions".
LongRangeCorrection dispersion_correction(const Topology& topology, double volume, const Parameters& parameters);

} // namespace holon
