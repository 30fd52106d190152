#include <support/constraints/linked_units.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace holon::test {

std::vector<Vec3> LinkedMolecule::shape_of(const std::vector<std::int32_t>& unit) const
{
    std::vector<Vec3> shape;
    for (const auto atom : unit) shape.push_back(positions[static_cast<std::size_t>(atom)]);
    return shape;
}

MoleculeType LinkedMolecule::as_units() const
{
    auto type = molecule(name, masses, bonds_between(positions, links));
    for (const auto& unit : units)
        type.bodies.push_back({.atoms = unit,
                               .shape = on_principal_axes(shape_of(unit)),
                               .degrees_of_freedom = unit.size() == 2 ? 5 : 6,
                               .given = {}});
    return type;
}

MoleculeType LinkedMolecule::as_distances(bool flat) const
{
    auto pairs = links;
    std::vector<PlaneConstraint> planes;
    for (const auto& unit : units)
        for (std::size_t a = 0; a < unit.size(); ++a)
            for (std::size_t b = 0; b < (flat ? std::min<std::size_t>(a, 2) : a); ++b)
                pairs.push_back({unit[b], unit[a]});
    if (flat)
        for (const auto& unit : units)
            for (std::size_t a = 3; a < unit.size(); ++a) planes.push_back(plane(unit, a));
    auto type = molecule(name, masses, bonds_between(positions, pairs));
    type.planes = planes;
    return type;
}

std::vector<Vec3> LinkedMolecule::on_principal_axes(std::vector<Vec3> shape)
{
    const Vec3 first = shape.front();
    for (auto& r : shape) r -= first;
    if (shape.size() > 2) return shape;
    return {Vec3::Zero(), Vec3(shape[1].norm(), 0.0, 0.0)};
}

PlaneConstraint LinkedMolecule::plane(const std::vector<std::int32_t>& unit, std::size_t a) const
{
    const auto at = [&](std::size_t k) { return positions[static_cast<std::size_t>(unit[k])]; };
    const Vec3 e1 = at(1) - at(0), e2 = at(2) - at(0);
    return {{unit[0], unit[1], unit[2], unit[a]}, e1.cross(e2).norm()};
}

LinkedMolecule octane()
{
    const Alkane chain(8, {0.3, 0.4, 0.5}, {1.0, 0.5, 0.3});
    LinkedMolecule result{.name = "Octane", .masses = {}, .positions = chain.positions, .units = {}, .links = {}};
    for (const auto& atom : chain.type.atoms) result.masses.push_back(atom.mass);
    for (std::size_t a = 0; a < result.masses.size(); ++a) {
        if (result.masses[a] > 2.0) {
            if (!result.units.empty()) result.links.push_back({result.units.back().front(), static_cast<int>(a)});
            result.units.emplace_back();
        }
        result.units.back().push_back(static_cast<std::int32_t>(a));
    }
    return result;
}

LinkedMolecule biphenyl()
{
    LinkedMolecule result{.name = "Biphenyl", .masses = {}, .positions = {}, .units = {}, .links = {{0, 11}}};
    for (const double side : {1.0, -1.0}) {
        const Vec3 y(0.0, std::cos(0.4 * side), std::sin(0.4 * side));
        auto& unit = result.units.emplace_back();
        // The three atoms that the others are held by come first: in no line with any of them.
        for (const double radius : {0.14, 0.248})
            for (const int k : {0, 2, 1, 3, 4, 5}) {
                if (radius > 0.2 && k == 0) continue;
                const double angle = std::numbers::pi / 3.0 * k;
                unit.push_back(static_cast<std::int32_t>(result.positions.size()));
                result.positions.push_back(side * Vec3(0.215, 0.0, 0.0) -
                                           radius *
                                               (side * std::cos(angle) * Vec3(1.0, 0.0, 0.0) + std::sin(angle) * y));
                result.masses.push_back(radius > 0.2 ? 1.008 : 12.011);
            }
    }
    return result;
}

