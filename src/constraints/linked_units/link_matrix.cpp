#include "link_matrix.hpp"

#include <holon/constraints/rigid_shape.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holon {

namespace {

/// Of an inverse pivot, in units of the inverse diagonal: one over the square of that sine.
constexpr double max_growth = 1e11;

} // namespace

LinkMatrix::LinkMatrix(const LinkedShape& shape) : number_of_(shape.links.size())
{
    const auto n = static_cast<std::int32_t>(shape.links.size());
    std::vector<std::vector<std::int32_t>> at(shape.units.size()); // links of each unit
    for (std::int32_t k = 0; k < n; ++k)
        for (const auto unit : shape.links[index(k)].unit) at[index(unit)].push_back(k);
    std::set<Entry> entries;
    for (const auto& links : at)
        for (const auto k : links)
            for (const auto l : links) entries.insert({k, l});
    const auto order = elimination_order(n, n, {entries.begin(), entries.end()});
    for (std::int32_t p = 0; p < n; ++p) number_of_[index(order[index(p)])] = p;
    std::vector<Entry> numbered;
    for (const auto& [k, l] : entries) numbered.emplace_back(number_of_[index(k)], number_of_[index(l)]);
    std::ranges::sort(numbered);
    elimination_ = Elimination(n, n, numbered);
    for (const auto& [k, l] : entries)
        elements_.push_back({k, l, elimination_.position({number_of_[index(k)], number_of_[index(l)]})});
    values_.resize(elimination_.n_values());
    rhs_.resize(index(n));
    scale_.resize(index(n));
}

std::int32_t LinkMatrix::solve(const LinkedMotion& motion, std::span<const Vec3> s, std::vector<double>& g)
{
    std::ranges::fill(values_, 0.0);
    for (const auto& [row, column, position] : elements_) {
        const double value = dot(s[index(row)], motion.response(index(row), index(column)));
        values_[index(position)] = value;
        if (row == column) scale_[index(number_of_[index(row)])] = value;
    }
    for (std::size_t k = 0; k < g.size(); ++k) rhs_[index(number_of_[k])] = g[k];
    const bool sound = elimination_.factor(values_, rhs_, scale_, max_growth).is_sound;
    for (std::size_t k = 0; k < g.size() && !sound; ++k) {
        const double growth = elimination_.inverse_pivot(values_, number_of_[k]) * scale_[index(number_of_[k])];
        if (!(growth > 0.0 && growth < max_growth)) return static_cast<std::int32_t>(k);
    }
    elimination_.backward(values_, rhs_);
    for (std::size_t k = 0; k < g.size(); ++k) g[k] = rhs_[index(number_of_[k])];
    return -1;
}

void check_links(const MoleculeType& molecule, std::span<const IVec3> positions, const Box& box)
{
    for (const auto& cluster : find_clusters(molecule).clusters) {
        if (cluster.units.empty()) continue;
        for (const auto atom : cluster.atoms)
            if (molecule.atoms[index(atom)].inverse_mass() == 0.0)
                throw InputError(
                    fmt::format("Molecule type {}: atom {} ({}) is linked to rigid units by constraints and "
                                "is frozen. Leave that bond flexible.",
                                molecule.name, atom + 1, molecule.atoms[index(atom)].name));
        const LinkedShape shape(molecule, cluster);
        std::vector<IVec3> x;
        for (const auto atom : cluster.atoms) x.push_back(positions[index(atom)]);
        make_bodies_whole(shape, box, x);
        LinkedMotion motion(shape, x, x, box, true);
        std::vector<Vec3> directions;
        for (std::size_t k = 0; k < shape.links.size(); ++k) directions.push_back(motion.r(k));
        std::vector<double> unused(shape.links.size(), 0.0);
        const auto dependent = LinkMatrix(shape).solve(motion, directions, unused);
        if (dependent < 0) continue;
        std::array<std::int32_t, 2> ends{};
        for (std::size_t a = 0; a < 2; ++a) ends[a] = cluster.atoms[index(shape.links[index(dependent)].atom[a])];
        throw InputError(fmt::format("Molecule type {}: the constraint of atoms {}, which links rigid units, follows "
                                     "from others. Leave it out, or put both units into one (rigid-groups).",
                                     molecule.name, atom_list(molecule, ends)));
    }
}

} // namespace holon
