#include <support/constraints/torsion_molecules.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace holon::test {

Molecule::Molecule(const MoleculeType& given, const std::vector<Vec3>& positions, const TorsionOnly& found)
    : type(constrained(given, found)), tree(type), x(positions)
{
    tree.set_positions(x);
}

Molecule with_torsions_only(const Polymer& polymer)
{
    const auto system = polymer_system(polymer);
    return {polymer.type, polymer.positions, torsion_only(polymer.type, system.x_ref, system.box)};
}

std::vector<Vec3> random_vectors(std::size_t n, unsigned seed)
{
    Noise noise(seed);
    std::vector<Vec3> result;
    for (std::size_t k = 0; k < n; ++k) result.push_back(100.0 * noise.normal_vector());
    return result;
}

Eigen::VectorXd numbers(const std::vector<Vec3>& vectors)
{
    Eigen::VectorXd result(3 * std::ssize(vectors));
    for (std::size_t a = 0; a < vectors.size(); ++a) result.segment<3>(3 * static_cast<Eigen::Index>(a)) = vectors[a];
    return result;
}

Cartesian::Cartesian(const Molecule& molecule)
    : constraints_(molecule.type), x_(numbers(molecule.x)), rows_(constraints_.gradients(x_)),
      moves_(constraints_.inverse_masses().asDiagonal() * rows_.transpose()), solver_(rows_ * moves_)
{
}

Eigen::VectorXd Cartesian::constrained(const Eigen::VectorXd& force, const Eigen::VectorXd& wanted) const
{
    Eigen::VectorXd a = constraints_.inverse_masses().cwiseProduct(force);
    for (int pass = 0; pass < 2; ++pass) a -= moves_ * solver_.solve(rows_ * a + wanted);
    return a;
}

Eigen::VectorXd Cartesian::velocities(const Eigen::VectorXd& momenta) const
{
    return constrained(momenta, Eigen::VectorXd::Zero(constraints_.size()));
}

Eigen::VectorXd Cartesian::accelerations(const Eigen::VectorXd& v, const Eigen::VectorXd& force) const
{
    return constrained(force, constraints_.bending(x_, v));
}

double Cartesian::ln_det() const
{
    return solver_.vectorD().array().log().sum();
}

void expect_same_motion(const Molecule& molecule)
{
    const auto momenta = random_vectors(molecule.x.size(), 5), forces = random_vectors(molecule.x.size(), 6);
    const Cartesian cartesian(molecule);
    const auto rates = molecule.tree.rates(momenta);
    const auto v = numbers(molecule.tree.velocities(rates));
    const auto v_expected = cartesian.velocities(numbers(momenta));
    EXPECT_LT((v - v_expected).norm(), 1e-10 * v_expected.norm());

    const auto joints = molecule.tree.accelerations(rates, forces);
    const auto a = numbers(molecule.tree.accelerations_of_atoms(rates, joints));
    const auto a_expected = cartesian.accelerations(v, numbers(forces));
    EXPECT_LT((a - a_expected).norm(), 1e-10 * a_expected.norm());
    EXPECT_GT(a_expected.norm(), 1.0);
}

Polymer two_rings(unsigned seed)
{
    Noise noise(seed);
    Polymer polymer;
    polymer.type.name = "Rings";
    for (int k = 0; k < 12; ++k) // the outer ring
        polymer.add_atom(
            "C", 12.011,
            Vec3(20.0, 20.0, 20.0) +
                Vec3(0.29 * std::cos(M_PI * k / 6), 0.29 * std::sin(M_PI * k / 6), 0.04 * (k % 2 == 0 ? 1.0 : -1.0)) +
                0.01 * noise.vector());
    for (std::int32_t k = 0; k < 12; ++k) polymer.bind(k, (k + 1) % 12);
    std::int32_t last = 0;
    for (int k = 1; k < 4; ++k) { // across it
        const double part = k / 4.0;
        const auto next =
            polymer.add_atom("C", 12.011,
                             (1.0 - part) * polymer.positions[0] + part * polymer.positions[6] +
                                 Vec3(0.0, 0.0, 0.04 * (k % 2 == 0 ? 1.0 : -1.0)) + 0.02 * noise.vector());
        polymer.bind(last, next);
        last = next;
    }
    polymer.bind(last, 6);
    for (std::int32_t k = 1; k < 12; k += 2) { // two atoms long: their torsions are no part of the rings
        const Vec3 out = (polymer.positions[static_cast<std::size_t>(k)] - Vec3(20.0, 20.0, 20.0)).normalized();
        const auto first = polymer.add_atom("C", 12.011, polymer.positions[static_cast<std::size_t>(k)] + 0.15 * out);
        polymer.bind(k, first);
        polymer.bind(first, polymer.add_atom("H", 1.008,
                                             polymer.positions[static_cast<std::size_t>(first)] + 0.06 * out +
                                                 Vec3(0.0, 0.0, 0.09)));
    }
    make_angles_rigid(polymer);
    return polymer;
}

} // namespace holon::test
