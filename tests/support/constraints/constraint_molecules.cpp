#include <support/constraints/constraint_molecules.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace holon::test {
namespace {

std::vector<Vec3> alkane_beads(int n)
{
    Noise noise(60);
    constexpr double d = 0.153, angle = 112.0 * std::numbers::pi / 180.0;
    return bead_chain(n, {0.3, 0.4, 0.5}, {0.3 + d, 0.4, 0.5}, [&](const Vec3& before, const Vec3& last) {
        return Vec3(last + d * bent(last - before, angle, noise));
    });
}

/// Makes a rule for atoms into one that keeps waters and small clusters whole.
std::function<int(AtomId)> keep_groups_whole(const ConstraintSystem& system, std::function<int(AtomId)> owner)
{
    return [&system, owner](AtomId id) {
        const auto place = system.topology.place(id);
        const auto& heads = system.clusters[static_cast<std::size_t>(place.molecule_type)].group_head;
        return owner(place.molecule_start + heads[static_cast<std::size_t>(place.index)]);
    };
}

} // namespace

std::vector<Vec3> bead_chain(int n, const Vec3& first, const Vec3& second,
                             const std::function<Vec3(const Vec3&, const Vec3&)>& next)
{
    std::vector<Vec3> beads{first, second};
    while (static_cast<int>(beads.size()) < n) beads.push_back(next(beads[beads.size() - 2], beads.back()));
    return beads;
}

Vec3 bent(const Vec3& last, double angle, Noise& noise)
{
    const Vec3 axis = last.normalized();
    const Vec3 side = axis.cross(noise.vector()).normalized();
    return -std::cos(angle) * axis + std::sin(angle) * side;
}

std::vector<Constraint> bonds_between(const std::vector<Vec3>& positions, const std::vector<std::array<int, 2>>& pairs)
{
    std::vector<Constraint> bonds;
    for (const auto& [i, j] : pairs)
        bonds.push_back({std::min(i, j), std::max(i, j),
                         (positions[static_cast<std::size_t>(i)] - positions[static_cast<std::size_t>(j)]).norm()});
    return bonds;
}

std::vector<std::array<int, 2>> neighbours_along(int n, int distance)
{
    std::vector<std::array<int, 2>> pairs;
    for (int k = 0; k + distance < n; ++k) pairs.push_back({k, k + distance});
    return pairs;
}

ConstraintSystem one_molecule(const std::string& name, const std::vector<double>& masses,
                              const std::vector<Constraint>& constraints, const std::vector<Vec3>& positions)
{
    ConstraintSystem system;
    system.add(molecule(name, masses, constraints), 1, positions);
    return system;
}

ConstraintSystem united_atom_c60()
{
    const auto beads = alkane_beads(60);
    return one_molecule("UA60", std::vector<double>(60, 14.027), bonds_between(beads, neighbours_along(60, 1)), beads);
}

ConstraintSystem all_atom_c60()
{
    const Alkane chain(60, {3.2, 0.4, 4.9}, {1.0, 0.5, 0.3});
    ConstraintSystem system;
    system.add(chain.type, 1, chain.positions);
    return system;
}

ConstraintSystem torsion_only(int n)
{
    const auto beads = alkane_beads(n);
    auto pairs = neighbours_along(n, 1);
    for (const auto& pair : neighbours_along(n, 2)) pairs.push_back(pair);
    const std::vector<double> masses(static_cast<std::size_t>(n), 14.027);
    return one_molecule("Torsions", masses, bonds_between(beads, pairs), beads);
}

ConstraintSystem torsion_only_c60()
{
    return torsion_only(60);
}

ConstraintSystem torsion_only_c200()
{
    return torsion_only(200);
}

ConstraintSystem nearly_straight_rods()
{
    constexpr int n = 64;
    Noise noise(61);
    const auto beads = bead_chain(n, {0.1, 0.2, 0.3}, {0.2, 0.2, 0.3}, [&](const Vec3&, const Vec3& last) {
        return Vec3(last + 0.1 * (Vec3(1.0, 0.3, 0.2) + 0.05 * noise.vector()).normalized());
    });
    return one_molecule("Rods", std::vector<double>(n, 12.0), bonds_between(beads, neighbours_along(n, 1)), beads);
}

