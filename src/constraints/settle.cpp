/// Rigid three-site water, positions in closed form.
/// S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13, 952 (1992); names of angles and points are theirs.
///
/// Everything is relative to the first atom (oxygen), so that no precision is lost far from the origin; the centre of
/// mass stays where it is by construction. Velocities need a 3 x 3 linear system; its matrix is that of the bonds as
/// they are, not of the ideal triangle, so that r.v = 0 also where a start from a coordinate file is rigid to three
/// digits only.
#include "bond.hpp"

#include <Eigen/LU>

#include <cmath>
#include <vector>

namespace holon {
namespace {

/// What all waters of a molecule type share. Lengths [nm], masses [u].
struct Triangle {
    std::string molecule_name;
    double m_o, m_h;
    double d_oh2, d_hh2;
    double w_h;        // m_h / total mass
    double ra, rb, rc; // oxygen to centre of mass, centre of mass to H-H, half H-H

    Triangle(const MoleculeType& molecule, const ConstraintCluster& cluster) : molecule_name(molecule.name)
    {
        const auto mass = [&](std::size_t k) {
            return molecule.atoms[static_cast<std::size_t>(cluster.atoms[k])].mass;
        };
        m_o = mass(0);
        m_h = mass(1);
        d_oh2 = d_hh2 = 0.0;
        for (const auto& c : cluster.constraints)
            (c.i == cluster.atoms[0] || c.j == cluster.atoms[0] ? d_oh2 : d_hh2) = c.length * c.length;
        w_h = m_h / (m_o + 2.0 * m_h);
        rc = 0.5 * std::sqrt(d_hh2);
        const double height = std::sqrt(d_oh2 - rc * rc);
        ra = 2.0 * w_h * height;
        rb = height - ra;
    }
};

struct Water {
    std::int64_t molecule;
    std::array<std::int32_t, 3> atoms; // local: oxygen, hydrogens
    std::int32_t triangle;
};

/// Displacements [nm] that make the triangle rigid.
struct Correction {
    Vec3 o, h1, h2;
    bool finite() const { return o.allFinite() && h1.allFinite() && h2.allFinite(); }
};

/// `b0`, `c0`: reference, and `b`, `c`: trial vectors from the oxygen to the hydrogens [nm]. Not finite if the trial
/// triangle is too far from the reference.
Correction settle(const Triangle& t, const Vec3& b0, const Vec3& c0, const Vec3& b, const Vec3& c)
{
    // Trial positions relative to the centre of mass.
    const Vec3 a1 = -t.w_h * (b + c);
    const Vec3 b1 = b + a1;
    const Vec3 c1 = c + a1;

    // Frame: Z normal to the reference plane, a1 in the YZ plane.
    const Vec3 z = b0.cross(c0).normalized();
    const Vec3 x = a1.cross(z).normalized();
    const Vec3 y = z.cross(x);
    const double xb0 = x.dot(b0), yb0 = y.dot(b0), xc0 = x.dot(c0), yc0 = y.dot(c0);
    const double za1 = z.dot(a1);
    const double xb1 = x.dot(b1), yb1 = y.dot(b1), zb1 = z.dot(b1);
    const double xc1 = x.dot(c1), yc1 = y.dot(c1), zc1 = z.dot(c1);

    // The ideal triangle, turned by psi about Y and by phi about X, has the trial's components along Z.
    const double sin_phi = za1 / t.ra;
    const double cos_phi = std::sqrt(1.0 - sin_phi * sin_phi);
    const double sin_psi = (zb1 - zc1) / (2.0 * t.rc * cos_phi);
    const double cos_psi = std::sqrt(1.0 - sin_psi * sin_psi);
    const double ya2 = t.ra * cos_phi;
    const double xb2 = -t.rc * cos_psi;
    const double middle = -t.rb * cos_phi, half = t.rc * sin_psi * sin_phi;
    const double yb2 = middle - half;
    const double yc2 = middle + half;

    // Turned by theta about Z, the displacements lie along the reference bonds.
    const double alpha = xb2 * (xb0 - xc0) + yb0 * yb2 + yc0 * yc2;
    const double beta = xb2 * (yc0 - yb0) + xb0 * yb2 + xc0 * yc2;
    const double gamma = xb0 * yb1 - xb1 * yb0 + xc0 * yc1 - xc1 * yc0;
    const double square = alpha * alpha + beta * beta;
    const double sin_theta = (alpha * gamma - beta * std::sqrt(square - gamma * gamma)) / square;
    const double cos_theta = std::sqrt(1.0 - sin_theta * sin_theta);

    const Vec3 a3 = (-ya2 * sin_theta) * x + (ya2 * cos_theta) * y + za1 * z;
    const Vec3 b3 = (xb2 * cos_theta - yb2 * sin_theta) * x + (xb2 * sin_theta + yb2 * cos_theta) * y + zb1 * z;
    const Vec3 c3 = (-xb2 * cos_theta - yc2 * sin_theta) * x + (-xb2 * sin_theta + yc2 * cos_theta) * y + zc1 * z;
    return {a3 - a1, b3 - b1, c3 - c1};
}

/// Velocity changes [nm/ps] that make r.v = 0 for the three bonds: O-H1 `b`, O-H2 `c`, H1-H2; `u`, `w`: velocities of
/// the hydrogens relative to the oxygen.
Correction settle_velocities(const Triangle& t, const Vec3& b, const Vec3& c, const Vec3& u, const Vec3& w)
{
    const Vec3 e = c - b;
    const double o = 1.0 / t.m_o, h = 1.0 / t.m_h;
    const double bb = b.squaredNorm(), cc = c.squaredNorm(), bc = b.dot(c), be = b.dot(e), ce = c.dot(e);
    Mat3 matrix;
    matrix << (o + h) * bb, o * bc, -h * be, //
        o * bc, (o + h) * cc, h * ce,        //
        -h * be, h * ce, 2.0 * h * e.squaredNorm();
    const Vec3 rates(b.dot(u), c.dot(w), e.dot(w - u));
    const Vec3 l = matrix.inverse() * rates; // multipliers [u/ps]
    return {o * (l[0] * b + l[1] * c), h * (l[2] * e - l[0] * b), -h * (l[2] * e + l[1] * c)};
}

class SettleSolver final : public Solver {
public:
    /// Exact: there is no tolerance.
    explicit SettleSolver(const SolverSettings&) {}

    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    void fail(ConstraintResult& result, const Water& water, const Atoms& atoms, const ConstraintStage& stage) const;

