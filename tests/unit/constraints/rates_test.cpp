// How fast the iterations converge, against the rates that their matrices predict.
#include <support/constraint_molecules.hpp>

#include <constraints/newton/newton.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// A step of dt [ps] from positions on the constraints with velocities along them, under random forces; `speed` and
/// `force` per root of mass.
ConstraintSystem stepped(ConstraintSystem system, double dt, double speed = 2.0, double force = 300.0)
{
    system.disturb(0.0, speed, 5);
    LocalPart part(system, 0, [](AtomId) { return 0; });
    Constraints exact(system.topology, system.clusters, {"newton"}, {});
    exact.rebuild(part.atoms, part.directory());
    part.atoms.x = part.atoms.x_ref;
    exact.project_velocities(part.atoms, system.box, {0, dt, 0.0});
    Noise noise(6);
    for (std::size_t a = 0; a < system.x.size(); ++a) {
        const Vec3 acceleration = force / std::sqrt(system.mass(a)) * noise.vector();
        const Vec3 moved = dt * to_real(IVec3(part.atoms.v[a]), velocity_unit) + 0.5 * dt * dt * acceleration;
        system.x[a] = system.x_ref[a] + to_lattice(moved, position_unit);
    }
    return system;
}

/// The solver alone, on all clusters of the system; positions after the stage.
std::vector<IVec3> solved(const ConstraintSystem& system, Solver& solver)
{
    LocalPart part(system, 0, [](AtomId) { return 0; });
    std::vector<ClusterInstance> instances;
    for (const auto& block : system.topology.blocks) {
        const auto& type = system.topology.molecule_types[static_cast<std::size_t>(block.type)];
        for (std::int64_t m = 0; m < block.count; ++m)
            for (const auto& cluster : system.clusters[static_cast<std::size_t>(block.type)].clusters)
                instances.push_back({&type, &cluster, 0, block.first_molecule + m,
                                     static_cast<AtomId>(block.first_atom + m * std::ssize(type.atoms))});
    }
    solver.rebuild(instances, part.atoms, part.directory());
    EXPECT_EQ(solver.project_positions(part.atoms, system.box, {1, 0.0, 0.0}).failure, "");
    return part.atoms.x;
}

/// Largest relative error of a length after each number of corrections.
std::vector<double> errors_after(const ConstraintSystem& system, Jacobian jacobian, int most)
{
    std::vector<double> errors{system.max_length_error(system.x)};
    for (int n = 1; n <= most; ++n)
        errors.push_back(
            system.max_length_error(solved(system, *make_newton_solver({}, {.jacobian = jacobian, .corrections = n}))));
    return errors;
}

/// A_kl = C_kl s_k.r_l of all constraints, dense.
Eigen::MatrixXd matrix_of(const ConstraintSystem& system, const std::vector<IVec3>& s, const std::vector<IVec3>& r)
{
    std::vector<std::array<std::size_t, 2>> pairs;
    system.for_each_constraint([&](std::size_t i, std::size_t j, double) { pairs.push_back({i, j}); });
    const auto n = static_cast<Eigen::Index>(pairs.size());
    Eigen::MatrixXd matrix(n, n);
    const auto pair = [&](Eigen::Index k) { return pairs[static_cast<std::size_t>(k)]; };
    for (Eigen::Index k = 0; k < n; ++k)
        for (Eigen::Index l = 0; l < n; ++l) {
            double c = 0.0;
            for (int a = 0; a < 2; ++a)
                for (int b = 0; b < 2; ++b)
                    if (pair(k)[static_cast<std::size_t>(a)] == pair(l)[static_cast<std::size_t>(b)])
                        c += (a == b ? 1.0 : -1.0) / system.mass(pair(k)[static_cast<std::size_t>(a)]);
            matrix(k, l) =
                c == 0.0 ? 0.0
                         : c * dot(system.bond(s, pair(k)[0], pair(k)[1]), system.bond(r, pair(l)[0], pair(l)[1]));
        }
    return matrix;
}

/// Of 1 - P^-1 A.
double spectral_radius(const Eigen::MatrixXd& p, const Eigen::MatrixXd& a)
{
    const Eigen::MatrixXd error = Eigen::MatrixXd::Identity(a.rows(), a.cols()) - p.partialPivLu().solve(a);
    return error.eigenvalues().cwiseAbs().maxCoeff();
}