LinkedMolecule ring_of_units()
{
    constexpr int n = 7;
    LinkedMolecule result{.name = "Ring", .masses = {}, .positions = {}, .units = {}, .links = {}};
    const auto centres = circle(n, Vec3::Zero(), 0.38, 0.05);
    for (int k = 0; k < n; ++k) {
        auto& unit = result.units.emplace_back();
        const double angle = 2.0 * std::numbers::pi * k / n;
        const Vec3 along(-std::sin(angle), std::cos(angle), 0.1), side(std::cos(angle), std::sin(angle), 0.2);
        for (const Vec3& r :
             {Vec3(-0.08 * along), Vec3(0.08 * along), Vec3(0.1 * side), Vec3(0.09 * along.cross(side))}) {
            unit.push_back(static_cast<std::int32_t>(result.positions.size()));
            result.positions.push_back(centres[static_cast<std::size_t>(k)] + r);
            result.masses.push_back(10.0 + 2.0 * static_cast<double>(unit.size()));
        }
        result.links.push_back({4 * k + 1, 4 * ((k + 1) % n)});
    }
    for (int k = 0; k < 3; ++k) {
        result.links.push_back({k == 0 ? 2 : 4 * n + k - 1, 4 * n + k});
        result.positions.push_back(result.positions[2] + (k + 1) * Vec3(0.11, 0.02 * k * k, 0.05));
        result.masses.push_back(14.0);
    }
    return result;
}

LinkedMolecule rods_as_units(int n)
{
    Noise noise(73);
    LinkedMolecule result{.name = "Rods", .masses = {}, .positions = {}, .units = {}, .links = {}};
    result.positions = bead_chain(2 * n, {0, 0, 0}, {0.15, 0, 0}, [&](const Vec3& before, const Vec3& last) {
        return Vec3(last + 0.15 * bent(last - before, 1.9, noise));
    });
    for (int k = 0; k < n; ++k) {
        result.units.push_back({2 * k, 2 * k + 1});
        if (k > 0) result.links.push_back({2 * k - 1, 2 * k});
    }
    result.masses.assign(static_cast<std::size_t>(2 * n), 14.027);
    return result;
}

LinkedMolecule chain_of_triangles(int n)
{
    Noise noise(74);
    LinkedMolecule result{.name = "Triangles", .masses = {}, .positions = {}, .units = {}, .links = {}};
    Vec3 at = Vec3::Zero(), before(-1.0, 0.0, 0.0);
    for (int k = 0; k < n; ++k) {
        const Vec3 along = bent(-before, 1.2, noise), side = along.cross(noise.vector()).normalized();
        for (const Vec3& r : {Vec3(Vec3::Zero()), Vec3(0.14 * along), Vec3(0.07 * along + 0.12 * side)})
            result.positions.push_back(at + r);
        result.units.push_back({3 * k, 3 * k + 1, 3 * k + 2});
        if (k > 0) result.links.push_back({3 * k - 2, 3 * k});
        for (const double mass : {12.0, 14.0, 9.0}) result.masses.push_back(mass);
        before = along;
        at = result.positions[result.positions.size() - 2] + 0.15 * bent(along, 2.0, noise);
    }
    return result;
}

ConstraintSystem linked_system(const std::vector<std::pair<LinkedMolecule, MoleculeType>>& kinds, int count)
{
    ConstraintSystem system;
    Noise noise(75);
    for (const auto& [linked, type] : kinds) {
        auto positions = turned_copies(linked.positions, count, noise);
        auto mirrored = linked.positions;
        for (auto& r : mirrored) r[2] = -r[2];
        for (const auto& r : turned_copies(mirrored, count, noise)) positions.push_back(r);
        system.add(type, 2 * count, positions);
    }
    for (auto& x : system.x_ref) system.box.wrap(x);
    return system;
}

ConstraintSystem linked_units()
{
    std::vector<std::pair<LinkedMolecule, MoleculeType>> kinds;
    for (const auto& linked : {octane(), biphenyl(), ring_of_units(), rods_as_units(9)})
        kinds.emplace_back(linked, linked.as_units());
    return linked_system(kinds, 2);
}

ConstraintSystem chain_of_500_units()
{
    const auto chain = chain_of_triangles(500);
    ConstraintSystem system;
    system.add(chain.as_units(), 1, chain.positions);
    for (auto& x : system.x_ref) system.box.wrap(x);
    return system;
}

} // namespace holon::test
