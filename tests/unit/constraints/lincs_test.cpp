// When LINCS converges, how well, and what it says when it does not.
#include <support/constraints/constraint_system.hpp>
#include <support/constraints/polymers.hpp>
#include <support/dense.hpp>

#include <constraints/lincs/lincs_shape.hpp>

#include <holon/core/error.hpp>
#include <holon/core/units.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

double radius(const Polymer& polymer)
{
    const auto clusters = find_clusters(polymer.type);
    EXPECT_EQ(clusters.clusters.size(), 1u);
    const auto topology = polymer.topology();
    return lincs_spectrum(KnownAngles(&topology, polymer.type), polymer.type, clusters.clusters[0]).radius;
}

/// The same from the angles of the positions and with dense algebra.
double dense_radius(const Polymer& polymer)
{
    const auto& bonds = polymer.type.constraints;
    const auto n = static_cast<Eigen::Index>(bonds.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(3 * polymer.positions.size()));
    for (Eigen::Index k = 0; k < n; ++k) {
        const auto& bond = bonds[static_cast<std::size_t>(k)];
        const auto i = static_cast<std::size_t>(bond.i), j = static_cast<std::size_t>(bond.j);
        const Vec3 b = (polymer.positions[j] - polymer.positions[i]).normalized();
        matrix.block<1, 3>(k, 3 * bond.i) = -b.transpose() / std::sqrt(polymer.type.atoms[i].mass);
        matrix.block<1, 3>(k, 3 * bond.j) = b.transpose() / std::sqrt(polymer.type.atoms[j].mass);
        matrix.row(k).normalize();
    }
    Eigen::MatrixXd lincs = -product(matrix, matrix.transpose());
    for (Eigen::Index k = 0; k < n; ++k) lincs(k, k) = 0.0;
    return symmetric_eigenvalues(lincs).cwiseAbs().maxCoeff();
}

TEST(LincsSpectrum, IsThatOfTheMatrix)
{
    EXPECT_NEAR(radius(united_alkane(60, 1)), 0.374, 0.0005);
    EXPECT_NEAR(radius(full_alkane(60, 1)), 0.452, 0.003);
    EXPECT_NEAR(radius(straight_rods(64)), 0.9988, 0.00005);
    EXPECT_NEAR(radius(triangle()), 0.5, 1e-12);
    EXPECT_NEAR(radius(benzene()), 0.5, 1e-9);
    EXPECT_NEAR(radius(rigid_methyl()), 1.37, 0.005);
    // Tetrahedral CH4 of 12.011 and 1.008 u: all ten distances, of which one follows from the others, and nine.
    auto methane = rigid_methane();
    EXPECT_NEAR(radius(methane), 1.92257, 1e-5);
    methane.type.constraints.pop_back(); // of two hydrogens
    EXPECT_NEAR(dense_radius(methane), 1.71186, 1e-5);
    methane.type.implied.push_back({rigid_methane().type.constraints.back(), 0.109 * std::sqrt(8.0 / 3.0)});
    EXPECT_NEAR(radius(methane), 1.71186, 1e-5);
    for (const auto& polymer : {united_alkane(30, 2), full_alkane(12, 3), straight_rods(20), triangle(), benzene(),
                                rigid_methyl(), rigid_methane()})
        EXPECT_NEAR(radius(polymer), dense_radius(polymer), 1e-6 * radius(polymer));
}