std::vector<Vec3> circle(int n, const Vec3& centre, double radius, double pucker)
{
    std::vector<Vec3> positions;
    for (int k = 0; k < n; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / n;
        positions.push_back(centre +
                            Vec3(radius * std::cos(angle), radius * std::sin(angle), k % 2 ? pucker : -pucker));
    }
    return positions;
}

std::vector<std::array<int, 2>> closed(int n)
{
    auto pairs = neighbours_along(n, 1);
    pairs.push_back({0, n - 1});
    return pairs;
}

ConstraintSystem ring_of_twelve()
{
    const auto beads = circle(12, {0.1, 4.4, 1.0}, 0.25, 0.04);
    return one_molecule("Ring", std::vector<double>(12, 14.027), bonds_between(beads, closed(12)), beads);
}

ConstraintSystem fused_rings()
{
    std::vector<Vec3> positions;
    std::vector<std::array<int, 2>> pairs;
    constexpr int n_rings = 4;
    // Two zigzag rows of 2 n + 1 atoms; a rung joins them at every other place.
    constexpr int row = 2 * n_rings + 1;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < row; ++k) {
            const double up = k % 2 == 0 ? 0.07 : 0.14;
            positions.emplace_back(1.0 + 0.13 * k, 1.0 + (side == 0 ? up : -up), 1.0 + (k % 4 < 2 ? 0.02 : -0.02));
            if (k > 0) pairs.push_back({side * row + k - 1, side * row + k});
        }
    for (int k = 0; k < row; k += 2) pairs.push_back({k, row + k});
    Noise noise(62);
    for (int k = 0; k < 8; ++k) {
        const auto last = static_cast<int>(positions.size()) - 1;
        positions.push_back(positions.back() + 0.153 * (Vec3(1.0, 0.0, 0.0) + 0.6 * noise.vector()).normalized());
        pairs.push_back({last, last + 1});
    }
    return one_molecule("Sterol", std::vector<double>(positions.size(), 13.0), bonds_between(positions, pairs),
                        positions);
}

ConstraintSystem disulphide_macrocycle()
{
    constexpr int n = 90;
    auto positions = circle(n, {2.0, 2.2, 2.5}, 1.9, 0.05);
    auto pairs = closed(n);
    std::vector<double> masses(n, 12.011);
    const auto attach = [&](int to, const Vec3& step, double mass) {
        pairs.push_back({to, static_cast<int>(positions.size())});
        positions.push_back(positions[static_cast<std::size_t>(to)] + step);
        masses.push_back(mass);
        return static_cast<int>(positions.size()) - 1;
    };
    Noise noise(63);
    for (int k = 0; k < n; k += 3)
        attach(attach(k, {0.0, 0.02, 0.15}, 12.011), 0.1 * noise.vector().normalized(), 1.008);
    for (const auto& [from, to] : {std::array<int, 2>{10, 35}, {50, 80}}) {
        const Vec3 across = (positions[static_cast<std::size_t>(to)] - positions[static_cast<std::size_t>(from)]) / 3.0;
        const int first = attach(from, across + Vec3(0.0, 0.0, 0.3), 32.06);
        const int second = attach(first, across, 32.06);
        pairs.push_back({to, second});
    }
    return one_molecule("Macrocycle", masses, bonds_between(positions, pairs), positions);
}

ConstraintSystem ring_through_the_box()
{
    constexpr int n = 160;
    constexpr double lx = 4.0;
    std::vector<Vec3> positions;
    for (int k = 0; k < n; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / 8.0;
        positions.emplace_back(lx * k / n, 2.0 + 0.05 * std::cos(angle), 1.0 + 0.05 * std::sin(angle));
    }
    auto bonds = bonds_between(positions, neighbours_along(n, 1));
    bonds.push_back({0, n - 1, bonds.front().length});
    bonds.back().length = (positions[0] + Vec3(lx, 0.0, 0.0) - positions.back()).norm();
    return one_molecule("Endless", std::vector<double>(n, 14.027), bonds, positions);
}

