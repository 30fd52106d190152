#pragma once

#include "files/raw_file.hpp"

#include <holon/io/checkpoint.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// How checkpoint.h5 is laid out. All numbers are little-endian; every structure here is also an HDF5 datatype.
namespace holon {

static_assert(sizeof(IVec3) == 24);

/// What stays as it is between repartitions: which atom a row of positions and velocities belongs to, and where.
struct AtomIdentity {
    Image image; // of the position as it is written
    AtomId id;
};
static_assert(sizeof(AtomIdentity) == 16 && std::is_standard_layout_v<AtomIdentity>);

static_assert(sizeof(KeptNumber) == 16 && std::is_standard_layout_v<KeptNumber>);
static_assert(offsetof(KeptNumber, index) == 4 && offsetof(KeptNumber, value) == 8);

inline constexpr std::int64_t page_bytes = 4096;

/// A rank's block of rows begins at a multiple of so many, which fill whole pages: no two ranks write to one page.
template <class Row>
inline constexpr std::int64_t rows_of_whole_pages = std::lcm(page_bytes, static_cast<std::int64_t>(sizeof(Row))) /
                                                    static_cast<std::int64_t>(sizeof(Row));
inline constexpr std::int64_t atoms_of_whole_pages =
    std::lcm(rows_of_whole_pages<IVec3>, rows_of_whole_pages<AtomIdentity>);

/// One number of RunState::globals; those of one name follow each other.
struct StateValue {
    std::array<char, RunState::max_name + 1> name; // ends with zeros
    double value;
    std::uint8_t parity, role; // as Parity and Role count
    std::array<std::byte, 6> reserved;
};
static_assert(sizeof(StateValue) == 48);
inline constexpr std::size_t values_in_record = 78;

/// What a rank writes last: that rows [first_row, first_row + atoms) of the slot are its share of the state of `step`.
struct CommitRecord {
    std::uint64_t checksum; // of all that follows
    std::int64_t step;
    std::uint64_t writer;        // random number of the writer that wrote it: records of two runs are never mixed
    std::uint64_t data_checksum; // of its positions and then its velocities
    std::int64_t first_row;
    std::int64_t atoms;
    std::int32_t rank;
    std::int32_t ranks;
    double time;
    std::array<double, 9> box; // master vectors, row by row
    std::int64_t value_count;
    std::array<StateValue, values_in_record> values; // the first of them; the slot has a place for what is left
    OutputMarks outputs;
    std::int64_t sequence; // counts the states that have been submitted to this file: the largest is the newest
    // Its share of the numbers that methods keep: rows [first_kept, first_kept + kept).
    std::uint64_t kept_checksum;
    std::int64_t first_kept;
    std::int64_t kept;
    std::uint64_t identity_checksum;     // of its rows of `identity`, which may be older than the step
    std::array<std::int64_t, 9> lattice; // box vectors in force, row by row [2^-48 nm]
    std::uint64_t boot;                  // of the machine, when it was written; 0: all files are on disk, confirmed
    std::uint64_t more_checksum;         // rank 0: of the values that are left
    std::array<std::byte, 24> reserved;
};
static_assert(sizeof(CommitRecord) == page_bytes && std::is_trivially_copyable_v<CommitRecord>);

CommitRecord make_record(const RunState& state, const Box& box);
std::vector<StateValue> values_beyond_record(const RunState& state);
Box box_in_force(const CommitRecord& record);
RunState state_of(const CommitRecord& record, std::span<const StateValue> more);
std::uint64_t boot_of_machine(); // changes when it is started anew; 0: unknown
void seal(CommitRecord& record);
bool is_sealed(const CommitRecord& record);

/// Where one slot's parts begin in the file.
struct SlotPlace {
    std::int64_t records;
    std::int64_t positions;
    std::int64_t velocities;
    std::int64_t identities;
    std::int64_t kept;
};

/// Where a row of a block that begins at `block` is.
template <class Row>
constexpr std::int64_t row_offset(std::int64_t block, std::int64_t row)
{
    return block + row * static_cast<std::int64_t>(sizeof(Row));
}

/// Part of the file.
struct FileRange {
    std::int64_t begin, size;
};

inline constexpr int max_ring = 12;
inline constexpr int synced_slots = 2;
inline constexpr std::uint32_t checkpoint_format = 4;

/// Where a text of the input is: its bytes, without an end of their own.
struct TextPlace {
    std::array<char, 32> name; // ends with zeros; none: no text
    std::int64_t begin, size;
};
inline constexpr std::size_t max_texts = 16;

/// The page that says where everything is. It is a dataset of its own at one of the first page boundaries and guards
/// all of the file that is not a slot with a checksum. With it the file is read without the HDF5 library, which a file
/// that is made to do harm can crash.
struct CheckpointDirectory {
    std::array<char, 8> magic;
    std::uint32_t format;
    std::uint32_t ring;     // slots [0, ring) are the ring, then come the synced ones
    std::uint64_t checksum; // of all that follows
    std::int64_t offset;    // of this page
    std::int64_t file_size;
    std::uint64_t rest_checksum; // of the file without the slots and this page
    std::uint64_t run_id;
    std::int64_t atoms;
    std::int64_t rows;          // of a slot
    std::int64_t rank_capacity; // commit records of a slot
    std::array<SlotPlace, max_ring + synced_slots> slots;
    std::int64_t kept;      // numbers that methods keep with atoms, in a state; 0: the slots have no place for any
    std::int64_t kept_rows; // of a slot
    std::array<TextPlace, max_texts> texts;
    std::int64_t more; // values of a state beyond those of a commit record; 0: the slots have no place for any
    std::array<std::int64_t, max_ring + synced_slots> more_places; // where those of a slot begin
    std::array<std::byte, 2552> reserved;

