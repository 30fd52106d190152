// Which constraints have a say in where atoms are after a round of Gauss-Seidel corrections: those, and no others.
#include <constraints/cut_clusters/link_reach.hpp>
#include <support/constraints/constraint_molecules.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace holon::test {
namespace {

/// A random graph in which each atom has a partner before it.
ConstraintCluster random_cluster(unsigned seed, std::int32_t n_atoms, int n_more)
{
    std::mt19937 random(seed);
    const auto before = [&random](std::int32_t i) {
        return static_cast<std::int32_t>(random() % static_cast<unsigned>(i));
    };
    std::vector<Constraint> constraints;
    const auto add = [&](std::int32_t i, std::int32_t j) {
        const auto same = [&](const Constraint& c) { return c.i == i && c.j == j; };
        if (std::ranges::none_of(constraints, same)) constraints.push_back({i, j, 0.1});
    };
    for (std::int32_t j = 1; j < n_atoms; ++j) add(std::max(0, j - 1 - before(3)), j);
    for (int k = 0; k < n_more; ++k) {
        const auto j = 1 + before(n_atoms - 1);
        add(before(j), j);
    }
    const std::vector<double> masses(static_cast<std::size_t>(n_atoms), 12.0);
    return find_clusters(molecule("random", masses, constraints)).clusters.front();
}

using State = std::vector<std::uint64_t>; // per atom

/// A correction of which everything that went in can be seen in what comes out.
void correct(State& state, const LinkReach& reach, std::int32_t constraint)
{
    auto& a = state[static_cast<std::size_t>(reach.atoms_of(constraint)[0])];
    auto& b = state[static_cast<std::size_t>(reach.atoms_of(constraint)[1])];
    const auto mix = [constraint](std::uint64_t x, std::uint64_t y) {
        x = (x ^ static_cast<std::uint64_t>(constraint)) * 0x9e3779b97f4a7c15U + (y ^ y >> 29) * 0xbf58476d1ce4e5b9U;
        return x ^ x >> 31;
    };
    const auto new_a = mix(a, b), new_b = mix(b, a + 1);
    a = new_a;
    b = new_b;
}

State after(State state, const LinkReach& reach, std::span<const std::int32_t> constraints)
{
    for (const auto k : constraints) correct(state, reach, k);
    return state;
}

bool same_at(std::span<const std::int32_t> atoms, const State& a, const State& b)
{
    return std::ranges::all_of(
        atoms, [&](auto i) { return a[static_cast<std::size_t>(i)] == b[static_cast<std::size_t>(i)]; });
}

TEST(LinkReach, IsWhatDecidesWhereAtomsAreAfterARound)
{
    int n_left_out = 0, n_rounds = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const auto cluster = random_cluster(seed, 60, seed % 4 == 0 ? 40 : 8);
        const LinkReach reach(cluster);
        std::vector<std::int32_t> atoms(cluster.atoms.size());
        std::iota(atoms.begin(), atoms.end(), 0);
        std::ranges::shuffle(atoms, random);
        atoms.resize(1 + random() % 6);
        const auto reached = reach(atoms);
        ASSERT_TRUE(std::ranges::is_sorted(reached));

        const auto n = static_cast<std::int32_t>(cluster.constraints.size());
        const auto rounds = static_cast<std::int32_t>(reach.round(n - 1)) + 1;
        n_rounds = std::max(n_rounds, rounds);
        for (std::int32_t round = 0; round < rounds; ++round) {
            State start(cluster.atoms.size());
            for (auto& atom : start) atom = random();
            const auto of_round = [&](std::int32_t k) { return reach.round(k) == static_cast<std::size_t>(round); };
            std::vector<std::int32_t> all, ours;
            for (std::int32_t k = 0; k < n; ++k)
                if (of_round(k)) all.push_back(k);
            std::ranges::copy_if(reached, std::back_inserter(ours), of_round);
            const auto expected = after(start, reach, all);
            EXPECT_TRUE(same_at(atoms, after(start, reach, ours), expected));
            n_left_out += static_cast<int>(all.size() - ours.size());
            for (const auto left_out : ours) {
                auto fewer = ours;
                std::erase(fewer, left_out);
                EXPECT_FALSE(same_at(atoms, after(start, reach, fewer), expected)) << left_out;
            }
        }
    }
    EXPECT_GT(n_left_out, 100);
    EXPECT_GT(n_rounds, 1);
}

} // namespace
} // namespace holon::test
