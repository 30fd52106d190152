#include "layout.hpp"

#include <holon/core/error.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace holon {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int rereads = 20;
constexpr std::chrono::milliseconds patience(200), pause(1);

bool same(const std::vector<CommitRecord>& a, const std::vector<CommitRecord>& b)
{
    return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

CheckpointSlot describe(const CheckpointDirectory& directory, int index, const SlotRecords& found)
{
    CheckpointSlot slot;
    slot.index = index;
    slot.synced = index >= static_cast<int>(directory.ring);
    slot.empty = found.empty;
    slot.problem = found.problem;
    if (is_sealed(found.records.front())) {
        slot.sequence = found.records.front().sequence;
        slot.state = state_of(found.records.front(), found.more);
        slot.ranks = found.records.front().ranks;
    }
    return slot;
}

/// Rows that have been verified.
void take(SlotRows& rows, const CommitRecord& record, CheckpointSlot& slot)
{
    slot.atoms = rows.atoms(box_in_force(record));
    std::ranges::sort(slot.atoms, {}, &AtomRecord::id);
    slot.kept = std::move(rows.kept);
    std::ranges::sort(slot.kept, {}, [](const KeptNumber& n) { return std::pair(n.id, n.index); });
}

} // namespace

struct CheckpointFile::Impl {
    explicit Impl(const std::string& path) : file(open_input(path)), directory(read_directory(file)) {}
    SlotRecords records(int slot) const { return read_records(file, directory, slot); }
    bool is_being_written(int slot, const SlotRecords& seen) const;

    RawFile file;
    CheckpointDirectory directory;
};

/// Whether the slot gets other records soon: they come after the rows of a state.
bool CheckpointFile::Impl::is_being_written(int slot, const SlotRecords& seen) const
{
    for (const auto end = Clock::now() + patience; Clock::now() < end; std::this_thread::sleep_for(pause))
        if (!same(records(slot).records, seen.records)) return true;
    return false;
}

CheckpointFile::CheckpointFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
CheckpointFile::~CheckpointFile() = default;

CheckpointInput CheckpointFile::input() const
{
    return read_input(impl_->file, impl_->directory);
}

std::vector<CheckpointSlot> CheckpointFile::slots() const
{
    std::vector<CheckpointSlot> slots;
    for (int k = 0; k < impl_->directory.slot_count(); ++k)
        slots.push_back(describe(impl_->directory, k, impl_->records(k)));
    return slots;
}

std::string CheckpointFile::verify(int slot) const
{
    const auto found = impl_->records(slot);
    if (!found.problem.empty()) return found.problem;
    return read_rows(impl_->file, impl_->directory, slot, found.records, [](SlotPart, auto) {});
}

CheckpointSlot CheckpointFile::read(int index) const
{
    for (int k = 1;; ++k) {
        const auto found = impl_->records(index);
        auto slot = describe(impl_->directory, index, found);
        SlotRows rows;
        if (slot.problem.empty())
            slot.problem = read_rows(impl_->file, impl_->directory, index, found.records,
                                     [&rows](SlotPart part, auto bytes) { rows.add(part, bytes); });
        if (slot.problem.empty()) take(rows, found.records.front(), slot);
        if (slot.problem.empty() || slot.empty || k == rereads || !impl_->is_being_written(index, found)) return slot;
    }
}

CheckpointSlot CheckpointFile::newest() const
{
    SlotRows rows;
    auto found = read_newest(impl_->file, impl_->directory, {},
                             {[&rows] { rows = {}; }, [&rows](SlotPart part, auto bytes) { rows.add(part, bytes); }});
    auto slot = describe(impl_->directory, found.slot, {found.records, found.more, false, {}});
    take(rows, found.records.front(), slot);
    return slot;
}

} // namespace holon
