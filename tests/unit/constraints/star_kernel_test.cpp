// The kernels of the star solver: the same bits with every instruction set, each star as if it were alone, and what
// Newton's method in wider numbers gives.
#include <holon/core/instruction_sets.hpp>

#include <support/constraints/constraint_system.hpp>

#include <constraints/whole_clusters/star_kernel.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

using star::lanes;
using star::Outcome;
using star::Stars;

constexpr std::size_t n_stars = 21; // not a multiple of what is done at a time
constexpr std::size_t lost = 13;    // one bond of it has turned too far
constexpr double dt = 0.002;

/// Stars that all differ, with their atoms in no order, a step away from being rigid; some hardly, some a lot.
struct State {
    std::size_t arms;
    std::vector<std::array<std::int32_t, 5>> atoms; // per star: centre, ends
    std::vector<std::array<double, 5>> mass;
    std::vector<std::array<double, 4>> length;
    std::vector<IVec3> x_ref, x, v;

    State(int n_arms, const Vec3& place, double step = 0.02) : arms(static_cast<std::size_t>(n_arms))
    {
        Noise noise(71);
        const std::size_t members = arms + 1;
        x_ref.resize(n_stars * members);
        x = v = x_ref;
        const std::array<Vec3, 4> corners{Vec3{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
        for (std::size_t s = 0; s < n_stars; ++s) {
            atoms.emplace_back();
            mass.emplace_back();
            length.emplace_back();
            const IVec3 centre = to_lattice(place + noise.vector(), position_unit);
            const double size = s % 4 == 0 ? 0.0 : s % 4 == 1 ? step : 0.25 * step; // [nm]
            for (std::size_t a = 0; a < members; ++a) {
                const std::size_t i = s * 8 % n_stars * members + (a + s) % members;
                atoms[s][a] = static_cast<std::int32_t>(i);
                mass[s][a] = a == 0 ? 14.0 + noise() : 1.5 + 0.5 * noise();
                x_ref[i] = centre;
                if (a > 0) {
                    length[s][a - 1] = 0.1 + 0.01 * noise();
                    const Vec3 direction = (corners[a - 1] + 0.3 * noise.vector()).normalized();
                    x_ref[i] += to_lattice(length[s][a - 1] * direction, position_unit);
                }
                const double scale = a == 0 ? 0.3 : 1.0;
                x[i] = x_ref[i] + to_lattice(scale * size * noise.vector(), position_unit);
                v[i] = to_lattice(scale * 2.0 * noise.vector(), velocity_unit);
            }
        }
        const auto end = static_cast<std::size_t>(atoms[lost][1]);
        x[end] = 2 * x_ref[static_cast<std::size_t>(atoms[lost][0])] - x_ref[end];
    }
};

/// Batches of some of the stars of a state.
struct Packed {
    std::vector<std::int32_t> atoms;
    std::vector<double> inverse_mass, d2, multipliers;
    Stars stars{};

    Packed(State& state, std::size_t first, std::size_t n)
    {
        for (std::size_t batch = 0; batch < n; batch += lanes) {
            const auto star_in = [&](std::size_t lane) { return first + std::min(batch + lane, n - 1); };
            for (std::size_t a = 0; a <= state.arms; ++a)
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    atoms.push_back(state.atoms[star_in(lane)][a]);
                    inverse_mass.push_back(1.0 / state.mass[star_in(lane)][a]);
                }
            for (std::size_t k = 0; k < state.arms; ++k)
                for (std::size_t lane = 0; lane < lanes; ++lane)
                    d2.push_back(state.length[star_in(lane)][k] * state.length[star_in(lane)][k]);
        }
        multipliers.resize(d2.size(), -1.0);
        stars = {.n = static_cast<std::int64_t>(n),
                 .arms = static_cast<int>(state.arms),
                 .atoms = atoms.data(),
                 .inverse_mass = inverse_mass.data(),
                 .d2 = d2.data(),
                 .x_ref = state.x_ref.front().data(),
                 .x = state.x.front().data(),
                 .v = state.v.front().data(),
                 .inverse_dt = 1.0 / dt,
                 .multipliers = multipliers.data()};
    }

    double multiplier(std::size_t star, std::size_t arm) const
    {
        const auto arms = static_cast<std::size_t>(stars.arms);
        return multipliers[(star / lanes * arms + arm) * lanes + star % lanes];
    }
};

using Kernel = Outcome (*)(const Stars&);
struct Variant {
    const char* name;
    Kernel positions, velocities;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", star::positions_baseline, star::velocities_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back({"v3", star::positions_v3, star::velocities_v3});
    if (best_instruction_set() >= InstructionSet::v4) all.push_back({"v4", star::positions_v4, star::velocities_v4});
#endif
    return all;
}

class StarKernel : public ::testing::TestWithParam<int> {};

TEST_P(StarKernel, SameBitsWithEveryInstructionSetAndOneByOne)
{
    for (const bool velocities : {false, true}) {
        State expected(GetParam(), {1.0, 2.0, 3.0}); // one star at a time
        Outcome all{0, 0, -1};
        std::vector<double> multipliers;
        std::set<std::int64_t> iterations;
        for (std::size_t s = 0; s < n_stars; ++s) {
            Packed packed(expected, s, 1);
            const auto outcome = (velocities ? star::velocities_baseline : star::positions_baseline)(packed.stars);
            all.residual = std::max(all.residual, outcome.residual);
            all.iterations = std::max(all.iterations, outcome.iterations);
            iterations.insert(outcome.iterations);
            EXPECT_EQ(outcome.failed, !velocities && s == lost ? 0 : -1) << s;
            for (std::size_t k = 0; k < expected.arms; ++k) multipliers.push_back(packed.multiplier(0, k));
        }
        EXPECT_LT(from_ordered_bits(all.residual), velocities ? 2e-11 : 2e-13);
        if (!velocities) {
            EXPECT_GT(iterations.size(), 2u) << "lanes should stop at different times";
        }
        const State start(GetParam(), {1.0, 2.0, 3.0});
        EXPECT_NE(expected.v, start.v);
        for (std::size_t a = 0; a <= expected.arms && !velocities; ++a) {
            const auto i = static_cast<std::size_t>(start.atoms[lost][a]);
            EXPECT_EQ(expected.x[i], start.x[i]) << "what is lost stays where it is";
            EXPECT_EQ(expected.v[i], start.v[i]);
        }
        for (const auto& variant : variants()) {
            State state(GetParam(), {1.0, 2.0, 3.0});
            Packed packed(state, 0, n_stars);
            const auto outcome = (velocities ? variant.velocities : variant.positions)(packed.stars);
            EXPECT_EQ(state.x, expected.x) << variant.name;
            EXPECT_EQ(state.v, expected.v) << variant.name;
            EXPECT_EQ(outcome.residual, all.residual) << variant.name;
            EXPECT_EQ(outcome.iterations, all.iterations) << variant.name;
            EXPECT_EQ(outcome.failed, velocities ? -1 : std::int64_t{lost}) << variant.name;
            for (std::size_t s = 0; s < n_stars; ++s)
                for (std::size_t k = 0; k < state.arms; ++k)
                    EXPECT_EQ(packed.multiplier(s, k), multipliers[s * state.arms + k]) << variant.name << " " << s;
        }
    }
}

using Wide = long double;
using WideVec = Eigen::Matrix<Wide, 3, 1>;

WideVec wide_bond(const State& state, const std::vector<IVec3>& values, std::size_t s, std::size_t k, double unit)
{
    const IVec3 d =
        values[static_cast<std::size_t>(state.atoms[s][k + 1])] - values[static_cast<std::size_t>(state.atoms[s][0])];
    return WideVec(static_cast<Wide>(d[0]), static_cast<Wide>(d[1]), static_cast<Wide>(d[2])) * Wide{unit};
}

/// Multipliers of one star by Newton's method in wide numbers, with pivoting, until nothing changes.
Eigen::Matrix<Wide, Eigen::Dynamic, 1> wide_multipliers(const State& state, std::size_t s, bool velocities)
{
    const auto n = static_cast<Eigen::Index>(state.arms);
    Eigen::Matrix<Wide, Eigen::Dynamic, 1> multipliers = decltype(multipliers)::Zero(n), g(n);
    Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic> matrix(n, n);
    const auto arm = [&](const std::vector<IVec3>& values, Eigen::Index k, double unit) {
        return wide_bond(state, values, s, static_cast<std::size_t>(k), unit);
    };
    const auto coupling = [&](Eigen::Index k, Eigen::Index l) {
        const auto end = static_cast<std::size_t>(k + 1);
        return Wide{1} / Wide{state.mass[s][0]} + (k == l ? Wide{1} / Wide{state.mass[s][end]} : Wide{0});
    };
    for (int iteration = 0; iteration < (velocities ? 1 : 20); ++iteration) {
        for (Eigen::Index k = 0; k < n; ++k) {
            const Wide d = state.length[s][static_cast<std::size_t>(k)];
            WideVec present = arm(state.x, k, position_unit);
            for (Eigen::Index l = 0; l < n; ++l)
                present -= coupling(k, l) * multipliers[l] * arm(state.x_ref, l, position_unit);
            g[k] = velocities ? present.dot(arm(state.v, k, velocity_unit)) : (present.squaredNorm() - d * d) / 2;
            for (Eigen::Index l = 0; l < n; ++l)
                matrix(k, l) = coupling(k, l) * present.dot(arm(velocities ? state.x : state.x_ref, l, position_unit));
        }
        multipliers += matrix.fullPivLu().solve(g);
    }
    return multipliers;
}

/// Also far from the origin: the lattice reaches 2^15 nm.
TEST_P(StarKernel, AgreesWithNewtonInWideNumbers)
{
    for (const Vec3& place : {Vec3(1.0, 2.0, 3.0), Vec3(-9000.0, 4000.0, 12345.6)})
        for (const bool velocities : {false, true}) {
            State state(GetParam(), place);
            if (velocities) state.x = state.x_ref;
            const State start = state;
            Packed packed(state, 0, n_stars);
            (velocities ? star::velocities_baseline : star::positions_baseline)(packed.stars);
            for (std::size_t s = 0; s < n_stars; ++s) {
                if (s == lost && !velocities) continue;
                const auto exact = wide_multipliers(start, s, velocities);
                const Wide scale = exact.cwiseAbs().maxCoeff();
                for (std::size_t k = 0; k < state.arms; ++k) {
                    const auto index = static_cast<Eigen::Index>(k);
                    EXPECT_NEAR(packed.multiplier(s, k), static_cast<double>(exact[index]),
                                static_cast<double>(4e-15L * scale + 1e-14L))
                        << s;
                    // The end of the arm moves by -l r / m, rounded to the lattice.
                    const auto end = static_cast<std::size_t>(state.atoms[s][k + 1]);
                    const WideVec move =
                        -exact[index] / Wide{state.mass[s][k + 1]} * wide_bond(start, start.x_ref, s, k, position_unit);
                    const IVec3 moved =
                        velocities ? IVec3(state.v[end] - start.v[end]) : IVec3(state.x[end] - start.x[end]);
                    for (int c = 0; c < 3; ++c)
                        EXPECT_NEAR(static_cast<double>(static_cast<Wide>(moved[c]) -
                                                        move[c] / Wide{velocities ? velocity_unit : position_unit}),
                                    0.0, 0.6)
                            << s;
                }
            }
        }
}

TEST_P(StarKernel, FourIterationsAtMost)
{
    State state(GetParam(), {1.0, 2.0, 3.0}, 0.006); // hydrogen in 2 fs at 300 K
    const auto end = static_cast<std::size_t>(state.atoms[lost][1]);
    state.x[end] = state.x_ref[end];
    Packed packed(state, 0, n_stars);
    const auto outcome = star::positions_baseline(packed.stars);
    EXPECT_EQ(outcome.failed, -1);
    EXPECT_LE(outcome.iterations, 4);
    EXPECT_LT(from_ordered_bits(outcome.residual), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Arms, StarKernel, ::testing::Values(1, 2, 3, 4));

} // namespace
} // namespace holon::test
