#include "checksum.hpp"
#include "layout.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/state_hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>

namespace holon {

namespace {

std::uint64_t checksum_of(const CommitRecord& record)
{
    return checksum(std::as_bytes(std::span(&record, 1)).subspan(sizeof(record.checksum)));
}

/// Rows of one rank.
struct Block {
    std::int64_t part; // where the part of the slot begins in the file
    std::int64_t first, count;
};

/// Reads a block, a piece after the other, adds the rows to a checksum and passes them on. Ends early, and with false,
/// at a piece with a row that is not good.
template <class Row, class Pass, class Good>
bool read_block(const RawFile& file, const Block& block, Checksum& sum, Pass pass, Good good)
{
    constexpr std::int64_t piece_rows = 1 << 16;
    std::vector<Row> piece(index(std::min(piece_rows, block.count)));
    for (std::int64_t row = 0; row < block.count; row += piece_rows) {
        const auto rows = std::span(piece).first(index(std::min(piece_rows, block.count - row)));
        file.read(std::as_writable_bytes(rows), row_offset<Row>(block.part, block.first + row));
        if (!std::ranges::all_of(rows, good)) return false;
        sum.add(std::as_bytes(rows));
        pass(std::as_bytes(rows));
    }
    return true;
}

/// Image counts of a run stay far below; more may be added to one than it has room for.
constexpr std::int32_t most_images = 1 << 30;

/// Whether a run can go on from what is not the atoms: a right checksum does not say that we have written it. `more`:
/// for how many values beyond its own there is place.
bool is_plausible(const CommitRecord& record, std::int64_t more)
{
    constexpr auto most = std::int64_t{1} << 62;
    const auto& marks = record.outputs;
    const auto within = [](std::int64_t n, std::int64_t least) { return n >= least && n < most; };
    if (!within(record.sequence, 0) || !within(record.step, -most) || !std::isfinite(record.time) ||
        !within(record.value_count, 0) || record.value_count > std::ssize(record.values) + more ||
        !within(marks.frames, 0) || !within(marks.energies.bytes, 0) || !within(marks.log.bytes, 0))
        return false;
    try {
        const auto box = box_in_force(record);
        const Mat3 given = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(record.box.data());
        return (box.vectors() - given).cwiseAbs().maxCoeff() < 1e-6; // beyond rounding; false for NaN
    } catch (const InputError&) {
        return false;
    }
}

/// Why records that are sealed do not make up one state; empty, if they do.
std::string disagreement(const std::vector<CommitRecord>& records, const CheckpointDirectory& directory)
{
    const auto& first = records.front();
    const auto within = [](std::int64_t begin, std::int64_t count, std::int64_t rows) {
        return begin >= 0 && count >= 0 && count <= rows && begin <= rows - count;
    };
    std::int64_t total = 0, kept = 0;
    for (std::size_t r = 0; r < records.size(); ++r) {
        const auto& record = records[r];
        if (record.step != first.step || record.sequence != first.sequence || record.writer != first.writer)
            return fmt::format("rank {} has not committed step {}", r, first.step);
        if (record.rank != static_cast<std::int32_t>(r) || record.ranks != first.ranks ||
            !within(record.first_row, record.atoms, directory.rows) ||
            !within(record.first_kept, record.kept, directory.kept_rows) || !is_plausible(record, directory.more))
            return fmt::format("the commit record of rank {} is out of bounds", r);
        total += record.atoms;
        kept += record.kept;
    }
    if (kept > directory.kept) return fmt::format("{} of {} kept numbers are committed", kept, directory.kept);
    if (total != directory.atoms) return fmt::format("{} of {} atoms are committed", total, directory.atoms);
    return {};
}

/// Calls f(global, value) for each number of each global.
template <class F>
void for_each_value(const RunState& state, F f)
{
    for (const auto& global : state.globals)
        for (const double value : global.values) f(global, value);
}

StateValue stored(const Global& global, double value)
{
    HOLON_ASSERT(global.name.size() <= RunState::max_name, global.name);
    StateValue entry{};
    std::ranges::copy(global.name, entry.name.begin());
    entry.value = value;
    entry.parity = static_cast<std::uint8_t>(global.parity);
    entry.role = static_cast<std::uint8_t>(global.role);
    return entry;
}

/// The values for which the record of rank 0 has no place; what is wrong with them, or nothing.
std::string read_more_values(const RawFile& file, const CheckpointDirectory& directory, int slot, SlotRecords& found)
{
    const auto& first = found.records.front();
    const auto count = std::max<std::int64_t>(0, first.value_count - std::ssize(first.values));
    if (count == 0) return {};
    found.more.resize(index(count));
    file.read(std::as_writable_bytes(std::span(found.more)), directory.more_places[index(slot)]);
    if (checksum(std::as_bytes(std::span(found.more))) == first.more_checksum) return {};
    found.more.clear();
    return "the values of the whole system are damaged";
}

} // namespace

std::int64_t count_values(const RunState& state)
{
    std::int64_t count = 0;
    for (const auto& global : state.globals) count += std::ssize(global.values);
    return count;
}

CommitRecord make_record(const RunState& state, const Box& box)
{
    CommitRecord record{};
    record.step = state.step;
    record.time = state.time;
    record.outputs = state.outputs;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            record.box[index(3 * i + j)] = state.box(i, j);
            record.lattice[index(3 * i + j)] = box.lattice_vector(i)[j];
        }
    for_each_value(state, [&record](const Global& global, double value) {
        const auto k = index(record.value_count++);
        if (k < values_in_record) record.values[k] = stored(global, value);
    });
    return record;
}

