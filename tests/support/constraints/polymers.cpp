#include <support/constraints/polymers.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace holon::test {
namespace {

/// Points of a backbone of n with random torsions.
std::vector<Vec3> backbone(int n, double length, double angle, unsigned seed)
{
    Noise noise(seed);
    std::vector<Vec3> points{Vec3(20.0, 20.0, 20.0), Vec3(20.0 + length, 20.0, 20.0)};
    Vec3 before(20.0, 19.0, 20.0);
    while (points.size() < static_cast<std::size_t>(n)) {
        const auto& a = points.size() == 2 ? before : points[points.size() - 3];
        points.push_back(next_point(a, points[points.size() - 2], points.back(), length, angle, M_PI * noise()));
    }
    return points;
}

/// A carbon with n hydrogens of a tetrahedron, all distances fixed.
Polymer rigid_group(int n)
{
    const Vec3 corners[] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    Polymer polymer;
    polymer.type.name = "Group";
    polymer.add_atom("C", 12.011, Vec3(2, 2, 2));
    for (std::int32_t k = 1; k <= n; ++k) {
        polymer.add_atom("H" + std::to_string(k), 1.008,
                         Vec3(2, 2, 2) + 0.109 * corners[static_cast<std::size_t>(k - 1)].normalized());
        for (std::int32_t l = 0; l < k; ++l) polymer.bind(l, k);
    }
    return polymer;
}

/// Of a regular polygon with this radius [nm], unbound.
void add_corners(Polymer& polymer, const std::string& element, double mass, int n, double radius)
{
    for (int k = 0; k < n; ++k) {
        const double angle = 2.0 * M_PI * k / n;
        polymer.add_atom(element + std::to_string(k + 1), mass,
                         Vec3(2.0 + radius * std::cos(angle), 2.0 + radius * std::sin(angle), 2.0));
    }
}

} // namespace

Topology Polymer::topology() const
{
    Topology topology;
    for (const double angle : angles)
        topology.parameters[static_cast<std::size_t>(Interaction::harmonic_angle)].push_back({angle, 400.0});
    return topology;
}

std::int32_t Polymer::add_atom(const std::string& name, double mass, const Vec3& r)
{
    type.atoms.push_back({0, mass, 0.0, 0, name});
    type.exclusions.emplace_back();
    positions.push_back(r);
    return static_cast<std::int32_t>(positions.size()) - 1;
}

void Polymer::bind(std::int32_t i, std::int32_t j)
{
    const double length = (positions[static_cast<std::size_t>(i)] - positions[static_cast<std::size_t>(j)]).norm();
    type.constraints.push_back({std::min(i, j), std::max(i, j), length});
}

void Polymer::bend(std::int32_t i, std::int32_t j, std::int32_t k)
{
    const auto at = [this](std::int32_t a) -> const Vec3& { return positions[static_cast<std::size_t>(a)]; };
    const Vec3 a = (at(i) - at(j)).normalized(), b = (at(k) - at(j)).normalized();
    auto& list = type.interactions[static_cast<std::size_t>(Interaction::harmonic_angle)];
    list.atoms.insert(list.atoms.end(), {i, j, k});
    list.parameters.push_back(static_cast<std::int32_t>(angles.size()));
    angles.push_back(std::acos(std::clamp(a.dot(b), -1.0, 1.0)));
}

void Polymer::bend_all()
{
    const auto n = type.constraints.size();
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t l = 0; l < k; ++l) {
            const auto [a, b] = std::pair(type.constraints[k], type.constraints[l]);
            for (const auto& [middle, one] : {std::pair(a.i, a.j), std::pair(a.j, a.i)})
                for (const auto& [same, other] : {std::pair(b.i, b.j), std::pair(b.j, b.i)})
                    if (middle == same) bend(one, middle, other);
        }
}

Vec3 next_point(const Vec3& a, const Vec3& b, const Vec3& c, double length, double angle, double torsion)
{
    const Vec3 x = (c - b).normalized();
    const Vec3 z = (b - a).cross(x).normalized();
    const Vec3 y = z.cross(x);
    return c + length * (-std::cos(angle) * x + std::sin(angle) * (std::cos(torsion) * y + std::sin(torsion) * z));
}

Polymer united_alkane(int n, unsigned seed)
{
    Polymer polymer;
    polymer.type.name = "United";
    for (const auto& r : backbone(n, 0.153, 112.0 * M_PI / 180.0, seed)) {
        const auto c = polymer.add_atom("C" + std::to_string(polymer.positions.size() + 1), 14.027, r);
        if (c > 0) polymer.bind(c - 1, c);
        if (c > 1) polymer.bend(c - 2, c - 1, c);
    }
    return polymer;
}

