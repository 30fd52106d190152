#include "layout.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>

/// Finding a whole state while the run may go on. Rows that have been overwritten since their commit record was read do
/// not have its checksums, and what has been read is what has been verified: no lock is needed, only another try.
namespace holon {

namespace {

constexpr int tries = 20;

/// The largest number that a state in the file has.
std::int64_t last_sequence(std::span<const SlotRecords> slots)
{
    std::int64_t last = 0;
    for (const auto& slot : slots)
        if (is_sealed(slot.records.front())) last = std::max(last, slot.records.front().sequence);
    return last;
}

std::vector<SlotRecords> read_all_records(const RawFile& file, const CheckpointDirectory& directory)
{
    std::vector<SlotRecords> slots;
    for (int k = 0; k < directory.slot_count(); ++k) slots.push_back(read_records(file, directory, k));
    return slots;
}

/// After a power cut a state may be on disk, and frames of the trajectory from the time before it are not: only the
/// texts beside it have checksums. A synced state is confirmed when all that it relies on is on disk, and before the
/// other one is written again. Why a run cannot go on from a state then, as half a sentence.
std::string why_unsure(const CommitRecord& record, const CheckpointDirectory& directory,
                       std::span<const SlotRecords> slots)
{
    if (record.boot == 0 || record.boot == boot_of_machine()) return {};
    std::int64_t frames_on_disk = 0;
    for (const auto& slot : slots.subspan(directory.ring))
        if (const auto& first = slot.records.front(); slot.problem.empty() && first.boot == 0)
            frames_on_disk = std::max(frames_on_disk, first.outputs.frames);
    if (record.outputs.frames <= frames_on_disk) return {};
    return "the machine was started anew, or is another one, and frames of the trajectory may not have been on disk";
}

/// One try. Ends early if the newest state turns out not to be the newest any more, unless it is the last try.
FoundSlot try_newest(const RawFile& file, const CheckpointDirectory& directory, const StateCheck& check,
                     const RowTaker& taker, bool last_try)
{
    auto slots = read_all_records(file, directory);
    const auto newest = last_sequence(slots);
    FoundSlot found;
    for (std::size_t k = 0; k < slots.size(); ++k)
        if (!slots[k].problem.empty() && !slots[k].empty)
            found.notes.push_back(fmt::format("{}: slot {} is skipped: {}.", file.path(), k, slots[k].problem));
    const auto is_overtaken = [&] { return last_sequence(read_all_records(file, directory)) > newest; };
    for (const int k : slots_by_age(slots)) {
        auto& records = slots[index(k)].records;
        taker.begin();
        auto problem = read_rows(file, directory, k, records, taker.take);
        if (problem.empty() && check) {
            problem = check(directory.run_id, state_of(records.front(), slots[index(k)].more));
            if (found.unfit.empty()) found.unfit = problem;
            if (problem.empty()) problem = why_unsure(records.front(), directory, slots);
        } else if (!problem.empty() && is_overtaken()) {
            found.overtaken = true;
            problem = "the run that goes on overwrote it while it was read";
        }
        if (problem.empty()) {
            found.slot = k;
            found.records = std::move(records);
            found.more = std::move(slots[index(k)].more);
            return found;
        }
        if (found.overtaken && !last_try) return found;
        found.notes.push_back(
            fmt::format("{}: slot {}, step {}, is skipped: {}.", file.path(), k, records.front().step, problem));
    }
    found.overtaken = found.overtaken || is_overtaken();
    return found;
}

std::string why_none(const std::string& path, const FoundSlot& found)
{
    if (!found.unfit.empty())
        return fmt::format("The files beside {} do not belong to its states: {}. Nothing has been changed. Put the "
                           "right file back, move it away (a new one is begun), or go on in another folder with -o.",
                           path, found.unfit);
    if (found.overtaken)
        return fmt::format("{} is written faster than it can be read: the run that goes on has overwritten each state "
                           "meanwhile. Try again, or stop the run first.",
                           path);
    std::string reasons;
    for (const auto& note : found.notes) reasons += "\n  " + note;
    return fmt::format("{} holds no valid state. Start the run again, or use a copy of the file.{}", path, reasons);
}

} // namespace

FoundSlot read_newest(const RawFile& file, const CheckpointDirectory& directory, const StateCheck& check,
                      const RowTaker& taker)
{
    FoundSlot found;
    for (int k = 1; k <= tries; ++k) {
        found = try_newest(file, directory, check, taker, k == tries);
        if (found.slot >= 0) return found;
        if (!found.overtaken) break;
    }
    throw InputError(why_none(file.path(), found));
}

} // namespace holon
