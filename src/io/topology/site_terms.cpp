#include "sites.hpp"

#include <holon/core/index.hpp>

#include <algorithm>
#include <array>
#include <span>

/// Which interactions virtual sites make constant: those that grompp takes out of a topology. (It keeps some that are
/// constant, too, as all at the sites of [ virtual_sitesn ]; that costs time, but changes no force.)
namespace holon {

namespace {

using AtomList = std::span<const std::int32_t>;

class ConstantTerms {
public:
    /// `site_of`: per atom its site, or null.
    ConstantTerms(std::vector<const VirtualSite*> site_of, std::vector<bool> is_site, const RigidParts& rigid)
        : site_of_(std::move(site_of)), is_site_(std::move(is_site)), rigid_(rigid)
    {
    }

    /// Also if the bond is a constraint, `rigid`: then its length is not kept by the site, but nothing else can do it.
    bool bond(AtomList atoms, bool rigid) const
    {
        for (std::size_t k = 0; k < 2; ++k) {
            const auto* const site = site_at(atoms[k]);
            if (site == nullptr) continue;
            const bool held = at_distance(*site) || (rigid && site->kind == SiteKind::out_of_plane);
            if (held && !is_site_[index(atoms[1 - k])] && atoms[1 - k] == site->parents.front()) return true;
        }
        if (!of_one_set(atoms, true) || !all_from(atoms)) return false;
        return (all(atoms, at_distance) && all_first_two(atoms)) || parents_rigid(atoms);
    }

    bool angle(AtomList atoms) const
    {
        if (!of_one_set(atoms, true) || !all_from(atoms)) return false;
        const auto at_angle = [](const VirtualSite& site) { return site.kind == SiteKind::plane_angle; };
        return (all(atoms, at_angle) && all_first_two(atoms)) || parents_rigid(atoms);
    }

    bool dihedral(AtomList atoms) const { return of_one_set(atoms, false) && all_from(atoms); }

private:
    static bool at_distance(const VirtualSite& site)
    {
        return site.kind == SiteKind::plane_distance || site.kind == SiteKind::plane_angle ||
               site.kind == SiteKind::four_atoms;
    }
    const VirtualSite* site_at(std::int32_t atom) const { return site_of_[index(atom)]; }

    const VirtualSite* first_site(AtomList atoms) const
    {
        const auto found = std::ranges::find_if(atoms, [this](std::int32_t a) { return site_at(a) != nullptr; });
        return found == atoms.end() ? nullptr : site_at(*found);
    }

    template <class Is>
    bool all(AtomList atoms, Is is) const
    {
        return std::ranges::all_of(atoms, [&](std::int32_t a) { return site_at(a) == nullptr || is(*site_at(a)); });
    }

    /// There are sites, and all have the same parents. Unless `strict`, those with another number of them do not count.
    bool of_one_set(AtomList atoms, bool strict) const
    {
        const auto* const first = first_site(atoms);
        if (first == nullptr) return false;
        return all(atoms, [&](const VirtualSite& site) {
            if (site.parents.size() != first->parents.size()) return !strict;
            return std::ranges::all_of(site.parents, [&](std::int32_t p) {
                return std::ranges::find(first->parents, p) != first->parents.end();
            });
        });
    }

    /// All atoms that are no sites are parents of the first site.
    bool all_from(AtomList atoms) const
    {
        const auto& parents = first_site(atoms)->parents;
        return std::ranges::all_of(atoms, [&](std::int32_t a) {
            return is_site_[index(a)] || std::ranges::find(parents, a) != parents.end();
        });
    }

    /// Of its parents only the first two.
    bool all_first_two(AtomList atoms) const
    {
        const auto& parents = first_site(atoms)->parents;
        return std::ranges::all_of(atoms, [&](std::int32_t a) {
            return is_site_[index(a)] || std::ranges::find(parents, a) - parents.begin() < 2;
        });
    }

    /// Each is constrained to the next, and the last to the first.
    bool parents_rigid(AtomList atoms) const
    {
        const auto& parents = first_site(atoms)->parents;
        for (std::size_t k = 0; k < parents.size(); ++k)
            if (!rigid_.constrains(parents[k], parents[(k + 1) % parents.size()])) return false;
        return true;
    }

    std::vector<const VirtualSite*> site_of_; // null also for sites of [ virtual_sitesn ]
    std::vector<bool> is_site_;
    const RigidParts& rigid_;
};

template <class IsConstant>
void remove(MoleculeType& molecule, Interaction kind, IsConstant is_constant)
{
    const auto n = index(interaction_info[index(static_cast<int>(kind))].atoms);
    auto& list = molecule.interactions[index(static_cast<int>(kind))];
    InteractionList kept;
    for (std::size_t t = 0; t < list.size(); ++t) {
        const auto atoms = std::span(list.atoms).subspan(n * t, n);
        if (is_constant(atoms)) continue;
        kept.atoms.insert(kept.atoms.end(), atoms.begin(), atoms.end());
        kept.parameters.push_back(list.parameters[t]);
    }
    list = std::move(kept);
}

} // namespace

void SiteReader::remove_constant_terms(MoleculeType& molecule, RigidParts& rigid) const
{
    using enum Interaction;
    std::vector<const VirtualSite*> site_of(molecule.atoms.size(), nullptr);
    std::vector<bool> is_site(molecule.atoms.size(), false);
    for (const auto& line : lines_) {
        is_site[index(line.site.atom)] = true;
        if (!line.mean) site_of[index(line.site.atom)] = &line.site;
    }
    const ConstantTerms constant(std::move(site_of), std::move(is_site), rigid);
    for (const auto kind : {harmonic_bond, g96_bond, morse_bond})
        remove(molecule, kind, [&](AtomList atoms) { return constant.bond(atoms, false); });
    for (const auto kind : {harmonic_angle, g96_angle, urey_bradley})
        remove(molecule, kind, [&](AtomList atoms) { return constant.angle(atoms); });
    for (const auto kind : {proper_dihedral, harmonic_improper})
        remove(molecule, kind, [&](AtomList atoms) { return constant.dihedral(atoms); });
    rigid.remove_constraints([&](std::int32_t i, std::int32_t j) { return constant.bond(std::array{i, j}, true); });
}

} // namespace holon