ConstraintSystem alkane_with_h_angles()
{
    const Alkane chain(30, {3.2, 0.4, 4.9}, {1.0, 0.5, 0.3});
    auto type = chain.type;
    std::map<std::int32_t, std::vector<std::int32_t>> hydrogens; // of each carbon
    for (const auto& bond : chain.type.constraints)
        if (type.atoms[static_cast<std::size_t>(bond.j)].mass < 2.0) hydrogens[bond.i].push_back(bond.j);
    for (const auto& [carbon, around] : hydrogens)
        for (std::size_t a = 0; a < around.size(); ++a)
            for (std::size_t b = a + 1; b < around.size(); ++b)
                for (const auto& distance : bonds_between(chain.positions, {{around[a], around[b]}}))
                    type.constraints.push_back(distance);
    ConstraintSystem system;
    system.add(type, 1, chain.positions);
    return system;
}

ConstraintSystem methanol_with_h_angles()
{
    constexpr double pi = std::numbers::pi, ch = 0.109, co = 0.141, oh = 0.096;
    const double tilt = 110.0 * pi / 180.0, bend = 108.5 * pi / 180.0;
    const Vec3 carbon(0, 0, 0), oxygen(0, 0, co);
    std::vector<Vec3> atoms{carbon, oxygen, oxygen + oh * Vec3(std::sin(bend), 0.0, -std::cos(bend))};
    for (int k = 0; k < 3; ++k)
        atoms.emplace_back(ch * std::sin(tilt) * std::cos(pi * (2 * k + 1) / 3.0),
                           ch * std::sin(tilt) * std::sin(pi * (2 * k + 1) / 3.0), ch * std::cos(tilt));
    const std::vector<std::array<int, 2>> pairs{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {3, 4}, {3, 5}, {4, 5}};
    Noise noise(66);
    std::vector<Vec3> positions;
    for (int m = 0; m < 8; ++m) {
        const Vec3 z = noise.vector().normalized(), x = z.unitOrthogonal(), y = z.cross(x);
        const Vec3 centre(0.6 + 1.6 * (m % 2), 0.5 + 1.7 * (m / 2 % 2), 0.7 + 1.9 * (m / 4));
        for (const auto& r : atoms) positions.emplace_back(centre + r[0] * x + r[1] * y + r[2] * z);
    }
    ConstraintSystem system;
    system.add(molecule("Methanol", {12.011, 15.9994, 1.008, 1.008, 1.008, 1.008}, bonds_between(atoms, pairs)), 8,
               positions);
    return system;
}

ConstraintSystem cyclohexane_with_h_angles()
{
    auto positions = circle(6, {2.0, 2.2, 2.5}, 0.1455, 0.026);
    auto pairs = closed(6);
    std::vector<double> masses(6, 12.011);
    const auto carbons = positions;
    for (int k = 0; k < 6; ++k) {
        const auto at = [&carbons](int c) -> const Vec3& { return carbons[static_cast<std::size_t>(c % 6)]; };
        const Vec3 a = (at(k + 5) - at(k)).normalized(), b = (at(k + 1) - at(k)).normalized();
        const Vec3 out = -(a + b).normalized(), side = a.cross(b).normalized();
        const int first = static_cast<int>(positions.size());
        for (const double sign : {1.0, -1.0}) {
            pairs.push_back({k, static_cast<int>(positions.size())});
            positions.push_back(at(k) + 0.109 * (0.59 * out + sign * 0.8 * side).normalized());
            masses.push_back(1.008);
        }
        pairs.push_back({first, first + 1});
    }
    return one_molecule("Cyclohexane", masses, bonds_between(positions, pairs), positions);
}

