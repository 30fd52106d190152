#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/index.hpp>
#include <holon/io/checkpoint.hpp>
#include <holon/io/schedule.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// trajectory.h5md: an H5MD 1.1 file (P. de Buyl et al., Comput. Phys. Commun. 185, 1546 (2014)) with atoms in input
/// order.
///
/// particles/trajectory has the positions and whatever is written at the same steps. Quantities written at other steps
/// have groups of their own, particles/trajectory_velocity and the like, each with its steps, times and boxes: readers
/// such as MDAnalysis open the first group and take all that is in it for frames of the same steps.
///
/// It survives being killed at any moment and may be read while the run goes on. All datasets have their final place
/// for as many frames as the run will need, and all metadata are complete, before the first frame is written; the file
/// is sparse, so what is not written takes no space. A frame is written by all ranks where it belongs, and becomes
/// visible as a whole, all its quantities at once, when the lengths of all datasets, which lie in one page of the file,
/// are raised by a single write.
namespace holon {

enum class Quantity : std::size_t { position, velocity, force, constraint_force };
inline constexpr std::size_t quantity_count = 4;
inline constexpr std::array all_quantities = {Quantity::position, Quantity::velocity, Quantity::force,
                                              Quantity::constraint_force};

/// A value for each quantity.
template <class T>
struct PerQuantity : std::array<T, quantity_count> {
    T& operator[](Quantity q) { return this->at(index(q)); }
    const T& operator[](Quantity q) const { return this->at(index(q)); }
};

/// Names of the same width, one after the other, filled up with zeros.
struct NameColumn {
    std::size_t width = 0;
    std::string characters;
};

/// What does not change from frame to frame.
struct TrajectoryInfo {
    std::int64_t atoms = 0;
    std::uint64_t run_id = 0;       // as CheckpointInput::run_id
    PerQuantity<Schedule> schedule; // when each is written; positions always are, if anything is
    bool double_precision = false;  // positions and velocities as double, not float; forces of either kind are always
                                    // double
    std::int64_t first_step = 0;    // of those that are to come,
    std::int64_t last_step = std::numeric_limits<std::int64_t>::max(); // the last; the largest number: unknown
    std::string program_version = "unknown";

    // Of all atoms in input order; on rank 0 only.
    std::vector<std::int32_t> species;
    std::vector<double> mass;   // [u]
    std::vector<double> charge; // [e]
    NameColumn name;
    std::vector<std::int32_t> residue; // index into residue_name
    std::vector<std::array<std::int32_t, 2>> bonds;
    NameColumn residue_name; // of all residues

    bool writes_any() const { return !schedule[Quantity::position].empty(); }
};

/// When each quantity is written: positions with all others, if they have no interval.
PerQuantity<Schedule> schedules_of(const Parameters& parameters);

/// What the frames of so many steps and the one before them take, those of all quantities together [bytes].
std::int64_t trajectory_bytes(const TrajectoryInfo& info, std::int64_t steps);

/// Fills the last part from a topology. Species: the atomic number, or the index of the atom type if not all are known.
/// Bonds: the chemical ones.
void describe_atoms(const Topology& topology, TrajectoryInfo& info);

/// Appends frames. All ranks take part in every call but wants(), frames() and last_step(). Errors are thrown alike
/// on all ranks: Failure, if writing does not work.
class TrajectoryWriter {
public:
    /// A new file without frames; one that is there is replaced.
    static TrajectoryWriter create(const Communicator& comm, const std::string& path, const TrajectoryInfo& info);

    /// Goes on after `step`: frames of later steps are dropped. InputError, with nothing touched, if the file is
    /// damaged or belongs to another run or has another precision. The file is copied if it has no place for what is to
    /// come, or if quantities are written at other steps than before: frames that are there stay.
    static TrajectoryWriter resume(const Communicator& comm, const std::string& path, const TrajectoryInfo& info,
                                   std::int64_t step);

    /// Throws what resume() would throw, and changes nothing. For rank 0.
    static void check_append(const std::string& path, const TrajectoryInfo& info);

    ~TrajectoryWriter();
    TrajectoryWriter(TrajectoryWriter&&) noexcept;
    TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;

    /// True, if something is due at this step that is not there yet.
    bool wants(std::int64_t step) const;

    /// Writes what is due, of the owned atoms of all ranks: positions wrapped into the box [nm], velocities [nm/ps],
    /// forces [kJ/mol/nm]. If constraint forces are due, all this waits for them, and is not there before.
    void append(std::int64_t step, double time, const Atoms& atoms, const Box& box);
    bool waits_for_constraint_forces() const;

    /// Completes what has been appended with the forces [kJ/mol/nm] of constraints on the owned atoms.
    void add_constraint_forces(const Atoms& atoms, std::span<const Vec3> forces);

    std::int64_t frames() const;    // steps of which there is anything
    std::int64_t last_step() const; // the last of them; OutputMarks::no_step, if there is none

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
    std::int64_t frames() const; // steps of which there is anything
    bool has(Quantity quantity) const;
    std::int64_t frames(Quantity quantity) const;
    std::int64_t step(std::int64_t frame) const;

    /// Why this is not the run's trajectory or lacks frames that it had at a mark, as half a sentence; empty, if all is
    /// well.
    std::string mismatch(std::uint64_t run_id, const OutputMarks& marks) const;
    double time(std::int64_t frame) const; // [ps]

    /// Everything that is stored of a frame, byte by byte: box, positions, velocities, forces, constraint forces.
    std::vector<std::byte> contents(std::int64_t frame) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