/// Distances between next neighbours meet at angles that torsions change, and the radius with them. So the one of free
/// joints is no more than an estimate; on which side of 1 it is, it tells. (United atoms, 112 degrees, 0.153 nm; the
/// figures agree with numpy's for the same chains.)
TEST(LincsSpectrum, OfTorsionsAlone)
{
    const auto chain = [](double torsion) {
        Polymer polymer;
        for (int k = 0; k < 60; ++k) {
            const auto& x = polymer.positions;
            const Vec3 next = k == 0   ? Vec3(0, 0, 0)
                              : k == 1 ? Vec3(0.153, 0, 0)
                                       : next_point(k == 2 ? Vec3(0, 1, 0) : x[x.size() - 3], x[x.size() - 2], x.back(),
                                                    0.153, 112.0 * M_PI / 180.0, torsion);
            const auto c = polymer.add_atom("C", 14.027, next);
            for (const auto before : {c - 1, c - 2})
                if (before >= 0) polymer.bind(before, c);
        }
        return polymer;
    };
    const double cis = dense_radius(chain(0.0)), trans = dense_radius(chain(M_PI));
    EXPECT_NEAR(std::min(cis, trans), 1.341, 5e-4);
    EXPECT_NEAR(std::max(cis, trans), 1.822, 5e-4);
    const auto coil = with_next_neighbours(united_alkane(60, 1));
    for (const double one : {radius(coil), dense_radius(coil)}) {
        EXPECT_GT(one, 1.3);
        EXPECT_LT(one, 1.7);
    }
}

TEST(Lincs, RefusesWhatWouldNotConvergeAndNamesTheAtoms)
{
    const auto system = polymer_system(with_rigid_methyls(full_alkane(6, 1)), 3);
    EXPECT_THROW(Constraints(system.topology, system.clusters, {"lincs"}, {}), InputError);
    const Constraints constraints(system.topology, system.clusters, {"lincs", "shake"}, {});
    const auto text = constraints.description();
    EXPECT_NE(text.find("goes to shake. LINCS would not converge: the spectral radius of its matrix is 1."),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("because of the constraints of atoms 1 C1, 2 H1, 3 H1, 4 H1"), std::string::npos) << text;
    EXPECT_NE(text.find("\nshake: 3 clusters"), std::string::npos) << text;
}

/// A step of dt [ps] from constrained positions with velocities at 300 K along the constraints and random forces of
/// 1000 kJ/mol/nm: the largest relative error of a length after LINCS.
double error_of_step(const Polymer& polymer, double dt, int order, int iterations, unsigned seed)
{
    auto system = polymer_system(polymer);
    system.disturb(0.0, 0.0, seed);
    Noise noise(seed);
    SolverSettings exact;
    exact.tolerance = 1e-13;
    Constraints reference(system.topology, system.clusters, {"shake"}, exact);
    LocalPart part(system, 0, [](AtomId) { return 0; });
    for (std::size_t a = 0; a < system.x.size(); ++a) {
        const double width = std::sqrt(units::boltzmann * 300.0 / system.mass(a));
        part.atoms.v[a] = to_lattice(width * noise.normal_vector(), velocity_unit);
    }
    reference.rebuild(part.atoms, part.directory());
    reference.project_velocities(part.atoms, system.box, {0, dt, 0.0});
    for (std::size_t a = 0; a < system.x.size(); ++a) {
        const Vec3 force = 1000.0 * noise.normal_vector();
        const Vec3 v = to_real(part.atoms.v[a], velocity_unit) + dt / system.mass(a) * force;
        part.atoms.x[a] += to_lattice(dt * v, position_unit);
    }
    SolverSettings settings;
    settings.lincs_order = order;
    settings.lincs_iterations = iterations;
    Constraints lincs(system.topology, system.clusters, {"lincs"}, settings);
    lincs.rebuild(part.atoms, part.directory());
    const auto result = lincs.project_positions(part.atoms, system.box, {0, dt, 0.0});
    EXPECT_EQ(result.failure, "");
    EXPECT_DOUBLE_EQ(result.max_residual(), system.max_length_error(part.atoms.x));
    return result.max_residual();
}

/// The largest error of a typical configuration: two in three are better. (A mean would be that of a few bad ones.)
double typical_error(Polymer (*make)(int, unsigned), int n, double dt, int order, int iterations)
{
    constexpr unsigned configurations = 48;
    std::vector<double> errors;
    for (unsigned k = 1; k <= configurations; ++k)
        errors.push_back(error_of_step(make(n, k), dt, order, iterations, 100 + k));
    std::ranges::sort(errors);
    return errors[2 * configurations / 3];
}

