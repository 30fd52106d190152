#include <holon/core/units.hpp>
#include <holon/dynamics/kinetic.hpp>

#include <support/site_systems.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

CouplingGroup group(const std::string& name, std::vector<std::pair<AtomId, AtomId>> ranges)
{
    return {{name, std::move(ranges)}, 0.1, 300.0};
}

/// One alkane of 2 carbons (7 constraints, 8 atoms) and 10 rigid waters.
Topology solution()
{
    TestSystem system(cubic(3.0));
    system.set_types({argon_lj});
    const Alkane ethane(2, Vec3::Zero(), Vec3::UnitX());
    system.add(ethane.type, ethane.positions);
    system.add(rigid_water(), std::vector<Vec3>(30, Vec3::Zero()));
    return *system.topology;
}

Parameters with_groups(std::vector<CouplingGroup> coupling, int com_groups)
{
    Parameters p;
    p.tc_groups = std::move(coupling);
    p.comm_mode = com_groups > 0 ? CommMode::linear : CommMode::none;
    for (int k = 0; k < com_groups; ++k)
        p.comm_groups.push_back({"part", {{38 / com_groups * k, 38 / com_groups * (k + 1)}}});
    return p;
}

TEST(DegreesOfFreedom, AreThreePerAtomLessConstraintsLessCentreOfMass)
{
    const auto topology = solution(); // 38 atoms, 37 constraints
    EXPECT_EQ(count_degrees_of_freedom(topology, with_groups({}, 0)).total, 114 - 37);
    EXPECT_EQ(count_degrees_of_freedom(topology, with_groups({}, 1)).total, 114 - 37 - 3);
    EXPECT_EQ(count_degrees_of_freedom(topology, with_groups({}, 2)).total, 114 - 37 - 6);
    const auto one = count_degrees_of_freedom(topology, with_groups({group("System", {{0, 38}})}, 1));
    EXPECT_EQ(one.per_group, (std::vector<double>{114 - 37 - 3}));
}

TEST(DegreesOfFreedom, VirtualSitesHaveNone)
{
    const auto topology = four_site_water(cubic(3.0), 3).topology; // 27 waters
    const auto dof = count_degrees_of_freedom(*topology, with_groups({group("Water", {{0, 108}})}, 1));
    EXPECT_EQ(dof.total, 27 * 6 - 3);
    EXPECT_EQ(dof.per_group, (std::vector<double>{27 * 6 - 3}));
}

/// GROMACS gives each atom of a constraint half of what it takes, and takes the three of the centre of mass off the
/// groups in proportion.
TEST(DegreesOfFreedom, AreSharedAmongCouplingGroups)
{
    const auto topology = solution();
    const auto dof =
        count_degrees_of_freedom(topology, with_groups({group("Ethane", {{0, 8}}), group("Water", {{8, 38}})}, 1));
    ASSERT_EQ(dof.per_group.size(), 2u);
    EXPECT_NEAR(dof.per_group[0], (24 - 7) * 74.0 / 77.0, 1e-12);
    EXPECT_NEAR(dof.per_group[1], (90 - 30) * 74.0 / 77.0, 1e-12);
    EXPECT_NEAR(dof.per_group[0] + dof.per_group[1], dof.total, 1e-12);

    // The C-C bond cut by the groups: half a degree of freedom to either side. Atoms in no group are left over.
    const auto halves =
        count_degrees_of_freedom(topology, with_groups({group("Methyl", {{0, 4}}), group("Rest", {{4, 8}})}, 0));
    EXPECT_NEAR(halves.per_group[0], 12 - 3.5, 1e-12);
    EXPECT_NEAR(halves.per_group[1], 12 - 3.5, 1e-12);
}

