/// Coordinates: text of a .gro file, read in pieces, put on the lattice, wrapped and written again; the same text as a
/// file of each other format.
#include "fuzzer.hpp"

#include <holon/core/box.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/io/gro_file.hpp>
#include <support/sample_state.hpp>

#include <fstream>

using namespace holon;

namespace {

std::vector<GroAtom> read_all(CoordinateReader& reader, std::int64_t piece)
{
    std::vector<GroAtom> atoms;
    for (auto more = reader.next(piece); !more.empty(); more = reader.next(piece))
        atoms.insert(atoms.end(), more.begin(), more.end());
    return atoms;
}

/// By integers of any size: far away from a flat cell, parts of the sum are out of range.
IVec3 unwrapped(const Box& box, const IVec3& x, const Image& image)
{
    IVec3 sum;
    for (int j = 0; j < 3; ++j) {
        int128 component = x[j];
        for (int k = 0; k < 3; ++k) component += int128{image[k]} * box.lattice_vector(k)[j];
        sum[j] = static_cast<std::int64_t>(component);
    }
    return sum;
}

void check_lattice(const CoordinateReader& reader, const std::vector<GroAtom>& atoms)
{
    for (const int bits : {22, 44}) {
        const Box box(reader.box(), bits);
        for (const auto& atom : atoms) {
            const auto x = to_lattice(atom.position, position_unit);
            auto wrapped = x;
            const auto image = box.wrap(wrapped);
            fuzz::require(box.inside(wrapped) && unwrapped(box, wrapped, image) == x, "atoms are wrapped exactly");
        }
    }
}

/// What was read, written and read again, is the same on the lattices.
void check_copy(const std::string& path, const GroReader& original, const std::vector<GroAtom>& atoms)
{
    GroWriter writer(path, original.title(), original.n_atoms(), original.has_velocities());
    writer.write(atoms);
    writer.finish(original.box());
    GroReader reader(path);
    const auto copies = read_all(reader, 1000);
    fuzz::require(copies.size() == atoms.size() && reader.has_velocities() == original.has_velocities(),
                  "a copy is as long");
    for (std::size_t i = 0; i < atoms.size(); ++i)
        fuzz::require(to_lattice(copies[i].position, position_unit) == to_lattice(atoms[i].position, position_unit) &&
                          to_lattice(copies[i].velocity, velocity_unit) == to_lattice(atoms[i].velocity, velocity_unit),
                      "a copy has the same coordinates");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const test::TemporaryFolder folder;
    const auto path = folder.file("conf.gro");
    std::ofstream(path, std::ios::binary) << fuzz::text_of(data, size);
    fuzz::takes([&] {
        GroReader reader(path);
        const auto atoms = read_all(reader, 3);
        fuzz::require(static_cast<std::int64_t>(atoms.size()) == reader.n_atoms(), "all atoms are read");
        check_copy(folder.file("copy.gro"), reader, atoms);
        check_lattice(reader, atoms);
    });
    for (const char* name : {"conf.pdb", "conf.cif", "conf.g96"}) {
        const auto other = folder.file(name);
        std::ofstream(other, std::ios::binary) << fuzz::text_of(data, size);
        fuzz::takes([&] {
            const auto reader = open_coordinates(other);
            const auto atoms = read_all(*reader, 3);
            fuzz::require(static_cast<std::int64_t>(atoms.size()) == reader->n_atoms(), "all atoms are read");
            check_lattice(*reader, atoms);
        });
    }
    return 0;
}