Polymer full_alkane(int n, unsigned seed)
{
    constexpr double ch = 0.109, tetrahedral = 1.9106332362490186;
    Polymer polymer;
    polymer.type.name = "Alkane";
    const auto carbons = backbone(n, 0.153, 112.0 * M_PI / 180.0, seed);
    std::int32_t last = -1;
    for (std::size_t k = 0; k < carbons.size(); ++k) {
        const auto c = polymer.add_atom("C" + std::to_string(k + 1), 12.011, carbons[k]);
        if (last >= 0) polymer.bind(last, c);
        const auto add_hydrogen = [&](const Vec3& direction) {
            const auto h =
                polymer.add_atom("H" + std::to_string(k + 1), 1.008, carbons[k] + ch * direction.normalized());
            polymer.bind(c, h);
        };
        if (k == 0 || k + 1 == carbons.size()) {
            const Vec3 axis = (carbons[k] - carbons[k == 0 ? 1 : k - 1]).normalized();
            const Vec3 x = axis.unitOrthogonal(), y = axis.cross(x);
            for (int h = 0; h < 3; ++h)
                add_hydrogen(-std::cos(tetrahedral) * axis +
                             std::sin(tetrahedral) *
                                 (std::cos(2.0 * M_PI * h / 3) * x + std::sin(2.0 * M_PI * h / 3) * y));
        } else {
            const Vec3 a = (carbons[k - 1] - carbons[k]).normalized(), b = (carbons[k + 1] - carbons[k]).normalized();
            const Vec3 out = -(a + b).normalized(), side = a.cross(b).normalized();
            const double half = 0.5 * 107.0 * M_PI / 180.0;
            add_hydrogen(std::cos(half) * out + std::sin(half) * side);
            add_hydrogen(std::cos(half) * out - std::sin(half) * side);
        }
        last = c;
    }
    polymer.bend_all();
    return polymer;
}

Polymer free_joints(int n, unsigned seed)
{
    Noise noise(seed);
    Polymer polymer;
    polymer.type.name = "Rods";
    Vec3 r(20.0, 20.0, 20.0);
    for (int k = 0; k < n; ++k) {
        const auto bead = polymer.add_atom("B" + std::to_string(k + 1), 14.027, r);
        if (k > 0) polymer.bind(bead - 1, bead);
        r += 0.153 * noise.normal_vector().normalized();
    }
    return polymer;
}

Polymer straight_rods(int rods)
{
    Polymer polymer;
    polymer.type.name = "Straight";
    for (int k = 0; k <= rods; ++k) {
        const auto bead = polymer.add_atom("B" + std::to_string(k + 1), 14.027, Vec3(20.0 + 0.15 * k, 20.0, 20.0));
        if (k > 0) polymer.bind(bead - 1, bead);
        if (k > 1) polymer.bend(bead - 2, bead - 1, bead);
    }
    return polymer;
}

Polymer with_next_neighbours(Polymer polymer)
{
    for (std::int32_t k = 2; k < static_cast<std::int32_t>(polymer.positions.size()); ++k) polymer.bind(k - 2, k);
    return polymer;
}

Polymer triangle()
{
    Polymer polymer;
    polymer.type.name = "Triangle";
    add_corners(polymer, "A", 14.0, 3, 0.1);
    polymer.bind(0, 1);
    polymer.bind(1, 2);
    polymer.bind(0, 2);
    return polymer;
}

Polymer chain_of_triangles(int n, unsigned seed)
{
    Noise noise(seed);
    Polymer polymer;
    polymer.type.name = "Triangles";
    const auto corner = polymer.add_atom("A1", 60.0, Vec3(2.0, 2.0, 2.0));
    for (int k = 0; k < n; ++k) {
        const auto last = k == 0 ? corner : static_cast<std::int32_t>(polymer.positions.size()) - 1;
        const Vec3 r = polymer.positions[static_cast<std::size_t>(last)];
        const Vec3 along = (Vec3(1.0, 0.0, 0.0) + 0.5 * noise.vector()).normalized(), side = along.unitOrthogonal();
        const auto tip = polymer.add_atom("T" + std::to_string(k + 1), 10.0, r + 0.05 * along + 0.0866 * side);
        const auto next = polymer.add_atom("A" + std::to_string(k + 2), 60.0, r + 0.1 * along);
        polymer.bind(last, tip);
        polymer.bind(tip, next);
        polymer.bind(last, next);
    }
    return polymer;
}

Polymer benzene()
{
    Polymer polymer;
    polymer.type.name = "Benzene";
    add_corners(polymer, "C", 12.011, 6, 0.14);
    for (std::int32_t k = 0; k < 6; ++k) polymer.bind(k, (k + 1) % 6);
    polymer.bend_all();
    return polymer;
}

Polymer rigid_methyl()
{
    return rigid_group(3);
}

Polymer rigid_methane()
{
    return rigid_group(4);
}

Polymer with_rigid_methyls(Polymer polymer)
{
    const auto bonds = polymer.type.constraints;
    const auto is_hydrogen = [&](std::int32_t a) { return polymer.type.atoms[static_cast<std::size_t>(a)].mass < 2.0; };
    for (const auto& a : bonds)
        for (const auto& b : bonds)
            if (a.i == b.i && a.j < b.j && is_hydrogen(a.j) && is_hydrogen(b.j)) polymer.bind(a.j, b.j);
    return polymer;
}

ConstraintSystem polymer_system(const Polymer& polymer, int count)
{
    ConstraintSystem system;
    system.box = Box(Mat3(Vec3(40.0, 40.0, 40.0).asDiagonal()), position_bits);
    std::vector<Vec3> positions;
    for (int k = 0; k < count; ++k)
        for (const auto& r : polymer.positions) positions.push_back(r + Vec3(0.0, 0.0, 1.5 * k));
    system.topology = polymer.topology();
    system.add(polymer.type, count, positions);
    return system;
}

} // namespace holon::test