std::vector<StateValue> values_beyond_record(const RunState& state)
{
    std::vector<StateValue> more;
    std::size_t k = 0;
    for_each_value(state, [&](const Global& global, double value) {
        if (k++ >= values_in_record) more.push_back(stored(global, value));
    });
    return more;
}

Box box_in_force(const CommitRecord& record)
{
    Mat3 vectors;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            vectors(i, j) = std::ldexp(static_cast<double>(record.lattice[index(3 * i + j)]), -position_bits);
    return {vectors, position_bits};
}

RunState state_of(const CommitRecord& record, std::span<const StateValue> more)
{
    RunState state;
    state.step = record.step;
    state.time = record.time;
    state.outputs = record.outputs;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) state.box(i, j) = record.box[index(3 * i + j)];
    const auto add = [&state](const StateValue& entry) {
        const std::string name(entry.name.data(), strnlen(entry.name.data(), RunState::max_name));
        if (state.globals.empty() || state.globals.back().name != name)
            state.globals.push_back({name,
                                     entry.parity == 0 ? Parity::even : Parity::odd,
                                     entry.role == 0 ? Role::dynamics : Role::ledger,
                                     {}});
        state.globals.back().values.push_back(entry.value);
    };
    const auto count = std::clamp<std::int64_t>(record.value_count, 0, std::ssize(record.values));
    for (const auto& entry : std::span(record.values).first(index(count))) add(entry);
    for (const auto& entry : more) add(entry);
    return state;
}

std::uint64_t boot_of_machine()
{
    std::string text;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), text);
    return text.empty() ? 0 : checksum(std::as_bytes(std::span(text)));
}

void seal(CommitRecord& record)
{
    record.checksum = checksum_of(record);
}

bool is_sealed(const CommitRecord& record)
{
    return record.checksum == checksum_of(record);
}

SlotRecords read_records(const RawFile& file, const CheckpointDirectory& directory, int slot)
{
    const auto begin = directory.slots[index(slot)].records;
    SlotRecords result;
    result.records.push_back(file.read_value<CommitRecord>(begin));
    const auto first = result.records.front();
    result.empty = first.writer == 0 && first.ranks == 0;
    if (result.empty)
        result.problem = "empty";
    else if (!is_sealed(first))
        result.problem = "the commit record of rank 0 is damaged or incomplete";
    else if (first.ranks < 1 || first.ranks > directory.rank_capacity)
        result.problem = fmt::format("{} ranks cannot have written it", first.ranks);
    if (!result.problem.empty()) return result;

    constexpr std::size_t piece = 256; // as far as they are good, and no further
    const auto ranks = index(first.ranks);
    for (auto& records = result.records; records.size() < ranks;) {
        const auto done = records.size();
        records.resize(std::min(ranks, done + piece));
        const auto part = std::span(records).subspan(done);
        file.read(std::as_writable_bytes(part), row_offset<CommitRecord>(begin, static_cast<std::int64_t>(done)));
        const auto torn = std::ranges::find_if_not(part, is_sealed);
        if (torn == part.end()) continue;
        result.problem =
            fmt::format("the commit record of rank {} is damaged or incomplete", done + index(torn - part.begin()));
        return result;
    }
    result.problem = disagreement(result.records, directory);
    if (result.problem.empty()) result.problem = read_more_values(file, directory, slot, result);
    return result;
}

