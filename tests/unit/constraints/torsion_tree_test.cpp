// Dynamics in torsions by recursion along a tree of rigid units: what constraints give in Cartesian coordinates.
#include <support/constraints/torsion_molecules.hpp>
#include <support/dense.hpp>

#include <holon/core/cpu_time.hpp>
#include <holon/core/error.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace holon::test {
namespace {

TEST(TorsionTree, AccelerationsAreThoseOfConstraints)
{
    for (const int residues : {1, 2, 10, 60, 300})
        for (const unsigned seed : {1u, 2u}) {
            SCOPED_TRACE(residues);
            const auto molecule = with_torsions_only(peptide(residues, seed));
            expect_same_motion(molecule);
        }
}

TEST(TorsionTree, RefusesMoleculesOfSeveralPieces)
{
    Polymer polymer;
    polymer.type.torsion_units = {{0, 1, 2}, {3, 4, 5}};
    for (int k = 0; k < 6; ++k) polymer.add_atom("A", 1.0, Vec3(k, k % 2, 0));
    EXPECT_THROW(TorsionTree{polymer.type}, InputError);
}

/// A pendulum of two rods, the base held by its mass: Lagrange's equations by hand.
TEST(TorsionTree, DoublePendulum)
{
    // Heavy plate in the x-y plane, its edge along x the first bond; arms turn about parallel axes.
    Polymer polymer;
    polymer.type.name = "Pendulum";
    const double huge = 1e12;
    for (const auto& [mass, r] :
         {std::pair(huge, Vec3(0, 0, 0)), {huge, Vec3(1, 0, 0)}, {huge, Vec3(0.5, 1, 0)}, {3.0, Vec3(0.5, 0, -1)}})
        polymer.add_atom("A", mass, r);
    polymer.type.torsion_units = {{0, 1, 2}, {0, 1, 3}};
    TorsionTree tree(polymer.type);
    const double angle = 0.7, rate = 1.3, g = 9.0;
    auto x = polymer.positions;
    x[3] = Vec3(0.5, std::sin(angle), -std::cos(angle));
    tree.set_positions(x);
    ASSERT_EQ(tree.n_torsions(), 1u);
    JointRates rates;
    rates.torsions = {rate};
    const std::vector<Vec3> forces{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, -3.0 * g)};
    EXPECT_NEAR(std::abs(tree.accelerations(rates, forces).torsions[0]), g * std::sin(angle), 1e-9);
    const auto a = tree.accelerations_of_atoms(rates, tree.accelerations(rates, forces));
    const Vec3 inwards = -Vec3(0, std::sin(angle), -std::cos(angle));
    EXPECT_NEAR(a[3].dot(inwards), rate * rate, 1e-9);
    EXPECT_NEAR(tree.accelerations(rates, forces, std::vector<double>{3.0}).torsions[0] -
                    tree.accelerations(rates, forces).torsions[0],
                1.0, 1e-9);
}

/// ln det(G M^-1 G') - ln det M(torsions) is the same in all conformations (M. Fixman, Proc. Natl. Acad. Sci. 71, 3050
/// (1974)).
TEST(TorsionTree, DeterminantsDifferByAConstant)
{
    auto molecule = with_torsions_only(peptide(12, 4));
    Noise noise(9);
    std::vector<double> differences, values;
    for (int n = 0; n < 6; ++n) {
        values.push_back(molecule.tree.ln_det_mass());
        differences.push_back(Cartesian(molecule).ln_det() - values.back());
        std::vector<double> angles;
        for (std::size_t t = 0; t < molecule.tree.n_torsions(); ++t) angles.push_back(M_PI * noise());
        molecule.x = molecule.tree.turned(angles);
        molecule.tree.set_positions(molecule.x);
    }
    for (std::size_t n = 1; n < values.size(); ++n) {
        EXPECT_NEAR(differences[n], differences[0], 1e-8);
        EXPECT_GT(std::abs(values[n] - values[0]), 0.01);
    }
}

/// An energy without symmetry: springs of all atoms to points, and a quartic term.
struct Field {
    std::vector<Vec3> centres;
    double energy(const std::vector<Vec3>& x) const
    {
        double sum = 0.0;
        for (std::size_t a = 0; a < x.size(); ++a) {
            const double r2 = (x[a] - centres[a]).squaredNorm();
            sum += r2 + 0.1 * r2 * r2;
        }
        return sum;
    }
    std::vector<Vec3> forces(const std::vector<Vec3>& x) const
    {
        std::vector<Vec3> result;
        for (std::size_t a = 0; a < x.size(); ++a) {
            const Vec3 r = x[a] - centres[a];
            result.push_back(-(2.0 + 0.4 * r.squaredNorm()) * r);
        }
        return result;
    }
    Eigen::MatrixXd hessian(const std::vector<Vec3>& x) const
    {
        Eigen::MatrixXd result = Eigen::MatrixXd::Zero(3 * std::ssize(x), 3 * std::ssize(x));
        for (std::size_t a = 0; a < x.size(); ++a) {
            const Vec3 r = x[a] - centres[a];
            const auto k = 3 * static_cast<Eigen::Index>(a);
            result.block<3, 3>(k, k) = (2.0 + 0.4 * r.squaredNorm()) * Mat3::Identity() + 0.8 * r * r.transpose();
        }
        return result;
    }
};

