#include "bonded_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

// Every kind of interaction, over random geometries: what any bonded force has to fulfil.
namespace holon {
namespace {

const std::map<Interaction, InteractionParameters> examples = {
    {Interaction::harmonic_bond, {0.14, 3e5}},
    {Interaction::g96_bond, {0.14, 1e7}},
    {Interaction::morse_bond, {0.14, 400.0, 20.0}},
    {Interaction::cubic_bond, {0.14, 3e5, -2.0}},
    {Interaction::fene_bond, {0.25, 3e4}},
    {Interaction::restraint_bond, {0.1, 0.12, 0.14, 3e4}},
    {Interaction::tabulated_bond, {0, 3e4}},
    {Interaction::harmonic_angle, {1.9, 500.0}},
    {Interaction::g96_angle, {1.9, 500.0}},
    {Interaction::urey_bradley, {1.9, 400.0, 0.25, 2e4}},
    {Interaction::cross_bond_bond, {0.14, 0.13, 2e4}},
    {Interaction::cross_bond_angle, {0.14, 0.13, 0.24, 2e4}},
    {Interaction::quartic_angle, {1.9, 1.0, -50.0, 300.0, 40.0, -20.0}},
    {Interaction::linear_angle, {0.4, 2e4}},
    {Interaction::restricted_angle, {1.9, 60.0}},
    {Interaction::constraint_spring, {0.15, 1e8}},
    {Interaction::tabulated_angle, {1, 300.0}},
    {Interaction::proper_dihedral, {0.7, 12.0, 3.0}},
    {Interaction::periodic_improper, {3.1, 40.0, 2.0}},
    {Interaction::harmonic_improper, {0.6, 300.0}},
    {Interaction::ryckaert_bellemans, {9.28, 12.16, -13.12, -3.06, 26.24, -31.5}},
    {Interaction::restricted_dihedral, {0.7, 10.0}},
    {Interaction::bending_torsion, {3.0, -2.0, 5.0, 1.0, -4.0}},
    {Interaction::tabulated_dihedral, {2, 5.0}},
    {Interaction::pair_14, {1e-3, 1e-6}},
    {Interaction::pair_14_explicit, {1e-3, 1e-6, 0.11}},
    {Interaction::pair_explicit, {1e-3, 1e-6, -0.11}},
    {Interaction::cmap, {0}},
    {Interaction::position_restraint, {1000.0, 500.0, 2000.0}},
    {Interaction::flat_bottom_restraint, {1.0, 0.05, 1000.0}},
    {Interaction::angle_restraint, {0.4, 50.0, 1.0}},
    {Interaction::angle_restraint_z, {0.4, 50.0, 2.0}},
    {Interaction::dihedral_restraint, {0.7, 0.001, 300.0}},
    {Interaction::excluded_pair, {}},
};

CmapGrid rough_grid()
{
    CmapGrid grid{24, {}};
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform(-5.0, 5.0);
    for (int i = 0; i < 24 * 24; ++i) grid.energy.push_back(uniform(random));
    return grid;
}

/// A cubic function, which a table has without error.
BondedTable cubic_table(double first, double last)
{
    BondedTable table;
    table.first = first;
    table.spacing = (last - first) / 100.0;
    for (int k = 0; k <= 100; ++k) {
        const double x = first + k * table.spacing;
        table.energy.push_back(0.7 + 0.4 * x - 1.3 * x * x + 0.5 * x * x * x);
        table.slope.push_back(0.4 - 2.6 * x + 1.5 * x * x);
    }
    return table;
}

BondedFixture make(Interaction kind, std::mt19937_64& random)
{
    BondedFixture system(kind, examples.at(kind), random_chain(random));
    system.topology.cmap_grids = {rough_grid()};
    constexpr double pi = 3.14159265358979323846;
    system.topology.tables = {cubic_table(0.0, 0.3), cubic_table(0.0, pi), cubic_table(-pi, pi)};
    return system;
}

/// Forces without a counterpart.
bool is_external(Interaction kind)
{
    return kind == Interaction::position_restraint || kind == Interaction::flat_bottom_restraint;
}

class Bonded : public testing::TestWithParam<Interaction> {
protected:
    static constexpr int repeats = 10;
    std::mt19937_64 random_{7};
};

/// Derivative of a function of a lattice step by central differences of fourth order.
template <class Function>
double derivative(Function&& energy, double step)
{
    return (8.0 * (energy(1) - energy(-1)) - (energy(2) - energy(-2))) / (12.0 * step);
}

TEST_P(Bonded, ForceIsMinusTheGradient)
{
    for (int n = 0; n < repeats; ++n) {
        BondedFixture system = make(GetParam(), random_);
        const auto result = system.evaluate();
        double scale = 1.0;
        for (std::size_t i = 0; i < system.x.size(); ++i) scale = std::max(scale, result.force(i).norm());
        for (std::size_t i = 0; i < system.x.size(); ++i)
            for (int c = 0; c < 3; ++c) {
                const std::int64_t step = std::int64_t{1} << 34; // 2^-14 nm
                const double slope = derivative(
                    [&](int k) {
                        BondedFixture moved = system;
                        moved.x[i][c] += k * step;
                        return moved.evaluate().energy();
                    },
                    static_cast<double>(step) * position_unit);
                EXPECT_NEAR(result.force(i)[c], -slope, 2e-7 * scale) << "atom " << i << " component " << c;
            }
    }
}

/// All but the external forces.
class BondedInternal : public Bonded {};

TEST_P(BondedInternal, ForcesSumToExactlyZero)
{
    for (int n = 0; n < repeats; ++n) {
        const auto result = make(GetParam(), random_).evaluate();
        IVec3 sum = IVec3::Zero();
        for (const IVec3& f : result.f) sum += f;
        EXPECT_EQ(sum, IVec3(0, 0, 0));
        EXPECT_NE(result.f[0], IVec3(0, 0, 0));
    }
}

/// Energy after the strain x_j += strain x_i of box, atoms and references, periodic images included.
double strained_energy(const BondedFixture& system, int i, int j, double strain)
{
    Mat3 deformation = Mat3::Identity();
    deformation(i, j) += strain;
    const auto deform = [&](const Vec3& r) { return Vec3(deformation.transpose() * r); };
    BondedFixture strained = system;
    strained.box = Box(system.box.vectors() * deformation, 48);
    for (IVec3& x : strained.x) x = to_lattice(deform(to_real(x, position_unit)), position_unit);
    for (auto& [id, reference] : strained.topology.restraint_references) reference = deform(reference);
    return strained.evaluate().energy();
}

TEST_P(Bonded, VirialIsHalfTheDerivativeByStrain)
{
    std::uniform_int_distribution<int> count(-1, 1);
    for (int n = 0; n < repeats; ++n) {
        BondedFixture system = make(GetParam(), random_);
        for (IVec3& x : system.x) x += system.box.shift(Image(count(random_), count(random_), count(random_)));
        const Mat3 virial = system.evaluate().virial();
        const double scale = std::max(1.0, virial.cwiseAbs().maxCoeff());
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j <= i; ++j) { // the others would turn the box
                const double strain = 0x1p-12;
                const double slope =
                    derivative([&](int k) { return strained_energy(system, i, j, k * strain); }, strain);
                EXPECT_NEAR(virial(i, j), 0.5 * slope, 2e-7 * scale) << i << j;
            }
        if (!is_external(GetParam()) && GetParam() != Interaction::angle_restraint_z) { // all others exert no torque
            EXPECT_LT((virial - virial.transpose()).cwiseAbs().maxCoeff(), 1e-9 * scale);
        }
    }
}

TEST_P(Bonded, PeriodicShiftsChangeNoBit)
{
    std::uniform_int_distribution<int> count(-3, 3);
    for (int n = 0; n < repeats; ++n) {
        BondedFixture system = make(GetParam(), random_);
        const auto original = system.evaluate();
        for (IVec3& x : system.x) x += system.box.shift(Image(count(random_), count(random_), count(random_)));
        const auto shifted = system.evaluate();
        EXPECT_EQ(original.f, shifted.f);
        EXPECT_EQ(original.sums.energy, shifted.sums.energy);
        EXPECT_EQ(original.sums.virial, shifted.sums.virial);
    }
}

TEST_P(Bonded, EnergyIsLeftOutWhereNotWanted)
{
    const BondedFixture system = make(GetParam(), random_);
    const auto with = system.evaluate(true), without = system.evaluate(false);
    EXPECT_EQ(with.f, without.f);
    EXPECT_EQ(without.sums.energy, ForceSums{}.energy);
    EXPECT_EQ(without.sums.virial, ForceSums{}.virial);
    EXPECT_NE(with.sums.energy, ForceSums{}.energy);
    EXPECT_NE(with.sums.virial, ForceSums{}.virial);
}

TEST_P(Bonded, TermsAddUp)
{
    BondedFixture system = make(GetParam(), random_);
    const auto once = system.evaluate();
    const auto atoms = system.terms.atoms;
    system.terms.atoms.insert(system.terms.atoms.end(), atoms.begin(), atoms.end());
    system.terms.parameters.push_back(0);
    const auto twice = system.evaluate();
    // Dihedrals on the same atoms are rounded together.
    const std::int64_t rounding =
        GetParam() == Interaction::proper_dihedral || GetParam() == Interaction::periodic_improper ? 3 : 0;
    for (std::size_t i = 0; i < system.x.size(); ++i)
        EXPECT_LE((twice.f[i] - 2 * once.f[i]).cwiseAbs().maxCoeff(), rounding);
    EXPECT_NEAR(twice.energy(), 2.0 * once.energy(), rounding > 0 ? energy_unit : 0.0);
}

TEST_P(BondedInternal, AtomsInLineOrInOnePlaceAreHarmless)
{
    for (const double spacing : {0.15, 0.0}) {
        BondedFixture system = make(GetParam(), random_);
        for (std::size_t i = 0; i < system.x.size(); ++i)
            system.x[i] = to_lattice(static_cast<double>(i) * Vec3(spacing, 0.0, 0.0), position_unit);
        const auto result = system.evaluate();
        IVec3 sum = IVec3::Zero();
        for (const IVec3& f : result.f) sum += f;
        EXPECT_EQ(sum, IVec3(0, 0, 0));
        const bool singular = GetParam() == Interaction::pair_14 || GetParam() == Interaction::pair_14_explicit ||
                              GetParam() == Interaction::pair_explicit;
        const bool across = GetParam() == Interaction::angle_restraint_z && spacing > 0.0;
        if (singular || across) continue;
        for (const IVec3& f : result.f) // nothing across the line; nothing at all in one place
            EXPECT_EQ(f.tail(spacing == 0.0 ? 3 : 2).cwiseAbs().maxCoeff(), 0);
    }
}

std::vector<Interaction> kinds(bool external)
{
    std::vector<Interaction> chosen;
    for (std::size_t k = 0; k < interaction_count; ++k) {
        const auto kind = static_cast<Interaction>(k);
        if (external || !is_external(kind)) chosen.push_back(kind);
    }
    return chosen;
}

std::string kind_name(const testing::TestParamInfo<Interaction>& kind)
{
    return std::string(interaction_info[static_cast<std::size_t>(kind.param)].name);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Bonded, testing::ValuesIn(kinds(true)), kind_name);
INSTANTIATE_TEST_SUITE_P(Kinds, BondedInternal, testing::ValuesIn(kinds(false)), kind_name);

} // namespace
} // namespace holon
