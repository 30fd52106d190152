#pragma once

#include <holon/io/coordinates.hpp>

namespace holon {

/// Protein Data Bank: ATOM and HETATM records of the first model and the cell of CRYST1. Atoms keep the order of the
/// file, whatever their numbers, residues and chains, as topologies count them.
std::unique_ptr<CoordinateReader> open_pdb(const std::string& path);

/// PDBx/mmCIF: the loop of _atom_site, first model, Cartesian coordinates, and _cell.
std::unique_ptr<CoordinateReader> open_cif(const std::string& path);

/// GROMOS-96: blocks POSITION or POSITIONRED, VELOCITY or VELOCITYRED, and BOX.
std::unique_ptr<CoordinateReader> open_g96(const std::string& path);

} // namespace holon
