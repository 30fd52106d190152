#include <holon/core/index.hpp>
#include <holon/system/clusters.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace holon {

namespace {

/// Per atom the lowest atom that constraints connect it to (itself, if there are none).
std::vector<std::int32_t> lowest_connected(std::size_t n_atoms, const std::vector<Constraint>& constraints)
{
    std::vector<std::int32_t> lowest(n_atoms);
    std::iota(lowest.begin(), lowest.end(), 0);
    const auto root = [&](std::int32_t atom) {
        while (lowest[index(atom)] != atom) {
            lowest[index(atom)] = lowest[index(lowest[index(atom)])];
            atom = lowest[index(atom)];
        }
        return atom;
    };
    for (const Constraint& constraint : constraints) {
        const auto [low, high] = std::minmax({root(constraint.i), root(constraint.j)});
        lowest[index(high)] = low;
    }
    for (std::size_t atom = 0; atom < n_atoms; ++atom) lowest[atom] = root(static_cast<std::int32_t>(atom));
    return lowest;
}

/// Sorts the constraints by (i, j), gives each the first colour that is free at both atoms, and sorts by colour.
void colour(ConstraintCluster& cluster, std::vector<std::vector<bool>>& colours_at)
{
    auto& constraints = cluster.constraints;
    std::sort(constraints.begin(), constraints.end(),
              [](const Constraint& a, const Constraint& b) { return std::tie(a.i, a.j) < std::tie(b.i, b.j); });
    std::vector<std::vector<Constraint>> by_colour;
    for (const Constraint& constraint : constraints) {
        auto& at_i = colours_at[index(constraint.i)];
        auto& at_j = colours_at[index(constraint.j)];
        const auto taken = [](const std::vector<bool>& at, std::size_t c) { return c < at.size() && at[c]; };
        std::size_t c = 0;
        while (taken(at_i, c) || taken(at_j, c)) ++c;
        for (auto* at : {&at_i, &at_j}) {
            if (at->size() <= c) at->resize(c + 1, false);
            (*at)[c] = true;
        }
        if (by_colour.size() <= c) by_colour.resize(c + 1);
        by_colour[c].push_back(constraint);
    }
    constraints.clear();
    cluster.colour_begin = {0};
    for (const auto& group : by_colour) {
        constraints.insert(constraints.end(), group.begin(), group.end());
        cluster.colour_begin.push_back(static_cast<std::int32_t>(constraints.size()));
    }
}

void find_centre(ConstraintCluster& cluster, std::vector<std::int32_t>& degree)
{
    cluster.centre = cluster.atoms.front();
    for (const std::int32_t atom : cluster.atoms) {
        if (degree[index(atom)] > degree[index(cluster.centre)]) cluster.centre = atom;
    }
    const auto n = static_cast<std::int32_t>(cluster.constraints.size());
    cluster.small = cluster.planes.empty() && n <= max_small_cluster && degree[index(cluster.centre)] == n;
}

/// Three distances from each atom to the nearest of those before it, which are near the middle: shortest links first.
void link(ConstraintCluster& cluster)
{
    const auto distance = [&](std::size_t a, std::size_t b) { return (cluster.shape[a] - cluster.shape[b]).norm(); };
    const auto furthest = [&](std::size_t a) {
        double most = 0.0;
        for (std::size_t b = 0; b < cluster.atoms.size(); ++b) most = std::max(most, distance(a, b));
        return most;
    };
    std::vector<std::size_t> left(cluster.atoms.size()), linked;
    std::iota(left.begin(), left.end(), 0);
    const auto middle = std::ranges::min_element(left, {}, furthest);
    cluster.centre = cluster.atoms[*middle];
    cluster.small = left.size() <= index(max_small_cluster + 1) && furthest(*middle) <= small_body_radius;
    linked.push_back(*middle);
    left.erase(middle);
    std::vector<double> nearest(cluster.atoms.size(), std::numeric_limits<double>::infinity());
    while (!left.empty()) {
        for (const auto a : left) nearest[a] = std::min(nearest[a], distance(a, linked.back()));
        const auto next = std::ranges::min_element(left, {}, [&](std::size_t a) { return std::pair(nearest[a], a); });
        auto near = linked;
        std::ranges::sort(near, {}, [&](std::size_t b) { return std::pair(distance(*next, b), b); });
        for (const auto b : std::span(near).first(std::min<std::size_t>(3, near.size()))) {
            const auto [i, j] = std::minmax(*next, b);
            cluster.constraints.push_back({cluster.atoms[i], cluster.atoms[j], distance(i, j)});
        }
        linked.push_back(*next);
        left.erase(next);
    }
}

/// A body by itself.
ConstraintCluster cluster_of(const RigidBody& body)
{
    ConstraintCluster cluster;
    cluster.atoms = body.atoms;
    cluster.shape = body.shape;
    cluster.lost = body.n_constraints();
    link(cluster);
    return cluster;
}

/// What linked bodies and their links take.
void add_up(ConstraintCluster& cluster)
{
    cluster.lost = std::ssize(cluster.constraints);
    for (const auto& unit : cluster.units) cluster.lost += unit.lost - std::ssize(unit.constraints);
}

/// A site is owned with its first parent, which is near it; the mean of many atoms may be anywhere among them and,
/// unless they are one group, is on its own.
void add_sites(const MoleculeType& molecule, std::vector<std::int32_t>& group_head)
{
    constexpr std::size_t few_parents = 4;
    for (const auto& site : molecule.virtual_sites) {
        const auto head = group_head[index(site.parents.front())];
        const bool near = site.parents.size() <= few_parents || std::ranges::all_of(site.parents, [&](std::int32_t p) {
                              return group_head[index(p)] == head;
                          });
        if (near) group_head[index(site.atom)] = head;
    }
}

} // namespace