TEST(Lincs, IsAsAccurateAsItsTermsAllow)
{
    struct Row {
        const char* name;
        Polymer (*make)(int, unsigned);
        double dt;
        std::array<double, 5> errors; // 4/1, 4/2, 6/2, 8/1, 8/4
    };
    const Row rows[] = {{"united-atom C60", united_alkane, 0.002, {2.4e-6, 2.5e-8, 1.5e-8, 1.8e-6, 1.1e-12}},
                        {"united-atom C60, 4 fs", united_alkane, 0.004, {2.5e-5, 5.2e-7, 4.9e-7, 2.2e-5, 2.3e-10}},
                        {"C60H122", full_alkane, 0.002, {4.4e-5, 1.6e-6, 7.7e-7, 3.4e-5, 6.2e-11}},
                        {"free joints", free_joints, 0.002, {1.3e-4, 2.7e-5, 5.2e-6, 1.6e-5, 9e-9}}};
    constexpr std::array<std::array<int, 2>, 5> settings{{{4, 1}, {4, 2}, {6, 2}, {8, 1}, {8, 4}}};
    for (const auto& row : rows)
        for (std::size_t k = 0; k < settings.size(); ++k) {
            const double error = typical_error(row.make, 60, row.dt, settings[k][0], settings[k][1]);
            std::printf("%-24s %d/%d  %.2e (%.1e)\n", row.name, settings[k][0], settings[k][1], error, row.errors[k]);
            EXPECT_LT(error, 2.0 * row.errors[k]) << row.name << " " << settings[k][0] << "/" << settings[k][1];
            EXPECT_GT(error, 0.5 * row.errors[k]) << row.name << " " << settings[k][0] << "/" << settings[k][1];
        }
}

/// Order n of a chain: the two constraints of an atom, one more on either side for the bound atoms, then n couplings.
TEST(LincsReach, CountsCouplings)
{
    const auto polymer = united_alkane(40, 1);
    const auto clusters = find_clusters(polymer.type);
    const LincsShape shape(polymer.type, clusters.clusters[0]);
    const std::array<std::int32_t, 1> middle{20}, end{0};
    for (const int order : {1, 4, 8}) {
        LincsReach reach(shape, order);
        EXPECT_EQ(reach(middle).size(), static_cast<std::size_t>(4 + 2 * order));
        EXPECT_EQ(reach(end).size(), static_cast<std::size_t>(2 + order));
        const auto found = reach(middle);
        for (const auto& [k, shell] : found) { // bonds 18-19, 19-20, 20-21, 21-22 are in shell 0
            const auto first =
                std::min(shape.first[static_cast<std::size_t>(k)], shape.second[static_cast<std::size_t>(k)]);
            EXPECT_EQ(shell, std::max({0, 18 - first, first - 21})) << first;
        }
        EXPECT_TRUE(std::ranges::is_sorted(found, {}, &LincsReach::Found::shell));
    }
}

/// The second of three dumbbells after its second atom has moved to `end`, in bond lengths from the first.
ConstraintResult moved(const Vec3& end, ConstraintSystem& system)
{
    Polymer dumbbell;
    dumbbell.type.name = "Dumbbell";
    dumbbell.add_atom("A", 10.0, Vec3(2.0, 2.0, 2.0));
    dumbbell.add_atom("B", 10.0, Vec3(2.1, 2.0, 2.0));
    dumbbell.bind(0, 1);
    system = polymer_system(dumbbell, 3);
    system.disturb(0.0, 0.0, 1);
    system.x[3] = system.x[2] + to_lattice(0.1 * end, position_unit);
    Constraints constraints(system.topology, system.clusters, {"lincs"}, {});
    LocalPart part(system, 0, [](AtomId) { return 0; });
    constraints.rebuild(part.atoms, part.directory());
    const auto result = constraints.project_positions(part.atoms, system.box, {7, 0.002, 0.0});
    system.x = part.atoms.x;
    return result;
}

