// Torsions of molecules with rigid bonds and angles, in the ideal gas: what constraints do to a distribution.
#include <holon/core/units.hpp>

#include <support/constraints/polymers.hpp>
#include <support/dense.hpp>
#include <support/program_run.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double bond = 0.153, mass = 14.531, temperature = 700.0; // hot: many passes of the barriers
const double angle = std::acos(-1.0 / 3.0);

// J.-P. Ryckaert and A. Bellemans, Discuss. Faraday Soc. 66, 95 (1978): energy / k [K] by powers of the cosine.
constexpr double torsion_terms[] = {1116.0, 1462.0, -1578.0, -368.0, 3156.0, -3788.0};

std::vector<Vec3> butane(double torsion)
{
    std::vector<Vec3> r{{0.0, 0.0, 0.0}, {bond, 0.0, 0.0}};
    r.push_back(next_point({0.0, -1.0, 0.0}, r[0], r[1], bond, angle, M_PI));
    r.push_back(next_point(r[0], r[1], r[2], bond, angle, torsion));
    return r;
}

MoleculeType butane_type()
{
    const double ends = 2.0 * bond * std::sin(0.5 * angle);
    auto type = molecule("Butane", std::vector<double>(4, mass),
                         {{0, 1, bond}, {1, 2, bond}, {2, 3, bond}, {0, 2, ends}, {1, 3, ends}});
    type.exclusions = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    auto& dihedrals = type.interactions[static_cast<std::size_t>(Interaction::ryckaert_bellemans)];
    dihedrals.atoms = {0, 1, 2, 3};
    dihedrals.parameters = {0};
    return type;
}

double energy_over_k(double torsion)
{
    double sum = 0.0;
    for (int n = 0; n < 6; ++n) sum += torsion_terms[n] * std::pow(-std::cos(torsion), n);
    return sum;
}

/// Torsions within 60 degrees of trans are no more than this part: p ~ exp(-V/kT) sqrt(det A), where A is the matrix of
/// the constraints, the sum of their gradients' products over the masses. M. Fixman, Proc. Natl. Acad. Sci. 71, 3050
/// (1974). Without `metric`, the distribution of stiff springs.
double trans_part(bool metric)
{
    const auto constraints = butane_type().constraints;
    constexpr int points = 720;
    double trans = 0.0, all = 0.0;
    for (int k = 0; k < points; ++k) {
        const double torsion = 2.0 * M_PI * (k + 0.5) / points;
        const auto r = butane(torsion);
        Eigen::MatrixXd gradients = Eigen::MatrixXd::Zero(5, 12);
        for (Eigen::Index c = 0; c < 5; ++c) {
            const auto [i, j, length, from_angle] = constraints[static_cast<std::size_t>(c)];
            const Vec3 d = r[static_cast<std::size_t>(j)] - r[static_cast<std::size_t>(i)];
            gradients.block<1, 3>(c, 3 * i) = -d.transpose();
            gradients.block<1, 3>(c, 3 * j) = d.transpose();
        }
        const double weight = (metric ? std::sqrt(determinant_of(product(gradients, gradients.transpose()))) : 1.0) *
                              std::exp(-energy_over_k(torsion) / temperature);
        all += weight;
        if (std::abs(torsion - M_PI) < M_PI / 3.0) trans += weight;
    }
    return trans / all;
}

/// Without metric at the start, so that the run has to find the difference.
TestSystem gas(int n)
{
    TestSystem system(cubic(7.2));
    system.set_types({{0.0, 0.0}});
    auto& terms = system.topology->parameters[static_cast<std::size_t>(Interaction::ryckaert_bellemans)].emplace_back();
    for (std::size_t k = 0; k < 6; ++k) terms[k] = units::boltzmann * torsion_terms[k];
    Noise noise(7);
    std::vector<Vec3> positions;
    for (const auto& centre : jittered_lattice(cubic(7.2), n, 0.02, noise)) {
        double torsion;
        do torsion = M_PI * noise();
        while (0.5 + 0.5 * noise() > std::exp(-energy_over_k(torsion) / temperature));
        for (const auto& r : butane(torsion)) positions.push_back(centre + r);
    }
    system.add(butane_type(), positions);
    return system;
}

TEST(ButaneGas, TorsionsFollowTheMassMetric)
{
    constexpr int n = 8, blocks = 20, samples = 20;
    ProgramRun run(gas(n), Communicator::world(),
                   "integrator = sd\ndt = 0.01\nconstraint-algorithm = newton\ngen-temp = 700\n"
                   "tc-grps = System\ntau-t = 0.2\nref-t = 700\n");
    run.advance(600);
    double sum = 0.0, squares = 0.0;
    for (int block = 0; block < blocks; ++block) {
        int trans = 0;
        for (int sample = 0; sample < samples; ++sample) {
            run.advance(40);
            const auto records = run.records();
            for (std::size_t i = 0; i < records.size(); i += 4) {
                const auto side = [&](std::size_t from) {
                    const IVec3 d = run.system().box().minimum_image(records[from + 1].x - records[from].x);
                    return to_real(d, position_unit);
                };
                const Vec3 a = side(i).cross(side(i + 1)), b = side(i + 1).cross(side(i + 2));
                trans += a.dot(b) < -0.5 * a.norm() * b.norm();
            }
        }
        const double part = static_cast<double>(trans) / (samples * n * n * n);
        sum += part / blocks;
        squares += part * part / blocks;
    }
    const double error = std::sqrt((squares - sum * sum) / (blocks - 1));
    const double expected = trans_part(true), without = trans_part(false);
    EXPECT_LT(8.0 * error, without - expected) << "too few to tell";
    EXPECT_NEAR(sum, expected, 4.0 * error);
}

} // namespace
} // namespace holon::test
