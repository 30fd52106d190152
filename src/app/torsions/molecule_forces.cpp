#include "torsions/molecule_forces.hpp"

#include <holon/app/state_gro.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/dynamics/dynamics.hpp>
#include <holon/dynamics/publish.hpp>
#include <holon/dynamics/scaling_groups.hpp>

#include <fmt/format.h>

namespace holon {

namespace {

/// The input, whose atoms have image counts that keep the molecule whole.
RunInput& whole_molecule(const Communicator& comm, RunInput& input)
{
    if (comm.size() > 1)
        throw InputError("A molecule is turned on one rank: start the program without mpirun, or with -n 1.");
    const auto& topology = *input.topology;
    if (topology.n_molecules() != 1 || topology.molecule_types.front().torsion_units.empty())
        throw InputError(fmt::format("The system has {} molecules. Give one alone, with bonds that turn; holon-md "
                                     "--integrator steep --constraints torsion-only minimises any system.",
                                     topology.n_molecules()));
    make_clusters_whole(comm, topology, input.box, {false, false, false}, input.records);
    return input;
}

} // namespace

MoleculeForces::MoleculeForces(const Communicator& comm, RunInput& input)
    : system_(comm, whole_molecule(comm, input).topology, input.settings.parameters, input.box, input.start_box,
              input.intermolecular)
{
    auto& parameters = input.settings.parameters;
    parameters.continuation = false;
    system_.distribute(std::move(input.records), std::move(input.kept));
    prepare_start(system_, parameters, 0);
    const auto& atoms = system_.atoms;
    on_lattice_.resize(index(atoms.n_owned));
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto record = canonical(atoms, system_.box(), i);
        on_lattice_[index(record.id)] = record.x + system_.box().shift(record.image);
    }
    for (const auto& x : on_lattice_) x_.push_back(to_real(IVec3(x - on_lattice_.front()), position_unit));
    const IVec3 origin = on_lattice_.front();
    for (auto& x : on_lattice_) x -= origin;
}

EnergyAndForces MoleculeForces::at(std::span<const Vec3> x)
{
    auto& atoms = system_.atoms;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) { // in the frame of the rank, whatever that is
        const auto id = index(atoms.id[i]);
        const IVec3 there = to_lattice(x[id], position_unit);
        atoms.x[i] += there - on_lattice_[id];
        on_lattice_[id] = there;
    }
    x_.assign(x.begin(), x.end());
    Recorder nobody;
    publish_positions(system_, nobody, ++evaluations_);
    system_.compute_forces(true);
    EnergyAndForces result{system_.totals().potential, std::vector<Vec3>(x.size())};
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        result.forces[index(atoms.id[i])] = to_real(atoms.f[i], force_unit);
    return result;
}

void MoleculeForces::write_gro(const std::string& path) const
{
    RunState state;
    state.box = system_.box().master();
    write_state_gro(path, system_, state);
}

} // namespace holon
