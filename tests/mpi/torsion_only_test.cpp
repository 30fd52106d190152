// RANKS 1 2 3 8
// Molecules of which only torsions are free, with flat groups and rings, cut by domains in any way: as dense algebra
// has it, and every bit as on one rank.
#include <support/constraints/constraint_molecules.hpp>
#include <support/constraints/molecule_constraints.hpp>
#include <support/constraints/peptides.hpp>
#include <support/constraints/solver_stages.hpp>
#include <support/dense.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

Eigen::VectorXd numbers(const std::vector<IVec3>& values, double unit)
{
    Eigen::VectorXd result(3 * std::ssize(values));
    for (std::size_t a = 0; a < values.size(); ++a)
        result.segment<3>(3 * static_cast<Eigen::Index>(a)) = to_real(values[a], unit);
    return result;
}

ConstraintSystem disturbed(int residues, int count = 1)
{
    auto system = torsion_only_system(peptide(residues, 3), count);
    system.disturb(0.006, 3.0, 11);
    return system;
}

TEST(TorsionOnly, IsWhatDenseAlgebraHas)
{
    if (Communicator::world().size() > 1) GTEST_SKIP();
    const auto system = disturbed(8);
    const auto& type = system.topology.molecule_types[0];
    const MoleculeConstraints all(type);
    const auto found = project_on_one_rank(system, {"newton"}, {}, dt);
    ASSERT_EQ(found.positions.failure, "");
    EXPECT_LE(found.positions.iterations, 5);
    EXPECT_LT(found.positions.max_residual(), 1e-13);
    EXPECT_LT(found.velocities.max_residual() * dt, 1e-13);

    const auto reference = numbers(system.x_ref, position_unit), trial = numbers(system.x, position_unit);
    EXPECT_LT(all.values(reference).cwiseAbs().maxCoeff(), 1e-14);
    const Eigen::MatrixXd rows = all.gradients(reference);
    const Eigen::MatrixXd moves = all.inverse_masses().asDiagonal() * rows.transpose();
    Eigen::VectorXd x = trial;
    for (int n = 0; n < 8; ++n) x -= product(moves, solve(product(all.gradients(x), moves), all.values(x)));
    EXPECT_LT((numbers(found.atoms.x, position_unit) - x).cwiseAbs().maxCoeff(), 1e-13);

    // The displacement of the position stage went into the velocities.
    Eigen::VectorXd v = numbers(system.v, velocity_unit) + (x - trial) / dt;
    v -= product(moves, solve_symmetric(product(rows, moves), product(rows, v)));
    EXPECT_LT((numbers(found.atoms.v, velocity_unit) - v).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(TorsionOnly, SameBitsHoweverTheMoleculeIsCut)
{
    const auto comm = Communicator::world();
    for (const char* solver : {"newton", "ciccotti_ryckaert", "wiggle+newton"}) {
        const auto system = disturbed(30, 2);
        const auto expected = project_on_one_rank(system, {solver}, {}, dt);
        EXPECT_EQ(expected.positions.failure, "");
        EXPECT_LT(expected.positions.max_residual(), 1e-8);
        for (const auto& owner : distributions(system, comm.size())) {
            SCOPED_TRACE(solver);
            expect_same_outcome(comm, project_on_ranks(system, {solver}, {}, comm, owner, dt), expected);
        }
    }
}

/// The virial is that of the forces: also what planes add to it, nothing.
TEST(TorsionOnly, VirialIsThatOfTheConstraintForces)
{
    if (Communicator::world().size() > 1) GTEST_SKIP();
    const auto system = disturbed(6);
    const auto found = project_on_one_rank(system, {"newton"}, {}, dt);
    Mat3 expected = Mat3::Zero();
    for (std::size_t a = 0; a < system.x.size(); ++a) {
        const Vec3 force = system.mass(a) / (dt * dt) * to_real(IVec3(found.atoms.x[a] - system.x[a]), position_unit);
        expected -= 0.5 * to_real(IVec3(system.x_ref[a] - system.x_ref[0]), position_unit) * force.transpose();
    }
    for (int k = 0; k < 9; ++k)
        EXPECT_NEAR(found.positions.virial[static_cast<std::size_t>(k)].value(), expected(k / 3, k % 3),
                    1e-7 * expected.cwiseAbs().maxCoeff())
            << k;
}

} // namespace
} // namespace holon::test
