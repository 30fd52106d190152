#pragma once

#include <holon/system/parameters.hpp>

#include <support/systems.hpp>

#include <functional>
#include <vector>

/// Energies, forces and virial of the pair interactions by brute force: all pairs, all images, in double. Potentials
/// are written down as the GROMACS manual defines them; forces follow from them by automatic differentiation.
namespace holon::test {

/// A value and its derivative by the distance.
struct Dual {
    double value = 0.0;
    double slope = 0.0;
};

Dual operator+(Dual a, Dual b);
Dual operator+(Dual a, double b);
Dual operator*(Dual a, Dual b);
Dual operator*(double a, Dual b);
Dual power(Dual a, int n);

Dual lj_potential(double r, double c6, double c12, const Parameters& p);

/// What the medium beyond the cutoff adds to 1/r: k r^2 - c.
struct ReactionField {
    double k = 0.0, c = 0.0;
    explicit ReactionField(const Parameters& p);
    Dual operator()(double r) const { return k * power({r, 1.0}, 2) + -c; }
};

struct Reference {
    std::vector<Vec3> forces; // by id [kJ/mol/nm]
    double lj = 0.0, coulomb = 0.0, bond = 0.0;
    Mat3 virial = Mat3::Zero();

    double potential() const { return lj + coulomb + bond; }

    /// A pair with this potential of its distance; d = x_i - x_j.
    void add(std::size_t i, std::size_t j, const Vec3& d, double slope);
};

/// Calls use(i, j, x_i - x_j) for all images of all pairs within a cutoff.
void for_each_pair_within(const TestSystem& system, double cutoff,
                          const std::function<void(std::size_t, std::size_t, const Vec3&)>& use);

/// Calls use(i, j, x_i - x_j, parameters) for all terms of a kind that binds two atoms.
void for_each_term(const TestSystem& system, Interaction kind,
                   const std::function<void(std::size_t, std::size_t, const Vec3&, const InteractionParameters&)>& use);

bool excluded(const Topology& topology, std::size_t i, std::size_t j);

/// Lennard-Jones, Coulomb and harmonic bonds of a system.
Reference brute_force(const TestSystem& system, const Parameters& p);

} // namespace holon::test
