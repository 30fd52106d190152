#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/io/append_file.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/state.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// checkpoint.h5: everything that a run is made of, and a ring of slots with the state of its last steps.
///
/// The file is made once, under another name, with its first state in it; from then on the HDF5 library does not touch
/// it and none of its metadata changes. Each rank writes its atoms (and what methods keep with them) and then a commit
/// record with their checksums at offsets that HDF5 reported. Ids and image counts, which change at a repartition only,
/// are written into a slot that does not have them yet. A slot is valid if the commit records of one step, from one
/// writer, cover every atom exactly once and all checksums agree. docs/checkpoint.md describes the file.
///
/// Two promises. The death of the processes loses no step that all ranks have committed: what is written is in the
/// hands of the operating system. The death of the machine loses no more than about `sync_seconds`: at that interval
/// a state goes to one of two slots that are used for nothing else instead of to the ring; when all ranks have written
/// it, one rank of each node syncs the other files of the run and then the checkpoint to disk in the background, and
/// when all have done so, the state's record says it.
namespace holon {

/// How far the files beside the checkpoint had come when a state was submitted: where a run that goes on from it
/// appends. A state of a new run has none of them.
struct OutputMarks {
    static constexpr std::int64_t no_step = std::numeric_limits<std::int64_t>::min();

    std::int64_t frames = 0;           // of the trajectory,
    std::int64_t last_frame = no_step; // the step of the last one
    TextMark energies;                 // energy.csv
    TextMark log;                      // md.log,
    std::int64_t last_table = no_step; // the step of the last energies in it
    bool operator==(const OutputMarks&) const = default;
};

/// What a run is at beside its atoms, the same on all ranks.
struct RunState {
    static constexpr std::size_t max_name = 31;

    std::int64_t step = 0;
    double time = 0.0;           // [ps]
    Mat3 box = Mat3::Zero();     // master vectors, rows [nm]
    std::vector<Global> globals; // of State: names of at most max_name characters
    OutputMarks outputs;         // known to rank 0

    bool operator==(const RunState&) const = default;
};

/// What a run is made of: stored once. `texts` by name: mdp, topology, index, command-line, program-version, title, ...
struct CheckpointInput {
    std::int64_t atoms = 0;
    std::uint64_t run_id = 0; // the same in the run's trajectory
    std::map<std::string, std::string> texts;
    bool operator==(const CheckpointInput&) const = default;
};

/// What a state has beside its atoms.
struct CheckpointNumbers {
    std::int64_t kept = 0;   // numbers that methods keep with atoms
    std::int64_t values = 0; // of the globals, all together
};
std::int64_t count_values(const RunState& state);

/// Size of the file of a run on so many ranks [bytes].
std::int64_t checkpoint_bytes(const CheckpointInput& input, const CheckpointNumbers& numbers, int ring, int ranks);

std::uint64_t new_run_id(const Communicator& comm); // random, the same on all ranks; not 0. Collective.

struct CheckpointOptions {
    int slots = 3; // of the ring, 3 to 12; two more are for synced states
    CheckpointMapping mapping = CheckpointMapping::automatic;
    double sync_seconds = 10.0;              // 0: never synced but at the end
    std::vector<std::string> sync_also = {}; // paths that a synced state relies on: the trajectory, ...
};

/// Bits that all ranks must agree on (OR) once per step.
enum CheckpointVote : std::uint64_t {
    checkpoint_failed = 1,    // writing failed on some rank: end the run
    checkpoint_sync_due = 2,  // rank 0: time to sync
    checkpoint_sync_busy = 4, // some rank is still writing or syncing a state that is to be synced
};

/// What checkpoints have cost a rank, or all ranks together, since the statistics were restarted.
struct CheckpointStats {
    std::int64_t written = 0; // states
    std::int64_t bytes_per_step = 0;
    double blocked_s = 0.0;    // waiting for the disk
    double pack_s = 0.0;       // of the thread that computes, CPU time
    double helper_cpu_s = 0.0; // of the helper threads: checksums and writes
};

/// A state read from a checkpoint: `atoms` and `kept` are this rank's shares, in no particular order.
struct CheckpointContents {
    CheckpointInput input;
    RunState state;
    std::vector<AtomRecord> atoms;
    std::vector<KeptNumber> kept;   // likewise; none in a file without them
    std::vector<std::string> notes; // slots that had to be skipped
    int slot = 0;
};

/// Says why a run cannot go on from a state that is valid, as half a sentence; empty, if it can. Takes the run's id.
using StateCheck = std::function<std::string(std::uint64_t run_id, const RunState&)>;

/// Reads the newest valid state; each rank gets an equal share of the atoms. InputError if there is none: not HDF5, not
/// a checkpoint, truncated, damaged, of another format. With a `check` (called on rank 0), the newest that passes it.
/// A run may be writing the file: what is returned is what has been verified, and newer states are tried if one has
/// been overwritten meanwhile. InputError, if all of them are. Collective.
CheckpointContents read_checkpoint(const Communicator& comm, const std::string& path, const StateCheck& check = {});

/// Writes a state per submit(), at once or in the background: see CheckpointWay in slot_writer.hpp. All ranks take part
/// in every call but votes(), error() and stats().
class CheckpointWriter {
public:
    struct New {
        const CheckpointInput& input;
        const CheckpointOptions& options;
    };
    /// Makes a new file with this state in it; a file that is there is replaced once the new one is complete.
    /// Failure, if there is no space. Collective.
    static CheckpointWriter create(const Communicator& comm, const std::string& path, const New& file,
                                   const RunState& state, const Atoms& atoms, const Box& box);

