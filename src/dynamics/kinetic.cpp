#include <holon/dynamics/kinetic.hpp>

#include <holon/core/index.hpp>
#include <holon/core/random.hpp>
#include <holon/core/units.hpp>

#include "owned_atoms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace holon {

namespace {

/// What constraints leave of the three degrees of freedom of each atom of a molecule, none of a frozen one: each takes
/// a half from either of its atoms, or all from the one that moves, a plane a quarter from each of its four; a rigid
/// water one from each of its three. Atoms of a rigid body share what it has. Virtual sites have none.
std::vector<double> degrees_of_freedom_of_atoms(const MoleculeType& molecule)
{
    std::vector<double> left(molecule.atoms.size(), 3.0);
    for (const auto& site : molecule.virtual_sites) left[index(site.atom)] = 0.0;
    for (const auto& body : molecule.bodies)
        for (const auto atom : body.atoms)
            left[index(atom)] = body.degrees_of_freedom / static_cast<double>(body.atoms.size());
    const auto moves = [&](std::int32_t atom) { return !molecule.atoms[index(atom)].frozen; };
    for (const auto& c : molecule.constraints)
        for (const auto atom : {c.i, c.j})
            left[index(atom)] -= moves(c.i) && moves(c.j) ? 0.5 : moves(atom) ? 1.0 : 0.0;
    for (const auto& plane : molecule.planes)
        for (const auto atom : plane.atoms) left[index(atom)] -= 0.25;
    for (std::size_t a = 0; a < left.size(); ++a)
        if (molecule.atoms[a].frozen) left[a] = 0.0;
    for (const auto& s : molecule.settles)
        for (std::int32_t a = 0; a < 3; ++a) left[index(s.oxygen + a)] -= 1.0;
    return left;
}

/// Index of the first group that an atom is in; their number, if it is in none.
template <class Groups, class Get>
std::size_t group_of(const Groups& groups, AtomId id, Get atoms_of)
{
    std::size_t g = 0;
    while (g < groups.size() && !atoms_of(groups[g]).contains(id)) ++g;
    return g;
}

/// Axes along which an atom is held that is frozen along some only.
double axes_held(const Parameters& parameters, AtomId id)
{
    for (const auto& group : parameters.frozen_groups)
        if (group.atoms.contains(id))
            return static_cast<double>(std::ranges::count(group.axes, true) % 3); // along all: TopologyAtom::frozen
    return 0.0;
}

/// `n` sums, to which add(sums, i) adds what owned atom i has.
template <class Add>
std::vector<FixedSum> sums_over(const Atoms& atoms, std::size_t n, Add add)
{
    return parallel_reduce(
        index(atoms.n_owned), few_atoms,
        [&](std::size_t begin, std::size_t end) {
            std::vector<FixedSum> sums(n);
            for (std::size_t i = begin; i < end; ++i) add(sums, i);
            return sums;
        },
        [](std::vector<FixedSum>& total, const std::vector<FixedSum>& next) {
            for (std::size_t k = 0; k < next.size(); ++k) total[k] += next[k];
        });
}

} // namespace

DegreesOfFreedom count_degrees_of_freedom(const Topology& topology, const Parameters& parameters)
{
    const auto& coupling = parameters.tc_groups;
    const auto com = parameters.comm_mode == CommMode::none ? std::vector<AtomGroup>{} : parameters.comm_groups;
    // Of the atoms in each coupling group (rows) and COM group (columns); last: those in none.
    std::vector<std::vector<double>> shared(coupling.size() + 1, std::vector<double>(com.size() + 1));
    double of_frozen = 0.0;
    for (const auto& block : topology.blocks) {
        for (const auto& atom : topology.molecule_types[index(block.type)].atoms)
            if (atom.frozen) of_frozen += 3.0 * static_cast<double>(block.count);
        const auto of_atom = degrees_of_freedom_of_atoms(topology.molecule_types[index(block.type)]);
        auto id = block.first_atom;
        for (std::int64_t m = 0; m < block.count; ++m)
            for (double n : of_atom) {
                const double held = axes_held(parameters, id);
                n -= held;
                of_frozen += held;
                const auto c =
                    group_of(coupling, id, [](const CouplingGroup& g) -> const AtomGroup& { return g.atoms; });
                shared[c][group_of(com, id, [](const AtomGroup& g) -> const AtomGroup& { return g; })] += n;
                ++id;
            }
    }
    std::vector<double> of_com(com.size() + 1);
    for (const auto& row : shared)
        for (std::size_t c = 0; c <= com.size(); ++c) of_com[c] += row[c];

    DegreesOfFreedom dof;
    const double of_motion = parameters.comm_mode == CommMode::angular ? 6.0 : 3.0;
    dof.total = 3.0 * static_cast<double>(topology.n_atoms() - topology.n_virtual_sites()) -
                of_motion * static_cast<double>(com.size()) - static_cast<double>(topology.n_constraints()) - of_frozen;
    for (std::size_t t = 0; t < coupling.size(); ++t) {
        double n = shared[t][com.size()];
        for (std::size_t c = 0; c < com.size(); ++c)
            if (of_com[c] > 0.0) n += shared[t][c] - of_motion * shared[t][c] / of_com[c];
        dof.per_group.push_back(n);
    }
    return dof;
}

