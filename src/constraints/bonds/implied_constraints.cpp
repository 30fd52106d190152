#include <holon/constraints/diagnosis.hpp>

#include "bond.hpp"
#include "distance_fit.hpp"

#include <holon/core/index.hpp>
#include <holon/core/random.hpp>

#include <Eigen/Dense>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <set>

namespace holon {

namespace {

/// Directions are independent if the box that their unit vectors span is larger than this.
constexpr double least_volume = 0.01;
/// A row of length one depends on others if this is what is left of it without them. Points are fitted far more closely
/// than to that.
constexpr double dependent = 1e-4;
/// Relative change of a distance, in a move of a fifth of it, up to which it is held by others.
constexpr double held = 1e-6;
/// How far a distance that is held by others may be from the one asked for: angles of force fields, which do not add up
/// (by seven degrees in a CH2 of OPLS-AA); what users write, by rounding.
constexpr double angle_tolerance = 0.06, length_tolerance = 0.002;
/// Up to so many constraints are examined at once; more are first sought through atom by atom. The cost is cubic.
constexpr std::size_t at_once = 150, most_at_once = 1500;
/// Positions further from the constraints than this say nothing about them, if they do not lead to them.
constexpr double far_away = 0.3;

/// Nothing leads out of an exact plane, not even errors of the lengths [nm].
constexpr double off_symmetry = 1e-3;

Vec3 noise(std::int32_t point)
{
    const Philox random(1);
    Vec3 result;
    for (int k = 0; k < 3; ++k)
        result[k] = normal_pair(random(0, static_cast<std::uint32_t>(point), static_cast<std::uint32_t>(k)))[0];
    return result;
}

using Links = std::vector<std::int32_t>;

class Search {
public:
    Search(const MoleculeType& molecule, std::span<const IVec3> positions, const Box& box) : molecule_(molecule)
    {
        std::map<std::int32_t, std::int32_t> point_of;
        const auto point = [&](std::int32_t atom) {
            const auto [entry, is_new] = point_of.try_emplace(atom, static_cast<std::int32_t>(atoms_.size()));
            if (is_new) {
                atoms_.push_back(atom);
                x_.push_back(to_real(positions[index(atom)], position_unit) + off_symmetry * noise(entry->second));
            }
            return entry->second;
        };
        for (const auto k : in_loops(molecule)) {
            const auto& c = molecule.constraints[index(k)];
            const IVec3 difference = positions[index(c.j)] - positions[index(c.i)];
            const Vec3 shift = to_real(IVec3(box.minimum_image(difference) - difference), position_unit);
            links_.push_back({point(c.i), point(c.j), c.length, shift, k});
        }
    }

    std::vector<ImpliedConstraint> run()
    {
        double before = 0.0;
        for (const auto& link : links_) before = std::max(before, relative_error(link, x_));
        const double after = fit_distances(x_, links_);
        if (links_.empty() || !std::isfinite(after) || (after > angle_tolerance && before > far_away)) return {};
        active_.assign(links_.size(), true);
        peel();
        for (const auto& part : components()) {
            if (part.size() <= at_once)
                examine(part);
            else
                examine_piecemeal(part);
        }
        peel();
        for (const auto& part : components())
            if (part.size() <= most_at_once) examine(part);
        return std::move(found_);
    }

private:
    static double relative_error(const Distance& link, const std::vector<Vec3>& x)
    {
        return std::abs(link.vector(x).norm() - link.length) / link.length;
    }

    /// Constraints without those that end at an atom without another one: nothing can depend on these.
    static Links in_loops(const MoleculeType& molecule)
    {
        std::vector<std::set<std::int32_t>> at(molecule.atoms.size());
        for (std::int32_t k = 0; k < static_cast<std::int32_t>(molecule.constraints.size()); ++k) {
            const auto& c = molecule.constraints[index(k)];
            for (const auto atom : {c.i, c.j}) at[index(atom)].insert(k);
        }
        for (std::size_t start = 0; start < at.size(); ++start)
            for (auto atom = start; at[atom].size() == 1;) {
                const auto k = *at[atom].begin();
                const auto& c = molecule.constraints[index(k)];
                at[index(c.i)].erase(k);
                at[index(c.j)].erase(k);
                atom = index(c.i) == atom ? index(c.j) : index(c.i);
            }
        std::set<std::int32_t> left;
        for (const auto& some : at) left.insert(some.begin(), some.end());
        return {left.begin(), left.end()};
    }