ConstraintSystem groups_of_hydrogens()
{
    ConstraintSystem system;
    Noise noise(67);
    const std::array<Vec3, 4> corners{Vec3{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
    for (int arms = 1; arms <= 4; ++arms)
        for (int before = 0; before <= arms; before += 2) {
            std::vector<double> masses;
            std::vector<Constraint> bonds;
            std::vector<double> lengths;
            for (int k = 0; k <= arms; ++k) {
                masses.push_back(k == before ? 12.0 + 5.0 * arms : k % 3 == 2 ? 2.014 : 1.008);
                lengths.push_back(0.0945 + 0.006 * k);
                if (k != before) bonds.push_back({std::min(k, before), std::max(k, before), lengths.back()});
            }
            std::vector<Vec3> positions;
            for (int m = 0; m < 7; ++m) {
                const Vec3 centre = 2.0 * (Vec3(1.1, 1.2, 1.3) + noise.vector());
                const Vec3 z = noise.vector().normalized(), x = z.unitOrthogonal(), y = z.cross(x);
                for (std::size_t k = 0; k < lengths.size(); ++k) {
                    const Vec3 r = (corners[k % 4] + 0.3 * noise.vector()).normalized() * lengths[k];
                    positions.emplace_back(centre + (static_cast<int>(k) == before ? 0.0 : 1.0) *
                                                        (r[0] * x + r[1] * y + r[2] * z));
                }
            }
            system.add(molecule(fmt::format("Star{}-{}", arms, before), masses, bonds), 7, positions);
        }
    return system;
}

ConstraintSystem lattice()
{
    constexpr int n = 5;
    Noise noise(65);
    std::vector<Vec3> positions;
    std::vector<std::array<int, 2>> pairs;
    const auto number = [](int i, int j, int k) { return (i * n + j) * n + k; };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                positions.push_back(0.12 * Vec3(i, j, k) + 0.03 * noise.vector());
                if (i > 0) pairs.push_back({number(i - 1, j, k), number(i, j, k)});
                if (j > 0) pairs.push_back({number(i, j - 1, k), number(i, j, k)});
                if (k > 0) pairs.push_back({number(i, j, k - 1), number(i, j, k)});
            }
    return one_molecule("Lattice", std::vector<double>(positions.size(), 28.0), bonds_between(positions, pairs),
                        positions);
}

ConstraintSystem freely_jointed(int n)
{
    Noise noise(64);
    const auto beads = bead_chain(n, {0.1, 0.2, 0.3}, {0.2, 0.2, 0.3}, [&](const Vec3&, const Vec3& last) {
        return Vec3(last + 0.1 * noise.vector().normalized());
    });
    ConstraintSystem system = one_molecule("Chain", std::vector<double>(static_cast<std::size_t>(n), 14.027),
                                           bonds_between(beads, neighbours_along(n, 1)), beads);
    for (auto& x : system.x_ref) system.box.wrap(x);
    return system;
}

std::vector<Vec3> turned_copies(const std::vector<Vec3>& shape, int count, Noise& noise)
{
    std::vector<Vec3> positions;
    for (int m = 0; m < count; ++m) {
        const Vec3 centre = Vec3(2.0, 2.2, 2.5) + 1.9 * noise.vector();
        const Vec3 x = noise.vector().normalized(), y = x.cross(noise.vector()).normalized(), z = x.cross(y);
        for (const auto& r : shape) positions.emplace_back(centre + r[0] * x + r[1] * y + r[2] * z);
    }
    return positions;
}

std::vector<std::array<int, 2>> all_pairs(std::size_t n)
{
    std::vector<std::array<int, 2>> pairs;
    for (int i = 0; i < static_cast<int>(n); ++i)
        for (int j = i + 1; j < static_cast<int>(n); ++j) pairs.push_back({i, j});
    return pairs;
}

std::vector<Vec3> tetrahedron(double edge)
{
    return {0.35355 * edge * Vec3(1, 1, 1), 0.35355 * edge * Vec3(-1, -1, 1), 0.35355 * edge * Vec3(-1, 1, -1),
            0.35355 * edge * Vec3(1, -1, -1)};
}

std::vector<Vec3> carbon_dioxide()
{
    return {{0, 0, 0}, {0.116, 0, 0}, {-0.116, 0, 0}};
}

std::vector<Vec3> flat_benzene()
{
    auto atoms = circle(6, Vec3::Zero(), 0.14, 0.0);
    for (const auto& r : circle(6, Vec3::Zero(), 0.248, 0.0)) atoms.push_back(r);
    return atoms;
}

std::vector<Vec3> helix(int n)
{
    std::vector<Vec3> atoms;
    for (int k = 0; k < n; ++k) {
        const double angle = 4.0 * std::numbers::pi * k / n;
        atoms.emplace_back(0.12 * std::cos(angle), 0.12 * std::sin(angle), 0.6 * k / n);
    }
    return atoms;
}

ConstraintSystem all_distances()
{
    ConstraintSystem system;
    Noise noise(68);
    const auto triangle = std::vector<Vec3>{{0, 0, 0}, {0.12, 0, 0}, {0.05, 0.13, 0}};
    system.add(molecule("Triangle", {16.0, 4.0, 9.0}, bonds_between(triangle, all_pairs(3))), 11,
               turned_copies(triangle, 11, noise));
    system.add(molecule("Tetrahedron", {12.0, 14.0, 16.0, 9.0}, bonds_between(tetrahedron(0.15), all_pairs(4))), 9,
               turned_copies(tetrahedron(0.15), 9, noise));
    return system;
}

MoleculeType rigid_molecule(const std::string& name, const std::vector<double>& masses, const std::vector<Vec3>& shape)
{
    auto type = molecule(name, masses, {});
    RigidBody body{.atoms = {}, .shape = shape, .degrees_of_freedom = name == "CO2" ? 5 : 6, .given = {}};
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(masses.size()); ++a) body.atoms.push_back(a);
    type.bodies.push_back(std::move(body));
    return type;
}

