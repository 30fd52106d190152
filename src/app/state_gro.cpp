#include <holon/app/state_gro.hpp>

#include <holon/comm/on_root.hpp>
#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/io/gro_file.hpp>

#include "residue_numbers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace holon {

namespace {

constexpr std::int64_t piece = 2000; // atoms

/// Writes atoms as they come.
class StateGro {
public:
    StateGro(const std::string& path, const Topology& topology, const RunState& state)
        : topology_(topology), numbers_(topology),
          writer_(path, fmt::format("{} t= {:.5f} step= {}", topology.name, state.time, state.step), topology.n_atoms(),
                  true)
    {
    }

    void write(std::span<const AtomRecord> records)
    {
        std::vector<GroAtom> atoms;
        atoms.reserve(records.size());
        for (const auto& record : records) {
            const auto place = topology_.place(record.id);
            const auto& molecule = topology_.molecule_types[index(place.molecule_type)];
            const auto& atom = molecule.atoms[index(place.index)];
            atoms.push_back({record.id, numbers_.of(place), molecule.residues[index(atom.residue)].name, atom.name,
                             to_real(record.x, position_unit), to_real(record.v, velocity_unit)});
        }
        writer_.write(atoms);
    }

    void finish(const RunState& state) { writer_.finish(state.box); }

private:
    const Topology& topology_;
    ResidueNumbers numbers_;
    GroWriter writer_;
};

} // namespace

void write_state_gro(const std::string& path, const Topology& topology, const RunState& state,
                     std::span<const AtomRecord> atoms)
{
    if (static_cast<std::int64_t>(atoms.size()) != topology.n_atoms())
        throw InputError(fmt::format("The state has {} atoms, but the topology that it is stored with has {}: the "
                                     "checkpoint is damaged. Use a copy of the file.",
                                     atoms.size(), topology.n_atoms()));
    StateGro file(path, topology, state);
    for (std::size_t begin = 0; begin < atoms.size(); begin += piece)
        file.write(atoms.subspan(begin, std::min<std::size_t>(piece, atoms.size() - begin)));
    file.finish(state);
}

void write_state_gro(const std::string& path, const System& system, const RunState& state)
{
    const auto& comm = system.comm();
    const auto& atoms = system.atoms;
    const auto id_of = [&atoms](std::int32_t i) { return atoms.id[index(i)]; };
    std::vector<std::int32_t> mine(index(atoms.n_owned));
    std::iota(mine.begin(), mine.end(), 0);
    std::ranges::sort(mine, {}, id_of);
    std::optional<StateGro> file;
    on_root(comm, [&] { file.emplace(path, system.topology(), state); });
    auto next = mine.begin();
    for (std::int64_t begin = 0; begin < system.topology().n_atoms(); begin += piece) {
        Outbox<AtomRecord> to_root;
        for (; next != mine.end() && id_of(*next) < begin + piece; ++next)
            to_root.send(0, canonical(atoms, system.box(), *next));
        std::vector<AtomRecord> records;
        to_root.exchange(comm, records);
        on_root(comm, [&] {
            std::ranges::sort(records, {}, &AtomRecord::id);
            file->write(records);
        });
    }
    on_root(comm, [&] { file->finish(state); });
}

} // namespace holon
