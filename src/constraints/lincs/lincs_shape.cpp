#include "lincs_shape.hpp"

#include <holon/core/index.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

template <class T>
std::span<const T> part(const std::vector<T>& all, const std::vector<std::int32_t>& begin, std::int32_t k)
{
    return std::span(all).subspan(index(begin[index(k)]), index(begin[index(k) + 1] - begin[index(k)]));
}

} // namespace

LincsShape::LincsShape(const MoleculeType& molecule, const ConstraintCluster& cluster) : molecule_name(molecule.name)
{
    for (const auto atom : cluster.atoms) inverse_mass.push_back(molecule.atoms[index(atom)].inverse_mass());
    const auto place = [&cluster](std::int32_t atom) {
        return static_cast<std::int32_t>(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
    };
    at_begin_.assign(cluster.atoms.size() + 1, 0);
    for (const auto& c : cluster.constraints) {
        first.push_back(place(c.i));
        second.push_back(place(c.j));
        length.push_back(c.length);
        scale.push_back(1.0 / std::sqrt(inverse_mass[index(first.back())] + inverse_mass[index(second.back())]));
        for (const auto atom : {first.back(), second.back()}) ++at_begin_[index(atom) + 1];
    }
    for (std::size_t a = 1; a < at_begin_.size(); ++a) at_begin_[a] += at_begin_[a - 1];
    at_.resize(2 * length.size());
    auto free = at_begin_;
    for (std::int32_t k = 0; k < size(); ++k)
        for (const auto atom : {first[index(k)], second[index(k)]}) at_[index(free[index(atom)]++)] = k;
    find_couplings();
}

void LincsShape::find_couplings()
{
    const auto other_end = [this](std::int32_t k, std::int32_t atom) {
        return first[index(k)] == atom ? second[index(k)] : first[index(k)];
    };
    const auto bound = [&](std::int32_t a, std::int32_t b) {
        return std::ranges::any_of(constraints_at(a), [&](std::int32_t k) { return other_end(k, a) == b; });
    };
    coupling_begin_.push_back(0);
    for (std::int32_t k = 0; k < size(); ++k) {
        const auto begin = couplings_.size();
        for (const auto atom : {first[index(k)], second[index(k)]})
            for (const auto l : constraints_at(atom)) {
                if (l == k) continue;
                const bool alike = (first[index(k)] == atom) == (first[index(l)] == atom);
                const double size_of = scale[index(k)] * scale[index(l)] * inverse_mass[index(atom)];
                const bool triangle = bound(other_end(k, atom), other_end(l, atom));
                has_triangles = has_triangles || triangle;
                couplings_.push_back({l, atom, triangle, alike ? -size_of : size_of});
            }
        std::ranges::sort(couplings_.begin() + static_cast<std::ptrdiff_t>(begin), couplings_.end(), {},
                          &Coupling::constraint);
        coupling_begin_.push_back(static_cast<std::int32_t>(couplings_.size()));
    }
}

std::span<const LincsShape::Coupling> LincsShape::couplings_of(std::int32_t constraint) const
{
    return part(couplings_, coupling_begin_, constraint);
}

std::span<const std::int32_t> LincsShape::constraints_at(std::int32_t atom) const
{
    return part(at_, at_begin_, atom);
}

std::vector<LincsReach::Found> LincsReach::operator()(std::span<const std::int32_t> atoms)
{
    std::vector<std::int32_t> reached;
    for (const auto atom : atoms)
        for (const auto k : shape_.constraints_at(atom)) {
            if (known_[index(k)] == 0) reached.push_back(k);
            known_[index(k)] = 1;
        }
    grow(reached, 1, false);
    if (shape_.has_triangles) grow(reached, order_, true);
    std::vector<Found> found;
    for (int shell = 0; shell <= order_; ++shell) {
        if (shell > 0) grow(reached, 1, false);
        for (auto n = found.size(); n < reached.size(); ++n)
            found.push_back({reached[n], shape_.has_triangles ? 0 : shell});
    }
    for (const auto k : reached) known_[index(k)] = 0;
    std::ranges::sort(found, {}, [](const Found& f) { return std::pair(f.shell, f.constraint); });
    return found;
}

void LincsReach::grow(std::vector<std::int32_t>& found, int couplings, bool triangles_only)
{
    std::size_t begin = 0;
    for (int step = 0; step < couplings && begin < found.size(); ++step) {
        const auto end = found.size();
        for (; begin < end; ++begin)
            for (const auto& coupling : shape_.couplings_of(found[begin])) {
                if (known_[index(coupling.constraint)] != 0 || (triangles_only && !coupling.triangle)) continue;
                known_[index(coupling.constraint)] = 1;
                found.push_back(coupling.constraint);
            }
    }
}

void need_within_reach(const LincsShape& shape, int order, const ConstraintCluster& cluster, MoleculeNeeds& needs)
{
    LincsReach reach(shape, order);
    for (std::int32_t place = 0; place < static_cast<std::int32_t>(cluster.atoms.size()); ++place) {
        auto& beyond = needs.beyond[index(cluster.atoms[index(place)])];
        for (const auto& found : reach(std::span(&place, 1))) {
            const auto k = index(found.constraint);
            for (const auto end : {shape.first[k], shape.second[k]}) beyond.push_back(cluster.atoms[index(end)]);
        }
        std::ranges::sort(beyond);
        beyond.erase(std::ranges::unique(beyond).begin(), beyond.end());
    }
    for (const auto atom : cluster.atoms) needs.needed[index(atom)] = true;
}

} // namespace holon
