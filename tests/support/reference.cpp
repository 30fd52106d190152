#include <support/reference.hpp>

#include <holon/core/units.hpp>

#include <algorithm>
#include <cmath>

namespace holon::test {
namespace {

/// r^-p with a modifier that acts between r1 and rc.
Dual modified_power(Dual r, int p, Modifier modifier, double r1, double rc)
{
    const Dual plain = power(r, -p);
    const double width = rc - r1;
    const Dual d = r.value > r1 ? r + -r1 : Dual{};
    switch (modifier) {
    case Modifier::none:
        return plain;
    case Modifier::potential_shift:
        return plain + -std::pow(rc, -p);
    case Modifier::potential_switch: {
        const Dual t = 1.0 / width * d;
        return plain * ((-10.0 * power(t, 3) + 15.0 * power(t, 4) + -6.0 * power(t, 5)) + 1.0);
    }
    case Modifier::force_switch: {
        // p r^-(p+1) + a d^2 + b d^3 and its derivative vanish at rc.
        const double force = p * std::pow(rc, -p - 1), slope = -p * (p + 1) * std::pow(rc, -p - 2);
        const double a = (slope * width - 3.0 * force) / (width * width);
        const double b = (2.0 * force - slope * width) / (width * width * width);
        const auto correction = [&](Dual x) { return -a / 3.0 * power(x, 3) + -b / 4.0 * power(x, 4); };
        return plain + correction(d) + -(std::pow(rc, -p) + correction({width, 0.0}).value);
    }
    }
    return {};
}

/// Of two unit charges.
Dual coulomb_potential(double r, const Parameters& p)
{
    if (p.coulomb == CoulombKind::cutoff)
        return modified_power({r, 1.0}, 1, p.coulomb_modifier, p.rcoulomb_switch, p.rcoulomb);
    return power({r, 1.0}, -1) + ReactionField(p)(r);
}

} // namespace

Dual operator+(Dual a, Dual b)
{
    return {a.value + b.value, a.slope + b.slope};
}

Dual operator+(Dual a, double b)
{
    return {a.value + b, a.slope};
}

Dual operator*(Dual a, Dual b)
{
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}

Dual operator*(double a, Dual b)
{
    return {a * b.value, a * b.slope};
}

Dual power(Dual a, int n)
{
    return {std::pow(a.value, n), n * std::pow(a.value, n - 1) * a.slope};
}

Dual lj_potential(double r, double c6, double c12, const Parameters& p)
{
    const Dual at{r, 1.0};
    return c12 * modified_power(at, 12, p.vdw_modifier, p.rvdw_switch, p.rvdw) +
           -c6 * modified_power(at, 6, p.vdw_modifier, p.rvdw_switch, p.rvdw);
}

ReactionField::ReactionField(const Parameters& p)
{
    if (p.coulomb == CoulombKind::cutoff) {
        c = p.coulomb_modifier == Modifier::potential_shift ? 1.0 / p.rcoulomb : 0.0;
        return;
    }
    const double ratio = p.epsilon_rf == 0.0 ? 0.5 : (p.epsilon_rf - p.epsilon_r) / (2.0 * p.epsilon_rf + p.epsilon_r);
    k = ratio / std::pow(p.rcoulomb, 3);
    c = (1.0 + ratio) / p.rcoulomb;
}

void Reference::add(std::size_t i, std::size_t j, const Vec3& d, double slope)
{
    const Vec3 force = -slope / d.norm() * d;
    forces[i] += force;
    forces[j] -= force;
    virial -= 0.5 * d * force.transpose();
}

void for_each_pair_within(const TestSystem& system, double cutoff,
                          const std::function<void(std::size_t, std::size_t, const Vec3&)>& use)
{
    constexpr int reach = 2; // positions are in the canonical cell, which may be skewed
    const Mat3 box = system.box.vectors();
    const auto visit_images = [&](std::size_t i, std::size_t j) {
        const Vec3 d = to_real(system.atoms[i].x - system.atoms[j].x, position_unit);
        for (int c = -reach; c <= reach; ++c) {
            if (std::abs(d[2] + c * box(2, 2)) >= cutoff) continue;
            for (int b = -reach; b <= reach; ++b) {
                if (std::abs(d[1] + c * box(2, 1) + b * box(1, 1)) >= cutoff) continue;
                for (int a = -reach; a <= reach; ++a) {
                    const IVec3 image = system.atoms[i].x - system.atoms[j].x + system.box.shift({a, b, c});
                    const Vec3 apart = to_real(image, position_unit);
                    if (apart.squaredNorm() < cutoff * cutoff) use(i, j, apart);
                }
            }
        }
    };
    for (std::size_t i = 0; i < system.size(); ++i)
        for (std::size_t j = i + 1; j < system.size(); ++j) visit_images(i, j);
}

void for_each_term(const TestSystem& system, Interaction kind,
                   const std::function<void(std::size_t, std::size_t, const Vec3&, const InteractionParameters&)>& use)
{
    const auto& topology = *system.topology;
    for (const auto& block : topology.blocks) {
        const auto& type = topology.molecule_types[static_cast<std::size_t>(block.type)];
        const auto& list = type.interactions[static_cast<std::size_t>(kind)];
        for (std::int64_t m = 0; m < block.count; ++m) {
            const auto start =
                static_cast<std::size_t>(block.first_atom) + static_cast<std::size_t>(m) * type.atoms.size();
            for (std::size_t t = 0; t < list.size(); ++t) {
                const auto i = start + static_cast<std::size_t>(list.atoms[2 * t]),
                           j = start + static_cast<std::size_t>(list.atoms[2 * t + 1]);
                const IVec3 difference = system.atoms[i].x - system.atoms[j].x;
                use(i, j, to_real(system.box.minimum_image(difference), position_unit),
                    topology.parameters[static_cast<std::size_t>(kind)][static_cast<std::size_t>(list.parameters[t])]);
            }
        }
    }
}

bool excluded(const Topology& topology, std::size_t i, std::size_t j)
{
    const auto a = topology.place(static_cast<AtomId>(i)), b = topology.place(static_cast<AtomId>(j));
    if (a.molecule != b.molecule) return false;
    return std::ranges::binary_search(topology.molecule_types[static_cast<std::size_t>(a.molecule_type)]
                                          .exclusions[static_cast<std::size_t>(a.index)],
                                      b.index);
}

Reference brute_force(const TestSystem& system, const Parameters& p)
{
    Reference sums;
    sums.forces.assign(system.size(), Vec3::Zero());
    const auto& topology = *system.topology;
    const auto n_types = static_cast<int>(topology.atom_types.size());
    const ReactionField field(p);
    const double factor = units::electric_factor / p.epsilon_r;
    std::vector<TopologyAtom> atoms;
    for (std::size_t i = 0; i < system.size(); ++i) atoms.push_back(topology.atom(static_cast<AtomId>(i)));
    const auto strength = [&](std::size_t i, std::size_t j) { return factor * atoms[i].charge * atoms[j].charge; };

    for_each_pair_within(system, std::max(p.rcoulomb, p.rvdw), [&](std::size_t i, std::size_t j, const Vec3& d) {
        if (excluded(topology, i, j)) return;
        const double r = d.norm();
        const auto t = static_cast<std::size_t>(atoms[i].type * n_types + atoms[j].type);
        const Dual lj = r < p.rvdw ? lj_potential(r, topology.c6[t], topology.c12[t], p) : Dual{};
        const Dual coulomb = r < p.rcoulomb ? strength(i, j) * coulomb_potential(r, p) : Dual{};
        sums.lj += lj.value;
        sums.coulomb += coulomb.value;
        sums.add(i, j, d, lj.slope + coulomb.slope);
    });
    for_each_term(system, Interaction::excluded_pair,
                  [&](std::size_t i, std::size_t j, const Vec3& d, const InteractionParameters&) {
                      if (d.norm() >= p.rcoulomb) return;
                      const Dual v = strength(i, j) * field(d.norm());
                      sums.coulomb += v.value;
                      sums.add(i, j, d, v.slope);
                  });
    for_each_term(system, Interaction::harmonic_bond,
                  [&](std::size_t i, std::size_t j, const Vec3& d, const InteractionParameters& bond) {
                      const double stretch = d.norm() - bond[0];
                      sums.bond += 0.5 * bond[1] * stretch * stretch;
                      sums.add(i, j, d, bond[1] * stretch);
                  });
    for (std::size_t i = 0; i < system.size(); ++i) sums.coulomb -= 0.5 * strength(i, i) * field.c;
    return sums;
}

} // namespace holon::test
