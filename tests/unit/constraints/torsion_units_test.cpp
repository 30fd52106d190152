// Which atoms are rigid units when only torsions are free, and the constraints that keep them.
#include <support/constraints/peptides.hpp>

#include <holon/core/error.hpp>
#include <holon/dynamics/kinetic.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

TorsionOnly found_in(const Polymer& polymer)
{
    const auto system = polymer_system(polymer);
    return torsion_only(polymer.type, system.x_ref, system.box);
}

std::string refusal_of(const Polymer& polymer)
{
    try {
        found_in(polymer);
    } catch (const InputError& error) {
        return error.what();
    }
    ADD_FAILURE() << "not refused";
    return "";
}

/// Each torsion is one: six degrees of freedom of the first unit, one more for each further unit.
void expect_all_but_torsions(const Polymer& polymer, std::size_t units)
{
    const auto found = found_in(polymer);
    EXPECT_EQ(found.units.size(), units);
    EXPECT_EQ(3 * std::ssize(polymer.positions) - std::ssize(found.constraints) - std::ssize(found.planes),
              5 + std::ssize(found.units));
    const auto system = torsion_only_system(polymer);
    EXPECT_EQ(count_degrees_of_freedom(system.topology, {}).total, 5.0 + static_cast<double>(units));
}

/// Ring with hydrogens.
Polymer whole_benzene()
{
    auto polymer = benzene();
    for (std::int32_t k = 0; k < 6; ++k) {
        const Vec3 out = polymer.positions[static_cast<std::size_t>(k)] - Vec3(2.0, 2.0, 2.0);
        polymer.bind(k, polymer.add_atom("H", 1.008, Vec3(2.0, 2.0, 2.0) + 0.248 / 0.14 * out));
    }
    make_angles_rigid(polymer);
    return polymer;
}

TEST(TorsionUnits, OfPeptides)
{
    for (const int residues : {1, 4, 12}) {
        const auto polymer = peptide(residues, 5);
        std::size_t rings = 0;
        for (int k = 2; k < residues; k += 5) ++rings;
        // CA, CB and C of each residue, N but for the first; the ring beside the CB.
        expect_all_but_torsions(polymer, static_cast<std::size_t>(4 * residues - 1) + rings);
        const auto found = found_in(polymer);
        EXPECT_LT(found.worst_angle, 1e-9); // the angles of this one add up
        for (const auto& unit : found.units) {
            for (const auto& r : unit.shape) EXPECT_TRUE(!unit.planar || r[2] == 0.0);
            for (std::size_t a = 0; a < unit.atoms.size(); ++a)
                for (std::size_t b = 0; b < a; ++b)
                    EXPECT_NEAR((unit.shape[a] - unit.shape[b]).norm(),
                                (polymer.positions[static_cast<std::size_t>(unit.atoms[a])] -
                                 polymer.positions[static_cast<std::size_t>(unit.atoms[b])])
                                    .norm(),
                                1e-10);
        }
    }
}

TEST(TorsionUnits, RingsThatDoNotTurn)
{
    expect_all_but_torsions(whole_benzene(), 1);
    EXPECT_EQ(found_in(whole_benzene()).planes.size(), 9u);
    Polymer bent; // as proline's
    bent.type.name = "Bent";
    for (int k = 0; k < 5; ++k)
        bent.add_atom("C", 12.011,
                      Vec3(2.0 + 0.125 * std::cos(0.4 * M_PI * k), 2.0 + 0.125 * std::sin(0.4 * M_PI * k),
                           2.0 + (k == 0 ? 0.08 : 0.0)));
    for (std::int32_t k = 0; k < 5; ++k) bent.bind(k, (k + 1) % 5);
    make_angles_rigid(bent);
    expect_all_but_torsions(bent, 1);
    EXPECT_EQ(found_in(bent).planes.size(), 0u);
}

/// What force fields say around a flat atom and in a ring: bonds are kept, angles become the nearest that add up.
TEST(TorsionUnits, AnglesThatDoNotAddUp)
{
    auto polymer = peptide(6, 5);
    Noise noise(3);
    for (auto& c : polymer.type.constraints)
        if (c.from_angle) c.length *= 1.0 + 0.01 * noise();
    expect_all_but_torsions(polymer, 24);
    const auto found = found_in(polymer);
    EXPECT_GT(found.worst_angle, 0.002);
    EXPECT_LT(found.worst_angle, 0.02);
    for (const auto& kept : found.constraints)
        for (const auto& c : polymer.type.constraints) {
            if (kept.from_angle || c.i != kept.i || c.j != kept.j) continue;
            EXPECT_EQ(c.length, kept.length);
        }
    for (auto& c : polymer.type.constraints)
        if (c.from_angle && c.i == 2) c.length *= 0.4;
    EXPECT_NE(refusal_of(polymer).find("do not add up"), std::string::npos);
}

TEST(TorsionUnits, RefusesLinesAndFrozenAtoms)
{
    auto line = straight_rods(3);
    make_angles_rigid(line);
    EXPECT_NE(refusal_of(line).find("atoms 1 B1, 2 B2, 3 B3 are in a line"), std::string::npos);
    auto frozen = peptide(1, 5);
    frozen.type.atoms[3].frozen = true;
    EXPECT_NE(refusal_of(frozen).find("atom 4 is frozen"), std::string::npos);
}

/// A ring of six tetrahedral carbons: a loop of units, twelve distances, in the shape of a chair.
TEST(TorsionUnits, FlexibleRingsAreLoops)
{
    Polymer chair;
    chair.type.name = "Chair";
    for (int k = 0; k < 6; ++k)
        chair.add_atom("C", 14.0,
                       Vec3(2.0 + 0.1445 * std::cos(M_PI * k / 3), 2.0 + 0.1445 * std::sin(M_PI * k / 3),
                            2.0 + (k % 2 == 0 ? 0.025 : -0.025)));
    for (std::int32_t k = 0; k < 6; ++k) chair.bind(k, (k + 1) % 6);
    make_angles_rigid(chair);
    const auto found = found_in(chair);
    EXPECT_EQ(found.units.size(), 6u);
    EXPECT_EQ(found.constraints.size(), 12u);
    EXPECT_EQ(found.planes.size(), 0u);
}

} // namespace
} // namespace holon::test
