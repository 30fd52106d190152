#include "unit_search.hpp"

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace holon::torsions {

namespace {

/// Three angles around a flat atom add up to more than this; those of a flat ring, to less than 360 degrees an atom
/// less two angles of 180, by no more than this.
constexpr double flat_sum = 345.0 * units::degree, flat_ring = 8.0 * units::degree;
/// Rings of up to so many atoms do not turn; no larger ones are looked at.
constexpr std::size_t rigid_ring = 5, largest_ring = 8;

using Ring = std::vector<std::int32_t>;

/// [rad]; by halves, with the same bits anywhere.
double angle_of(double cosine)
{
    double low = 0.0, high = 180.0 * units::degree;
    for (int n = 0; n < 50; ++n) {
        const double middle = 0.5 * (low + high);
        (portable::cos(middle) > cosine ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

class Search {
public:
    explicit Search(const Skeleton& skeleton) : skeleton_(skeleton)
    {
        for (std::int32_t a = 0; a < n_atoms(); ++a) flat_.push_back(is_flat(a));
    }

    std::vector<UnitAtoms> run()
    {
        for (std::int32_t a = 0; a < n_atoms(); ++a)
            if (skeleton_.bound[index(a)].size() > 1) units_.push_back(star(a));
        for (const auto& ring : rings()) {
            const bool flat = is_flat_ring(ring);
            if (ring.size() <= rigid_ring || flat) units_.push_back(around(ring, flat));
        }
        while (merge()) {
        }
        return std::move(units_);
    }

private:
    std::int32_t n_atoms() const { return static_cast<std::int32_t>(skeleton_.bound.size()); }

    bool is_flat(std::int32_t atom) const
    {
        const auto& ends = skeleton_.bound[index(atom)];
        if (ends.size() != 3) return ends.size() == 2;
        double sum = 0.0;
        for (std::size_t n = 0; n < 3; ++n) {
            const double cosine = skeleton_.cosine(ends[n], atom, ends[(n + 1) % 3]);
            if (cosine > 1.0) return false;
            sum += angle_of(cosine);
        }
        return sum > flat_sum;
    }

    UnitAtoms star(std::int32_t atom) const
    {
        const auto& ends = skeleton_.bound[index(atom)];
        UnitAtoms unit{{ends.begin(), ends.end()}, flat_[index(atom)]};
        unit.atoms.insert(atom);
        return unit;
    }

    /// The shortest way from one end of a bond to the other without it.
    std::optional<Ring> ring_of(const AtomPair& bond) const
    {
        std::map<std::int32_t, std::int32_t> from{{bond.first, -1}};
        std::vector<std::int32_t> tier{bond.first};
        for (std::size_t n = 2; n <= largest_ring && !tier.empty(); ++n) {
            std::vector<std::int32_t> next;
            for (const auto a : tier)
                for (const auto b : skeleton_.bound[index(a)]) {
                    if ((a == bond.first && b == bond.second) || !from.try_emplace(b, a).second) continue;
                    next.push_back(b);
                }
            if (from.contains(bond.second)) break;
            tier = std::move(next);
        }
        if (!from.contains(bond.second)) return {};
        Ring ring;
        for (auto a = bond.second; a >= 0; a = from.at(a)) ring.push_back(a);
        return ring;
    }

    std::vector<Ring> rings() const
    {
        std::vector<Ring> result;
        std::set<std::set<std::int32_t>> seen;
        for (const auto& [bond, length] : skeleton_.bonds)
            if (auto ring = ring_of(bond); ring && seen.insert({ring->begin(), ring->end()}).second)
                result.push_back(std::move(*ring));
        return result;
    }

    bool is_flat_ring(const Ring& ring) const
    {
        double sum = 0.0;
        for (std::size_t n = 0; n < ring.size(); ++n) {
            const auto before = ring[(n + ring.size() - 1) % ring.size()], after = ring[(n + 1) % ring.size()];
            const double cosine = skeleton_.cosine(before, ring[n], after);
            if (!flat_[index(ring[n])] || cosine > 1.0) return false;
            sum += angle_of(cosine);
        }
        return sum > 180.0 * units::degree * static_cast<double>(ring.size() - 2) - flat_ring;
    }

    UnitAtoms around(const Ring& ring, bool flat) const
    {
        UnitAtoms unit{{}, flat};
        for (const auto a : ring) unit.atoms.merge(star(a).atoms);
        return unit;
    }

    /// What can not turn about a bond: units that share more than two atoms, or two that are not bound to each other.
    bool share_too_much(const UnitAtoms& a, const UnitAtoms& b) const
    {
        std::vector<std::int32_t> both;
        std::ranges::set_intersection(a.atoms, b.atoms, std::back_inserter(both));
        return both.size() > 2 || (both.size() == 2 && !skeleton_.is_bond(both[0], both[1]));
    }

    bool merge()
    {
        bool any = false;
        std::vector<std::set<std::size_t>> units_at(skeleton_.bound.size());
        for (std::size_t u = 0; u < units_.size(); ++u) {
            std::set<std::size_t> others;
            for (const auto a : units_[u].atoms) others.insert(units_at[index(a)].begin(), units_at[index(a)].end());
            for (const auto other : others) {
                if (units_[other].atoms.empty() || !share_too_much(units_[u], units_[other])) continue;
                units_[u].planar = units_[u].planar && units_[other].planar;
                units_[u].atoms.merge(units_[other].atoms);
                units_[other].atoms.clear();
                any = true;
            }
            for (const auto a : units_[u].atoms) units_at[index(a)].insert(u);
        }
        std::erase_if(units_, [](const UnitAtoms& unit) { return unit.atoms.empty(); });
        return any;
    }

    const Skeleton& skeleton_;
    std::vector<bool> flat_; // per atom: in the plane of what is bound to it
    std::vector<UnitAtoms> units_;
};

} // namespace

Skeleton::Skeleton(const MoleculeType& molecule) : bound(molecule.atoms.size())
{
    for (const auto& c : molecule.constraints) {
        (c.from_angle ? angles : bonds)[{c.i, c.j}] = c.length;
        if (c.from_angle) continue;
        bound[index(c.i)].push_back(c.j);
        bound[index(c.j)].push_back(c.i);
    }
    for (auto& others : bound) std::ranges::sort(others);
}

double Skeleton::cosine(std::int32_t a, std::int32_t b, std::int32_t c) const
{
    const auto length = [&](const std::map<AtomPair, double>& lengths) {
        const auto found = lengths.find(std::minmax(a, c));
        return found == lengths.end() ? 0.0 : found->second;
    };
    const double ac = std::max(length(angles), length(bonds));
    if (ac == 0.0) return 2.0;
    const double ab = bonds.at(std::minmax(a, b)), bc = bonds.at(std::minmax(b, c));
    return std::clamp((ab * ab + bc * bc - ac * ac) / (2.0 * ab * bc), -1.0, 1.0);
}

std::vector<UnitAtoms> find_units(const Skeleton& skeleton)
{
    return Search(skeleton).run();
}

} // namespace holon::torsions
