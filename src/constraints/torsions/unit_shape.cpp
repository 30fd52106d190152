#include "unit_shape.hpp"

#include <holon/core/index.hpp>

#include "bonds/distance_fit.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>

namespace holon::torsions {

namespace {

using Points = std::vector<Vec3>;

/// Constraints are taken that are this independent of those before them, as long as there are any: the sine of the
/// angle between their gradient and what those span.
constexpr std::array<double, 4> independence{0.3, 0.1, 0.03, 1e-3};

std::int32_t place_in(const TorsionUnit& unit, std::int32_t atom)
{
    return static_cast<std::int32_t>(std::ranges::lower_bound(unit.atoms, atom) - unit.atoms.begin());
}

/// From atom to atom along bonds.
Points whole(const TorsionUnit& unit, const Skeleton& skeleton, std::span<const IVec3> positions, const Box& box)
{
    std::vector<IVec3> x(unit.atoms.size());
    std::vector<bool> reached(unit.atoms.size(), false);
    std::vector<std::int32_t> order{unit.atoms.front()};
    x[0] = positions[index(order[0])];
    reached[0] = true;
    for (std::size_t n = 0; n < order.size(); ++n)
        for (const auto next : skeleton.bound[index(order[n])]) {
            if (!std::ranges::binary_search(unit.atoms, next) || reached[index(place_in(unit, next))]) continue;
            const auto &here = x[index(place_in(unit, order[n]))], &there = positions[index(next)];
            x[index(place_in(unit, next))] = here + box.minimum_image(there - here);
            reached[index(place_in(unit, next))] = true;
            order.push_back(next);
        }
    Points result;
    for (const auto& r : x) result.push_back(to_real(IVec3(r - x.front()), position_unit));
    return result;
}

/// Turned to the principal axes, without what is off their plane.
Points flattened(Points x)
{
    x = on_principal_axes(std::move(x));
    for (auto& r : x) r[2] = 0.0;
    return x;
}

std::vector<Distance> distances_in(const TorsionUnit& unit, const std::map<AtomPair, double>& lengths)
{
    std::vector<Distance> result;
    for (std::size_t a = 0; a < unit.atoms.size(); ++a)
        for (std::size_t b = a + 1; b < unit.atoms.size(); ++b)
            if (const auto found = lengths.find({unit.atoms[a], unit.atoms[b]}); found != lengths.end())
                result.push_back(
                    {.i = static_cast<std::int32_t>(a), .j = static_cast<std::int32_t>(b), .length = found->second});
    return result;
}

/// Pairs of a unit's atoms, bonds first, then by distance.
std::vector<AtomPair> candidates(const TorsionUnit& unit, const Skeleton& skeleton)
{
    std::vector<AtomPair> pairs;
    const auto n = static_cast<std::int32_t>(unit.atoms.size());
    for (std::int32_t a = 0; a < n; ++a)
        for (std::int32_t b = a + 1; b < n; ++b) pairs.emplace_back(a, b);
    std::ranges::stable_sort(pairs, {}, [&](const AtomPair& pair) {
        const auto [a, b] = pair;
        const bool bond = skeleton.is_bond(unit.atoms[index(a)], unit.atoms[index(b)]);
        return std::pair(!bond, std::round(1e6 * (unit.shape[index(a)] - unit.shape[index(b)]).norm()));
    });
    return pairs;
}

/// Those of the pairs whose distances do not depend on each other, as many as make the unit rigid in its dimensions.
std::vector<AtomPair> independent(const TorsionUnit& unit, std::vector<AtomPair> pairs)
{
    const Eigen::Index dimensions = unit.planar ? 2 : 3, n = std::ssize(unit.atoms);
    const Eigen::Index wanted = dimensions * n - (unit.planar ? 3 : 6);
    Eigen::MatrixXd basis(dimensions * n, wanted);
    Eigen::Index found = 0;
    std::vector<AtomPair> taken;
    for (const double least : independence) {
        std::vector<AtomPair> left;
        for (const auto& pair : pairs) {
            if (found == wanted) return taken;
            const auto [a, b] = pair;
            const Vec3 along = std::sqrt(0.5) * (unit.shape[index(b)] - unit.shape[index(a)]).normalized();
            Eigen::VectorXd row = Eigen::VectorXd::Zero(dimensions * n);
            row.segment(dimensions * a, dimensions) = -along.head(dimensions);
            row.segment(dimensions * b, dimensions) = along.head(dimensions);
            for (int pass = 0; pass < 2; ++pass) // the second takes off what rounding has left
                row -= basis.leftCols(found) * (basis.leftCols(found).transpose() * row);
            if (row.norm() < least) {
                left.push_back(pair);
                continue;
            }
            basis.col(found++) = row.normalized();
            taken.push_back(pair);
        }
        pairs = std::move(left);
    }
    return taken;
}

/// The triangle of the largest area, and every other atom in its plane.
void add_planes(const TorsionUnit& unit, std::vector<PlaneConstraint>& planes)
{
    const auto n = static_cast<std::int32_t>(unit.atoms.size());
    std::array<std::int32_t, 3> base{};
    double largest = 0.0;
    for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t j = i + 1; j < n; ++j)
            for (std::int32_t k = j + 1; k < n; ++k) {
                const auto& x = unit.shape;
                const double area = (x[index(j)] - x[index(i)]).cross(x[index(k)] - x[index(i)]).norm();
                if (area <= 1.0001 * largest) continue;
                largest = area;
                base = {i, j, k};
            }
    for (std::int32_t l = 0; l < n; ++l)
        if (std::ranges::find(base, l) == base.end())
            planes.push_back({{unit.atoms[index(base[0])], unit.atoms[index(base[1])], unit.atoms[index(base[2])],
                               unit.atoms[index(l)]},
                              largest});
}

} // namespace

TorsionUnit shaped(const UnitAtoms& unit, const Skeleton& skeleton, std::span<const IVec3> positions, const Box& box,
                   double& worst)
{
    TorsionUnit result{{unit.atoms.begin(), unit.atoms.end()}, {}, unit.planar};
    auto& x = result.shape;
    x = whole(result, skeleton, positions, box);
    if (unit.planar) x = flattened(std::move(x));
    const auto bonds = distances_in(result, skeleton.bonds), angles = distances_in(result, skeleton.angles);
    auto all = bonds;
    all.insert(all.end(), angles.begin(), angles.end());
    fit_distances(x, all);
    fit_distances(x, bonds);
    for (const auto& d : angles) worst = std::max(worst, std::abs(d.vector(x).norm() / d.length - 1.0));
    return result;
}

void add_constraints(const TorsionUnit& unit, const Skeleton& skeleton, TorsionOnly& result)
{
    for (const auto& [a, b] : independent(unit, candidates(unit, skeleton))) {
        const auto i = unit.atoms[index(a)], j = unit.atoms[index(b)];
        if (!skeleton.is_bond(i, j)) // bonds are there already
            result.constraints.push_back({i, j, (unit.shape[index(a)] - unit.shape[index(b)]).norm(), true});
    }
    if (unit.planar && unit.atoms.size() > 3) add_planes(unit, result.planes);
}

} // namespace holon::torsions
