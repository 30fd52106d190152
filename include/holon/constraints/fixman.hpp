#pragma once

#include <holon/constraints/solver.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/topology.hpp>

#include <memory>
#include <string>
#include <vector>

namespace holon {

/// The potential that takes from constrained molecules what their constraints do to the distribution of shapes.
///
/// Stiff bonds that become rigid take with them the momenta across the surface of all shapes, whose share of phase
/// space differs from shape to shape by (det A)^1/2, A = G M^-1 G' of the gradients G of the constraints. With the
/// potential U = 1/2 kT ln det A the shapes are distributed as those of the molecule with springs as k grows: M.
/// Fixman, Proc. Natl. Acad. Sci. USA 71, 3050 (1974). See src/constraints/fixman/fixman.cpp.
class FixmanPotential {
public:
    /// Of all clusters of the topology that can change their shape: not of rigid water, bodies and single bonds, for
    /// which it is constant. `topology` must outlive this object. Temperature in K.
    FixmanPotential(const Communicator& comm, const Topology& topology, double temperature);
    ~FixmanPotential();
    FixmanPotential(const FixmanPotential&) = delete;
    FixmanPotential& operator=(const FixmanPotential&) = delete;

    /// After every repartition; see Solver::rebuild. No copies are needed. Collective.
    void rebuild(const Atoms& atoms, const AtomDirectory& directory);

    /// Adds the forces on owned atoms; energy and virial, unless `sums` is null. Energies are relative to bonds that
    /// are all at right angles. Returns what went wrong here first, or nothing. Collective.
    std::string add_forces(Atoms& atoms, const Box& box, ForceSums* sums);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