std::string read_rows(const RawFile& file, const CheckpointDirectory& directory, int slot,
                      const std::vector<CommitRecord>& records, const RowSink& sink)
{
    const auto& place = directory.slots[index(slot)];
    const auto pass = [&sink](SlotPart part) {
        return [&sink, part](std::span<const std::byte> rows) { sink(part, rows); };
    };
    const auto known = [&directory](AtomId id) { return id >= 0 && id < directory.atoms; };
    std::vector<bool> seen(index(directory.atoms), false);
    const auto for_the_first_time = [&](const AtomIdentity& atom) {
        if (!known(atom.id) || seen[index(atom.id)] ||
            !(atom.image.maxCoeff() < most_images && atom.image.minCoeff() > -most_images))
            return false;
        seen[index(atom.id)] = true;
        return true;
    };
    const auto any = [](const IVec3&) { return true; };
    const auto of_an_atom = [&](const KeptNumber& number) { return known(number.id) && number.index >= 0; };
    for (const auto& record : records) {
        const auto problem = [&record](const char* what) {
            return fmt::format("the {} of rank {} are damaged", what, record.rank);
        };
        const auto block = [&record](std::int64_t part) { return Block{part, record.first_row, record.atoms}; };
        // Ids first: rows that nobody wrote are found out by their first page, however many they are said to be.
        Checksum moving, identities, kept;
        if (!read_block<AtomIdentity>(file, block(place.identities), identities, pass(SlotPart::identities),
                                      for_the_first_time) ||
            identities.value() != record.identity_checksum)
            return problem("ids");
        read_block<IVec3>(file, block(place.positions), moving, pass(SlotPart::positions), any);
        read_block<IVec3>(file, block(place.velocities), moving, pass(SlotPart::velocities), any);
        if (moving.value() != record.data_checksum) return problem("positions or velocities");
        if (record.kept == 0) continue;
        if (!read_block<KeptNumber>(file, {place.kept, record.first_kept, record.kept}, kept, pass(SlotPart::kept),
                                    of_an_atom) ||
            kept.value() != record.kept_checksum)
            return problem("kept numbers");
    }
    return {};
}

namespace {

template <class Row>
void append(std::span<const std::byte> bytes, std::vector<Row>& rows)
{
    const auto before = rows.size();
    rows.resize(before + bytes.size() / sizeof(Row));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(rows).subspan(before)).begin());
}

} // namespace

void SlotRows::add(SlotPart part, std::span<const std::byte> rows)
{
    switch (part) {
    case SlotPart::identities:
        return append(rows, identities);
    case SlotPart::positions:
        return append(rows, positions);
    case SlotPart::velocities:
        return append(rows, velocities);
    case SlotPart::kept:
        return append(rows, kept);
    }
}

std::vector<AtomRecord> SlotRows::atoms(const Box& box) const
{
    std::vector<AtomRecord> atoms;
    atoms.reserve(identities.size());
    for (std::size_t i = 0; i < identities.size(); ++i) {
        auto& atom = atoms.emplace_back(AtomRecord{positions[i], velocities[i], identities[i].image, identities[i].id});
        atom.image += box.wrap(atom.x);
    }
    return atoms;
}

std::vector<int> slots_by_age(const std::vector<SlotRecords>& slots)
{
    std::vector<int> order;
    for (std::size_t k = 0; k < slots.size(); ++k)
        if (slots[k].problem.empty()) order.push_back(static_cast<int>(k));
    std::ranges::stable_sort(order, std::greater{}, [&](int k) { return slots[index(k)].records.front().sequence; });
    return order;
}

std::uint64_t state_hash(const RunState& state, std::span<const AtomRecord> atoms, std::span<const KeptNumber> kept)
{
    const auto of_atoms = std::transform_reduce(atoms.begin(), atoms.end(), box_hash(state.box), std::plus{},
                                                [](const AtomRecord& a) { return atom_hash(a.id, a.x, a.image, a.v); });
    const auto of_globals =
        std::transform_reduce(state.globals.begin(), state.globals.end(), of_atoms, std::plus{}, global_hash);
    return std::transform_reduce(kept.begin(), kept.end(), of_globals, std::plus{},
                                 [](const KeptNumber& n) { return kept_hash(n.id, n.index, n.value); });
}

std::uint64_t new_run_id(const Communicator& comm)
{
    std::random_device device;
    std::uint64_t id = (std::uint64_t{device()} << 32 | device()) | 1;
    comm.broadcast(std::as_writable_bytes(std::span(&id, 1)));
    return id;
}

} // namespace holon
