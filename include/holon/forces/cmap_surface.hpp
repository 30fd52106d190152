#pragma once

#include <holon/system/topology.hpp>

#include <vector>

namespace holon {

/// CHARMM's correction map as a smooth function of two dihedrals: bicubic within each cell of the grid, continuous with
/// its first derivatives. The derivatives at the grid points are those of natural cubic splines through two periods of
/// the map, taken in the middle. A. D. MacKerell, M. Feig, C. L. Brooks, J. Comput. Chem. 25 (2004) 1400.
class CmapSurface {
public:
    /// Throws InputError unless the grid is square with at least four points a side.
    explicit CmapSurface(const CmapGrid& grid);

    struct Value {
        double energy;   // [kJ/mol]
        double phi, psi; // derivatives by the first and the second dihedral [kJ/mol/rad]
    };

    /// The map at any pair of angles [rad].
    Value operator()(double phi, double psi) const;

private:
    /// Energy and derivatives by both angles and mixed, angles in units of the grid spacing.
    struct Node {
        double value = 0.0, by_row = 0.0, by_column = 0.0, by_both = 0.0;
    };
    const Node& node(int row, int column) const;

    int size_ = 0;
    std::vector<Node> nodes_; // size x size, row = first dihedral, starting at -180 degrees
};

/// The surfaces of all maps of a topology, in the order of Topology::cmap_grids.
std::vector<CmapSurface> cmap_surfaces(const Topology& topology);

} // namespace holon