    std::vector<Links> links_at_points() const
    {
        std::vector<Links> at(x_.size());
        for (std::size_t k = 0; k < links_.size(); ++k)
            if (active_[k])
                for (const auto end : {links_[k].i, links_[k].j})
                    at[index(end)].push_back(static_cast<std::int32_t>(k));
        return at;
    }

    bool independent_directions(const Links& links) const
    {
        if (links.size() > 3) return false;
        Eigen::Matrix<double, 3, Eigen::Dynamic> unit(3, links.size());
        for (std::size_t n = 0; n < links.size(); ++n)
            unit.col(static_cast<Eigen::Index>(n)) = links_[index(links[n])].vector(x_).normalized();
        const Eigen::MatrixXd gram = unit.transpose() * unit;
        return gram.determinant() > least_volume * least_volume;
    }

    /// In a linear relation between constraints, those of each atom are balanced. So none is in it of an atom whose
    /// directions are independent.
    void peel()
    {
        auto at = links_at_points();
        std::deque<std::int32_t> queue(x_.size());
        std::iota(queue.begin(), queue.end(), 0);
        for (; !queue.empty(); queue.pop_front()) {
            auto& links = at[index(queue.front())];
            if (links.empty() || !independent_directions(links)) continue;
            for (const auto k : Links(links)) {
                active_[index(k)] = false;
                for (const auto end : {links_[index(k)].i, links_[index(k)].j}) {
                    std::erase(at[index(end)], k);
                    queue.push_back(end);
                }
            }
        }
    }

    /// Active constraints that are connected by atoms.
    std::vector<Links> components() const
    {
        const auto at = links_at_points();
        std::vector<bool> seen(links_.size(), false);
        std::vector<Links> result;
        for (std::size_t first = 0; first < links_.size(); ++first) {
            if (seen[first] || !active_[first]) continue;
            Links part{static_cast<std::int32_t>(first)};
            seen[first] = true;
            for (std::size_t n = 0; n < part.size(); ++n)
                for (const auto end : {links_[index(part[n])].i, links_[index(part[n])].j})
                    for (const auto k : at[index(end)]) {
                        if (seen[index(k)]) continue;
                        seen[index(k)] = true;
                        part.push_back(k);
                    }
            std::ranges::sort(part);
            result.push_back(std::move(part));
        }
        return result;
    }

    /// Points, in ascending order, of some links.
    std::vector<std::int32_t> points_of(const Links& links) const
    {
        std::vector<std::int32_t> points;
        for (const auto k : links) points.insert(points.end(), {links_[index(k)].i, links_[index(k)].j});
        std::ranges::sort(points);
        points.erase(std::ranges::unique(points).begin(), points.end());
        return points;
    }

    /// Examines the active ones of these links that are between a point and those bound to it, for each point.
    void examine_piecemeal(const Links& part)
    {
        const auto at = links_at_points();
        for (const auto point : points_of(part)) {
            std::set<std::int32_t> near{point};
            for (const auto k : at[index(point)])
                if (active_[index(k)]) near.insert({links_[index(k)].i, links_[index(k)].j});
            Links links;
            for (const auto p : near)
                for (const auto k : at[index(p)])
                    if (active_[index(k)] && links_[index(k)].i == p && near.contains(links_[index(k)].j))
                        links.push_back(k);
            std::ranges::sort(links);
            examine(links);
        }
    }

