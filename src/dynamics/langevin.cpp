#include <holon/dynamics/langevin.hpp>

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/random.hpp>
#include <holon/core/units.hpp>

#include "owned_atoms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace holon {

namespace {

/// What an impulse does to the velocities of a group.
struct Impulse {
    double decay = 1.0;
    double noise = 0.0; // width, times the root of the mass [u^1/2 nm/ps]
};

std::vector<Impulse> impulses(std::span<const CouplingGroup> groups, double dt)
{
    std::vector<Impulse> all;
    for (const auto& group : groups) {
        auto& impulse = all.emplace_back();
        if (!(group.tau > 0.0)) continue;
        impulse.decay = portable::exp(-dt / group.tau);
        impulse.noise = std::sqrt(-portable::expm1(-2.0 * dt / group.tau) * units::boltzmann * group.temperature);
    }
    return all;
}

/// Calls use(i, three independent normal deviates) for every owned atom, by several threads.
template <class Use>
void for_each_owned_with_noise(const Atoms& atoms, std::uint64_t seed, std::int64_t step, Use use)
{
    const Philox random(seed);
    for_slices_of_owned(atoms, [&](std::size_t begin, std::int64_t n) {
        const auto end = begin + index(n);
        std::array<Vec3, 128> deviates;
        for (std::size_t first = begin; first < end; first += deviates.size()) {
            const auto some = std::span(deviates).first(std::min(deviates.size(), end - first));
            normal_vectors(random, static_cast<std::uint64_t>(step), Stream::friction, 0,
                           std::span(atoms.id).subspan(first, some.size()), some);
            for (std::size_t k = 0; k < some.size(); ++k) use(first + k, some[k]);
        }
    });
}

} // namespace

void add_friction_and_noise(Atoms& atoms, std::span<const CouplingGroup> groups, double dt, std::uint64_t seed,
                            std::int64_t step, double sign)
{
    const auto of_group = impulses(groups, dt);
    const double half_drift = 0.5 * dt * velocity_unit / position_unit;
    for_each_owned_with_noise(atoms, seed, step, [&](std::size_t i, const Vec3& deviates) {
        if (atoms.tc_group[i] >= of_group.size()) return;
        const auto [decay, noise] = of_group[atoms.tc_group[i]];
        if (decay == 1.0) return;
        const Vec3 kick = sign * noise * std::sqrt(atoms.inverse_mass[i]) * deviates;
        for (int k = 0; k < 3; ++k) {
            const auto before = atoms.v[i][k];
            const auto after = round_to_int_clamped(decay * static_cast<double>(before) + kick[k] / velocity_unit);
            atoms.v[i][k] = after;
            atoms.x[i][k] += round_to_int_clamped(half_drift * static_cast<double>(after - before));
        }
    });
}

void mix_velocities(Atoms& atoms, std::span<const CouplingGroup> groups, double dt, std::uint64_t seed,
                    std::int64_t step)
{
    const auto of_group = impulses(groups, dt);
    for_each_owned_with_noise(atoms, seed, step, [&](std::size_t i, const Vec3& deviates) {
        if (atoms.tc_group[i] >= of_group.size()) return;
        const auto [decay, noise] = of_group[atoms.tc_group[i]];
        if (decay == 1.0) return;
        const Vec3 kick = noise * std::sqrt(atoms.inverse_mass[i]) * deviates;
        for (int k = 0; k < 3; ++k)
            atoms.v[i][k] = round_to_int_clamped(decay * static_cast<double>(atoms.v[i][k]) + kick[k] / velocity_unit);
    });
}

void set_brownian_velocities(Atoms& atoms, std::span<const CouplingGroup> groups, double dt, std::uint64_t seed,
                             std::int64_t step)
{
    std::vector<double> thermal; // sqrt(k T) of each group [u^1/2 nm/ps]
    for (const auto& group : groups) thermal.push_back(std::sqrt(units::boltzmann * group.temperature));
    for_each_owned_with_noise(atoms, seed, step, [&](std::size_t i, const Vec3& deviates) {
        const Vec3 noise = thermal[atoms.tc_group[i]] * std::sqrt(atoms.inverse_mass[i]) * deviates;
        const Vec3 force = (0.5 * dt * atoms.inverse_mass[i]) * to_real(atoms.f[i], force_unit);
        for (int k = 0; k < 3; ++k) atoms.v[i][k] = round_to_int_clamped((force[k] + noise[k]) / velocity_unit);
    });
}

FixedSum local_kinetic_energy(const Atoms& atoms)
{
    return parallel_reduce(
        index(atoms.n_owned), few_atoms,
        [&](std::size_t begin, std::size_t end) {
            FixedSum sum;
            for (std::size_t i = begin; i < end; ++i)
                sum.add(0.5 * atoms.mass[i] * to_real(atoms.v[i], velocity_unit).squaredNorm());
            return sum;
        },
        [](FixedSum& total, const FixedSum& next) { total += next; });
}

} // namespace holon