MoleculeClusters find_clusters(const MoleculeType& molecule)
{
    const std::size_t n_atoms = molecule.atoms.size();
    MoleculeClusters result;
    result.cluster_of.assign(n_atoms, -1);
    result.group_head.resize(n_atoms);
    std::iota(result.group_head.begin(), result.group_head.end(), 0);
    for (const Settle& settle : molecule.settles) {
        for (std::int32_t atom = settle.oxygen; atom < settle.oxygen + 3; ++atom)
            result.group_head[index(atom)] = settle.oxygen;
    }

    std::vector<std::int32_t> degree(n_atoms, 0);
    const auto count = [&degree](const std::vector<Constraint>& constraints) {
        for (const auto& c : constraints)
            for (const auto atom : {c.i, c.j}) ++degree[index(atom)];
    };
    count(molecule.constraints);
    std::vector<ConstraintCluster> alone, linked;
    auto constraints = molecule.constraints;
    for (const RigidBody& body : molecule.bodies) {
        const bool bound = std::ranges::any_of(body.atoms, [&](std::int32_t atom) { return degree[index(atom)] > 0; });
        auto& unit = (bound ? linked : alone).emplace_back(cluster_of(body));
        if (bound) constraints.insert(constraints.end(), unit.constraints.begin(), unit.constraints.end());
    }
    for (const auto& unit : linked) count(unit.constraints);
    // Clusters in the order of their lowest atoms, which come first.
    const std::vector<std::int32_t> lowest = lowest_connected(n_atoms, constraints);
    for (std::size_t atom = 0; atom < n_atoms; ++atom) {
        if (degree[atom] == 0) continue;
        std::int32_t& cluster = result.cluster_of[index(lowest[atom])];
        if (cluster < 0) {
            cluster = static_cast<std::int32_t>(result.clusters.size());
            result.clusters.emplace_back();
        }
        result.cluster_of[atom] = cluster;
        result.clusters[index(cluster)].atoms.push_back(static_cast<std::int32_t>(atom));
    }
    for (const Constraint& constraint : constraints)
        result.clusters[index(result.cluster_of[index(constraint.i)])].constraints.push_back(constraint);

    for (const PlaneConstraint& plane : molecule.planes)
        result.clusters[index(result.cluster_of[index(plane.atoms[0])])].planes.push_back(plane);

    for (auto& unit : linked)
        result.clusters[index(result.cluster_of[index(unit.atoms.front())])].units.push_back(std::move(unit));
    for (auto& cluster : result.clusters) add_up(cluster);
    for (auto& unit : alone) {
        for (const auto atom : unit.atoms)
            result.cluster_of[index(atom)] = static_cast<std::int32_t>(result.clusters.size());
        result.clusters.push_back(std::move(unit));
    }

    std::vector<std::vector<bool>> colours_at(n_atoms);
    for (ConstraintCluster& cluster : result.clusters) {
        colour(cluster, colours_at);
        if (cluster.shape.empty()) find_centre(cluster, degree);
        if (!cluster.units.empty()) cluster.small = false;
        if (!cluster.small) continue;
        for (const std::int32_t atom : cluster.atoms) result.group_head[index(atom)] = cluster.centre;
    }
    add_sites(molecule, result.group_head);
    return result;
}

} // namespace holon
