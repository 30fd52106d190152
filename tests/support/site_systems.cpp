#include <support/site_systems.hpp>

#include <virtual_sites/constructions.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace holon::test {

TestSystem four_site_water(const Mat3& vectors, int n, unsigned seed)
{
    constexpr double d_oh = 0.09572, d_hh = 0.15139, weight = 0.13193828;
    TestSystem system(vectors);
    system.set_types({spce_oxygen_lj, {0.0, 0.0}});
    auto type = rigid_water(d_oh, d_hh);
    type.atoms.push_back(type.atoms.back());
    type.atoms[3].mass = 0.0;
    type.atoms[3].name = "M";
    type.atoms[3].charge = -1.1128;
    for (const std::size_t a : {1, 2, 3}) type.atoms[a].type = 1;
    for (const std::size_t h : {1, 2}) type.atoms[h].charge = 0.5564;
    type.exclusions = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    type.virtual_sites = {{3, SiteKind::linear, {0, 1, 2}, {weight, weight}}};
    Noise noise(seed);
    std::vector<Vec3> positions;
    for (const auto& oxygen : jittered_lattice(vectors, n, 0.03, noise)) {
        for (const auto& r : water_positions(oxygen, noise, d_oh, d_hh)) positions.push_back(r);
        positions.emplace_back(oxygen + 0.05 * noise.vector());
    }
    system.add(std::move(type), positions);
    return system;
}

SitesOnAChain::SitesOnAChain(const Mat3& vectors, int n) : system_(chain(vectors, n)), box_(system_.box)
{
    auto& type = system_.topology->molecule_types[0];
    for (const auto& atom : system_.atoms) x_.push_back(to_real(atom.x, position_unit));
    const auto beads = static_cast<std::int32_t>(x_.size());
    for (std::int32_t bead = 0; bead < beads; bead += 2) add_next(type, bead);
    exclude_close(type);
}

TestSystem SitesOnAChain::take()
{
    TestSystem result(box_.vectors(), 22);
    result.topology->parameters = system_.topology->parameters;
    auto type = system_.topology->molecule_types[0];
    type.interactions[static_cast<std::size_t>(Interaction::excluded_pair)] = {};
    result.set_types({argon_lj, spce_oxygen_lj, {0.0, 0.0}});
    result.add(std::move(type), x_);
    return result;
}

void SitesOnAChain::add_next(MoleculeType& type, std::int32_t bead)
{
    static const std::vector<VirtualSite> kinds = {{0, SiteKind::linear, {0}, {}},
                                                   {0, SiteKind::linear, {0, 1}, {0.4}},
                                                   {0, SiteKind::line_distance, {0, 1}, {-0.12}},
                                                   {0, SiteKind::linear, {0, 1, 2}, {0.3, -0.2}},
                                                   {0, SiteKind::plane_distance, {0, 1, 2}, {0.4, 0.13}},
                                                   {0, SiteKind::plane_angle, {0, 1, 2}, {-0.04, 0.11}},
                                                   {0, SiteKind::out_of_plane, {0, 1, 2}, {0.2, 0.2, -1.1}},
                                                   {0, SiteKind::four_atoms, {0, 1, 2, 3}, {1.1, 0.9, 0.14}}};
    const auto near = around(bead);
    auto site = kinds[static_cast<std::size_t>(bead / 2) % kinds.size()];
    for (auto& parent : site.parents) parent = near[static_cast<std::size_t>(parent)];
    const auto first = add(type, std::move(site), near[0]);
    if (bead % 6 != 0) return;
    VirtualSite mean{0, SiteKind::linear, {near.begin(), near.end()}, {}};
    mean.parameters.assign(near.size() - 1, 1.0 / static_cast<double>(near.size()));
    add(type, mean, near[0]);
    const auto second = add(type, {0, SiteKind::linear, {near[1], first}, {0.6}}, near[1]);
    add(type, {0, SiteKind::out_of_plane, {second, near[2], first}, {0.3, 0.2, 0.8}}, near[2]);
}

std::int32_t SitesOnAChain::add(MoleculeType& type, VirtualSite site, std::int32_t like)
{
    site.atom = static_cast<std::int32_t>(type.atoms.size());
    auto atom = type.atoms[static_cast<std::size_t>(like)];
    atom.mass = 0.0;
    atom.type = 2;
    atom.charge = site.atom % 2 == 0 ? 0.25 : -0.25;
    type.atoms.push_back(atom);
    std::vector<Vec3> arms;
    const Vec3 origin = x_[static_cast<std::size_t>(site.parents[0])];
    for (const auto parent : site.parents) arms.push_back(difference(x_[static_cast<std::size_t>(parent)], origin));
    Vec3 r = origin;
    sites::with_construction(site.kind, site.parents.size() - 1, [&](const auto& construction) {
        r += construction.place(arms.data() + 1, site.parameters.data());
    });
    x_.push_back(r);
    type.virtual_sites.push_back(std::move(site));
    return type.virtual_sites.back().atom;
}

Vec3 SitesOnAChain::difference(const Vec3& a, const Vec3& b) const
{
    return to_real(box_.minimum_image(to_lattice(a, position_unit) - to_lattice(b, position_unit)), position_unit);
}

std::vector<std::int32_t> SitesOnAChain::around(std::int32_t bead) const
{
    const auto beads = static_cast<std::int32_t>(system_.atoms.size());
    std::vector<std::pair<double, std::int32_t>> by_distance;
    for (std::int32_t other = 0; other < beads; ++other) by_distance.emplace_back(to(bead, other).norm(), other);
    std::ranges::sort(by_distance);
    std::vector<std::int32_t> near, rest;
    for (const auto& [r, other] : by_distance) {
        const Vec3 e = to(bead, other).normalized();
        const bool apart = near.size() < 4 && std::ranges::all_of(near, [&, o = other](std::int32_t n) {
                               return n == bead || std::abs(dot(e, to(bead, n).normalized())) < 0.6 || o == bead;
                           });
        (apart ? near : rest).push_back(other);
    }
    near.insert(near.end(), rest.begin(), rest.begin() + 3);
    return near;
}

Vec3 SitesOnAChain::to(std::int32_t i, std::int32_t j) const
{
    return difference(x_[static_cast<std::size_t>(j)], x_[static_cast<std::size_t>(i)]);
}

void SitesOnAChain::exclude_close(MoleculeType& type) const
{
    type.exclusions.resize(type.atoms.size());
    for (std::size_t s = system_.atoms.size(); s < x_.size(); ++s)
        for (std::size_t other = 0; other < s; ++other)
            if (difference(x_[s], x_[other]).norm() < 0.25) {
                type.exclusions[s].push_back(static_cast<std::int32_t>(other));
                type.exclusions[other].push_back(static_cast<std::int32_t>(s));
            }
    for (auto& list : type.exclusions) std::ranges::sort(list);
}

} // namespace holon::test
