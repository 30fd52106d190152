// How fast the iterations converge, against the rates that their matrices predict.
#include <support/constraints/constraint_molecules.hpp>
#include <support/constraints/polymers.hpp>
#include <support/dense.hpp>

#include <constraints/inverse/approximate_inverse.hpp>
#include <constraints/newton/newton.hpp>

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

/// By which a correction with the matrix P multiplies errors, if A is right: the spectral radius of 1 - P^-1 A.
double predicted_rate(const Eigen::MatrixXd& p, const Eigen::MatrixXd& a)
{
    return spectral_radius(Eigen::MatrixXd::Identity(a.rows(), a.cols()) - solve(p, a));
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
                predicted_rate(matrix_of(step, jacobian == Jacobian::first ? step.x : step.x_ref, step.x_ref),
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

/// Largest error of a length that is left after each number of iterations that some tolerance asks for.
std::map<std::int64_t, double> errors_by_iterations(const ConstraintSystem& system, const char* name)
{
    std::map<std::int64_t, double> errors;
    for (double tolerance = 0.1; tolerance > 1e-12; tolerance *= 0.3) {
        SolverSettings settings;
        settings.tolerance = tolerance;
        settings.topology = &system.topology;
        LocalPart part(system, 0, [](AtomId) { return 0; });
        Constraints constraints(system.topology, system.clusters, {name}, settings);
        constraints.rebuild(part.atoms, part.directory());
        const auto result = constraints.project_positions(part.atoms, system.box, {1, 0.0, 0.0});
        EXPECT_EQ(result.failure, "");
        errors[result.iterations] = system.max_length_error(part.atoms.x);
    }
    return errors;
}

/// By which an iteration multiplies the error in the end.
double rate_of(const std::map<std::int64_t, double>& errors, std::int64_t over)
{
    auto last = errors.rbegin();
    while (last->second < 1e-12) ++last;
    auto first = last;
    while (first->first > last->first - over && std::next(first) != errors.rend()) ++first;
    return std::pow(last->second / first->second, 1.0 / static_cast<double>(last->first - first->first));
}

/// A sweep over all constraints, each corrected along its row of A^-1 G of the reference.
TEST(Rates, PShakeConvergesLinearlyAsItsSpectrumSays)
{
    const auto corners = tetrahedron(0.15);
    const std::vector<Vec3> triangle{{1, 1, 1}, {1.0577, 1.0816, 1}, {0.9423, 1.0816, 1}};
    const std::vector<std::pair<const char*, ConstraintSystem>> rigid{
        {"water", one_molecule("Water", {15.9994, 1.008, 1.008}, bonds_between(triangle, all_pairs(3)), triangle)},
        {"methyl",
         one_molecule("Methyl", {12.011, 1.008, 1.008, 1.008}, bonds_between(corners, all_pairs(4)), corners)}};
    for (const auto& [name, system] : rigid) {
        double before = 1.0;
        for (const double dt : {0.006, 0.003}) {
            const auto step = stepped(system, dt);
            const auto solution = solved(step, *make_newton_solver({}, {}));
            const Eigen::MatrixXd effect =
                product(matrix_of(step, solution, step.x_ref),
                        inverse_of(matrix_of(step, step.x_ref, step.x_ref))); // of k on all, column k
            Eigen::MatrixXd sweep = Eigen::MatrixXd::Identity(effect.rows(), effect.cols());
            for (Eigen::Index k = 0; k < effect.rows(); ++k)
                sweep -= product(effect.col(k) / effect(k, k), sweep.row(k));
            const double predicted = spectral_radius(sweep);
            const double measured = rate_of(errors_by_iterations(step, "p_shake"), 2);
            if (std::getenv("HOLON_PRINT") != nullptr)
                std::printf("p_shake, %s, %g ps: %.3g, predicted %.3g\n", name, dt, measured, predicted);
            EXPECT_GT(measured, 0.3 * predicted) << name;
            EXPECT_LT(measured, 4.0 * predicted) << name; // few sweeps: the slowest mode is not alone yet
            EXPECT_LT(measured, 0.1) << name;
            EXPECT_LT(measured, before) << name; // not a property of the molecule, but of its turn
            before = measured;
        }
    }
}

ConstraintSystem system_of(const Polymer& polymer)
{
    ConstraintSystem system;
    system.topology = polymer.topology();
    system.add(polymer.type, 1, polymer.positions);
    return system;
}

/// 1 - W D^-1 A, W the sparse inverse matrix and D the diagonal of A.
TEST(Rates, CorrectionsOfAllAtOnceConvergeAsTheirSpectrumSays)
{
    struct Row {
        const char* name;
        Polymer polymer;
    };
    for (const auto& [name, polymer] :
         {Row{"united alkane", united_alkane(40, 1)}, {"full alkane", full_alkane(20, 1)}, {"benzene", benzene()}}) {
        const auto step = stepped(system_of(polymer), 0.002);
        const auto solution = solved(step, *make_newton_solver({}, {}));
        const auto a = matrix_of(step, solution, step.x_ref);
        const auto& cluster = step.clusters[0].clusters[0];
        std::map<std::pair<int, int>, Eigen::Index> place; // in the order of for_each_constraint
        for (const auto& c : polymer.type.constraints) place.try_emplace({c.i, c.j}, std::ssize(place));
        for (const auto& [solver, kind] :
             {std::pair("ccma", InverseKind::equilibrium), {"lambrakos", InverseKind::diagonal}}) {
            const ApproximateInverse inverse(kind, KnownAngles(&step.topology, polymer.type), polymer.type, cluster);
            Eigen::MatrixXd w = Eigen::MatrixXd::Zero(a.rows(), a.cols());
            const auto at = [&](std::int32_t k) {
                const auto& c = cluster.constraints[static_cast<std::size_t>(k)];
                return place.at({c.i, c.j});
            };
            for (std::int32_t k = 0; k < a.rows(); ++k)
                for (const auto& [l, factor] : inverse.row(k)) w(at(k), at(l)) = factor;
            const Eigen::MatrixXd corrections = a.diagonal().cwiseInverse().asDiagonal() * a;
            const double predicted =
                spectral_radius(Eigen::MatrixXd::Identity(a.rows(), a.cols()) - product(w, corrections));
            const auto errors = errors_by_iterations(step, solver);
            const double measured = rate_of(errors, 8);
            const auto sweeps = errors_by_iterations(step, "shake");
            if (std::getenv("HOLON_PRINT") != nullptr)
                std::printf("%s, %s: %.3g, predicted %.3g, at ideal angles %.3g; %ld iterations to 1e-12, shake %ld\n",
                            solver, name, measured, predicted, inverse.rate(),
                            static_cast<long>(errors.rbegin()->first), static_cast<long>(sweeps.rbegin()->first));
            EXPECT_NEAR(measured, predicted, 0.25 * predicted) << name;
            EXPECT_NEAR(inverse.rate(), predicted, 0.15 * predicted + 0.02) << name;
        }
    }
}

/// One bond by itself: the first forces are the answer.
TEST(Rates, LambrakosIsExactForPairsInOneIteration)
{
    const auto pair = one_molecule("Pair", {12.0, 14.0}, {{0, 1, 0.15}}, {{1, 1, 1}, {1.15, 1, 1}});
    const auto errors = errors_by_iterations(stepped(pair, 0.008), "lambrakos");
    EXPECT_EQ(errors.rbegin()->first, 1);
    EXPECT_LT(errors.rbegin()->second, 1e-13);
}

} // namespace
} // namespace holon::test
