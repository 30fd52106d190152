#pragma once

#include <holon/core/vec3.hpp>
#include <holon/system/topology.hpp>

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// Velocities or accelerations of a torsion tree: of its first unit, and of each torsion.
struct JointRates {
    Vec3 rotation = Vec3::Zero();    // of the first unit [1/ps, 1/ps^2]
    Vec3 translation = Vec3::Zero(); // of its reference point [nm/ps, nm/ps^2]
    std::vector<double> torsions;    // [1/ps, 1/ps^2]
};

/// A molecule as a tree of rigid units, each of which turns against the one before about a bond that they share: its
/// dynamics in internal coordinates in a time that is linear in its size.
///
/// D.-S. Bae, E. J. Haug, Mech. Struct. Mach. 15, 359 (1987); G. Rodriguez, A. Jain, K. Kreutz-Delgado, Int. J. Robot.
/// Res. 10, 371 (1991); A. Jain, N. Vaidehi, G. Rodriguez, J. Comput. Phys. 106, 258 (1993). The inertia P of a unit
/// with all beyond it is found from the tips to the base, D = h'P h about the bond h, G = P h / D:
///
///     P = M + sum phi (P - G D G') phi',   z = b - F + P a + sum phi (z + G e),   e = T - h'z,
///
/// then from the base to the tips A+ = phi' A, torsion = e / D - G'A+, A = A+ + h torsion + a.
///
/// A ring of units that turn is cut at one of its bonds, whose two units then each have a place of their own for its
/// atoms: the gap, which multipliers keep closed (D.-S. Bae, E. J. Haug, Mech. Struct. Mach. 15, 481 (1987)). With J
/// the rates of all gaps by the torsions and A the accelerations of the open tree, J M^-1 J' l = -J A - what is
/// quadratic in velocities.
///
/// The accelerations are those that constraints of torsion_only() give in Cartesian coordinates. Trajectories are
/// better integrated there (RATTLE is symplectic, leap-frog in torsions is not, since their masses depend on them);
/// this is for what asks for the torsions themselves: derivatives, normal modes, the determinant of the metric.
class TorsionTree {
public:
    /// Of molecule.torsion_units. Throws InputError for a molecule that is not one piece of them.
    explicit TorsionTree(const MoleculeType& molecule);

    std::size_t n_atoms() const { return masses_.size(); }
    std::size_t n_torsions() const { return bodies_.size() - 1; }
    double mass(std::size_t atom) const { return masses_[atom]; } // [u]
    /// The bond of a torsion: its second atom turns with what is beyond it.
    std::array<std::int32_t, 2> bond(std::size_t torsion) const { return bodies_[torsion + 1].bond; }

    /// Rings of units that turn; each is cut at a bond.
    std::size_t n_loops() const { return cuts_.size(); }

    /// The reference point of the first unit, which torsions leave where it is [nm].
    Vec3 base() const { return joints_[0].place; }

    /// Where the atoms are, whole [nm]; units have their shapes. O(n).
    void set_positions(std::span<const Vec3> x);
    std::span<const Vec3> positions() const { return x_; }

    /// Velocities of the joints whose motion is nearest, by the masses, to that of these momenta [u nm/ps].
    JointRates rates(std::span<const Vec3> momenta) const;
    /// Velocities of the atoms [nm/ps].
    std::vector<Vec3> velocities(const JointRates& rates) const;
    /// Accelerations of the joints under forces on the atoms [kJ/mol/nm], and torques about the torsions [kJ/mol], if
    /// any.
    JointRates accelerations(const JointRates& rates, std::span<const Vec3> forces,
                             std::span<const double> torques = {}) const;
    /// Those of the atoms, from those of the joints [nm/ps^2].
    std::vector<Vec3> accelerations_of_atoms(const JointRates& rates, const JointRates& accelerations) const;

    /// -dE/dtorsion = h.sum (x - o) x f over the atoms beyond the bond (H. Abe, W. Braun, T. Noguti, N. Go, Comput.
    /// Chem. 8, 239 (1984)), in one pass [kJ/mol].
    std::vector<double> torques(std::span<const Vec3> forces) const;
    /// The atoms after turns by these angles [rad], one after the other from the base on.
    std::vector<Vec3> turned(std::span<const double> angles) const;

