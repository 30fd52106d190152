// Springs in the place of constraints: their constants, and the steps that they permit.
#include <holon/core/units.hpp>
#include <holon/system/springs.hpp>

#include <support/constraints/constraint_molecules.hpp>
#include <support/dense.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr std::size_t kind = index(Interaction::constraint_spring);

/// The largest frequency of the springs at the positions of a system of one molecule [1/ps].
double largest_frequency(const ConstraintSystem& system)
{
    const auto& molecule = system.topology.molecule_types.front();
    const auto& list = molecule.interactions[kind];
    const auto n = static_cast<Eigen::Index>(3 * molecule.atoms.size());
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t t = 0; t < list.size(); ++t) {
        const auto i = index(list.atoms[2 * t]), j = index(list.atoms[2 * t + 1]);
        const double k = system.topology.parameters[kind][index(list.parameters[t])][1];
        Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
        const Vec3 u = system.bond(system.x_ref, i, j).normalized();
        for (Eigen::Index a = 0; a < 3; ++a) {
            row[3 * static_cast<Eigen::Index>(i) + a] = -u[a] / std::sqrt(molecule.atoms[i].mass);
            row[3 * static_cast<Eigen::Index>(j) + a] = u[a] / std::sqrt(molecule.atoms[j].mass);
        }
        hessian += product(k * row, row.transpose());
    }
    return std::sqrt(symmetric_eigenvalues(hessian).maxCoeff());
}

TEST(Springs, TakeThePlaceOfConstraints)
{
    auto system =
        one_molecule("Trimer", {12.0, 12.0, 12.0}, {{0, 1, 0.1}, {1, 2, 0.15}}, std::vector<Vec3>(3, Vec3::Zero()));
    auto& molecule = system.topology.molecule_types.front();
    molecule.settles = {{0, 0.1, 0.16}};
    molecule.implied = {{{0, 2, 0.2}, 0.21}};
    replace_constraints_by_springs(system.topology, 2e-3, 250.0);
    EXPECT_TRUE(molecule.constraints.empty());
    EXPECT_TRUE(molecule.implied.empty());
    EXPECT_EQ(molecule.settles.size(), 1U); // rigid water stays what it is
    EXPECT_EQ(molecule.interactions[kind].atoms, (std::vector<std::int32_t>{0, 1, 1, 2, 0, 2}));
    const double lengths[] = {0.1, 0.15, 0.21};
    for (std::size_t t = 0; t < 3; ++t) {
        const auto& p = system.topology.parameters[kind][index(molecule.interactions[kind].parameters[t])];
        EXPECT_EQ(p[0], lengths[t]);
        EXPECT_NEAR(std::sqrt(units::boltzmann * 250.0 / p[1]), 2e-3 * lengths[t], 1e-15);
    }
}

/// The bound holds in any shape, and is reached by a dimer, a straight trimer and an equilateral triangle.
TEST(Springs, StepsFollowFromTheirFrequencies)
{
    const double d = 0.1;
    auto dimer = one_molecule("Dimer", {1.0, 16.0}, {{0, 1, d}}, {{1.0, 1.0, 1.0}, {1.0 + d, 1.0, 1.0}});
    auto straight = one_molecule("Straight", {12.0, 12.0, 12.0}, {{0, 1, d}, {1, 2, d}},
                                 {{1.0, 1.0, 1.0}, {1.0 + d, 1.0, 1.0}, {1.0 + 2.0 * d, 1.0, 1.0}});
    auto triangle =
        one_molecule("Triangle", {12.0, 12.0, 12.0}, {{0, 1, d}, {1, 2, d}, {0, 2, d}},
                     {{1.0, 1.0, 1.0}, {1.0 + d, 1.0, 1.0}, {1.0 + 0.5 * d, 1.0 + d * std::sqrt(0.75), 1.0}});
    for (auto* system : {&dimer, &straight, &triangle}) {
        replace_constraints_by_springs(system->topology, 1e-3, 300.0);
        const auto report = spring_report(system->topology);
        EXPECT_NEAR(report.coupled, largest_frequency(*system), 1e-4 * report.coupled);
    }
    for (auto system : {united_atom_c60(), all_atom_c60(), disulphide_macrocycle(), groups_of_hydrogens()}) {
        system.topology.molecule_types.resize(1);
        system.topology.blocks.resize(1);
        replace_constraints_by_springs(system.topology, 1e-3, 300.0);
        const auto report = spring_report(system.topology);
        const double present = largest_frequency(system);
        EXPECT_EQ(report.springs, system.topology.blocks[0].count *
                                      std::ssize(system.topology.molecule_types[0].interactions[kind].parameters));
        EXPECT_GE(report.coupled, present * (1.0 - 1e-12));
        EXPECT_LE(report.coupled, 1.5 * present);
        EXPECT_LE(report.single, present * (1.0 + 1e-12));
        EXPECT_LT(report.accurate_step(), report.stable_step());
        EXPECT_LE(report.stable_step(), report.unstable_step());
    }
}

} // namespace
} // namespace holon::test
