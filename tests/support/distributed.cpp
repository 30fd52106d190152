#include <support/distributed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace holon::test {

Distributed::Distributed(const TestSystem& s, const Communicator& c, const std::vector<int>& grid,
                         const std::vector<std::uint8_t>& lists)
    : system(s), comm(c), clusters(clusters_of(*s.topology)), terms(*s.topology),
      partition(comm, *s.topology, {clusters, needs_of(lists)}, parameters, s.box,
                DomainGrid::choose(comm.size(), s.box, 1.0, grid))
{
}

std::vector<MoleculeNeeds> Distributed::needs_of(const std::vector<std::uint8_t>& lists) const
{
    auto needs = terms.needs(clusters);
    needs.front().lists = lists;
    return needs;
}

std::vector<MoleculeClusters> Distributed::clusters_of(const Topology& topology)
{
    std::vector<MoleculeClusters> clusters;
    for (const auto& type : topology.molecule_types) clusters.push_back(find_clusters(type));
    return clusters;
}

void Distributed::move_faces(unsigned seed)
{
    auto grid = partition.grid();
    Noise noise(seed);
    const auto draw = [&noise](std::span<double> faces) {
        for (auto& face : faces.subspan(1, faces.size() - 2)) face = 0.5 + 0.499 * noise.vector()[0];
        std::ranges::sort(faces);
    };
    const auto& n = grid.n();
    draw(grid.faces(0, {0, 0, 0}));
    for (int a = 0; a < n[0]; ++a) {
        draw(grid.faces(1, {a, 0, 0}));
        for (int b = 0; b < n[1]; ++b) draw(grid.faces(2, {a, b, 0}));
    }
    partition.set_grid(grid);
}

void Distributed::distribute(double width)
{
    partition.distribute(system.share(comm), {}, atoms, {width, width});
}

void Distributed::displace(double distance, unsigned seed)
{
    Noise noise(seed);
    std::vector<Vec3> by_atom;
    for (std::size_t id = 0; id < system.size(); ++id) by_atom.push_back(distance * noise.vector());
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) {
        const auto id = static_cast<std::size_t>(atoms.id[i]);
        atoms.x[i] += to_lattice(by_atom[id], position_unit);
        atoms.v[i] = to_lattice(by_atom[system.size() - 1 - id], velocity_unit);
    }
}

std::vector<AtomRecord> Distributed::state() const
{
    return canonical_by_id(comm, atoms, system.box, system.size());
}

std::vector<TestSystem> all_systems()
{
    return {argon(cubic(2.1), 6),           argon(dodecahedron(2.4), 6), argon(octahedron(2.4), 6),
            argon(octahedron(4.8), 6, 0.2), water(cubic(2.0), 5),        water(octahedron(2.3), 5),
            chain(dodecahedron(2.2), 6)};
}

void expect_sound(const Distributed& d)
{
    for (const auto n : owners(d.comm, d.atoms, d.system.size())) ASSERT_EQ(n, 1);
    const auto& atoms = d.atoms;
    const auto size = static_cast<std::size_t>(atoms.n_total);
    for (const auto n : {atoms.id.size(), atoms.x.size(), atoms.type.size(), atoms.charge.size(), atoms.mass.size(),
                         atoms.f.size(), atoms.x_ref.size(), d.partition.zone().size()})
        ASSERT_EQ(n, size);
    const auto state = d.state();
    for (std::size_t i = 0; i < size; ++i) {
        IVec3 x = atoms.x[i];
        d.system.box.wrap(x);
        ASSERT_EQ(x, state[static_cast<std::size_t>(atoms.id[i])].x) << "atom " << atoms.id[i];
        const auto& atom = d.system.topology->atom(atoms.id[i]);
        ASSERT_EQ(atoms.type[i], atom.type);
        ASSERT_EQ(atoms.charge[i], atom.charge);
        ASSERT_EQ(atoms.mass[i] * atoms.inverse_mass[i], 1.0);
    }
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto& place = d.partition.place()[static_cast<std::size_t>(i)];
        const auto head =
            d.clusters[static_cast<std::size_t>(place.molecule_type)].group_head[static_cast<std::size_t>(place.index)];
        const auto local = d.partition.local().find(place.molecule_start + head);
        ASSERT_TRUE(local >= 0 && local < atoms.n_owned) << "group of atom " << atoms.id[static_cast<std::size_t>(i)];
        const IVec3 apart = atoms.x[static_cast<std::size_t>(i)] - atoms.x[static_cast<std::size_t>(local)];
        ASSERT_EQ(d.system.box.minimum_image(apart), apart) << "torn by the boundary";
    }
}

} // namespace holon::test