    /// Adds the least turns that close all gaps after turns by `angles` [rad], by Newton's method. False: there are
    /// none near them. Nothing to do without loops.
    [[nodiscard]] bool close(std::vector<double>& angles) const;
    /// Rates of the gaps by the torsions, J: 6 rows a loop, of which one is never independent of the others [nm].
    Eigen::MatrixXd gap_rates() const;
    /// Multipliers that hold the loops against forces on the atoms, as far as they can: J'l nearest the torques; 6 a
    /// loop [kJ/mol/nm].
    Eigen::VectorXd tensions(std::span<const Vec3> forces) const;

    /// What second derivatives of the energy by torsions are beyond those by the atoms' motions: -sum f.d2x
    /// (T. Noguti, N. Go, J. Phys. Soc. Jpn. 52, 3283 (1983)), and + l.d2(gap) for multipliers of loops, if any
    /// [kJ/mol].
    Eigen::MatrixXd curvature(std::span<const Vec3> forces, const Eigen::VectorXd& tensions = {}) const;
    /// Motions of the atoms: first six of the whole molecule, then one for each torsion, of the open tree; 3 n rows
    /// [nm].
    Eigen::MatrixXd motions() const;

    /// ln det of the mass matrix of all joints of the open tree, sum ln det D.
    double ln_det_mass() const;

private:
    using Spatial = Eigen::Matrix<double, 6, 1>; // angular, then linear
    using Inertia = Eigen::Matrix<double, 6, 6>;

    struct Body {
        std::int32_t parent = -1;           // comes before its children
        std::array<std::int32_t, 2> bond{}; // atoms of the parent
        std::vector<std::int32_t> atoms;    // that are in no unit before it
        std::vector<std::int32_t> all;      // of its unit
    };
    struct Joint {
        Vec3 place = Vec3::Zero(), axis = Vec3::Zero(); // a point of the bond, its direction
        Inertia inertia;                                // of the body with all beyond it
        Spatial gain;                                   // G
        double d = 1.0;                                 // D
    };
    struct Motion {
        std::vector<Spatial> body; // at each body's place
        JointRates joints;
    };
    struct Cut { // of a loop
        std::array<std::size_t, 2> bodies;
        std::array<std::int32_t, 2> bond; // atoms that both have
    };
    struct Frame { // of a body after turns
        Mat3 rotation;
        Vec3 place;
    };

    void connect(const std::vector<std::vector<std::int32_t>>& units,
                 const std::vector<std::vector<std::int32_t>>& units_at);
    std::int32_t body_of(std::int32_t atom) const { return body_of_[static_cast<std::size_t>(atom)]; }
    void set_inertia(std::size_t body);
    std::vector<Spatial> forces_on_bodies(std::span<const Vec3> forces) const;
    Motion motion_of(const JointRates& rates) const;
    std::vector<Spatial> bias_of(const Motion& velocities) const;
    Motion solve(std::vector<Spatial> loads, const std::vector<Spatial>* bias, std::span<const double> torques) const;
    std::vector<Frame> frames(std::span<const double> angles) const;
    Vec3 moved(std::size_t body, const std::vector<Frame>& frames, const Vec3& x) const;
    Eigen::VectorXd gaps(const std::vector<Frame>& frames) const;
    Eigen::MatrixXd gap_rates(const std::vector<Frame>& frames) const;
    Eigen::VectorXd opening(const Motion& motion, const Motion* velocities) const;
    JointRates closed(Motion open, const Motion* velocities) const;
    Vec3 at(std::size_t body, const Spatial& motion, const Vec3& x) const;
    Vec3 centripetal(std::size_t body, const Motion& velocities, const Vec3& x) const;

    std::vector<double> masses_, shares_; // per atom [u]; for each unit that it is in
    std::vector<Body> bodies_;
    std::vector<std::int32_t> body_of_; // per atom
    std::vector<Cut> cuts_;

    std::vector<Vec3> x_;
    std::vector<Joint> joints_;
    Inertia inverse_base_ = Inertia::Zero();
    double ln_det_base_ = 0.0;
};

} // namespace holon
