#pragma once

#include "checksum.hpp"
#include "files/mapped_file.hpp"
#include "layout.hpp"

#include <holon/comm/node_mutex.hpp>
#include <holon/system/parameters.hpp>

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// How states get into the file; the same on all ranks.
struct CheckpointWay {
    bool mapped = false;  // through memory that is the file's, where the system allows it
    bool at_once = false; // by the thread that submits them, and no helper

    /// A helper is for file systems that may keep a write waiting, and for teams of threads, which would wait for one.
    /// Elsewhere it is no use: it takes its time from the same cores, and finds the atoms in no cache any more.
    /// Collective.
    static CheckpointWay choose(const Communicator& comm, const std::string& path, CheckpointMapping mapping);
};

/// What one rank writes of each state, wherever it is.
struct CheckpointRows {
    std::span<const IVec3> positions, velocities;
    std::span<const KeptNumber> kept;
    std::span<const StateValue> more; // rank 0: the values for which its record has no place
};

/// Writes a rank's part of the slots of a checkpoint.
class SlotWriter {
public:
    /// Collective.
    SlotWriter(const Communicator& comm, RawFile file, const CheckpointDirectory& directory, CheckpointWay way);

    /// After a repartition: the owned atoms are rows of every slot from `first_row` on.
    void set_identities(const Atoms& atoms, std::int64_t first_row);

    /// Writes identities and any rows into all slots. The first time that a page is written costs the kernel several
    /// times as much as all others; the first steps are to cost no more than any.
    void fill(std::span<const IVec3> rows);

    /// Writes a state; completes its record with checksums and the place of its rows, and writes that.
    void write(int slot, const CheckpointRows& rows, CommitRecord& record);
    void write_record(int slot, CommitRecord& record);

    RawFile& file() { return file_; }
    const RawFile& file() const { return file_; }
    bool first_of_node() const { return turns_.first(); }

private:
    bool through_memory(int slot) const { return mapped_ && slot < static_cast<int>(directory_.ring); }
    std::unique_lock<NodeMutex> turn();
    void write_identities(int slot);
    template <class Row>
    void write_rows(int slot, std::span<const Row> rows, std::int64_t offset, Checksum& sum);
    void forget_others(std::int64_t first_row, std::size_t n_rows);

    RawFile file_;
    CheckpointDirectory directory_;
    CheckpointWay way_;
    NodeMutex turns_;
    MappedFile mapped_;
    std::vector<AtomIdentity> identities_;
    std::int64_t first_row_ = 0;
    std::uint64_t identity_checksum_ = 0;
    std::int64_t version_ = 0;                                       // of the identities: counts the repartitions
    std::array<std::int64_t, max_ring + synced_slots> version_in_{}; // which one this writer has left in each slot
};

} // namespace holon
