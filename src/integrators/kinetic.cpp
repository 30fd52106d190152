#include <holon/integrators/kinetic.hpp>

#include <holon/core/random.hpp>
#include <holon/core/units.hpp>

#include <cmath>

namespace holon {

namespace {

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Calls use(atom, share) for each atom of each constraint: how much of a degree of freedom it loses.
template <class Use>
void for_each_constraint_atom(const Topology& topology, Use use)
{
    for (const auto& block : topology.blocks) {
        const auto& molecule = topology.molecule_types[index(block.type)];
        const auto size = static_cast<AtomId>(molecule.atoms.size());
        for (std::int64_t m = 0; m < block.count; ++m) {
            const auto start = static_cast<AtomId>(block.first_atom + m * size);
            for (const auto& c : molecule.constraints) {
                use(start + c.i, 0.5);
                use(start + c.j, 0.5);
            }
            for (const auto& s : molecule.settles)
                for (AtomId a = 0; a < 3; ++a) use(start + s.oxygen + a, 1.0);
        }
    }
}

} // namespace

DegreesOfFreedom count_degrees_of_freedom(const Topology& topology, const Parameters& parameters)
{
    const double n_com =
        parameters.comm_mode == CommMode::none ? 0.0 : 3.0 * static_cast<double>(parameters.comm_groups.size());
    DegreesOfFreedom dof;
    const double all = 3.0 * static_cast<double>(topology.n_atoms()) - static_cast<double>(topology.n_constraints());
    dof.total = all - n_com;
    for (const auto& group : parameters.tc_groups)
        dof.per_group.push_back(3.0 * static_cast<double>(group.atoms.size()));
    if (dof.per_group.size() == 1) {
        dof.per_group[0] = all;
    } else if (!dof.per_group.empty()) {
        for_each_constraint_atom(topology, [&](AtomId id, double share) {
            for (std::size_t g = 0; g < dof.per_group.size(); ++g)
                if (parameters.tc_groups[g].atoms.contains(id)) dof.per_group[g] -= share;
        });
    }
    for (auto& n : dof.per_group) n *= dof.total / all;
    return dof;
}

std::vector<double> group_kinetic_energies(const Atoms& atoms, std::size_t n_groups, const Communicator& comm)
{
    std::vector<FixedSum> sums(n_groups);
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        if (atoms.tc_group[i] < n_groups)
            sums[atoms.tc_group[i]].add(0.5 * atoms.mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    comm.sum(std::span(sums));
    std::vector<double> energies;
    for (const auto& sum : sums) energies.push_back(sum.value());
    return energies;
}

Mat3 kinetic_tensor(const Atoms& atoms, const Communicator& comm)
{
    std::array<FixedSum, 9> sums;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b) sums[index(3 * a + b)].add(0.5 * atoms.mass[i] * (v[a] * v[b]));
    }
    comm.sum(std::span(sums));
    Mat3 tensor;
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) tensor(a, b) = tensor(b, a) = sums[index(3 * a + b)].value();
    return tensor;
}

void remove_com_motion(Atoms& atoms, std::size_t n_groups, const Communicator& comm)
{
    std::vector<FixedSum> sums(4 * n_groups); // momentum, mass
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        const std::size_t g = atoms.comm_group[i];
        if (g >= n_groups) continue;
        const Vec3 v = to_real(atoms.v[i], velocity_unit);
        for (int k = 0; k < 3; ++k) sums[4 * g + index(k)].add(atoms.mass[i] * v[k]);
        sums[4 * g + 3].add(atoms.mass[i]);
    }
    comm.sum(std::span(sums));
    std::vector<IVec3> velocity;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const Vec3 momentum(sums[4 * g].value(), sums[4 * g + 1].value(), sums[4 * g + 2].value());
        const double mass = sums[4 * g + 3].value();
        velocity.push_back(mass > 0.0 ? to_lattice(momentum / mass, velocity_unit) : IVec3::Zero());
    }
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        if (atoms.comm_group[i] < n_groups) atoms.v[i] -= velocity[atoms.comm_group[i]];
}

void generate_velocities(Atoms& atoms, double temperature, std::uint64_t seed)
{
    const Philox random(seed);
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        const auto id = static_cast<std::uint32_t>(atoms.id[i]);
        const auto first = normal_pair(random(0, id, 0)), second = normal_pair(random(0, id, 1));
        const double width = std::sqrt(units::boltzmann * temperature * atoms.inverse_mass[i]);
        atoms.v[i] = to_lattice(width * Vec3(first[0], first[1], second[0]), velocity_unit);
    }
}

} // namespace holon