    /// Goes on in the ring of the file that `contents` was read from. The file is made anew if it has too few places
    /// for this number of ranks or others for kept numbers and globals than there are, or if `contents.input` or the
    /// number of slots has been changed. Collective.
    static CheckpointWriter resume(const Communicator& comm, const std::string& path,
                                   const CheckpointContents& contents, const CheckpointOptions& options,
                                   const Atoms& atoms, const Box& box);

    ~CheckpointWriter();
    CheckpointWriter(CheckpointWriter&&) noexcept;
    CheckpointWriter& operator=(CheckpointWriter&&) noexcept;

    /// After atoms have changed owners, order, id or image count: finds this rank's place in the file. Collective.
    void repartition(const Atoms& atoms);

    /// This rank's CheckpointVote bits.
    std::uint64_t votes() const;

    /// Takes the OR of all ranks' votes(): of each step, so that a sync begins and ends when it can.
    void agree(std::uint64_t agreed);

    /// Has positions, velocities and kept numbers of the owned atoms written: at once, or a copy in the background, and
    /// waits then if the previous state is still being written. The other columns are as they were at repartition().
    /// The state is one to be synced, if the ranks have agreed that it is time. Does nothing after a failure.
    /// `lent`: positions and velocities stay as and where they are until release(), so that they need not be copied.
    void submit(const RunState& state, const Atoms& atoms, const Box& box, bool lent = false);

    /// Waits until the helper has done with atoms that have been lent.
    void release();

    /// Waits until the last state is written and syncs it to disk. The caller then votes on error().
    void finish();

    /// Replaces the marks of the state that finish() has written last, when the outputs are complete, too. Does nothing
    /// after a failure.
    void mark_outputs(const OutputMarks& marks);

    std::string error() const; // empty, or why writing failed on this rank
    CheckpointStats stats();   // when what is being written and synced is done
    void restart_stats();      // of the steps to come, without what has been written to begin with

private:
    struct Impl;
    explicit CheckpointWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// One slot as the commit records describe it.
struct CheckpointSlot {
    int index = 0;
    bool synced = false;       // reserved for synced states
    bool empty = false;        // never written
    std::int64_t sequence = 0; // of two valid slots the one with the larger number is newer
    RunState state;
    int ranks = 0;
    std::string problem;           // why the slot is not valid; empty, if the commit records agree
    std::vector<AtomRecord> atoms; // by id. Where they have been read, `problem` speaks of them, too
    std::vector<KeptNumber> kept;  // by id and index; likewise
};

/// A checkpoint file opened for looking at, without MPI; a run may be writing it. Constructor: InputError as
/// read_checkpoint().
class CheckpointFile {
public:
    explicit CheckpointFile(const std::string& path);
    ~CheckpointFile();

    CheckpointInput input() const;
    std::vector<CheckpointSlot> slots() const; // in order of their index, without atoms
    std::string verify(int slot) const;        // reads all atoms: empty, or what is wrong with the slot

    // With their atoms, which are those of this very state.
    CheckpointSlot read(int slot) const; // whatever state it has by then, if a run overwrites it
    CheckpointSlot newest() const;       // valid. InputError, if there is none

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The state hash (holon/core/state_hash.hpp) of a whole system.
std::uint64_t state_hash(const RunState& state, std::span<const AtomRecord> atoms,
                         std::span<const KeptNumber> kept = {});

} // namespace holon
