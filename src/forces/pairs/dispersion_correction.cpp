#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>
#include <holon/forces/dispersion_correction.hpp>
#include <holon/forces/nonbonded.hpp>

#include <cmath>

namespace holon {

namespace {

/// Means of c6 and c12 over the pairs of atoms that are not excluded.
struct MeanCoefficients {
    double c6 = 0.0, c12 = 0.0;
};

MeanCoefficients mean_coefficients(const Topology& topology)
{
    const std::size_t n_types = topology.atom_types.size();
    std::vector<double> atoms_of(n_types, 0.0); // whole numbers below 2^53
    double c6 = 0.0, c12 = 0.0, pairs = 0.0;
    const auto add_pairs = [&](std::size_t type_i, std::size_t type_j, double count) {
        c6 += count * topology.c6[type_i * n_types + type_j];
        c12 += count * topology.c12[type_i * n_types + type_j];
        pairs += count;
    };
    for (const MoleculeBlock& block : topology.blocks) {
        const MoleculeType& molecule = topology.molecule_types[static_cast<std::size_t>(block.type)];
        const auto count = static_cast<double>(block.count);
        const auto type = [&](std::size_t atom) { return static_cast<std::size_t>(molecule.atoms[atom].type); };
        for (std::size_t i = 0; i < molecule.atoms.size(); ++i) atoms_of[type(i)] += count;
        for (std::size_t i = 0; i < molecule.exclusions.size(); ++i)
            for (const std::int32_t j : molecule.exclusions[i])
                if (static_cast<std::size_t>(j) > i) add_pairs(type(i), type(static_cast<std::size_t>(j)), -count);
    }
    for (std::size_t i = 0; i < n_types; ++i) {
        add_pairs(i, i, 0.5 * atoms_of[i] * (atoms_of[i] - 1.0));
        for (std::size_t j = i + 1; j < n_types; ++j) add_pairs(i, j, atoms_of[i] * atoms_of[j]);
    }
    return pairs > 0.0 ? MeanCoefficients{c6 / pairs, c12 / pairs} : MeanCoefficients{};
}

/// What is missing from r^-p, D(r) = r^-p - (what the pair force computes), integrated over space around one atom.
struct Missing {
    double at_zero = 0.0; // D(0): what the atom itself must not count
    double energy = 0.0;  // integral of 4 pi r^2 D
    double virial = 0.0;  // integral of 4 pi r^2 1/2 r D'
};

/// Simpson's rule; the integrands are smooth.
template <class Function>
double integrate(double from, double to, Function&& f)
{
    constexpr int n = 1000;
    const double h = (to - from) / n;
    double sum = f(from) + f(to);
    for (int k = 1; k < n; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) * f(from + k * h);
    return sum * h / 3.0;
}

/// Adds a range in which D and its slope are given functions of r.
template <class Function, class Slope>
void add_range(Missing& missing, double from, double to, Function&& d, Slope&& slope)
{
    using units::pi;
    missing.energy += integrate(from, to, [&](double r) { return 4.0 * pi * r * r * d(r); });
    missing.virial += integrate(from, to, [&](double r) { return 2.0 * pi * r * r * r * slope(r); });
}

Missing missing_of(int p, const Parameters& parameters)
{
    using units::pi;
    const double rc = parameters.rvdw, r1 = parameters.rvdw_switch;
    Missing missing;
    missing.energy = 4.0 * pi * portable::power(rc, 3 - p) / (p - 3); // beyond the cutoff: all of r^-p
    missing.virial = -0.5 * p * missing.energy;

    double constant_to = 0.0; // D is constant from 0 to here
    switch (parameters.vdw_modifier) {
    case Modifier::none:
        break;
    case Modifier::potential_shift:
        missing.at_zero = portable::power(rc, -p);
        constant_to = rc;
        break;
    case Modifier::force_switch: {
        const ForceSwitch s = force_switch(p, r1, rc);
        missing.at_zero = s.c;
        constant_to = r1;
        add_range(
            missing, r1, rc,
            [&](double r) { return s.c + portable::power(r - r1, 3) * (s.a / 3.0 + s.b / 4.0 * (r - r1)); },
            [&](double r) { return portable::power(r - r1, 2) * (s.a + s.b * (r - r1)); });
        break;
    }
    case Modifier::potential_switch:
        // r^-p times 1 - S, where S falls from 1 to 0 as 1 - 10 x^3 + 15 x^4 - 6 x^5.
        add_range(
            missing, r1, rc,
            [&](double r) {
                const double x = (r - r1) / (rc - r1);
                return portable::power(r, -p) * x * x * x * (10.0 + x * (6.0 * x - 15.0));
            },
            [&](double r) {
                const double x = (r - r1) / (rc - r1);
                const double rise = x * x * x * (10.0 + x * (6.0 * x - 15.0));
                const double slope = 30.0 * x * x * (1.0 - x) * (1.0 - x) / (rc - r1);
                return portable::power(r, -p) * (slope - p / r * rise);
            });
        break;
    }
    missing.energy += 4.0 / 3.0 * pi * constant_to * constant_to * constant_to * missing.at_zero;
    return missing;
}

} // namespace

LongRangeCorrection dispersion_correction(const Topology& topology, double volume, const Parameters& parameters)
{
    using enum DispersionCorrection;
    const DispersionCorrection kind = parameters.dispersion_correction;
    if (kind == no) return {};
    const bool with_pressure = kind == energy_pressure || kind == all_energy_pressure;
    const bool with_repulsion = kind == all_energy || kind == all_energy_pressure;

    const auto n_atoms = static_cast<double>(topology.n_atoms());
    const double density = n_atoms / volume;
    LongRangeCorrection correction;
    const auto add_power = [&](int power, double coefficient) {
        const Missing missing = missing_of(power, parameters);
        correction.energy += 0.5 * n_atoms * coefficient * (density * missing.energy - missing.at_zero);
        if (with_pressure) correction.virial_diagonal += 0.5 * n_atoms * coefficient * density * missing.virial / 3.0;
    };
    const MeanCoefficients mean = mean_coefficients(topology);
    add_power(6, -mean.c6);
    if (with_repulsion) add_power(12, mean.c12);
    return correction;
}

} // namespace holon
