#pragma once

#include <holon/core/log.hpp>
#include <holon/system/topology.hpp>

namespace holon {

/// Atoms lighter than `factor` times the smallest mass of the system, hydrogens usually, get that mass, at the cost of
/// the one atom that each has a chemical bond to: the fastest motions become slower, and thermodynamics stays what it
/// is. K. A. Feenstra, B. Hess, H. J. C. Berendsen, J. Comput. Chem. 20, 786 (1999). Throws InputError, with `key` in
/// the message, for a light atom with several partners and for partners that would become too light themselves.
void repartition_masses(Topology& topology, double factor, const std::string& key, Notes& notes);

} // namespace holon
