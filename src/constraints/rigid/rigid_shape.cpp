#include <holon/constraints/rigid_shape.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/random.hpp>

#include "bonds/bond.hpp"
#include "bonds/distance_fit.hpp"

#include <Eigen/Dense>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace holon {

namespace {

/// How much distances may change for the sake of a plane or a line: absolutely [nm], for lengths and coordinates in
/// files are rounded; relatively.
constexpr double rounded = 2e-5, relatively_rounded = 2e-4;
/// How far from its length a constraint may be left by the others: what users write, by rounding; angles of force
/// fields, which do not add up.
constexpr double length_tolerance = 0.002, angle_tolerance = 0.06;
/// Atoms are moved by this part of a distance, to see whether the constraints bring all others back, to this part of
/// it; so many times.
constexpr double kick = 0.05, brought_back = 2e-3;
constexpr unsigned kicks = 3;
/// Clusters of more atoms are not examined, unless all of their distances are constraints.
constexpr std::size_t most_examined = 400;

using Points = std::vector<Vec3>;

double change_allowed(double distance)
{
    return std::max(rounded, relatively_rounded * distance);
}

/// About their mean, turned to their principal axes, and without what they are off a line or a plane.
Points flattened(Points x)
{
    x = on_principal_axes(std::move(x));
    for (const int dimensions : {1, 2}) {
        auto flat = x;
        for (auto& r : flat) r.tail(3 - dimensions).setZero();
        bool same = true;
        for (std::size_t a = 0; a < x.size() && same; ++a)
            for (std::size_t b = 0; b < a && same; ++b) {
                const double distance = (x[a] - x[b]).norm();
                same = std::abs((flat[a] - flat[b]).norm() - distance) <= change_allowed(distance);
            }
        if (same) return flat;
    }
    return x;
}

bool all_distances(const ConstraintCluster& cluster)
{
    const auto n = cluster.atoms.size();
    return cluster.constraints.size() == n * (n - 1) / 2;
}

std::vector<Distance> distances_of(const ConstraintCluster& cluster)
{
    const auto place = [&](std::int32_t atom) {
        return static_cast<std::int32_t>(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
    };
    std::vector<Distance> distances;
    for (const auto& c : cluster.constraints)
        distances.push_back({.i = place(c.i), .j = place(c.j), .length = c.length});
    return distances;
}

/// Points of which all distances are given: eigenvectors of the matrix of their scalar products about the mean
/// (I. J. Schoenberg, Ann. Math. 36, 724 (1935)).
Points embedded(std::size_t n, const std::vector<Distance>& distances)
{
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(size, size);
    for (const auto& d : distances) squares(d.i, d.j) = squares(d.j, d.i) = d.length * d.length;
    const Eigen::VectorXd rows = squares.rowwise().mean();
    Eigen::MatrixXd products = -0.5 * squares;
    products.rowwise() += 0.5 * rows.transpose();
    products.colwise() += 0.5 * rows;
    products.array() -= 0.5 * rows.mean();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
    Points x(n, Vec3::Zero());
    for (Eigen::Index k = 0; k < std::min<Eigen::Index>(3, size); ++k) {
        const auto largest = size - 1 - k;
        const double extent = std::sqrt(std::max(0.0, solver.eigenvalues()[largest]));
        for (std::size_t a = 0; a < n; ++a)
            x[a][k] = extent * solver.eigenvectors()(static_cast<Eigen::Index>(a), largest);
    }
    return x;
}

double largest_error(const Points& x, const std::vector<Distance>& distances)
{
    double largest = 0.0;
    for (const auto& d : distances) {
        const double error = std::abs(d.vector(x).norm() / d.length - 1.0);
        if (!(error <= largest)) largest = error; // not a number, too
    }
    return largest;
}

/// Moved to their distances, flat if these allow.
Points fitted(Points x, const std::vector<Distance>& distances)
{
    x = flattened(std::move(x));
    fit_distances(x, distances);
    return flattened(std::move(x));
}

/// Whether the distances bring atoms that were moved a little back to where all distances are as they were.
bool held(const Points& x, const std::vector<Distance>& distances)
{
    double mean = 0.0;
    for (const auto& d : distances) mean += d.length / static_cast<double>(distances.size());
    for (unsigned trial = 0; trial < kicks; ++trial) {
        const Philox random(trial + 1);
        auto moved = x;
        for (std::size_t a = 0; a < x.size(); ++a)
            for (unsigned k = 0; k < 3; ++k)
                moved[a][static_cast<int>(k)] +=
                    kick * mean * normal_pair(random(0, static_cast<std::uint32_t>(a), k))[0];
        fit_distances(moved, distances);
        for (std::size_t a = 0; a < x.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (!(std::abs((moved[a] - moved[b]).norm() - (x[a] - x[b]).norm()) < brought_back * mean))
                    return false;
    }
    return true;
}

/// Positions of some atoms, whole: each beside the nearest of those before it.
Points whole(std::span<const std::int32_t> atoms, std::span<const IVec3> positions, const Box& box)
{
    std::vector<IVec3> x;
    for (const auto atom : atoms) x.push_back(positions[index(atom)]);
    std::vector<std::size_t> nearest(x.size(), 0);
    std::vector<double> distance(x.size(), std::numeric_limits<double>::infinity());
    std::vector<std::size_t> left(x.size() - 1);
    std::iota(left.begin(), left.end(), 1);
    for (std::size_t last = 0; !left.empty();) {
        for (const auto a : left)
            if (const double to_last = to_real(box.minimum_image(x[a] - x[last]), position_unit).norm();
                to_last < distance[a]) {
                distance[a] = to_last;
                nearest[a] = last;
            }
        const auto next = std::ranges::min_element(left, {}, [&](std::size_t a) { return distance[a]; });
        last = *next;
        left.erase(next);
        x[last] = x[nearest[last]] + box.minimum_image(x[last] - x[nearest[last]]);
    }
    Points result;
    for (const auto& r : x) result.push_back(to_real(IVec3(r - x.front()), position_unit));
    return result;
}

bool movable(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    return std::ranges::all_of(cluster.atoms,
                               [&](std::int32_t atom) { return molecule.atoms[index(atom)].inverse_mass() > 0.0; });
}

RigidBody body_of(std::vector<std::int32_t> atoms, Points shape)
{
    const bool in_a_line = std::ranges::all_of(shape, [](const Vec3& r) { return r[1] == 0.0 && r[2] == 0.0; });
    return {.atoms = std::move(atoms), .shape = std::move(shape), .degrees_of_freedom = in_a_line ? 5 : 6, .given = {}};
}

[[noreturn]] void refuse(const MoleculeType& molecule, std::int32_t atom, const char* why)
{
    throw InputError(fmt::format("Molecule type {}: atom {} ({}) can not be in a rigid body: {}.", molecule.name,
                                 atom + 1, molecule.atoms[index(atom)].name, why));
}

/// Whether positions this far from their constraints say anything of the shape.
bool contradicts(double error, const ConstraintCluster& cluster)
{
    const bool from_angles = std::ranges::any_of(cluster.constraints, &Constraint::from_angle);
    return !(error < (from_angles ? angle_tolerance : length_tolerance));
}

} // namespace

std::optional<std::vector<Vec3>> shape_of_distances(const ConstraintCluster& cluster)
{
    if (!all_distances(cluster)) return {};
    const auto distances = distances_of(cluster);
    auto x = fitted(embedded(cluster.atoms.size(), distances), distances);
    if (contradicts(largest_error(x, distances), cluster)) return {};
    return x;
}

std::vector<RigidBody> rigid_clusters(const MoleculeType& molecule, std::span<const IVec3> positions, const Box& box)
{
    std::vector<RigidBody> bodies;
    for (const auto& cluster : find_clusters(molecule).clusters) {
        const auto n = cluster.atoms.size();
        if (!cluster.of_distances() || !movable(molecule, cluster)) continue;
        if (all_distances(cluster)) {
            auto shape = shape_of_distances(cluster);
            if (!shape)
                throw InputError(fmt::format(
                    "Molecule type {}: the constraints of atoms {} contradict each other: no points have these "
                    "distances. Correct the lengths and angles.",
                    molecule.name, atom_list(molecule, cluster.atoms)));
            bodies.push_back(body_of(cluster.atoms, std::move(*shape)));
            continue;
        }
        if (cluster.constraints.size() + 6 < 3 * n || n > most_examined) continue;
        const auto distances = distances_of(cluster);
        auto shape = fitted(whole(cluster.atoms, positions, box), distances);
        if (contradicts(largest_error(shape, distances), cluster) || !held(shape, distances)) continue;
        bodies.push_back(body_of(cluster.atoms, std::move(shape)));
    }
    return bodies;
}

RigidBody rigid_group(std::vector<std::int32_t> atoms, std::span<const IVec3> positions, const Box& box)
{
    auto shape = flattened(whole(atoms, positions, box));
    return body_of(std::move(atoms), std::move(shape));
}

double misfit(const RigidBody& body, std::span<const IVec3> positions, const Box& box)
{
    const auto x = whole(body.atoms, positions, box);
    double largest = 0.0;
    for (std::size_t a = 0; a < x.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            largest = std::max(largest, std::abs((x[a] - x[b]).norm() - (body.shape[a] - body.shape[b]).norm()));
    return largest;
}

void add_body(MoleculeType& molecule, RigidBody body)
{
    const auto within = [&](std::int32_t atom) { return std::ranges::binary_search(body.atoms, atom); };
    for (const auto& other : molecule.bodies)
        for (const auto atom : other.atoms)
            if (within(atom)) refuse(molecule, atom, "it is in another one");
    for (const auto& settle : molecule.settles)
        for (std::int32_t a = settle.oxygen; a < settle.oxygen + 3; ++a)
            if (within(a)) refuse(molecule, a, "it is in a rigid water, [ settles ]");
    for (const auto atom : body.atoms) {
        if (molecule.atoms[index(atom)].mass == 0.0) refuse(molecule, atom, "it has no mass");
        if (molecule.atoms[index(atom)].frozen) refuse(molecule, atom, "it is frozen");
    }
    const auto given = [&](const Constraint& c) { return within(c.i) && within(c.j); };
    std::ranges::copy_if(molecule.constraints, std::back_inserter(body.given), given);
    std::erase_if(molecule.constraints, given);
    molecule.bodies.push_back(std::move(body));
}

void refuse_links(const MoleculeType& molecule)
{
    for (const auto& body : molecule.bodies)
        for (const auto& c : molecule.constraints)
            for (const auto atom : {c.i, c.j})
                if (std::ranges::binary_search(body.atoms, atom))
                    refuse(
                        molecule, atom,
                        "a constraint binds it to an atom outside; leave that bond flexible, put both into the body, "
                        "or take constraint-algorithm = unit-newton, which keeps links of bodies");
}

} // namespace holon
