#include <support/systems.hpp>

#include <cmath>
#include <span>
#include <utility>

namespace holon::test {

Mat3 cubic(double a)
{
    return a * Mat3::Identity();
}

Mat3 dodecahedron(double d)
{
    Mat3 rows;
    rows << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.5, std::sqrt(0.5);
    return d * rows;
}

Mat3 octahedron(double d)
{
    Mat3 rows;
    rows << 1.0, 0.0, 0.0, 1.0 / 3.0, std::sqrt(8.0) / 3.0, 0.0, -1.0 / 3.0, std::sqrt(2.0) / 3.0, std::sqrt(6.0) / 3.0;
    return d * rows;
}

void TestSystem::set_types(const std::vector<std::array<double, 2>>& types)
{
    topology->atom_types.resize(types.size());
    for (const auto& a : types)
        for (const auto& b : types) {
            topology->c6.push_back(std::sqrt(a[0] * b[0]));
            topology->c12.push_back(std::sqrt(a[1] * b[1]));
        }
}

void TestSystem::add(MoleculeType type, const std::vector<Vec3>& positions)
{
    auto& excluded = type.interactions[static_cast<std::size_t>(Interaction::excluded_pair)];
    for (std::size_t i = 0; i < type.exclusions.size(); ++i)
        for (const auto j : type.exclusions[i])
            if (static_cast<std::int32_t>(i) < j) {
                excluded.atoms.insert(excluded.atoms.end(), {static_cast<std::int32_t>(i), j});
                excluded.parameters.push_back(0);
            }
    topology->parameters[static_cast<std::size_t>(Interaction::excluded_pair)] = {InteractionParameters{}};
    type.residues = {{"MOL", 1}};
    const auto count = static_cast<std::int64_t>(positions.size() / type.atoms.size());
    topology->blocks.push_back({static_cast<int>(topology->molecule_types.size()), count,
                                static_cast<AtomId>(atoms.size()), topology->n_molecules()});
    topology->molecule_types.push_back(std::move(type));
    for (const auto& r : positions) {
        auto& atom = atoms.emplace_back();
        atom.id = static_cast<AtomId>(atoms.size()) - 1;
        atom.x = to_lattice(r, position_unit);
        atom.image = box.wrap(atom.x);
    }
}

std::vector<AtomRecord> TestSystem::share(const Communicator& comm) const
{
    std::vector<AtomRecord> mine;
    for (const auto& atom : atoms)
        if (atom.id % comm.size() == comm.rank()) mine.push_back(atom);
    return mine;
}

std::vector<Vec3> jittered_lattice(const Mat3& vectors, int n, double jitter, Noise& noise)
{
    std::vector<Vec3> points;
    for (int a = 0; a < n; ++a)
        for (int k = 0; k < n; ++k)
            for (int l = 0; l < n; ++l) {
                const int b = a % 2 == 0 ? k : n - 1 - k;
                const int c = (a * n + k) % 2 == 0 ? l : n - 1 - l;
                const Vec3 s = Vec3(a + 0.5, b + 0.5, c + 0.5) / n;
                points.emplace_back(vectors.transpose() * s + jitter * noise.vector());
            }
    return points;
}

TestSystem argon(const Mat3& vectors, int n, double jitter, unsigned seed)
{
    TestSystem system(vectors);
    system.set_types({argon_lj});
    Noise noise(seed);
    system.add(molecule("Argon", {39.948}, {}), jittered_lattice(vectors, n, jitter, noise));
    return system;
}

TestSystem water(const Mat3& vectors, int n, unsigned seed, double size)
{
    const double d_oh = 0.1 * size, d_hh = 0.163299 * size;
    TestSystem system(vectors);
    system.set_types({spce_oxygen_lj, {0.0, 0.0}});
    auto type = rigid_water(d_oh, d_hh);
    type.atoms[0].charge = -0.8476;
    for (const std::size_t h : {1, 2}) {
        type.atoms[h].charge = 0.4238;
        type.atoms[h].type = 1;
    }
    type.exclusions = {{1, 2}, {0, 2}, {0, 1}};
    Noise noise(seed);
    std::vector<Vec3> positions;
    for (const auto& oxygen : jittered_lattice(vectors, n, 0.03, noise))
        for (const auto& r : water_positions(oxygen, noise, d_oh, d_hh)) positions.push_back(r);
    system.add(std::move(type), positions);
    return system;
}

TestSystem chain(const Mat3& vectors, int n, bool long_bonds, unsigned seed)
{
    TestSystem system(vectors);
    system.set_types({argon_lj, spce_oxygen_lj});
    Noise noise(seed);
    const auto positions = jittered_lattice(vectors, n, 0.03, noise);
    const auto beads = static_cast<std::int32_t>(positions.size());
    auto type = molecule("Chain", std::vector<double>(positions.size(), 20.0), {});
    auto& bonds = type.interactions[static_cast<std::size_t>(Interaction::harmonic_bond)];
    for (std::int32_t k = 0; k < beads; ++k) {
        auto& atom = type.atoms[static_cast<std::size_t>(k)];
        atom.type = k % 2;
        atom.charge = k % 2 == 0 ? 0.5 : -0.5;
        for (const auto d : {-2, -1, 1, 2})
            if (k + d >= 0 && k + d < beads) type.exclusions[static_cast<std::size_t>(k)].push_back(k + d);
        const auto bind = [&](std::int32_t other, std::int32_t parameters) {
            bonds.atoms.insert(bonds.atoms.end(), {k, other});
            bonds.parameters.push_back(parameters);
        };
        if (k + 1 < beads) bind(k + 1, 0);
        if (long_bonds && k % 20 == 0) bind((k + beads / 2 + 3) % beads, 1);
    }
    system.topology->parameters[static_cast<std::size_t>(Interaction::harmonic_bond)] = {{0.32, 8000.0}, {1.0, 20.0}};
    system.add(std::move(type), positions);
    return system;
}

TestSystem rigid_chain(const Mat3& vectors, int n, unsigned seed)
{
    TestSystem system(vectors);
    system.set_types({{6e-6, 1.8e-11}});
    Noise noise(seed);
    const auto positions = jittered_lattice(vectors, n, 0.03, noise);
    const auto beads = static_cast<std::int32_t>(positions.size());
    auto type = molecule("Rods", std::vector<double>(positions.size(), 20.0), {});
    for (std::int32_t k = 0; k < beads; ++k)
        for (const auto d : {-2, -1, 1, 2})
            if (k + d >= 0 && k + d < beads) type.exclusions[static_cast<std::size_t>(k)].push_back(k + d);
    for (std::int32_t k = 0; k + 1 < beads; ++k) {
        const auto a = static_cast<std::size_t>(k);
        type.constraints.push_back({k, k + 1, (positions[a + 1] - positions[a]).norm()});
    }
    system.add(std::move(type), positions);
    return system;
}

TestSystem trimers(const Mat3& vectors, int n, bool interacting, unsigned seed)
{
    TestSystem system(vectors);
    system.set_types({interacting ? std::array{6e-6, 1.8e-11} : std::array{0.0, 0.0}});
    auto type = molecule("Trimer", {15.0, 15.0, 15.0}, {{0, 1, trimer_bond}, {1, 2, trimer_bond}});
    type.exclusions = {{1, 2}, {0, 2}, {0, 1}};
    Noise noise(seed);
    std::vector<Vec3> positions;
    for (const auto& centre : jittered_lattice(vectors, n, 0.02, noise)) {
        const Vec3 one = trimer_bond * noise.vector().normalized(), other = one.unitOrthogonal() * trimer_bond;
        positions.insert(positions.end(), {centre + one, centre, centre + other});
    }
    system.add(std::move(type), positions);
    return system;
}

std::vector<std::vector<int>> grids_of(int ranks)
{
    if (ranks == 8) return {{8, 1, 1}, {1, 2, 4}, {2, 2, 2}};
    std::vector<std::vector<int>> grids;
    for (int a = 1; a <= ranks; ++a)
        for (int b = 1; b <= ranks / a; ++b)
            if (ranks % (a * b) == 0) grids.push_back({a, b, ranks / (a * b)});
    return grids;
}

std::string text(const std::vector<int>& grid)
{
    return std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
}

std::vector<IVec3> by_id(const Communicator& comm, const Atoms& atoms, const std::vector<IVec3>& values, std::size_t n)
{
    std::vector<std::int64_t> flat(3 * n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            flat[3 * static_cast<std::size_t>(atoms.id[i]) + k] = values[i][static_cast<int>(k)];
    comm.sum(std::span(flat));
    std::vector<IVec3> all;
    for (std::size_t i = 0; i < n; ++i) all.emplace_back(flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]);
    return all;
}

std::vector<std::int64_t> owners(const Communicator& comm, const Atoms& atoms, std::size_t n)
{
    std::vector<std::int64_t> count(n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i)
        ++count[static_cast<std::size_t>(atoms.id[i])];
    comm.sum(std::span(count));
    return count;
}

std::vector<AtomRecord> canonical_by_id(const Communicator& comm, const Atoms& atoms, const Box& box, std::size_t n)
{
    std::vector<IVec3> x, v, image;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto record = canonical(atoms, box, i);
        x.push_back(record.x);
        v.push_back(record.v);
        image.push_back(record.image.cast<std::int64_t>());
    }
    x = by_id(comm, atoms, x, n);
    v = by_id(comm, atoms, v, n);
    image = by_id(comm, atoms, image, n);
    std::vector<AtomRecord> records;
    for (std::size_t i = 0; i < n; ++i)
        records.push_back({x[i], v[i], image[i].cast<std::int32_t>(), static_cast<AtomId>(i)});
    return records;
}

bool same_state(const AtomRecord& a, const AtomRecord& b)
{
    return a.id == b.id && a.x == b.x && a.v == b.v && a.image == b.image;
}

} // namespace holon::test
