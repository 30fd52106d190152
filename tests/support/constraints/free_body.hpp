#pragma once

#include <support/constraints/constraint_molecules.hpp>

#include <array>
#include <memory>
#include <vector>

namespace holon::test {

/// A rigid body that turns and moves without forces, by velocity Verlet.
class FreeBody {
public:
    FreeBody(const MoleculeType& type, const std::vector<Vec3>& shape, const char* solver);

    void step(double dt);

    /// Energy; angular momentum about the first atom's first place.
    std::array<double, 4> invariants() const;
    /// About the centre of mass [u nm^2].
    Mat3 inertia() const;
    const std::vector<IVec3>& positions() const { return part_->atoms.x; }
    double length_error() const { return system_.max_length_error(part_->atoms.x); }

private:
    ConstraintSystem system_;
    std::unique_ptr<LocalPart> part_;
    std::unique_ptr<Constraints> constraints_;
};

} // namespace holon::test