TEST(Lincs, WarnsOfBondsThatTurnFarAndStopsWhereThereIsNoSolution)
{
    ConstraintSystem system;
    EXPECT_EQ(moved({0.9, 0.4, 0.0}, system).warnings, 0);
    const auto warned = moved({0.9, 0.6, 0.0}, system);
    EXPECT_EQ(warned.warnings, 1);
    EXPECT_EQ(warned.failure, "");
    EXPECT_EQ(warned.warning, "Constraints of atoms 3, 4 (molecule 2, Dumbbell) in step 7: the bond has turned by 37 "
                              "degrees, more than lincs-warnangle.");
    EXPECT_LT(system.max_length_error(system.x), 1e-12);
    const auto failed = moved({0.5, 2.0, 0.0}, system);
    EXPECT_EQ(failed.failure, "Constraints of atoms 3, 4 (molecule 2, Dumbbell) in step 7: the bond has turned by 90 "
                              "degrees or more, or is not finite.");
    EXPECT_LT((system.bond(system.x, 2, 3) - Vec3(0.05, 0.2, 0.0)).norm(), 1e-13) << "it stays where it is";
}

/// Nobody knows the angles of a free joint beforehand: where its arms fold together, the expansion diverges.
TEST(Lincs, StopsWhereItDiverges)
{
    Polymer star;
    star.type.name = "Star";
    star.add_atom("A", 5.0, Vec3(2.0, 2.0, 2.0));
    for (const auto& arm : {Vec3(0.1, 0.02, 0.0), Vec3(0.1, -0.02, 0.0), Vec3(0.1, 0.0, 0.02)}) {
        star.add_atom("B", 10.0, Vec3(2.0, 2.0, 2.0) + arm);
        star.bind(0, static_cast<std::int32_t>(star.positions.size()) - 1);
    }
    EXPECT_LT(radius(star), 0.8);
    EXPECT_GT(dense_radius(star), 1.2);
    auto system = polymer_system(star);
    system.disturb(0.0, 0.0, 1);
    for (const std::size_t arm : {1, 2, 3}) system.x[arm] += to_lattice({0.008, 0.0, 0.0}, position_unit);
    Constraints constraints(system.topology, system.clusters, {"lincs"}, {});
    LocalPart part(system, 0, [](AtomId) { return 0; });
    constraints.rebuild(part.atoms, part.directory());
    const auto result = constraints.project_positions(part.atoms, system.box, {7, 0.002, 0.0});
    EXPECT_EQ(result.failure.find("Constraints of atoms 1, 2 (molecule 1, Star) in step 7: LINCS has left it "), 0u)
        << result.failure;
    EXPECT_EQ(part.atoms.x, system.x);
}

TEST(Lincs, VelocitiesGainWithEachIteration)
{
    const auto polymer = full_alkane(20, 1);
    auto system = polymer_system(polymer);
    system.disturb(0.0, 3.0, 2);
    double before = 1e9;
    for (const int iterations : {0, 1, 2, 4}) {
        SolverSettings settings;
        settings.lincs_iterations = iterations;
        Constraints constraints(system.topology, system.clusters, {"lincs"}, settings);
        LocalPart part(system, 0, [](AtomId) { return 0; });
        constraints.rebuild(part.atoms, part.directory());
        const auto result = constraints.project_velocities(part.atoms, system.box, {1, 0.002, 0.0});
        EXPECT_NEAR(result.max_residual(), system.max_rate(part.atoms.x, part.atoms.v), 1e-10);
        EXPECT_LT(result.max_residual(), 0.1 * before);
        before = result.max_residual();
    }
    EXPECT_LT(before, 1e-4);
}

} // namespace
} // namespace holon::test