/// What GROMACS reports (gmx dump, nrdf) for lysozyme in 10636 rigid waters with 8 ions: 1960 atoms with 959
/// constraints.
TEST(DegreesOfFreedom, AreThoseOfGromacs)
{
    Topology topology;
    std::vector<Constraint> bonds;
    for (std::int32_t k = 0; k < 959; ++k) bonds.push_back({2 * k, 2 * k + 1, 0.1});
    topology.molecule_types = {molecule("Protein", std::vector<double>(1960, 12.0), bonds), rigid_water(),
                               molecule("Ion", {35.45}, {})};
    topology.blocks = {{0, 1, 0, 0}, {1, 10636, 1960, 1}, {2, 8, 33868, 10637}};
    const auto protein = group("Protein", {{0, 1960}}), rest = group("Non-Protein", {{1960, 33876}});
    auto p = with_groups({protein, rest}, 0);
    p.comm_mode = CommMode::linear;
    p.comm_groups = {{"System", {{0, 33876}}}};
    auto dof = count_degrees_of_freedom(topology, p);
    EXPECT_NEAR(dof.per_group[0], 4920.79, 0.005);
    EXPECT_NEAR(dof.per_group[1], 63837.2, 0.05);
    p.comm_groups = {protein.atoms, rest.atoms};
    dof = count_degrees_of_freedom(topology, p);
    EXPECT_NEAR(dof.per_group[0], 4918.0, 1e-9);
    EXPECT_NEAR(dof.per_group[1], 63837.0, 1e-9);
    EXPECT_EQ(dof.total, 4918.0 + 63837.0);
}

/// Owned atoms of one rank with random velocities; masses of the topology.
Atoms random_atoms(int n, unsigned seed)
{
    Noise noise(seed);
    Atoms atoms;
    atoms.n_owned = atoms.n_total = n;
    for (int i = 0; i < n; ++i) {
        atoms.id.push_back(i);
        atoms.mass.push_back(1.0 + 30.0 * (i % 3));
        atoms.inverse_mass.push_back(1.0 / atoms.mass.back());
        atoms.v.push_back(to_lattice(noise.vector() + Vec3(0.3, 0.0, -0.2), velocity_unit));
        atoms.tc_group.push_back(static_cast<std::uint8_t>(i % 2));
        atoms.comm_group.push_back(static_cast<std::uint8_t>(i % 5 == 0 ? 255 : i % 2));
    }
    return atoms;
}

TEST(Kinetic, EnergiesOfGroupsAndTensor)
{
    const auto atoms = random_atoms(101, 1);
    const Communicator comm;
    const auto energies = group_kinetic_energies(atoms, 2, comm);
    const Mat3 tensor = kinetic_tensor(atoms, comm);
    std::vector<double> expected(2);
    Mat3 expected_tensor = Mat3::Zero();
    for (std::size_t i = 0; i < 101; ++i) {
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        expected[i % 2] += 0.5 * atoms.mass[i] * v.squaredNorm();
        expected_tensor += 0.5 * atoms.mass[i] * v * v.transpose();
    }
    for (std::size_t g = 0; g < 2; ++g) EXPECT_NEAR(energies[g], expected[g], 1e-9);
    EXPECT_LT((tensor - expected_tensor).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(tensor.trace(), energies[0] + energies[1], 1e-8);
    EXPECT_EQ(tensor, Mat3(tensor.transpose()));
}

Vec3 momentum(const Atoms& atoms, std::uint8_t group)
{
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < atoms.v.size(); ++i)
        if (atoms.comm_group[i] == group) sum += atoms.mass[i] * to_real(atoms.v[i], velocity_unit);
    return sum;
}

TEST(DegreesOfFreedom, AreSixLessWithoutRotation)
{
    auto p = with_groups({group("Ethane", {{0, 8}}), group("Water", {{8, 38}})}, 1);
    p.comm_mode = CommMode::angular;
    const auto dof = count_degrees_of_freedom(solution(), p);
    EXPECT_EQ(dof.total, 114 - 37 - 6);
    EXPECT_NEAR(dof.per_group[0] + dof.per_group[1], dof.total, 1e-12);
    EXPECT_NEAR(dof.per_group[0], (24 - 7) * 71.0 / 77.0, 1e-12);
}