TEST(TorsionTree, DerivativesAreThoseOfTheEnergy)
{
    auto molecule = with_torsions_only(peptide(6, 8));
    auto& tree = molecule.tree;
    Field field{molecule.x};
    Noise noise(2);
    for (auto& r : field.centres) r += 0.2 * noise.vector();
    const auto n = static_cast<Eigen::Index>(tree.n_torsions());
    const auto torques = tree.torques(field.forces(molecule.x));
    const auto turned_by = [&](Eigen::Index k, double by, Eigen::Index l, double and_by) {
        std::vector<double> angles(tree.n_torsions(), 0.0);
        angles[static_cast<std::size_t>(k)] += by;
        angles[static_cast<std::size_t>(l)] += and_by;
        return field.energy(tree.turned(angles));
    };
    constexpr double h = 1e-4;
    const Eigen::MatrixXd motions = tree.motions().rightCols(n);
    const Eigen::MatrixXd second =
        congruent(field.hessian(molecule.x), motions) + tree.curvature(field.forces(molecule.x));
    for (Eigen::Index k = 0; k < n; ++k) {
        const double slope = (turned_by(k, h, 0, 0.0) - turned_by(k, -h, 0, 0.0)) / (2.0 * h);
        EXPECT_NEAR(-torques[static_cast<std::size_t>(k)], slope, 1e-6 * std::max(1.0, std::abs(slope)));
        for (const Eigen::Index l : {Eigen::Index{0}, k / 2, k}) {
            const double bend =
                (turned_by(k, h, l, h) - turned_by(k, h, l, -h) - turned_by(k, -h, l, h) + turned_by(k, -h, l, -h)) /
                (4.0 * h * h);
            EXPECT_NEAR(second(k, l), bend, 2e-5 * std::max(1.0, std::abs(bend))) << k << " " << l;
        }
    }
    EXPECT_LT((second - second.transpose()).cwiseAbs().maxCoeff(), 1e-9);
}

/// HOLON_TORSION_RESIDUES: of the largest peptide, whose units are known without a search.
TEST(TorsionTree, TimeIsLinear)
{
    const char* const wanted = std::getenv("HOLON_TORSION_RESIDUES");
    const int most = wanted != nullptr ? std::atoi(wanted) : 1000;
    double per_residue = 0.0;
    for (int n = 10; n <= most; n *= 10) {
        const auto polymer = peptide(n, 3);
        const auto system = polymer_system(polymer);
        const Molecule molecule(polymer.type, polymer.positions, torsion_only(polymer.type, system.x_ref, system.box));
        auto tree = molecule.tree;
        const auto forces = random_vectors(polymer.positions.size(), 6);
        const auto rates = tree.rates(random_vectors(polymer.positions.size(), 5));
        // Some 10 ms of work at every size: a clock's steps, a thread's waiting for a core, are far below it.
        const int at_once = std::max(1, 5000 / n);
        double fastest = 1e300;
        for (int repeat = 0; repeat < 5; ++repeat) {
            const double begin = process_cpu_seconds();
            for (int k = 0; k < at_once; ++k) {
                tree.set_positions(polymer.positions);
                const auto found = tree.accelerations(rates, forces);
                EXPECT_EQ(found.torsions.size(), tree.n_torsions());
            }
            fastest = std::min(fastest, 1e6 * (process_cpu_seconds() - begin) / at_once);
        }
        std::printf("%d residues: %.1f us\n", n, fastest);
        if (n > 10) {
            EXPECT_LT(fastest / n, 20.0 * per_residue);
        }
        per_residue = fastest / n;
    }
}

TEST(TorsionTree, TurnsKeepBondsAndAngles)
{
    auto molecule = with_torsions_only(peptide(10, 3));
    std::vector<double> angles;
    Noise noise(7);
    for (std::size_t t = 0; t < molecule.tree.n_torsions(); ++t) angles.push_back(M_PI * noise());
    const auto x = molecule.tree.turned(angles);
    EXPECT_LT(MoleculeConstraints(molecule.type).values(numbers(x)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_GT((numbers(x) - numbers(molecule.x)).norm(), 1.0);
}

} // namespace
} // namespace holon::test
