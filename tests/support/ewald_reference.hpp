#pragma once

#include <holon/core/units.hpp>

#include <support/reference.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

namespace holon::test {

/// Energy, forces and virial of all charges with all their images by Ewald's sum (P. P. Ewald, Ann. Phys. 369, 253
/// (1921)), converged to 1e-12, in a uniform background that neutralises a net charge; excluded pairs do not interact.
inline Reference ewald_sum(const TestSystem& system, double epsilon_r = 1.0)
{
    constexpr double reach = 6.0; // erfc(reach) = exp(-reach^2) = 2e-16
    Reference sums;
    sums.forces.assign(system.size(), Vec3::Zero());
    const double factor = units::electric_factor / epsilon_r;
    std::vector<double> q;
    for (std::size_t i = 0; i < system.size(); ++i) q.push_back(system.topology->atom(static_cast<AtomId>(i)).charge);
    const Mat3 box = system.box.vectors();
    const double cutoff = 1.5, beta = reach / cutoff, volume = system.box.volume();

    const auto add_pair = [&](std::size_t i, std::size_t j, const Vec3& d, double value, double slope) {
        sums.coulomb += factor * q[i] * q[j] * value;
        sums.add(i, j, d, factor * q[i] * q[j] * slope);
    };
    for_each_pair_within(system, cutoff, [&](std::size_t i, std::size_t j, const Vec3& d) {
        const double r = d.norm(), screened = std::erfc(beta * r) / r;
        add_pair(i, j, d, screened,
                 -screened / r - 2.0 * beta / std::sqrt(units::pi) * std::exp(-beta * beta * r * r) / r);
    });
    // Images of an atom itself: no force, but energy and virial.
    for (int a = -2; a <= 2; ++a)
        for (int b = -2; b <= 2; ++b)
            for (int c = -2; c <= 2; ++c) {
                const Vec3 d = box.transpose() * Vec3(a, b, c);
                const double r = d.norm();
                if (r == 0.0 || r > cutoff) continue;
                const double screened = std::erfc(beta * r) / r;
                const double slope =
                    -screened / r - 2.0 * beta / std::sqrt(units::pi) * std::exp(-beta * beta * r * r) / r;
                for (const double charge : q) {
                    sums.coulomb += 0.5 * factor * charge * charge * screened;
                    sums.virial += 0.25 * factor * charge * charge * slope / r * d * d.transpose();
                }
            }
    for_each_term(system, Interaction::excluded_pair,
                  [&](std::size_t i, std::size_t j, const Vec3& d, const InteractionParameters&) {
                      const double r = d.norm();
                      add_pair(i, j, d, -1.0 / r, 1.0 / (r * r));
                  });

    const double k_max = 2.0 * beta * reach;
    const Mat3 reciprocal = 2.0 * units::pi * box.inverse(); // columns
    std::array<int, 3> most{};
    for (int a = 0; a < 3; ++a)
        most[static_cast<std::size_t>(a)] = static_cast<int>(k_max * box.row(a).norm() / (2.0 * units::pi));
    for (int x = 0; x <= most[0]; ++x)
        for (int y = x == 0 ? 0 : -most[1]; y <= most[1]; ++y)
            for (int z = x == 0 && y == 0 ? 1 : -most[2]; z <= most[2]; ++z) {
                const Vec3 k = reciprocal * Vec3(x, y, z);
                const double k2 = k.squaredNorm();
                if (k2 > k_max * k_max) continue;
                std::vector<std::complex<double>> phase;
                std::complex<double> rho = 0.0;
                for (std::size_t i = 0; i < system.size(); ++i) {
                    phase.push_back(std::polar(q[i], k.dot(to_real(system.atoms[i].x, position_unit))));
                    rho += phase.back();
                }
                const double weight = 4.0 * units::pi * factor / volume * std::exp(-k2 / (4.0 * beta * beta)) / k2;
                const double energy = weight * std::norm(rho); // both k and -k
                sums.coulomb += energy;
                sums.virial -= 0.5 * energy * (Mat3::Identity() - (2.0 / k2 + 0.5 / (beta * beta)) * k * k.transpose());
                for (std::size_t i = 0; i < system.size(); ++i)
                    sums.forces[i] += 2.0 * weight * std::imag(phase[i] * std::conj(rho)) * k;
            }
    double total = 0.0, squares = 0.0;
    for (const double charge : q) {
        total += charge;
        squares += charge * charge;
    }
    const double background = -factor * units::pi * total * total / (2.0 * beta * beta * volume);
    sums.coulomb += background - factor * beta / std::sqrt(units::pi) * squares;
    sums.virial -= 0.5 * background * Mat3::Identity();
    return sums;
}

/// As brute_force(), with the electrostatics of ewald_sum().
inline Reference brute_force_ewald(const TestSystem& system, Parameters p)
{
    const auto coulomb = ewald_sum(system, p.epsilon_r);
    p.coulomb = CoulombKind::cutoff;
    p.coulomb_modifier = Modifier::none;
    p.rcoulomb = 0.0;
    auto sums = brute_force(system, p);
    for (std::size_t i = 0; i < system.size(); ++i) sums.forces[i] += coulomb.forces[i];
    sums.coulomb = coulomb.coulomb;
    sums.virial += coulomb.virial;
    return sums;
}

} // namespace holon::test
