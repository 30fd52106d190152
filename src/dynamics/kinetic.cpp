#include <holon/dynamics/kinetic.hpp>

#include <holon/core/random.hpp>
#include <holon/core/units.hpp>

#include "owned_atoms.hpp"

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// What constraints leave of the three degrees of freedom of each atom of a molecule, none of a frozen one: each takes
/// a half from either of its atoms, or all from the one that moves; a rigid water one from each of its three.
std::vector<double> degrees_of_freedom_of_atoms(const MoleculeType& molecule)
{
    std::vector<double> left(molecule.atoms.size(), 3.0);
    const auto moves = [&](std::int32_t atom) { return !molecule.atoms[index(atom)].frozen; };
    for (const auto& c : molecule.constraints)
        for (const auto atom : {c.i, c.j})
            left[index(atom)] -= moves(c.i) && moves(c.j) ? 0.5 : moves(atom) ? 1.0 : 0.0;
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
    dof.total = 3.0 * static_cast<double>(topology.n_atoms() - std::ssize(com)) -
                static_cast<double>(topology.n_constraints()) - of_frozen;
    for (std::size_t t = 0; t < coupling.size(); ++t) {
        double n = shared[t][com.size()];
        for (std::size_t c = 0; c < com.size(); ++c)
            if (of_com[c] > 0.0) n += shared[t][c] - 3.0 * shared[t][c] / of_com[c];
        dof.per_group.push_back(n);
    }
    return dof;
}

std::vector<double> group_kinetic_energies(const Atoms& atoms, std::size_t n_groups, const Communicator& comm)
{
    auto sums = sums_over(atoms, n_groups, [&](std::vector<FixedSum>& sum, std::size_t i) {
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        if (atoms.tc_group[i] < n_groups)
            sum[atoms.tc_group[i]].add(0.5 * atoms.mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    });
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

void remove_com_motion(Atoms& atoms, std::size_t n_groups, const Communicator& comm)
{
    auto sums = sums_over(atoms, 4 * n_groups, [&](std::vector<FixedSum>& sum, std::size_t i) { // momentum, mass
        const std::size_t g = atoms.comm_group[i];
        if (g >= n_groups || atoms.inverse_mass[i] == 0.0) return; // what stands still takes no part
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        for (int k = 0; k < 3; ++k) sum[4 * g + index(k)].add(atoms.mass[i] * v[k]);
        sum[4 * g + 3].add(atoms.mass[i]);
    });
    comm.sum(std::span(sums));
    std::vector<IVec3> velocity;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const Vec3 momentum(sums[4 * g].value(), sums[4 * g + 1].value(), sums[4 * g + 2].value());
        const double mass = sums[4 * g + 3].value();
        velocity.push_back(mass > 0.0 ? to_lattice(momentum / mass, velocity_unit) : IVec3::Zero());
    }
    for_each_owned(atoms, [&](std::size_t i) {
        if (atoms.comm_group[i] < n_groups && atoms.inverse_mass[i] != 0.0) atoms.v[i] -= velocity[atoms.comm_group[i]];
    });
}

void generate_velocities(Atoms& atoms, double temperature, std::uint64_t seed)
{
    const Philox random(seed);
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        const auto id = static_cast<std::uint32_t>(atoms.id[i]);
        const auto first = normal_pair(random(0, id, Stream::velocities, 0)),
                   second = normal_pair(random(0, id, Stream::velocities, 1));
        const double width = std::sqrt(units::boltzmann * temperature * atoms.inverse_mass[i]);
        atoms.v[i] = to_lattice(width * Vec3(first[0], first[1], second[0]), velocity_unit);
    }
}

} // namespace holon