    /// Finds those of these constraints that depend on the others, and leaves them out if they follow from them.
    void examine(Links links)
    {
        // What is to be kept comes first: bonds, then angles of heavy atoms.
        std::ranges::stable_sort(links, {}, [this](std::int32_t k) {
            const auto& c = constraint(k);
            return std::pair(c.from_angle, -molecule_.atoms[index(c.i)].mass - molecule_.atoms[index(c.j)].mass);
        });
        const auto points = points_of(links);
        std::vector<Distance> kept;
        Links dependents;
        const auto size = 3 * static_cast<Eigen::Index>(points.size());
        Eigen::MatrixXd basis(size, std::min(size, static_cast<Eigen::Index>(links.size())));
        Eigen::MatrixXd rows(size, basis.cols());
        Eigen::Index n = 0;
        for (const auto k : links) {
            const auto link = numbered(links_[index(k)], points);
            Eigen::VectorXd row = Eigen::VectorXd::Zero(size);
            const Vec3 direction = std::sqrt(0.5) * links_[index(k)].vector(x_).normalized();
            row.segment<3>(3 * link.i) = -direction;
            row.segment<3>(3 * link.j) = direction;
            Eigen::VectorXd rest = row;
            for (int pass = 0; pass < 2; ++pass) // the second takes off what rounding has left
                rest -= basis.leftCols(n) * (basis.leftCols(n).transpose() * rest);
            if (rest.norm() < dependent) {
                dependents.push_back(k);
                continue;
            }
            rows.col(n) = row;
            basis.col(n++) = rest.normalized();
            kept.push_back(link);
        }
        if (dependents.empty()) return;
        leave_out(dependents, kept, points, basis.leftCols(n), rows.leftCols(n));
    }

    static Distance numbered(Distance link, const std::vector<std::int32_t>& points)
    {
        const auto place = [&](std::int32_t point) {
            return static_cast<std::int32_t>(std::ranges::lower_bound(points, point) - points.begin());
        };
        link.i = place(link.i);
        link.j = place(link.j);
        return link;
    }

    void leave_out(const Links& dependents, const std::vector<Distance>& kept, const std::vector<std::int32_t>& points,
                   const Eigen::MatrixXd& basis, const Eigen::MatrixXd& rows)
    {
        std::vector<Vec3> fitted;
        for (const auto p : points) fitted.push_back(x_[index(p)]);
        const double error = fit_distances(fitted, kept);
        const auto moved = moved_elsewhere(fitted, kept, basis);
        for (const auto k : dependents) {
            const auto link = numbered(links_[index(k)], points);
            const double length = link.vector(fitted).norm();
            const bool follows =
                error < held && std::abs(link.vector(moved).norm() - length) < held * std::max(length, link.length);
            const auto& c = constraint(k);
            const bool as_asked =
                std::abs(length - c.length) < (c.from_angle ? angle_tolerance : length_tolerance) * c.length;
            if (!follows || !as_asked) refuse(k, atoms_of_relation(link, kept, points, rows), follows, length);
            active_[index(k)] = false;
            found_.push_back({c, length});
        }
    }

    /// Other positions that keep these distances: those after a random move that keeps them to first order.
    static std::vector<Vec3> moved_elsewhere(std::vector<Vec3> x, const std::vector<Distance>& kept,
                                             const Eigen::MatrixXd& basis)
    {
        Eigen::VectorXd move(basis.rows());
        for (std::size_t a = 0; a < x.size(); ++a)
            move.segment<3>(3 * static_cast<Eigen::Index>(a)) = noise(static_cast<std::int32_t>(a));
        move -= basis * (basis.transpose() * move);
        double mean = 0.0;
        for (const auto& link : kept) mean += link.length / static_cast<double>(kept.size());
        move *= 0.2 * mean / std::max(move.cwiseAbs().maxCoeff(), 1e-30);
        for (std::size_t a = 0; a < x.size(); ++a) x[a] += move.segment<3>(3 * static_cast<Eigen::Index>(a));
        fit_distances(x, kept);
        return x;
    }