struct Molecule {
    const char* name;
    ConstraintSystem (*system)();
};
const std::vector<Molecule> molecules{{"united_atom_c60", united_atom_c60},
                                      {"all_atom_c60", all_atom_c60},
                                      {"ring_of_twelve", ring_of_twelve},
                                      {"h_angles", alkane_with_h_angles},
                                      {"all_distances", all_distances}};

TEST(Rates, NewtonSquaresTheError)
{
    for (const auto& [name, system] : molecules) {
        const auto e = errors_after(stepped(system(), 0.004, 3.0), Jacobian::present, 3);
        ASSERT_GT(e[2], 1e-11) << name; // far from round-off
        EXPECT_GT(std::log(e[2] / e[1]) / std::log(e[1] / e[0]), 1.6) << name;
        EXPECT_LT(e[2], 2.0 * e[1] * e[1]) << name;
        EXPECT_LT(e[3], 2.0 * e[2] * e[2] + 1e-13) << name;
    }
}

TEST(Rates, KeptMatricesConvergeLinearlyAsTheirSpectrumSays)
{
    for (const auto& [name, system] : molecules)
        for (const auto jacobian : {Jacobian::first, Jacobian::reference}) {
            const auto step = stepped(system(), 0.002);
            const auto solution = solved(step, *make_newton_solver({}, {}));
            const auto predicted =
                spectral_radius(matrix_of(step, jacobian == Jacobian::first ? step.x : step.x_ref, step.x_ref),
                                matrix_of(step, solution, step.x_ref));
            const auto e = errors_after(step, jacobian, 6);
            int last = 6;
            while (last > 3 && e[static_cast<std::size_t>(last)] < 1e-11) --last;
            const double measured =
                std::cbrt(e[static_cast<std::size_t>(last)] / e[static_cast<std::size_t>(last - 3)]);
            if (std::getenv("HOLON_PRINT") != nullptr)
                std::printf("%s, %s matrix: %.3g, predicted %.3g\n", name,
                            jacobian == Jacobian::first ? "first" : "reference", measured, predicted);
            EXPECT_LT(predicted, 0.2) << name;
            EXPECT_LT(measured, 1.3 * predicted) << name;
            EXPECT_GT(measured, 0.3 * predicted) << name;
        }
}

/// What is left after one solution with the matrix of the reference: 16 times less for half the step where a bond turns
/// by itself. Where neighbours push across each other's turns a term of the third order is left: 8 times less.
TEST(Rates, YoneyasResidualFallsWithTheStep)
{
    const auto left = [](const ConstraintSystem& system, double dt) {
        const auto step = stepped(system, dt);
        return step.max_length_error(solved(step, *make_solver("yoneya", {})));
    };
    const auto pair = one_molecule("Pair", {12.0, 14.0}, {{0, 1, 0.15}}, {{1, 1, 1}, {1.15, 1, 1}});
    const std::vector<Vec3> atoms{{1, 1, 1}, {1.0577, 1.0816, 1}, {0.9423, 1.0816, 1}};
    const auto water =
        one_molecule("Water", {15.9994, 1.008, 1.008}, bonds_between(atoms, {{0, 1}, {0, 2}, {1, 2}}), atoms);
    struct Row {
        const char* name;
        ConstraintSystem system;
        double least, most;
    };
    for (const auto& [name, system, least, most] : {Row{"pair", pair, 15.9, 16.1},
                                                    {"water", water, 7.5, 16.0},
                                                    {"united_atom_c60", united_atom_c60(), 7.0, 9.0},
                                                    {"all_atom_c60", all_atom_c60(), 7.0, 12.0},
                                                    {"all_distances", all_distances(), 7.0, 9.0}}) {
        const double coarse = left(system, 0.002), fine = left(system, 0.001), finest = left(system, 0.0005);
        if (std::getenv("HOLON_PRINT") != nullptr)
            std::printf("%s: residual %.3g, %.3g, %.3g: %.3g, %.3g times less\n", name, coarse, fine, finest,
                        coarse / fine, fine / finest);
        for (const double ratio : {coarse / fine, fine / finest}) {
            EXPECT_GT(ratio, least) << name;
            EXPECT_LT(ratio, most) << name;
        }
    }
}

} // namespace
} // namespace holon::test
