// RANKS 1 2 3 8
// Molecules of which only torsions are free, with flat groups and rings, cut by domains in any way: as dense algebra
// has it, and every bit as on one rank.
#include <support/constraint_molecules.hpp>
#include <support/molecule_constraints.hpp>
#include <support/peptides.hpp>

#include <Eigen/Dense>
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

struct Outcome {
    Atoms atoms;
    ConstraintResult positions, velocities;
};

Outcome project(const ConstraintSystem& system, const Communicator& comm, const std::function<int(AtomId)>& owner,
                const char* solver = "newton")
{
    SolverSettings settings;
    settings.comm = comm;
    Constraints constraints(system.topology, system.clusters, {solver}, settings);
    LocalPart part(system, comm.rank(), owner, false, &constraints);
    constraints.rebuild(part.atoms, part.directory());
    Outcome outcome;
    outcome.positions = constraints.project_positions(part.atoms, system.box, {3, dt, 1.0 / (dt * dt)});
    part.atoms.x.swap(part.atoms.x_ref);
    outcome.velocities = constraints.project_velocities(part.atoms, system.box, {3, dt, 2.0 / dt});
    part.atoms.x.swap(part.atoms.x_ref);
    outcome.atoms = part.atoms;
    return outcome;
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
    const auto found = project(system, {}, [](AtomId) { return 0; });
    ASSERT_EQ(found.positions.failure, "");
    EXPECT_LE(found.positions.iterations, 5);
    EXPECT_LT(found.positions.max_residual(), 1e-13);
    EXPECT_LT(found.velocities.max_residual() * dt, 1e-13);

    const auto reference = numbers(system.x_ref, position_unit), trial = numbers(system.x, position_unit);
    EXPECT_LT(all.values(reference).cwiseAbs().maxCoeff(), 1e-14);
    const Eigen::MatrixXd rows = all.gradients(reference);
    const Eigen::MatrixXd moves = all.inverse_masses().asDiagonal() * rows.transpose();
    Eigen::VectorXd x = trial;
    for (int n = 0; n < 8; ++n) x -= moves * (all.gradients(x) * moves).partialPivLu().solve(all.values(x)).eval();
    EXPECT_LT((numbers(found.atoms.x, position_unit) - x).cwiseAbs().maxCoeff(), 1e-13);

    // The displacement of the position stage went into the velocities.
    Eigen::VectorXd v = numbers(system.v, velocity_unit) + (x - trial) / dt;
    v -= moves * (rows * moves).ldlt().solve(rows * v).eval();
    EXPECT_LT((numbers(found.atoms.v, velocity_unit) - v).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(TorsionOnly, SameBitsHoweverTheMoleculeIsCut)
{
    const auto comm = Communicator::world();
    for (const char* solver : {"newton", "ciccotti_ryckaert", "wiggle+newton"}) {
        const auto system = disturbed(30, 2);
        const auto expected = project(
            system, {}, [](AtomId) { return 0; }, solver);
        EXPECT_EQ(expected.positions.failure, "");
        EXPECT_LT(expected.positions.max_residual(), 1e-8);
        for (const auto& owner : distributions(system, comm.size())) {
            auto found = project(system, comm, owner, solver);
            EXPECT_EQ(found.positions.failure, "");
            for (auto* result : {&found.positions, &found.velocities}) comm.sum(std::span(result->virial));
            EXPECT_EQ(found.positions.virial, expected.positions.virial);
            EXPECT_EQ(found.velocities.virial, expected.velocities.virial);
            EXPECT_EQ(comm.max(found.positions.residual), expected.positions.residual);
            EXPECT_EQ(comm.max(found.positions.iterations), expected.positions.iterations);
            for (std::size_t a = 0; a < static_cast<std::size_t>(found.atoms.n_owned); ++a) {
                const auto id = static_cast<std::size_t>(found.atoms.id[a]);
                ASSERT_EQ(found.atoms.x[a], expected.atoms.x[id]) << solver << ", atom " << id;
                ASSERT_EQ(found.atoms.v[a], expected.atoms.v[id]) << solver << ", atom " << id;
            }
        }
    }
}

/// The virial is that of the forces: also what planes add to it, nothing.
TEST(TorsionOnly, VirialIsThatOfTheConstraintForces)
{
    if (Communicator::world().size() > 1) GTEST_SKIP();
    const auto system = disturbed(6);
    const auto found = project(system, {}, [](AtomId) { return 0; });
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
