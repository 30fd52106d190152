// RANKS 1 3
// Forces by group: whatever is apart, their sum is the same to the last bit, and so are the energies.
#include <holon/dynamics/dynamics.hpp>
#include <holon/io/options.hpp>

#include <support/constraints/polymers.hpp>
#include <support/systems.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// Charged chains with angles, dihedrals and pairs three bonds apart.
TestSystem chains()
{
    constexpr std::int32_t beads = 8;
    auto type = molecule("Chain", std::vector<double>(beads, 14.0), {});
    TestSystem system(3.0 * Mat3::Identity(), 44);
    system.set_types({{6e-3, 1.8e-6}});
    const auto add = [&](Interaction kind, std::initializer_list<std::int32_t> atoms, InteractionParameters p) {
        const auto k = static_cast<std::size_t>(kind);
        auto& terms = type.interactions[k];
        terms.atoms.insert(terms.atoms.end(), atoms);
        terms.parameters.push_back(static_cast<std::int32_t>(system.topology->parameters[k].size()));
        system.topology->parameters[k].push_back(p);
    };
    for (std::int32_t k = 0; k < beads; ++k) {
        type.atoms[static_cast<std::size_t>(k)].charge = k % 2 == 0 ? 0.3 : -0.3;
        for (std::int32_t other = std::max(0, k - 3); other < std::min(beads, k + 4); ++other)
            if (other != k) type.exclusions[static_cast<std::size_t>(k)].push_back(other);
        if (k + 1 < beads) add(Interaction::harmonic_bond, {k, k + 1}, {0.15, 2e5});
        if (k + 2 < beads) add(Interaction::harmonic_angle, {k, k + 1, k + 2}, {1.9, 400.0});
        if (k + 3 < beads) {
            add(Interaction::proper_dihedral, {k, k + 1, k + 2, k + 3}, {0.0, 5.0, 3.0});
            add(Interaction::pair_14, {k, k + 3}, {3e-3, 9e-7});
        }
    }
    Noise noise(4);
    std::vector<Vec3> positions;
    for (int c = 0; c < 27; ++c) {
        Vec3 at = Vec3(c % 3, c / 3 % 3, c / 9) + 0.05 * noise.vector(), along = Vec3(1, 0.3, 0.2).normalized();
        for (std::int32_t k = 0; k < beads; ++k) {
            positions.push_back(at);
            along = (along + 0.5 * noise.vector()).normalized();
            at += 0.15 * along;
        }
    }
    system.add(std::move(type), positions);
    return system;
}

TEST(ForceGroups, SumToTheSameForces)
{
    const auto world = Communicator::world();
    const auto chain = chains();
    std::vector<IVec3> expected;
    std::array<double, energy_term_count> energies{};
    for (const char* apart : {"", "longrange-nonbonded", "longrange-nonbonded nonbonded",
                              "longrange-nonbonded pair dihedral angle", "longrange-nonbonded angle nonbonded"}) {
        Notes notes;
        const auto mts =
            std::string(apart).empty() ? "" : std::string("mts = yes\nmts-level2-forces = ") + apart + "\n";
        auto settings =
            read_settings("coulombtype = PME\nrcoulomb = 1\nrvdw = 1\nintegrator = md\n" + mts, "test.mdp", {}, notes);
        resolve_groups(settings, *chain.topology, {});
        System system(world, chain.topology, settings.parameters, chain.box);
        system.distribute(chain.share(world));
        system.update_halo();
        system.compute_forces(true);
        auto& atoms = system.atoms;
        std::vector<IVec3> sums;
        bool in_second = false;
        for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) {
            sums.push_back(atoms.f[i]);
            for (const auto& further : atoms.f_further) {
                sums.back() += further[i];
                in_second |= further[i] != IVec3::Zero();
            }
        }
        EXPECT_EQ(in_second, !mts.empty()) << apart;
        if (expected.empty()) expected = sums, energies = system.totals().energy;
        EXPECT_EQ(sums, expected) << apart;
        EXPECT_EQ(system.totals().energy, energies) << apart;
    }
}

} // namespace
} // namespace holon::test