std::vector<FixedSum> local_group_kinetic_energies(const Atoms& atoms, std::size_t n_groups)
{
    return sums_over(atoms, n_groups, [&](std::vector<FixedSum>& sum, std::size_t i) {
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        if (atoms.tc_group[i] < n_groups)
            sum[atoms.tc_group[i]].add(0.5 * atoms.mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    });
}

std::vector<FixedSum> local_group_kicks(const Atoms& atoms, std::span<const IVec3> before, std::size_t n_groups)
{
    return sums_over(atoms, 2 * n_groups, [&](std::vector<FixedSum>& sum, std::size_t i) {
        const std::size_t group = atoms.tc_group[i];
        if (group >= n_groups) return;
        const Vec3 v = to_real(before[i], velocity_unit), d = to_real(IVec3(atoms.v[i] - before[i]), velocity_unit);
        sum[2 * group].add(atoms.mass[i] * (v[0] * d[0] + v[1] * d[1] + v[2] * d[2]));
        sum[2 * group + 1].add(0.5 * atoms.mass[i] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    });
}

std::vector<double> group_kinetic_energies(const Atoms& atoms, std::size_t n_groups, const Communicator& comm)
{
    auto sums = local_group_kinetic_energies(atoms, n_groups);
    comm.sum(std::span(sums));
    std::vector<double> energies;
    for (const auto& sum : sums) energies.push_back(sum.value());
    return energies;
}

Mat3 kinetic_tensor(const Atoms& atoms, const Communicator& comm)
{
    auto sums = sums_over(atoms, 9, [&](std::vector<FixedSum>& sum, std::size_t i) {
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b) sum[index(3 * a + b)].add(0.5 * atoms.mass[i] * (v[a] * v[b]));
    });
    comm.sum(std::span(sums));
    Mat3 tensor;
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) tensor(a, b) = tensor(b, a) = sums[index(3 * a + b)].value();
    return tensor;
}

namespace {

/// The group whose common motion atom i has a part in, or one beyond all: for what stands still, and virtual sites.
std::size_t moving_group(const Atoms& atoms, std::size_t i)
{
    return atoms.inverse_mass[i] == 0.0 ? std::numeric_limits<std::size_t>::max() : atoms.comm_group[i];
}

} // namespace

double remove_com_motion(Atoms& atoms, std::size_t n_groups, const Communicator& comm)
{
    auto sums = sums_over(atoms, 4 * n_groups, [&](std::vector<FixedSum>& sum, std::size_t i) { // momentum, mass
        const std::size_t g = moving_group(atoms, i);
        if (g >= n_groups) return;
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        for (int k = 0; k < 3; ++k) sum[4 * g + index(k)].add(atoms.mass[i] * v[k]);
        sum[4 * g + 3].add(atoms.mass[i]);
    });
    comm.sum(std::span(sums));
    std::vector<IVec3> velocity;
    double energy = 0.0;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const Vec3 momentum(sums[4 * g].value(), sums[4 * g + 1].value(), sums[4 * g + 2].value());
        const double mass = sums[4 * g + 3].value();
        velocity.push_back(mass > 0.0 ? to_lattice(momentum / mass, velocity_unit) : IVec3::Zero());
        if (mass > 0.0) energy += 0.5 * dot(momentum, momentum) / mass;
    }
    for_each_owned(atoms, [&](std::size_t i) {
        if (const std::size_t g = moving_group(atoms, i); g < n_groups) atoms.v[i] -= velocity[g];
    });
    return energy;
}

