#include <pairs/close_radii.hpp>

#include <pairs/force_table.hpp>
#include <pairs/pair_functions.hpp>
#include <pairs/pair_kernel.hpp>

#include <support/pair_settings.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace holon::test {
namespace {

using pair::Form;

/// An ion among waters and a large bead: two atoms of each type, whose charges differ.
Topology mixture()
{
    Topology topology;
    const double sigma[] = {0.315, 0.24, 0.62, 0.1}, epsilon[] = {0.65, 0.05, 2.0, 0.0};
    const double charge[] = {-0.83, 2.0, 0.0, 0.417};
    MoleculeType molecule;
    for (int t = 0; t < 4; ++t) {
        topology.atom_types.emplace_back();
        for (const double part : {1.0, 0.5}) {
            auto& atom = molecule.atoms.emplace_back();
            atom.type = t;
            atom.charge = part * charge[t];
        }
    }
    topology.atom_types.emplace_back(); // that no atom has
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) {
            const bool any = i < 4 && j < 4;
            // Between the first and the second farther than any rule would have it.
            const double s = i + j == 1 ? 0.5 : any ? 0.5 * (sigma[i] + sigma[j]) : 1.0;
            const double e = any ? std::sqrt(epsilon[i] * epsilon[j]) : 1e3;
            topology.c6.push_back(4.0 * e * std::pow(s, 6));
            topology.c12.push_back(4.0 * e * std::pow(s, 12));
        }
    topology.molecule_types.push_back(molecule);
    return topology;
}

constexpr double step = 1.0005;

TEST(CloseRadii, ForcesOfChargesBeyondThemAreWithinTheLimit)
{
    const auto topology = mixture();
    for (const auto& setting : pair_settings()) {
        const auto n = setting.constants();
        const pair::Constants<double> k(n);
        const auto radii = pair::charge_radii(topology, n);
        const auto form = n.mesh ? Form::ewald : pair::form_of(n.coulomb_modifier);
        for (const auto& a : topology.molecule_types.front().atoms)
            for (const auto& b : topology.molecule_types.front().atoms) {
                const double close = radii.of(a.charge) + radii.of(b.charge);
                const double qq = n.coulomb_factor * a.charge * b.charge;
                for (double r = close; r < n.r_coulomb; r *= step)
                    pair::with_form(form, [&](auto f) {
                        ASSERT_LT(std::abs(r * pair::coulomb_force<f.value>(r * r, 1.0 / r, qq, k)), pair::wide_limit);
                    });
                if (n.mesh) {
                    EXPECT_GE(close, pair::ForceTable::shortest_distance(n.r_coulomb));
                }
            }
        // The one ion does not make waters close.
        EXPECT_LT(radii.of(-0.83), 0.7 * radii.of(2.0));
        EXPECT_EQ(radii.of(0.83), radii.of(-0.83));
        EXPECT_LE(radii.of(0.0), radii.of(0.1));
    }
}

TEST(CloseRadii, ForcesOfLennardJonesBeyondThemAreWithinTheLimit)
{
    const auto topology = mixture();
    const auto n_types = topology.atom_types.size();
    for (const auto& setting : pair_settings()) {
        const auto n = setting.constants();
        const pair::Constants<double> k(n);
        const auto radii = pair::type_radii(topology, n);
        ASSERT_EQ(radii.size(), n_types);
        for (std::size_t i = 0; i + 1 < n_types; ++i)
            for (std::size_t j = 0; j + 1 < n_types; ++j) {
                const auto t = i * n_types + j;
                for (double r = std::max<double>(radii[i] + radii[j], 1e-3); r < n.r_vdw; r *= step)
                    pair::with_form(pair::form_of(n.vdw_modifier), [&](auto f) {
                        ASSERT_LT(std::abs(r * pair::vdw_force<f.value>(r * r, 1.0 / r, 6.0 * topology.c6[t],
                                                                        12.0 * topology.c12[t], k)),
                                  pair::wide_limit);
                    });
            }
        EXPECT_LT(radii[3], 0.01);
        EXPECT_EQ(radii[4], 0.0F);
        EXPECT_LT(radii[0], radii[2]);
    }
}

} // namespace
} // namespace holon::test
