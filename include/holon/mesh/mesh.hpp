#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/mesh/mesh_settings.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/load_balance.hpp>
#include <holon/system/topology.hpp>

#include <memory>
#include <string>
#include <utility>

namespace holon {

/// The smooth part of the electrostatics.
class LongRange {
public:
    virtual ~LongRange() = default;

    /// After the box has changed.
    virtual void follow_box() = 0;

    /// After atoms have changed owners; holds until one has moved by `reach` [nm]. Collective.
    virtual void set_up(const Atoms& atoms, double reach) = 0;

    /// Begins to compute the forces on the owned atoms at their present positions; with sums, which must live until
    /// add_forces(), coulomb_reciprocal and the virial are added to them. Needs no copies. Collective.
    virtual void start(const Atoms& atoms, ForceSums* sums) = 0;

    /// Goes on to where messages are under way again: while this rank does something else, they arrive, and ranks that
    /// are late catch up. As often as one likes. Collective.
    virtual void advance() {}

    /// Does what is left to be done, and adds the forces. Collective.
    /// Returns a message if an atom has moved further than set_up() foresaw, else an empty string.
    [[nodiscard]] virtual std::string add_forces(Atoms& atoms) = 0;

    virtual std::int64_t messages() const = 0; // sent by this rank to others per step, and their bytes
    virtual std::int64_t bytes_sent() const = 0;

    /// CPU time [s] spent since this was asked last on what waits for nobody: the owned atoms, and the part of the grid
    /// that this rank transforms, so that ranks with none may own more atoms.
    double take_work_seconds() { return std::exchange(work_seconds_, 0.0); }

protected:
    LoadBalance::Scope measure_work() { return LoadBalance::Scope(work_seconds_); }
    void add_work(double seconds) { work_seconds_ += seconds; }

private:
    double work_seconds_ = 0.0;
};

/// On a grid: charges are spread with the window, in integers, onto the points around each atom; their Fourier
/// transform times the influence function is that of the potential; forces are the exact gradient of the interpolated
/// energy.
///     E = K/(2 V) sum_k (4 pi / k^2) chi(k) |rho(k)|^2 / (w_x w_y w_z)^2
/// Per-axis window transforms w divide out what spreading and interpolating do. The same bits on any number of ranks:
/// integers are summed over atoms and ranks, lines of the transform do not see their neighbours. mixed: charges in 32
/// bits, transforms and windows in float; double: 64 bits, double.
/// The forces of the mesh do not sum to exactly zero, as in any such method: what remains is far below its error.
/// `box` must outlive the result. Collective.
std::unique_ptr<LongRange> make_mesh(Communicator comm, const Topology& topology, const MeshSettings& settings,
                                     const Box& box, double coulomb_factor, Precision precision);

/// Term by term, all k up to k_cutoff [1/nm]; 0: until chi(k) is below 1e-12. Exact, and slow: the reference.
///     E = K/(2 V) sum_k (4 pi / k^2) chi(k) |sum_i q_i exp(i k r_i)|^2
/// The same bits on any number of ranks: the sum over atoms is one of integers. `box` must outlive the result.
std::unique_ptr<LongRange> make_plain_ewald(Communicator comm, std::shared_ptr<const EwaldSplit> split, const Box& box,
                                            double coulomb_factor, double k_cutoff);

/// The parts of the energy that do not depend on positions: what each charge has of its own smooth potential, and the
/// uniform background that neutralises a net charge. [kJ/mol]
struct MeshConstants {
    double self = 0.0;
    double background = 0.0; // its virial is -1/2 background on the diagonal
};
MeshConstants mesh_constants(const Topology& topology, const EwaldSplit& split, const Box& box, double coulomb_factor);

} // namespace holon
