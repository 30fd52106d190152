#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/mesh/mesh_settings.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/topology.hpp>

#include <memory>
#include <string>

namespace holon {

/// The smooth part of the electrostatics, on a grid: charges are spread with the window, in integers, onto the points
/// around each atom; their Fourier transform times the influence function is that of the potential; forces are the
/// exact gradient of the interpolated energy.
///     E = K/(2 V) sum_k (4 pi / k^2) chi(k) |rho(k)|^2 / (w_x w_y w_z)^2
/// Per-axis window transforms w divide out what spreading and interpolating do. The same bits on any number of ranks:
/// integers are summed over atoms and ranks, lines of the transform do not see their neighbours. mixed: charges in 32
/// bits, transforms and windows in float; double: 64 bits, double.
/// The forces of the mesh do not sum to exactly zero, as in any such method: what remains is far below its error.
class Mesh {
public:
    Mesh(Communicator comm, const Topology& topology, const MeshSettings& settings, const Box& box,
         double coulomb_factor, Precision precision);
    ~Mesh();
    Mesh(Mesh&&) noexcept;
    Mesh& operator=(Mesh&&) noexcept;

    /// After atoms have changed owners: which part of the grid they can touch until one has moved by `reach` [nm].
    /// Collective.
    void set_up(const Atoms& atoms, double reach);

    /// Adds the mesh forces to the owned atoms; with sums, coulomb_long and the virial. Collective.
    /// Returns a message if an atom has left the part of the grid that set_up() foresaw, else an empty string.
    [[nodiscard]] std::string add_forces(Atoms& atoms, ForceSums* sums);

    std::int64_t messages() const; // sent by this rank per call

private:
    class Implementation;
    template <class Real, class Int>
    class Typed;
    std::unique_ptr<Implementation> impl_;
};

/// The parts of the energy that do not depend on positions: what each charge has of its own smooth potential, and the
/// uniform background that neutralises a net charge. [kJ/mol]
struct MeshConstants {
    double self = 0.0;
    double background = 0.0; // its virial is -1/2 background on the diagonal
};
MeshConstants mesh_constants(const Topology& topology, const EwaldSplit& split, const Box& box, double coulomb_factor);

} // namespace holon
