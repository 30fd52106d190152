// Minima and normal modes in torsions, against constraints in Cartesian coordinates.
#include <support/constraints/torsion_molecules.hpp>
#include <support/dense.hpp>

#include <holon/constraints/torsion_minimiser.hpp>
#include <holon/constraints/torsion_modes.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// Atoms repel each other and are held together: sum c u + k / (u + s), u = r^2 of each pair.
struct Cloud {
    static constexpr double c = 2.0, k = 0.3, s = 0.02;

    static EnergyAndForces at(std::span<const Vec3> x)
    {
        EnergyAndForces result{0.0, std::vector<Vec3>(x.size(), Vec3::Zero())};
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Vec3 r = x[i] - x[j];
                const double u = r.squaredNorm();
                result.energy += c * u + k / (u + s);
                const Vec3 f = -2.0 * (c - k / ((u + s) * (u + s))) * r;
                result.forces[i] += f;
                result.forces[j] -= f;
            }
        return result;
    }
    static Eigen::MatrixXd hessian(std::span<const Vec3> x)
    {
        Eigen::MatrixXd result = Eigen::MatrixXd::Zero(3 * std::ssize(x), 3 * std::ssize(x));
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Vec3 r = x[i] - x[j];
                const double u = r.squaredNorm() + s;
                const Mat3 block =
                    2.0 * (c - k / (u * u)) * Mat3::Identity() + 8.0 * k / (u * u * u) * r * r.transpose();
                const auto a = 3 * static_cast<Eigen::Index>(i), b = 3 * static_cast<Eigen::Index>(j);
                result.block<3, 3>(a, a) += block;
                result.block<3, 3>(b, b) += block;
                result.block<3, 3>(a, b) -= block;
                result.block<3, 3>(b, a) -= block;
            }
        return result;
    }
};

TorsionMinimum minimised(Molecule& molecule, std::vector<TorsionStep>& steps, double torque)
{
    TorsionMinimiserSettings settings;
    settings.torque = torque;
    settings.tell = [&](const TorsionStep& step) { steps.push_back(step); };
    auto found = minimise_torsions(molecule.tree, molecule.x, Cloud::at, settings);
    molecule.x = found.x;
    return found;
}

std::vector<Molecule> molecules()
{
    return {with_torsions_only(peptide(8, 3)), with_torsions_only(two_rings(2))};
}

TEST(TorsionMinimiser, EnergyFallsAndBondsAndAnglesStay)
{
    for (auto& molecule : molecules()) {
        const double before = Cloud::at(molecule.x).energy;
        std::vector<TorsionStep> steps;
        const auto found = minimised(molecule, steps, 1e-4);
        EXPECT_TRUE(found.converged) << found.last.number << " steps, " << found.last.largest_torque;
        EXPECT_EQ(steps.front().energy, before);
        for (std::size_t k = 1; k < steps.size(); ++k) EXPECT_LT(steps[k].energy, steps[k - 1].energy);
        EXPECT_LT(found.at.energy, before - 1.0);
        EXPECT_LT(MoleculeConstraints(molecule.type).values(numbers(found.x)).cwiseAbs().maxCoeff(), 1e-12);
        // Nothing is left of the forces but what constraints take.
        const auto left = Cartesian(molecule).velocities(numbers(Cloud::at(found.x).forces));
        EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-3);
        EXPECT_GT(numbers(Cloud::at(found.x).forces).cwiseAbs().maxCoeff(), 1.0);
    }
}

/// w^2 of Z'(H + sum l d2g) Z u = w^2 Z'm Z u: Z spans what the gradients of constraints g leave free, their
/// multipliers l balance the forces.
Eigen::VectorXd cartesian_squares(const Molecule& molecule)
{
    const auto x = numbers(molecule.x), force = numbers(Cloud::at(molecule.x).forces);
    const MoleculeConstraints constraints(molecule.type);
    const Eigen::MatrixXd rows = constraints.gradients(x);
    const Eigen::VectorXd multipliers = solve_least_squares(rows.transpose(), force);
    Eigen::MatrixXd second = Cloud::hessian(molecule.x);
    const Eigen::Index n = x.size();
    for (Eigen::Index k = 0; k < n; ++k) { // gradients are linear in x, or quadratic: differences are exact
        Eigen::VectorXd to = x, from = x;
        to[k] += 0.01;
        from[k] -= 0.01;
        second.col(k) += (constraints.gradients(to) - constraints.gradients(from)).transpose() * multipliers / 0.02;
    }
    const Eigen::MatrixXd free = null_space(rows);
    const Eigen::MatrixXd masses = constraints.inverse_masses().cwiseInverse().asDiagonal();
    return symmetric_eigenvalues(congruent(second, free), congruent(masses, free));
}

TEST(TorsionModes, AreThoseOfTheProjectedCartesianHessian)
{
    for (auto& molecule : molecules()) {
        std::vector<TorsionStep> steps;
        const auto found = minimised(molecule, steps, 1e-7); // or as far as rounding lets it
        const auto& tree = molecule.tree;
        const Eigen::MatrixXd motions = tree.motions().rightCols(static_cast<Eigen::Index>(tree.n_torsions()));
        const Eigen::MatrixXd second = congruent(Cloud::hessian(found.x), motions) +
                                       tree.curvature(found.at.forces, tree.tensions(found.at.forces));
        const auto modes = torsion_modes(tree, second);
        const auto expected = cartesian_squares(molecule);
        ASSERT_EQ(modes.squares.size() + 6, expected.size());
        const double largest = expected.maxCoeff();
        std::vector<double> moving; // without the six of the whole molecule, which have none
        for (const double square : expected)
            if (std::abs(square) > 1e-7 * largest) moving.push_back(square);
        ASSERT_EQ(std::ssize(moving), modes.squares.size());
        for (Eigen::Index k = 0; k < modes.squares.size(); ++k)
            EXPECT_NEAR(modes.squares[k], moving[static_cast<std::size_t>(k)], 1e-7 * largest) << k;
        EXPECT_GT(modes.squares[0], 0.0); // it is a minimum
        for (const auto& stiffness :
             {stiffness_by_torsions(tree, Cloud::at), stiffness_by_atoms(tree, Cloud::at)}) // by differences
            EXPECT_LT((torsion_modes(tree, stiffness).squares - modes.squares).cwiseAbs().maxCoeff(), 1e-6 * largest);
    }
}

} // namespace
} // namespace holon::test
