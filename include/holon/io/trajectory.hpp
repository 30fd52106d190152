#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/io/checkpoint.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// trajectory.h5: an H5MD 1.1 file (P. de Buyl et al., Comput. Phys. Commun. 185, 1546 (2014)) with atoms in input
/// order.
///
/// It survives being killed at any moment and may be read while the run goes on. All datasets have their final place
/// for as many frames as the run will need, and all metadata are complete, before the first frame is written; the file
/// is sparse, so what is not written takes no space. A frame is written by all ranks where it belongs, and becomes
/// visible as a whole when the lengths of all datasets, which lie in one page of the file, are raised by a single
/// write.
namespace holon {

/// What does not change from frame to frame.
struct TrajectoryInfo {
    std::int64_t atoms = 0;
    std::uint64_t run_id = 0; // as CheckpointInput::run_id
    bool velocities = false;
    bool forces = false;
    bool constraint_forces = false;
    bool double_precision = false; // positions and velocities as double, not float; forces of either kind are always
                                   // double
    std::int64_t frames = 0;       // that are still to be written; 0: unknown
    std::string program_version = "unknown";

    // Of all atoms in input order; on rank 0 only.
    std::vector<std::int32_t> species;
    std::vector<double> mass;   // [u]
    std::vector<double> charge; // [e]
    std::vector<std::array<std::int32_t, 2>> bonds;
};

/// Fills the last part from a topology. Species: the atomic number, or the index of the atom type if not all are known.
/// Bonds: all bonded terms and constraints of two atoms that are bonds, and those of rigid water.
void describe_atoms(const Topology& topology, TrajectoryInfo& info);

/// Appends frames. All ranks take part in every call but has_frame(), frames() and last_step(). Errors are thrown alike
/// on all ranks: Failure, if writing does not work.
class TrajectoryWriter {
public:
    /// A new file without frames; one that is there is replaced.
    static TrajectoryWriter create(const Communicator& comm, const std::string& path, const TrajectoryInfo& info);

    /// Goes on after `step`: frames of later steps are dropped. InputError, with nothing touched, if the file is
    /// damaged or belongs to another run or has other contents. The file is copied if it has no place for `info.frames`
    /// more.
    static TrajectoryWriter resume(const Communicator& comm, const std::string& path, const TrajectoryInfo& info,
                                   std::int64_t step);

    /// Throws what resume() would throw, and changes nothing. For rank 0.
    static void check_append(const std::string& path, const TrajectoryInfo& info);

    ~TrajectoryWriter();
    TrajectoryWriter(TrajectoryWriter&&) noexcept;
    TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;

    /// Writes the owned atoms of all ranks: positions wrapped into the box [nm], velocities [nm/ps], forces
    /// [kJ/mol/nm]. `step` has to be larger than that of the frame before. If frames have constraint forces, the frame
    /// waits for them, and is not there before it has them.
    void append(std::int64_t step, double time, const Atoms& atoms, const Box& box);
    bool waits_for_constraint_forces() const;

    /// Completes the last frame with the forces [kJ/mol/nm] of constraints on the owned atoms.
    void add_constraint_forces(const Atoms& atoms, std::span<const Vec3> forces);

    /// True, if the last frame is of this step or a later one: a run that goes on from a checkpoint asks before it
    /// writes the frame of its first step.
    bool has_frame(std::int64_t step) const;
    std::int64_t frames() const;
    std::int64_t last_step() const; // of the last frame; OutputMarks::no_step, if there is none

    void finish(); // frames to disk

private:
    struct Impl;
    explicit TrajectoryWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A trajectory opened for looking at, without MPI. Constructor: InputError, if the file is none of ours or damaged.
class TrajectoryFile {
public:
    explicit TrajectoryFile(const std::string& path);
    ~TrajectoryFile();

    /// True for a file that is a trajectory of ours, be it damaged or not. InputError, if it cannot be read.
    static bool recognises(const std::string& path);

    std::int64_t atoms() const;
    std::int64_t frames() const;
    bool velocities() const;
    bool forces() const;
    bool constraint_forces() const;
    std::int64_t step(std::int64_t frame) const;

    /// Why this is not the run's trajectory or lacks frames that it had at a mark, as half a sentence; empty, if all is
    /// well.
    std::string mismatch(std::uint64_t run_id, const OutputMarks& marks) const;
    double time(std::int64_t frame) const; // [ps]

    /// Everything that is stored of a frame, byte by byte: box, positions, velocities, forces,
    /// constraint forces.
    std::vector<std::byte> contents(std::int64_t frame) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