ConstraintSystem bodies()
{
    ConstraintSystem system;
    Noise noise(69);
    std::vector<double> masses(6, 12.011);
    masses.resize(12, 1.008);
    system.add(rigid_molecule("CO2", {12.011, 15.9994, 15.9994}, carbon_dioxide()), 9,
               turned_copies(carbon_dioxide(), 9, noise));
    system.add(rigid_molecule("Benzene", masses, flat_benzene()), 8, turned_copies(flat_benzene(), 8, noise));
    auto mirrored = helix(40);
    for (auto& r : mirrored) r[2] = -r[2];
    auto positions = turned_copies(helix(40), 3, noise);
    for (const auto& r : turned_copies(mirrored, 4, noise)) positions.push_back(r);
    system.add(rigid_molecule("Helix", std::vector<double>(40, 12.011), helix(40)), 7, positions);
    for (std::size_t a = 27; a < system.x_ref.size(); ++a)
        system.box.wrap(system.x_ref[a]); // small ones stay in one frame
    return system;
}

ConstraintSystem medley()
{
    ConstraintSystem all;
    for (const auto& part : {freely_jointed(300), disulphide_macrocycle(), all_atom_c60(), ring_of_twelve()}) {
        std::vector<Vec3> positions;
        for (int copy = 0; copy < 2; ++copy)
            for (const auto& x : part.x_ref)
                positions.push_back(to_real(x, position_unit) + Vec3(0.3, 0.2, 0.1) * copy);
        all.add(part.topology.molecule_types[0], 2, positions);
    }
    return all;
}

void calm(ConstraintSystem& system)
{
    for (std::size_t a = 0; a < system.x.size(); ++a)
        if (system.topology.place(static_cast<AtomId>(a)).molecule % 2 == 1) {
            system.x[a] = system.x_ref[a];
            system.v[a] = IVec3::Zero();
        }
}

std::vector<std::function<int(AtomId)>> distributions(const ConstraintSystem& system, int ranks)
{
    const auto n = static_cast<AtomId>(system.x_ref.size());
    std::vector<std::function<int(AtomId)>> all{
        [=](AtomId id) { return static_cast<int>(std::int64_t{id} * ranks / n); },
        [=](AtomId id) { return id % ranks; },
        [=](AtomId id) {
            return static_cast<int>((static_cast<unsigned>(id) * 2654435761u >> 16) % static_cast<unsigned>(ranks));
        },
        [&system, ranks](AtomId id) {
            IVec3 x = system.x_ref[static_cast<std::size_t>(id)];
            system.box.wrap(x);
            return std::min(ranks - 1, static_cast<int>(system.box.fractional(x)[0] * ranks));
        },
        [=](AtomId) { return ranks - 1; },
        [=](AtomId id) { return id < n / 5 ? 0 : ranks - 1; },
    };
    if (ranks > 8) all.erase(all.begin() + 4, all.end()); // many ranks take their time
    for (auto& owner : all) owner = keep_groups_whole(system, owner);
    return all;
}

} // namespace holon::test