struct Turning {
    Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero();
    double kinetic = 0.0;
};

/// Of what can move in a group, unwrapped.
Turning motion(const Atoms& atoms, const Box& box, std::uint8_t group)
{
    const auto place = [&](std::size_t i) {
        return to_real(IVec3(atoms.x[i] + box.shift(atoms.image[i])), position_unit);
    };
    const auto moves = [&](std::size_t i) { return atoms.comm_group[i] == group && atoms.inverse_mass[i] > 0.0; };
    Vec3 centre = Vec3::Zero();
    double mass = 0.0;
    Turning t;
    for (std::size_t i = 0; i < atoms.v.size(); ++i)
        if (moves(i)) {
            centre += atoms.mass[i] * place(i);
            mass += atoms.mass[i];
        }
    centre /= mass;
    for (std::size_t i = 0; i < atoms.v.size(); ++i)
        if (moves(i)) {
            const Vec3 p = atoms.mass[i] * to_real(atoms.v[i], velocity_unit);
            t.momentum += p;
            t.angular += (place(i) - centre).cross(p);
            t.kinetic += 0.5 * p.dot(p) / atoms.mass[i];
        }
    return t;
}

/// Two groups that reach across the faces of the box, one turning as a rigid body.
TEST(Kinetic, RemovesTheRotationOfEachGroup)
{
    const Box box(dodecahedron(2.0), 22);
    auto atoms = random_atoms(200, 2);
    Noise noise(5);
    for (std::size_t i = 0; i < 200; ++i) {
        atoms.x.push_back(to_lattice(Vec3(1.9, 0.1, 0.3) + 0.7 * noise.vector(), position_unit));
        const Vec3 r = to_real(atoms.x[i], position_unit);
        if (i % 2 == 0) atoms.v[i] = to_lattice(Vec3(1.0, -2.0, 0.5).cross(r - Vec3(1.9, 0.0, 0.3)), velocity_unit);
        atoms.image.push_back(box.wrap(atoms.x[i]));
    }
    const std::size_t frozen = 6, site = 8; // of the rigid body: they move on or stay, whatever the rest does
    atoms.inverse_mass[frozen] = atoms.inverse_mass[site] = atoms.mass[site] = 0.0;
    atoms.v[frozen] = atoms.v[site] = IVec3::Zero();
    const auto before = atoms;
    const Communicator comm;
    double energy = remove_com_motion(atoms, 2, comm);
    energy += remove_rotation(atoms, box, 2, comm);
    double lost = 0.0;
    for (const std::uint8_t g : {0, 1}) {
        const auto was = motion(before, box, g), is = motion(atoms, box, g);
        EXPECT_GT(was.angular.norm(), 1.0);
        EXPECT_LT(is.angular.norm(), 1e-8);
        EXPECT_LT(is.momentum.norm(), 1e-8);
        lost += was.kinetic - is.kinetic;
        if (g == 0) {
            EXPECT_LT(is.kinetic, 1e-15 * was.kinetic) << "a rigid body";
        }
    }
    EXPECT_NEAR(energy, lost, 1e-8);
    for (const std::size_t i : {frozen, site}) EXPECT_EQ(atoms.v[i], IVec3::Zero());
    for (std::size_t i = 0; i < 200; i += 5) EXPECT_EQ(atoms.v[i], before.v[i]) << "in no group";
}

TEST(Kinetic, AtomsOnALineKeepTheirRotation)
{
    const Box box(cubic(2.0), 22);
    auto atoms = random_atoms(4, 3);
    for (int i = 0; i < 4; ++i) {
        atoms.x.push_back(to_lattice(Vec3(0.2 + 0.25 * i, 1.0, 1.0), position_unit));
        atoms.image.push_back(Image::Zero());
        atoms.comm_group[static_cast<std::size_t>(i)] = 0;
    }
    const auto before = atoms;
    EXPECT_EQ(remove_rotation(atoms, box, 1, Communicator()), 0.0);
    EXPECT_TRUE(atoms.v == before.v);
}

