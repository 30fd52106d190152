#include <holon/core/units.hpp>
#include <holon/forces/dispersion_correction.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace holon {
namespace {

constexpr Modifier modifiers[] = {Modifier::none, Modifier::potential_shift, Modifier::potential_switch,
                                  Modifier::force_switch};

/// 200 molecules of three atoms of two types, with some pairs excluded, and 50 single atoms.
Topology mixture()
{
    Topology topology;
    topology.atom_types = {{"A", 6}, {"B", 8}};
    topology.c6 = {2e-3, 3e-3, 3e-3, 5e-3};
    topology.c12 = {2e-6, 3e-6, 3e-6, 4e-6};
    MoleculeType chain, single;
    for (const int type : {0, 1, 0}) chain.atoms.push_back({.type = type, .name = "X"});
    chain.exclusions = {{1}, {0, 2}, {1}};
    single.atoms = {{.type = 1, .name = "Y"}};
    single.exclusions = {{}};
    topology.molecule_types = {chain, single};
    topology.blocks = {{0, 200, 0, 0}, {1, 50, 600, 200}};
    return topology;
}

/// Mean c6 and c12 over the pairs of all atoms of the system, one by one.
std::pair<double, double> brute_force_means(const Topology& topology)
{
    double c6 = 0.0, c12 = 0.0, pairs = 0.0;
    for (AtomId i = 0; i < topology.n_atoms(); ++i)
        for (AtomId j = i + 1; j < topology.n_atoms(); ++j) {
            const AtomPlace a = topology.place(i), b = topology.place(j);
            const auto& exclusions = topology.molecule_types[static_cast<std::size_t>(a.molecule_type)]
                                         .exclusions[static_cast<std::size_t>(a.index)];
            if (a.molecule == b.molecule &&
                std::find(exclusions.begin(), exclusions.end(), b.index) != exclusions.end())
                continue;
            const auto element = static_cast<std::size_t>(2 * topology.atom(i).type + topology.atom(j).type);
            c6 += topology.c6[element];
            c12 += topology.c12[element];
            pairs += 1.0;
        }
    return {c6 / pairs, c12 / pairs};
}

Parameters parameters(DispersionCorrection kind, Modifier modifier)
{
    Parameters p;
    p.rvdw = 0.9;
    p.rvdw_switch = 0.7;
    p.vdw_modifier = modifier;
    p.dispersion_correction = kind;
    return p;
}

TEST(DispersionCorrection, IsTheTailIntegralOfThePlainPotential)
{
    using units::pi;
    const Topology topology = mixture();
    const auto [c6, c12] = brute_force_means(topology);
    const double volume = 27.0, n = 650.0, rc3 = 0.9 * 0.9 * 0.9;
    const double dispersion = -2.0 / 3.0 * pi * n * n / volume * c6 / rc3;
    const double repulsion = 2.0 / 9.0 * pi * n * n / volume * c12 / (rc3 * rc3 * rc3);

    const auto energy =
        dispersion_correction(topology, volume, parameters(DispersionCorrection::energy, Modifier::none));
    EXPECT_NEAR(energy.energy / dispersion, 1.0, 1e-12);
    EXPECT_EQ(energy.virial_diagonal, 0.0);

    const auto all =
        dispersion_correction(topology, volume, parameters(DispersionCorrection::all_energy_pressure, Modifier::none));
    EXPECT_NEAR(all.energy / (dispersion + repulsion), 1.0, 1e-12);
    const double pressure = -2.0 * all.virial_diagonal / volume;
    EXPECT_NEAR(pressure / ((2.0 * dispersion + 4.0 * repulsion) / volume), 1.0, 1e-12);

    const auto none = dispersion_correction(topology, volume, parameters(DispersionCorrection::no, Modifier::none));
    EXPECT_EQ(none.energy, 0.0);
}

/// A shift changes no force; what it takes from every pair within the cutoff comes back, except to the atom itself.
TEST(DispersionCorrection, TakesBackThePotentialShift)
{
    const Topology topology = mixture();
    const auto [c6, c12] = brute_force_means(topology);
    const double volume = 27.0, n = 650.0, rc3 = 0.9 * 0.9 * 0.9;
    const auto kind = DispersionCorrection::energy_pressure;
    const auto plain = dispersion_correction(topology, volume, parameters(kind, Modifier::none));
    const auto shifted = dispersion_correction(topology, volume, parameters(kind, Modifier::potential_shift));
    const double within = 0.5 * n * (n / volume * 4.0 / 3.0 * units::pi * rc3 - 1.0);
    EXPECT_NEAR(shifted.energy - plain.energy, -within * c6 / (rc3 * rc3), 1e-12 * std::abs(shifted.energy));
    EXPECT_EQ(shifted.virial_diagonal, plain.virial_diagonal);
}

/// Where the pair potential is continuous, what is missing obeys pressure = -dE/dV.
TEST(DispersionCorrection, PressureIsTheDerivativeOfTheEnergy)
{
    const Topology topology = mixture();
    const double volume = 27.0, step = 1e-3;
    for (const Modifier modifier : modifiers) {
        if (modifier == Modifier::none) continue;
        for (const auto kind : {DispersionCorrection::energy_pressure, DispersionCorrection::all_energy_pressure}) {
            const Parameters p = parameters(kind, modifier);
            const double slope = (dispersion_correction(topology, volume + step, p).energy -
                                  dispersion_correction(topology, volume - step, p).energy) /
                                 (2.0 * step);
            const double pressure = -2.0 * dispersion_correction(topology, volume, p).virial_diagonal / volume;
            EXPECT_NEAR(pressure / -slope, 1.0, 1e-7) << static_cast<int>(modifier);
        }
    }
}

/// As the switch begins at the cutoff, the switched potentials become the plain and the shifted one.
TEST(DispersionCorrection, SwitchesHaveTheirLimits)
{
    const Topology topology = mixture();
    const auto energy = [&](Modifier modifier) {
        Parameters p = parameters(DispersionCorrection::all_energy_pressure, modifier);
        p.rvdw_switch = p.rvdw - 1e-6;
        return dispersion_correction(topology, 27.0, p).energy;
    };
    EXPECT_NEAR(energy(Modifier::potential_switch) / energy(Modifier::none), 1.0, 1e-5);
    EXPECT_NEAR(energy(Modifier::force_switch) / energy(Modifier::potential_shift), 1.0, 1e-5);
}

} // namespace
} // namespace holon
