#pragma once

#include <holon/app/input.hpp>
#include <holon/constraints/torsion_minimiser.hpp>
#include <holon/dynamics/system.hpp>

#include <string>
#include <vector>

namespace holon {

/// A system that is one molecule on one rank, with the energy of any conformation.
class MoleculeForces {
public:
    /// Puts the molecule on its constraints. Throws InputError for several ranks or molecules. Takes the atoms out of
    /// `input`, which must outlive this object.
    MoleculeForces(const Communicator& comm, RunInput& input);

    const MoleculeType& type() const { return system_.topology().molecule_types.front(); }

    /// Where the atoms are now, whole [nm].
    const std::vector<Vec3>& positions() const { return x_; }

    /// Brings the atoms there.
    EnergyAndForces at(std::span<const Vec3> x);

    /// The state as a .gro file at full precision.
    void write_gro(const std::string& path) const;

private:
    System system_;
    std::int64_t evaluations_ = 0;
    std::vector<Vec3> x_;           // by id
    std::vector<IVec3> on_lattice_; // the same
};

} // namespace holon