    ShapeTable<Triangle> triangles_;
    std::vector<Water> waters_;
};

bool SettleSolver::accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const
{
    if (!cluster.small || cluster.atoms.size() != 3 || cluster.constraints.size() != 3) return false;
    double arm[2] = {0.0, 0.0}; // first atom to the others
    double base = 0.0;
    for (const auto& c : cluster.constraints) {
        const auto low = std::min(c.i, c.j), high = std::max(c.i, c.j);
        (low != cluster.atoms[0] ? base : arm[high == cluster.atoms[2]]) = c.length;
    }
    const auto mass = [&](std::size_t k) { return molecule.atoms[static_cast<std::size_t>(cluster.atoms[k])].mass; };
    return base > 0.0 && arm[0] == arm[1] && 2.0 * arm[0] > base && mass(1) == mass(2);
}

void SettleSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                           const AtomDirectory& directory)
{
    waters_.clear();
    for (const auto& instance : clusters) {
        waters_.push_back({instance.molecule, {}, triangles_.index_of(instance)});
        for (std::size_t k = 0; k < 3; ++k) waters_.back().atoms[k] = owned_index(instance, k, atoms, directory);
    }
}

void SettleSolver::fail(ConstraintResult& result, const Water& water, const Atoms& atoms,
                        const ConstraintStage& stage) const
{
    if (!result.failure.empty()) return;
    std::array<AtomId, 3> ids;
    for (std::size_t k = 0; k < 3; ++k) ids[k] = atoms.id[static_cast<std::size_t>(water.atoms[k])];
    result.failure = failure_message(triangles_[water.triangle].molecule_name, water.molecule, ids,
                                     "the water has moved or turned too far to be made rigid again", stage);
}

ConstraintResult SettleSolver::project_positions(Atoms& atoms, const Box&, const ConstraintStage& stage)
{
    ConstraintResult result;
    VirialSum virial;
    const double inverse_dt = inverse_step(stage);
    for (const auto& water : waters_) {
        const auto& t = triangles_[water.triangle];
        const auto [o, h1, h2] = water.atoms;
        const auto bond = [](const std::vector<IVec3>& x, std::int32_t i, std::int32_t j) {
            return bond_vector(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
        };
        const Vec3 b0 = bond(atoms.x_ref, o, h1), c0 = bond(atoms.x_ref, o, h2);
        const auto moved = settle(t, b0, c0, bond(atoms.x, o, h1), bond(atoms.x, o, h2));
        if (!moved.finite()) {
            fail(result, water, atoms, stage);
            continue;
        }
        displace(atoms, o, moved.o, inverse_dt);
        displace(atoms, h1, moved.h1, inverse_dt);
        displace(atoms, h2, moved.h2, inverse_dt);
        if (stage.force_factor != 0.0) {
            virial.add(b0, t.m_h * moved.h1, stage.force_factor);
            virial.add(c0, t.m_h * moved.h2, stage.force_factor);
        }
        note_residual(result, length_error(bond(atoms.x, o, h1), t.d_oh2));
        note_residual(result, length_error(bond(atoms.x, o, h2), t.d_oh2));
        note_residual(result, length_error(bond(atoms.x, h1, h2), t.d_hh2));
    }
    virial.add_to(result.virial);
    return result;
}

ConstraintResult SettleSolver::project_velocities(Atoms& atoms, const Box&, const ConstraintStage& stage)
{
    ConstraintResult result;
    VirialSum virial;
    for (const auto& water : waters_) {
        const auto& t = triangles_[water.triangle];
        const auto o = static_cast<std::size_t>(water.atoms[0]), h1 = static_cast<std::size_t>(water.atoms[1]),
                   h2 = static_cast<std::size_t>(water.atoms[2]);
        const Vec3 b = bond_vector(atoms.x[o], atoms.x[h1]), c = bond_vector(atoms.x[o], atoms.x[h2]);
        const auto relative = [&](std::size_t i, std::size_t j) {
            return to_real(IVec3(atoms.v[j] - atoms.v[i]), velocity_unit);
        };
        const auto change = settle_velocities(t, b, c, relative(o, h1), relative(o, h2));
        if (!change.finite()) {
            fail(result, water, atoms, stage);
            continue;
        }
        atoms.v[o] += to_lattice(change.o, velocity_unit);
        atoms.v[h1] += to_lattice(change.h1, velocity_unit);
        atoms.v[h2] += to_lattice(change.h2, velocity_unit);
        if (stage.force_factor != 0.0) {
            virial.add(b, t.m_h * change.h1, stage.force_factor);
            virial.add(c, t.m_h * change.h2, stage.force_factor);
        }
        note_residual(result, rate_error(b, relative(o, h1), t.d_oh2));
        note_residual(result, rate_error(c, relative(o, h2), t.d_oh2));
        note_residual(result, rate_error(c - b, relative(h1, h2), t.d_hh2));
    }
    virial.add_to(result.virial);
    return result;
}

} // namespace

std::unique_ptr<Solver> make_settle_solver(const SolverSettings& settings)
{
    return std::make_unique<SettleSolver>(settings);
}

} // namespace holon