namespace {

/// x of A x = b, A symmetric; zero where A is singular for all that rounding leaves of it.
Vec3 solved(const Mat3& a, const Vec3& b)
{
    const Vec3 rows[] = {{a(0, 0), a(0, 1), a(0, 2)}, {a(1, 0), a(1, 1), a(1, 2)}, {a(2, 0), a(2, 1), a(2, 2)}};
    const Vec3 across[] = {rows[1].cross(rows[2]), rows[2].cross(rows[0]), rows[0].cross(rows[1])};
    const double determinant = dot(rows[0], across[0]);
    const double mean = (a(0, 0) + a(1, 1) + a(2, 2)) / 3.0;
    if (!(determinant > 1e-10 * mean * mean * mean)) return Vec3::Zero();
    return (b[0] * across[0] + b[1] * across[1] + b[2] * across[2]) / determinant;
}

/// What a group turns about, and how.
struct Rotation {
    Vec3 centre = Vec3::Zero(); // [nm]
    Vec3 rate = Vec3::Zero();   // [1/ps]
};

/// Unwrapped position of owned atom i [nm].
Vec3 unwrapped(const Atoms& atoms, const Box& box, std::size_t i)
{
    return to_real(IVec3(atoms.x[i] + box.shift(atoms.image[i])), position_unit);
}

std::vector<Rotation> centres_of_mass(const Atoms& atoms, const Box& box, std::size_t n_groups,
                                      const Communicator& comm)
{
    auto sums = sums_over(atoms, 4 * n_groups, [&](std::vector<FixedSum>& sum, std::size_t i) {
        const std::size_t g = moving_group(atoms, i);
        if (g >= n_groups) return;
        const Vec3 r = unwrapped(atoms, box, i);
        for (int k = 0; k < 3; ++k) sum[4 * g + index(k)].add(atoms.mass[i] * r[k]);
        sum[4 * g + 3].add(atoms.mass[i]);
    });
    comm.sum(std::span(sums));
    std::vector<Rotation> groups(n_groups);
    for (std::size_t g = 0; g < n_groups; ++g)
        if (const double mass = sums[4 * g + 3].value(); mass > 0.0)
            for (int k = 0; k < 3; ++k) groups[g].centre[k] = sums[4 * g + index(k)].value() / mass;
    return groups;
}

} // namespace

double remove_rotation(Atoms& atoms, const Box& box, std::size_t n_groups, const Communicator& comm)
{
    auto groups = centres_of_mass(atoms, box, n_groups, comm);
    // Of each group: angular momentum; sum m r (x) r: xx, xy, xz, yy, yz, zz.
    auto sums = sums_over(atoms, 9 * n_groups, [&](std::vector<FixedSum>& sum, std::size_t i) {
        const std::size_t g = moving_group(atoms, i);
        if (g >= n_groups) return;
        const Vec3 r = unwrapped(atoms, box, i) - groups[g].centre;
        const Vec3 momentum = atoms.mass[i] * to_real(atoms.v[i], velocity_unit), l = r.cross(momentum);
        auto at = sum.begin() + static_cast<std::ptrdiff_t>(9 * g);
        for (int k = 0; k < 3; ++k) at++->add(l[k]);
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b) at++->add(atoms.mass[i] * r[a] * r[b]);
    });
    comm.sum(std::span(sums));
    double energy = 0.0;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const auto of = [&](std::size_t k) { return sums[9 * g + k].value(); };
        const Vec3 l(of(0), of(1), of(2));
        const double xx = of(3), yy = of(6), zz = of(8);
        Mat3 inertia;
        inertia << yy + zz, -of(4), -of(5), -of(4), xx + zz, -of(7), -of(5), -of(7), xx + yy;
        groups[g].rate = solved(inertia, l);
        energy += 0.5 * dot(groups[g].rate, l);
    }
    for_each_owned(atoms, [&](std::size_t i) {
        const std::size_t g = moving_group(atoms, i);
        if (g >= n_groups) return;
        const auto& [centre, rate] = groups[g];
        atoms.v[i] -= to_lattice(rate.cross(unwrapped(atoms, box, i) - centre), velocity_unit);
    });
    return energy;
}

bool groups_share_clusters(const Topology& topology, const std::vector<CouplingGroup>& groups)
{
    if (groups.size() < 2) return false;
    const auto group = [&groups](AtomId id) {
        return group_of(groups, id, [](const CouplingGroup& g) -> const AtomGroup& { return g.atoms; });
    };
    for (const auto& block : topology.blocks) {
        const auto& molecule = topology.molecule_types[index(block.type)];
        const auto n = static_cast<std::int64_t>(molecule.atoms.size());
        for (std::int64_t m = 0; m < block.count; ++m) {
            const auto start = static_cast<AtomId>(block.first_atom + m * n);
            for (const auto& c : molecule.constraints)
                if (group(start + c.i) != group(start + c.j)) return true;
            for (const auto& plane : molecule.planes)
                for (const auto atom : plane.atoms)
                    if (group(start + atom) != group(start + plane.atoms[0])) return true;
            for (const auto& s : molecule.settles)
                for (const AtomId other : {1, 2})
                    if (group(start + s.oxygen) != group(start + s.oxygen + other)) return true;
            for (const auto& body : molecule.bodies)
                for (const auto atom : body.atoms)
                    if (group(start + atom) != group(start + body.atoms.front())) return true;
        }
    }
    return false;
}

void generate_velocities(Atoms& atoms, double temperature, std::uint64_t seed)
{
    std::vector<Vec3> deviates(index(atoms.n_owned));
    normal_vectors(Philox(seed), 0, Stream::velocities, 0, std::span(atoms.id).first(deviates.size()), deviates);
    for (std::size_t i = 0; i < deviates.size(); ++i) {
        const double width = std::sqrt(units::boltzmann * temperature * atoms.inverse_mass[i]);
        atoms.v[i] = to_lattice(width * deviates[i], velocity_unit);
    }
}

} // namespace holon