    /// Atoms, of the molecule, of the constraints that take part in the relation of one with others.
    std::vector<std::int32_t> atoms_of_relation(const Distance& link, const std::vector<Distance>& kept,
                                                const std::vector<std::int32_t>& points,
                                                const Eigen::MatrixXd& rows) const
    {
        Eigen::VectorXd row = Eigen::VectorXd::Zero(rows.rows());
        const Vec3 direction = std::sqrt(0.5) * links_[index(find(link.constraint))].vector(x_).normalized();
        row.segment<3>(3 * link.i) = -direction;
        row.segment<3>(3 * link.j) = direction;
        const Eigen::VectorXd share = rows.colPivHouseholderQr().solve(row);
        std::set<std::int32_t> atoms;
        const auto add = [&](const Distance& d) {
            for (const auto end : {d.i, d.j}) atoms.insert(atoms_[index(points[index(end)])]);
        };
        add(link);
        for (std::size_t k = 0; k < kept.size(); ++k)
            if (std::abs(share[static_cast<Eigen::Index>(k)]) > 1e-3 * share.cwiseAbs().maxCoeff()) add(kept[k]);
        return {atoms.begin(), atoms.end()};
    }

    std::int32_t find(std::int32_t constraint) const
    {
        return static_cast<std::int32_t>(std::ranges::lower_bound(links_, constraint, {}, &Distance::constraint) -
                                         links_.begin());
    }

    const Constraint& constraint(std::int32_t link) const
    {
        return molecule_.constraints[index(links_[index(link)].constraint)];
    }

    [[noreturn]] void refuse(std::int32_t link, const std::vector<std::int32_t>& atoms, bool follows,
                             double length) const
    {
        const auto& c = constraint(link);
        const std::string way_out =
            c.from_angle ? "Keep angles flexible: constraints = all-bonds, or h-angles if it is not that already; or "
                           "keep all of "
                           "them, flat groups too, with constraints = torsion-only."
                         : "Take some of them out of [ constraints ], or make some of the atoms that they hold "
                           "virtual sites of the others.";
        const std::array<std::int32_t, 2> ends{c.i, c.j};
        if (follows)
            throw InputError(fmt::format(
                "Molecule type {}: the constraints of atoms {} contradict each other: the rest puts atoms "
                "{} {:.5f} nm apart instead of {:.5f} nm. Correct the lengths and angles. {}",
                molecule_.name, atom_list(molecule_, atoms), atom_list(molecule_, ends), length, c.length, way_out));
        throw InputError(fmt::format(
            "Molecule type {}: the constraints of atoms {} can not be solved for: that of atoms {} depends on the rest "
            "without following from it, as in planar or linear groups of which all distances are fixed. Molecules that "
            "are rigid as a whole: constraint-algorithm = rigid. Otherwise: {}",
            molecule_.name, atom_list(molecule_, atoms), atom_list(molecule_, ends), way_out));
    }

    const MoleculeType& molecule_;
    std::vector<std::int32_t> atoms_; // of each point: index in the molecule
    std::vector<Vec3> x_;             // of each point [nm]
    std::vector<Distance> links_;     // by constraint
    std::vector<bool> active_;        // links that may depend on others
    std::vector<ImpliedConstraint> found_;
};

} // namespace

std::vector<ImpliedConstraint> implied_constraints(const MoleculeType& molecule, std::span<const IVec3> positions,
                                                   const Box& box)
{
    HOLON_ASSERT(positions.size() == molecule.atoms.size(), molecule.name);
    return Search(molecule, positions, box).run();
}

void leave_out(MoleculeType& molecule, const std::vector<ImpliedConstraint>& implied)
{
    for (const auto& one : implied) {
        const auto& c = one.constraint;
        const auto found = std::ranges::find_if(
            molecule.constraints, [&](const Constraint& other) { return other.i == c.i && other.j == c.j; });
        if (found == molecule.constraints.end())
            throw InputError(fmt::format("Molecule type {} has no constraint of atoms {} and {} to be left out.",
                                         molecule.name, std::int64_t{c.i} + 1, std::int64_t{c.j} + 1));
        molecule.implied.push_back({*found, one.length});
        molecule.constraints.erase(found);
    }
}

} // namespace holon
