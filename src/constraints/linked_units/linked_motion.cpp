#include "linked_motion.hpp"

#include <algorithm>

namespace holon {

LinkedShape::LinkedShape(const MoleculeType& molecule, const ConstraintCluster& cluster)
    : molecule_name(molecule.name), n_atoms(cluster.atoms.size())
{
    const auto place = [&](std::int32_t atom) {
        return static_cast<std::int32_t>(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
    };
    std::vector<std::int32_t> unit_of(n_atoms, -1), site_of(n_atoms, 0);
    for (const auto& body : cluster.units) {
        auto& unit = units.emplace_back();
        unit.body = &bodies.emplace_back(molecule, body);
        double mass = 0.0;
        for (const auto atom : body.atoms) {
            unit_of[index(place(atom))] = static_cast<std::int32_t>(units.size()) - 1;
            site_of[index(place(atom))] = static_cast<std::int32_t>(unit.atoms.size());
            unit.atoms.push_back(place(atom));
            mass += molecule.atoms[index(atom)].mass;
        }
        unit.inverse_mass = 1.0 / mass;
    }
    for (std::size_t a = 0; a < n_atoms; ++a) {
        if (unit_of[a] >= 0) continue;
        unit_of[a] = static_cast<std::int32_t>(units.size());
        units.push_back({.body = nullptr,
                         .inverse_mass = molecule.atoms[index(cluster.atoms[a])].inverse_mass(),
                         .atoms = {static_cast<std::int32_t>(a)}});
    }
    for (const auto& c : cluster.constraints) {
        const auto i = place(c.i), j = place(c.j);
        lengths.push_back({i, j, c.length * c.length});
        if (unit_of[index(i)] == unit_of[index(j)]) continue;
        links.push_back({.unit = {unit_of[index(i)], unit_of[index(j)]},
                         .site = {site_of[index(i)], site_of[index(j)]},
                         .atom = {i, j},
                         .d2 = lengths.back().d2});
    }
}

void make_bodies_whole(const LinkedShape& shape, const Box& box, std::span<IVec3> positions)
{
    for (const auto& unit : shape.units) {
        if (unit.body == nullptr) continue;
        for (const auto& [from, to] : unit.body->chain()) {
            const auto& here = positions[index(unit.atoms[from])];
            auto& there = positions[index(unit.atoms[to])];
            there = here + box.minimum_image(there - here);
        }
    }
}

LinkedMotion::LinkedMotion(const LinkedShape& shape, std::span<const IVec3> reference, std::span<const IVec3> trial,
                           const Box& box, bool velocities)
    : shape_(&shape), multipliers_(shape.links.size(), 0.0)
{
    const double unit_of_trial = velocities ? velocity_unit : position_unit;
    std::vector<Vec3> r, s;
    for (const auto& unit : shape.units) {
        r.clear();
        s.clear();
        const auto first = index(unit.atoms.front());
        for (const auto atom : unit.atoms) {
            r.push_back(to_real(IVec3(reference[index(atom)] - reference[first]), position_unit));
            s.push_back(to_real(IVec3(trial[index(atom)] - trial[first]), unit_of_trial));
        }
        units_.emplace_back(unit, r, s, velocities);
    }
    for (const auto& link : shape.links) {
        const auto i = index(link.atom[0]), j = index(link.atom[1]);
        r_.push_back(to_real(box.minimum_image(reference[j] - reference[i]), position_unit));
        const IVec3 between = trial[j] - trial[i];
        trial_.push_back(to_real(velocities ? between : box.minimum_image(between), unit_of_trial));
    }
}

Vec3 LinkedMotion::s(std::size_t link) const
{
    const auto& [unit, site, atom, d2] = shape_->links[link];
    return trial_[link] +
           (units_[index(unit[1])].change(index(site[1])) - units_[index(unit[0])].change(index(site[0])));
}

void LinkedMotion::push(std::size_t link, double more)
{
    const auto& [unit, site, atom, d2] = shape_->links[link];
    multipliers_[link] += more;
    units_[index(unit[0])].push(index(site[0]), more * r_[link]);
    units_[index(unit[1])].push(index(site[1]), -more * r_[link]);
}

bool LinkedMotion::settle()
{
    bool all = true;
    for (auto& unit : units_) all = unit.settle() && all;
    return all;
}

bool LinkedMotion::settle(std::size_t link)
{
    const auto& units = shape_->links[link].unit;
    return units_[index(units[0])].settle() && units_[index(units[1])].settle();
}

Vec3 LinkedMotion::response(std::size_t link, std::size_t from) const
{
    const auto &to = shape_->links[link], &source = shape_->links[from];
    Vec3 sum = Vec3::Zero();
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 2; ++b) {
            if (to.unit[a] != source.unit[b]) continue;
            const double sign = a == b ? 1.0 : -1.0;
            sum += sign * units_[index(to.unit[a])].response(index(to.site[a]), index(source.site[b]), r_[from]);
        }
    return sum;
}

bool LinkedMotion::is_sound() const
{
    return std::ranges::all_of(units_, &UnitMotion::is_sound);
}

/// Of what happens in the units, each about its centre, and of the impulses between centres.
void LinkedMotion::add_virial(VirialSum& virial, double force_factor) const
{
    for (const auto& unit : units_) unit.add_virial(virial, force_factor);
    for (std::size_t k = 0; k < r_.size(); ++k) {
        const auto& [unit, site, atom, d2] = shape_->links[k];
        const Vec3 between =
            r_[k] - units_[index(unit[1])].lever(index(site[1])) + units_[index(unit[0])].lever(index(site[0]));
        virial.add(between, -multipliers_[k] * r_[k], force_factor);
    }
}

} // namespace holon