    int slot_count() const { return static_cast<int>(ring) + synced_slots; }
    std::int64_t more_rows() const;                 // places for `more` values, whole pages
    std::array<FileRange, 6> parts(int slot) const; // in the order of SlotPlace; then what is left of the values
};
static_assert(sizeof(CheckpointDirectory) == page_bytes && std::is_trivially_copyable_v<CheckpointDirectory>);

/// Completes a directory with the checksums of the file and of itself.
void seal(CheckpointDirectory& directory, const RawFile& file);

/// Makes a file with empty slots for states with so many numbers. Failure, if there is no space for it.
CheckpointDirectory create_checkpoint_file(const std::string& path, const CheckpointInput& input,
                                           const CheckpointNumbers& numbers, int ring, int ranks);
std::int64_t values_beyond_record(const CheckpointNumbers& numbers);

/// Checks all of the file but its slots. InputError as read_checkpoint().
CheckpointDirectory read_directory(const RawFile& file);

/// The stored input of a file that has been checked.
CheckpointInput read_input(const RawFile& file, const CheckpointDirectory& directory);

/// The commit records of a slot if they agree with each other; `problem` says why not.
struct SlotRecords {
    std::vector<CommitRecord> records; // at least that of rank 0
    std::vector<StateValue> more;      // what is left of its values
    bool empty = false;
    std::string problem;
};
SlotRecords read_records(const RawFile& file, const CheckpointDirectory& directory, int slot);

/// What the rows of a slot are of.
enum class SlotPart : std::uint8_t { identities, positions, velocities, kept };

/// Takes rows as they are read: those of each part in the order of the blocks.
using RowSink = std::function<void(SlotPart part, std::span<const std::byte> rows)>;

/// Reads all rows of a slot whose records agree, each once, and passes them on. Empty: what has been passed on is the
/// state of the records, whatever happens to the file meanwhile; or what is wrong with it.
std::string read_rows(const RawFile& file, const CheckpointDirectory& directory, int slot,
                      const std::vector<CommitRecord>& records, const RowSink& sink);

/// Rows of a slot in memory, each part in the order in which it has been read.
struct SlotRows {
    std::vector<AtomIdentity> identities;
    std::vector<IVec3> positions, velocities;
    std::vector<KeptNumber> kept;

    void add(SlotPart part, std::span<const std::byte> rows);
    std::vector<AtomRecord> atoms(const Box& box) const; // wrapped into the box
};

/// Indices of the slots whose records agree, newest first.
std::vector<int> slots_by_age(const std::vector<SlotRecords>& slots);

/// A slot that holds a whole state.
struct FoundSlot {
    int slot = -1;
    std::vector<CommitRecord> records;
    std::vector<StateValue> more;   // as SlotRecords has them
    std::vector<std::string> notes; // slots that had to be skipped
    bool overtaken = false;         // by a run that goes on writing, in every try
    std::string unfit;              // what the check says of the newest state that is valid
};

/// Where the rows of one slot after another may go.
struct RowTaker {
    std::function<void()> begin; // forget what has been taken
    RowSink take;
};

/// Reads the newest state that is valid and passes the check. If the run that writes the file is faster, it tries again
/// with a newer state; in the last try all slots are looked at, those of synced states, too, which last longer.
/// InputError, if there is none.
FoundSlot read_newest(const RawFile& file, const CheckpointDirectory& directory, const StateCheck& check,
                      const RowTaker& taker);

} // namespace holon
