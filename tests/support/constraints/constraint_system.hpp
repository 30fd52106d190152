#pragma once

#include <holon/constraints/constraints.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

/// Small constrained systems, distributed over ranks by hand in any way that a test likes.
namespace holon::test {

/// The same numbers from [-1, 1) on every platform.
class Noise {
public:
    explicit Noise(unsigned seed);
    double operator()();
    Vec3 vector();

    /// Three normal deviates, each the sum of twelve uniform ones.
    Vec3 normal_vector();

private:
    std::mt19937 engine_;
};

/// A system with its whole state: reference positions on the constraints, trial positions and velocities off them.
struct ConstraintSystem {
    Topology topology;
    std::vector<MoleculeClusters> clusters;
    Box box;                        // 4 x 4.5 x 5 nm unless a test says otherwise
    std::vector<IVec3> x_ref, x, v; // per global id

    // Long ones that every test has: compiled once.
    ConstraintSystem();
    ConstraintSystem(const ConstraintSystem&);
    ConstraintSystem(ConstraintSystem&&) noexcept;
    ConstraintSystem& operator=(const ConstraintSystem&);
    ConstraintSystem& operator=(ConstraintSystem&&) noexcept;
    ~ConstraintSystem();

    void add(const MoleculeType& type, std::int64_t count, const std::vector<Vec3>& positions);

    /// Trial positions within `step` [nm], and velocities within `speed` [nm/ps] times what their mass makes of it.
    void disturb(double step, double speed, unsigned seed);

    double mass(std::size_t id) const;

    /// Calls f(id of i, id of j, length) for every constraint and settle of the system, and the links of its bodies.
    void for_each_constraint(const std::function<void(std::size_t, std::size_t, double)>& f) const;

    Vec3 bond(const std::vector<IVec3>& positions, std::size_t i, std::size_t j) const;

    /// Largest |r^2 - d^2| / (2 d^2).
    double max_length_error(const std::vector<IVec3>& positions) const;

    /// Largest |r.v| / d^2 [1/ps].
    double max_rate(const std::vector<IVec3>& positions, const std::vector<IVec3>& velocities) const;

private:
    std::int64_t molecules_ = 0;
};

std::vector<MoleculeNeeds> needs_of(const ConstraintSystem& system, const Constraints& constraints);

/// One rank's part of a system: owned atoms, copies of what constraints bind them to and of what `constraints` need
/// beyond (shifted by a box vector where `shift_copies`), room for the numbers that they keep, and where they are.
struct LocalPart {
    Atoms atoms;
    std::map<AtomId, std::int32_t> index;
    std::function<int(AtomId)> owner_of_id;

    LocalPart(const ConstraintSystem& system, int rank, std::function<int(AtomId)> owner, bool shift_copies = false,
              const Constraints* constraints = nullptr);

    AtomDirectory directory() const;

private:
    void make_room(const ConstraintSystem& system, const std::vector<MoleculeNeeds>& needs);

    void add(const ConstraintSystem& system, AtomId id, const IVec3& shift);
};

MoleculeType molecule(const std::string& name, const std::vector<double>& masses, std::vector<Constraint> constraints);

/// `n` carbons in a zigzag with their hydrogens, all bonds constrained: C1 H H H C2 H H ... , 0.153 and 0.109 nm.
struct Alkane {
    MoleculeType type;
    std::vector<Vec3> positions;

    Alkane(int n, const Vec3& origin, const Vec3& along);
};

/// A rigid water as a settle, and as three constraints.
MoleculeType rigid_water(double d_oh = 0.1, double d_hh = 0.163299);

/// Positions of a water turned by a random rotation.
std::vector<Vec3> water_positions(const Vec3& oxygen, Noise& noise, double d_oh = 0.1, double d_hh = 0.163299);

} // namespace holon::test