TEST(DegreesOfFreedom, GroupsThatCutConstraintsAreFound)
{
    const auto topology = solution();
    EXPECT_FALSE(groups_share_clusters(topology, {group("All", {{0, 38}})}));
    EXPECT_FALSE(groups_share_clusters(topology, {group("Ethane", {{0, 8}}), group("Water", {{8, 38}})}));
    EXPECT_TRUE(groups_share_clusters(topology, {group("Methyl", {{0, 4}}), group("Rest", {{4, 38}})}));
    EXPECT_TRUE(groups_share_clusters(topology, {group("A", {{0, 36}}), group("Hydrogens", {{36, 38}})}));
}

TEST(Kinetic, RemovesTheMotionOfEachGroupsCentreOfMass)
{
    auto atoms = random_atoms(200, 2);
    const auto before = atoms;
    remove_com_motion(atoms, 2, Communicator());
    for (const std::uint8_t g : {0, 1}) {
        EXPECT_GT(momentum(before, g).norm(), 1.0);
        EXPECT_LT(momentum(atoms, g).norm(), 1e-9);
    }
    for (std::size_t i = 0; i < 200; ++i) {
        const IVec3 change = atoms.v[i] - before.v[i];
        if (atoms.comm_group[i] == 255) {
            EXPECT_EQ(change, IVec3::Zero());
        } else {
            EXPECT_EQ(change,
                      IVec3(atoms.v[1 + (atoms.comm_group[i] + 1) % 2] - before.v[1 + (atoms.comm_group[i] + 1) % 2]));
        }
    }
}

TEST(Kinetic, GeneratedVelocitiesAreMaxwells)
{
    constexpr int n = 30000;
    constexpr double temperature = 310.0;
    auto atoms = random_atoms(n, 3);
    generate_velocities(atoms, temperature, 1234);
    double sum[3] = {}, square[3] = {}, fourth = 0.0, cross = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 u = to_real(atoms.v[i], velocity_unit) *
                       std::sqrt(atoms.mass[i] / (units::boltzmann * temperature)); // normal deviates
        for (int k = 0; k < 3; ++k) {
            sum[k] += u[k] / n;
            square[k] += u[k] * u[k] / n;
            fourth += std::pow(u[k], 4) / (3.0 * n);
        }
        cross += (u[0] * u[1] + u[1] * u[2] + u[2] * u[0]) / (3.0 * n);
    }
    const double error = 1.0 / std::sqrt(static_cast<double>(n));
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(sum[k], 0.0, 4.0 * error);
        EXPECT_NEAR(square[k], 1.0, 4.0 * std::sqrt(2.0) * error);
    }
    EXPECT_NEAR(fourth, 3.0, 4.0 * std::sqrt(96.0 / 3.0) * error);
    EXPECT_NEAR(cross, 0.0, 4.0 * std::sqrt(1.0 / 3.0) * error);
}

TEST(Kinetic, GeneratedVelocitiesBelongToTheAtomAndTheSeed)
{
    auto all = random_atoms(50, 4), again = all, other_seed = all, one = random_atoms(1, 5);
    one.id[0] = 30;
    one.mass[0] = all.mass[30];
    one.inverse_mass[0] = all.inverse_mass[30];
    generate_velocities(all, 300.0, 7);
    generate_velocities(again, 300.0, 7);
    generate_velocities(other_seed, 300.0, 8);
    generate_velocities(one, 300.0, 7);
    EXPECT_EQ(all.v, again.v);
    EXPECT_EQ(one.v[0], all.v[30]);
    for (std::size_t i = 0; i < 50; ++i) EXPECT_NE(all.v[i], other_seed.v[i]);
}

} // namespace
} // namespace holon::test
