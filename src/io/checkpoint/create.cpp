#include "checksum.hpp"
#include "files/h5.hpp"
#include "layout.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

namespace holon {

namespace {

constexpr std::int64_t min_rank_capacity = 8;
constexpr std::array<char, 8> magic = {'H', 'O', 'L', 'O', 'N', 'C', 'P', 'T'};
constexpr std::int64_t pages_searched = 16;
constexpr std::int64_t holes_allowed = 64 << 20; // bytes

std::int64_t round_up(std::int64_t n, std::int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

void add_field(hid_t compound, const char* name, std::size_t offset, hid_t type)
{
    h5::check(H5Tinsert(compound, name, offset, type), name);
}

h5::Handle compound_type(std::size_t size)
{
    return {H5Tcreate(H5T_COMPOUND, size), H5Tclose, "compound type"};
}

h5::Handle identity_type()
{
    static_assert(sizeof(Image) == 12);
    const hsize_t three[] = {3};
    auto type = compound_type(sizeof(AtomIdentity));
    add_field(type, "image", offsetof(AtomIdentity, image), h5::array_type(H5T_NATIVE_INT32, three));
    add_field(type, "id", offsetof(AtomIdentity, id), H5T_NATIVE_INT32);
    return type;
}

h5::Handle kept_type()
{
    auto type = compound_type(sizeof(KeptNumber));
    add_field(type, "id", offsetof(KeptNumber, id), H5T_NATIVE_INT32);
    add_field(type, "index", offsetof(KeptNumber, index), H5T_NATIVE_INT32);
    add_field(type, "value", offsetof(KeptNumber, value), H5T_NATIVE_DOUBLE);
    return type;
}

h5::Handle outputs_type()
{
    static_assert(std::is_standard_layout_v<OutputMarks>);
    const auto energies = offsetof(OutputMarks, energies), log = offsetof(OutputMarks, log);
    auto type = compound_type(sizeof(OutputMarks));
    add_field(type, "frames", offsetof(OutputMarks, frames), H5T_NATIVE_INT64);
    add_field(type, "last_frame", offsetof(OutputMarks, last_frame), H5T_NATIVE_INT64);
    add_field(type, "energy_bytes", energies + offsetof(TextMark, bytes), H5T_NATIVE_INT64);
    add_field(type, "energy_checksum", energies + offsetof(TextMark, checksum), H5T_NATIVE_UINT64);
    add_field(type, "log_bytes", log + offsetof(TextMark, bytes), H5T_NATIVE_INT64);
    add_field(type, "log_checksum", log + offsetof(TextMark, checksum), H5T_NATIVE_UINT64);
    add_field(type, "last_table", offsetof(OutputMarks, last_table), H5T_NATIVE_INT64);
    return type;
}

h5::Handle value_type()
{
    auto value = compound_type(sizeof(StateValue));
    add_field(value, "name", offsetof(StateValue, name), h5::text_type(RunState::max_name + 1));
    add_field(value, "value", offsetof(StateValue, value), H5T_NATIVE_DOUBLE);
    add_field(value, "parity", offsetof(StateValue, parity), H5T_NATIVE_UINT8);
    add_field(value, "role", offsetof(StateValue, role), H5T_NATIVE_UINT8);
    return value;
}

h5::Handle record_type()
{
    const hsize_t matrix[] = {3, 3}, values[] = {values_in_record};
    auto type = compound_type(sizeof(CommitRecord));
    add_field(type, "checksum", offsetof(CommitRecord, checksum), H5T_NATIVE_UINT64);
    add_field(type, "step", offsetof(CommitRecord, step), H5T_NATIVE_INT64);
    add_field(type, "writer", offsetof(CommitRecord, writer), H5T_NATIVE_UINT64);
    add_field(type, "data_checksum", offsetof(CommitRecord, data_checksum), H5T_NATIVE_UINT64);
    add_field(type, "first_row", offsetof(CommitRecord, first_row), H5T_NATIVE_INT64);
    add_field(type, "atoms", offsetof(CommitRecord, atoms), H5T_NATIVE_INT64);
    add_field(type, "rank", offsetof(CommitRecord, rank), H5T_NATIVE_INT32);
    add_field(type, "ranks", offsetof(CommitRecord, ranks), H5T_NATIVE_INT32);
    add_field(type, "time", offsetof(CommitRecord, time), H5T_NATIVE_DOUBLE);
    add_field(type, "box", offsetof(CommitRecord, box), h5::array_type(H5T_NATIVE_DOUBLE, matrix));
    add_field(type, "value_count", offsetof(CommitRecord, value_count), H5T_NATIVE_INT64);
    add_field(type, "values", offsetof(CommitRecord, values), h5::array_type(value_type(), values));
    add_field(type, "outputs", offsetof(CommitRecord, outputs), outputs_type());
    add_field(type, "sequence", offsetof(CommitRecord, sequence), H5T_NATIVE_INT64);
    add_field(type, "kept_checksum", offsetof(CommitRecord, kept_checksum), H5T_NATIVE_UINT64);
    add_field(type, "first_kept", offsetof(CommitRecord, first_kept), H5T_NATIVE_INT64);
    add_field(type, "kept", offsetof(CommitRecord, kept), H5T_NATIVE_INT64);
    add_field(type, "identity_checksum", offsetof(CommitRecord, identity_checksum), H5T_NATIVE_UINT64);
    add_field(type, "lattice", offsetof(CommitRecord, lattice), h5::array_type(H5T_NATIVE_INT64, matrix));
    add_field(type, "boot", offsetof(CommitRecord, boot), H5T_NATIVE_UINT64);
    return type;
}

void write_description(hid_t file, const CheckpointInput& input, CheckpointDirectory& directory)
{
    h5::set_attribute(file, "format", std::int64_t{directory.format});
    h5::set_attribute(file, "program", std::string_view("Holon"));
    h5::set_attribute(file, "atoms", input.atoms);
    h5::set_attribute(file, "ring", std::int64_t{directory.ring});
    h5::set_attribute(file, "position_unit_nm", position_unit);
    h5::set_attribute(file, "velocity_unit_nm_per_ps", velocity_unit);
    const auto group = h5::create_group(file, "input");
    auto* place = directory.texts.begin();
    for (const auto& [name, text] : input.texts) {
        HOLON_ASSERT(place != directory.texts.end() && !name.empty() && name.size() < place->name.size(), name);
        std::ranges::copy(name, place->name.begin());
        place->begin = h5::offset_of(h5::write_text(group, name.c_str(), text));
        place++->size = static_cast<std::int64_t>(text.size());
    }
}

void write_file(hid_t file, const CheckpointInput& input, CheckpointDirectory& directory)
{
    const std::int64_t page[] = {page_bytes};
    const auto page_set = h5::create_contiguous(file, H5T_NATIVE_UCHAR, page, "directory");
    h5::link(page_set, file, "directory");
    directory.offset = h5::offset_of(page_set);
    write_description(file, input, directory);

    const auto slots = h5::create_group(file, "slots");
    const auto record = record_type(), identity = identity_type(), kept = kept_type(), value = value_type();
    const std::int64_t records[] = {directory.rank_capacity}, vectors[] = {directory.rows, 3},
                       rows[] = {directory.rows}, kept_rows[] = {directory.kept_rows},
                       values[] = {directory.more_rows()};
    for (int k = 0; k < directory.slot_count(); ++k) {
        const auto slot = h5::create_group(slots, std::to_string(k).c_str());
        const auto add = [&](const char* name, hid_t type, std::span<const std::int64_t> extent) {
            const auto set = h5::create_contiguous(file, type, extent, name);
            h5::link(set, slot, name);
            return h5::offset_of(set);
        };
        auto& place = directory.slots[index(k)];
        place.records = add("commits", record, records);
        place.positions = add("position", H5T_NATIVE_INT64, vectors);
        place.velocities = add("velocity", H5T_NATIVE_INT64, vectors);
        place.identities = add("identity", identity, rows);
        if (directory.kept > 0) place.kept = add("kept", kept, kept_rows);
        if (directory.more > 0) directory.more_places[index(k)] = add("values", value, values);
    }
}

/// Lets the HDF5 library lay out the file.
void lay_out(const std::string& path, const CheckpointInput& input, CheckpointDirectory& directory)
{
    auto file = h5::create_file(path);
    write_file(file, input, directory);
    file.close();
}

/// Checksum of everything that never changes. InputError for holes: nobody wants to read terabytes of them.
std::uint64_t checksum_of_rest(const RawFile& file, const CheckpointDirectory& directory)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> excluded = {{directory.offset, directory.offset + page_bytes}};
    for (int k = 0; k < directory.slot_count(); ++k)
        for (const auto& [begin, size] : directory.parts(k))
            if (size > 0) excluded.emplace_back(begin, begin + size);
    std::ranges::sort(excluded);
    excluded.emplace_back(directory.file_size, directory.file_size);

    Checksum sum;
    std::vector<std::byte> piece(1 << 20);
    std::int64_t at = 0;
    for (const auto& [begin, end] : excluded) {
        while (at < begin) {
            const auto n = std::min(begin - at, static_cast<std::int64_t>(piece.size()));
            const auto bytes = std::span(piece).first(index(n));
            file.read(bytes, at);
            if (at > holes_allowed && bytes.size() == piece.size() &&
                std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{}; }))
                throw InputError(fmt::format("{} is damaged: it has no input where that is said to be.", file.path()));
            sum.add(bytes);
            at += n;
        }
        at = std::max(at, end);
    }
    return sum.value();
}

std::uint64_t checksum_of(const CheckpointDirectory& directory)
{
    constexpr auto begin = offsetof(CheckpointDirectory, checksum) + sizeof(std::uint64_t);
    return checksum(std::as_bytes(std::span(&directory, 1)).subspan(begin));
}

/// The directory page, wherever HDF5 has put it: InputError, if there is none.
CheckpointDirectory find_directory(const RawFile& file)
{
    const auto size = file.size();
    for (std::int64_t page = 1; page <= pages_searched && (page + 1) * page_bytes <= size; ++page) {
        const auto directory = file.read_value<CheckpointDirectory>(page * page_bytes);
        if (directory.magic == magic) return directory;
    }
    using Signature = std::array<unsigned char, 8>;
    const bool is_hdf5 =
        size >= 8 && file.read_value<Signature>(0) == Signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    throw InputError(fmt::format(
        "{} is not a checkpoint of Holon: {}. Give the checkpoint.h5 of a run's output folder.", file.path(),
        is_hdf5 ? "it is an HDF5 file of another kind, or damaged" : "it is not an HDF5 file"));
}

/// Rows of a slot of atoms and of kept numbers: so many that each rank's can begin at a page.
std::pair<std::int64_t, std::int64_t> rows_needed(const CheckpointDirectory& directory)
{
    const auto rows_for = [&directory](std::int64_t n, std::int64_t per_page) {
        return n == 0 ? 0 : round_up(n, per_page) + directory.rank_capacity * per_page;
    };
    return {rows_for(directory.atoms, atoms_of_whole_pages), rows_for(directory.kept, rows_of_whole_pages<KeptNumber>)};
}

/// Whether reading and writing by this directory stays within the file and takes no more memory than the file is large:
/// a right checksum does not say that we have written it.
bool is_plausible(const CheckpointDirectory& directory)
{
    const auto within = [](std::int64_t n, std::int64_t least, std::int64_t most) { return n >= least && n <= most; };
    const auto size = directory.file_size;
    if (!within(directory.ring, 1, max_ring) || !within(directory.atoms, 1, std::numeric_limits<AtomId>::max()) ||
        !within(directory.rank_capacity, 1, size / page_bytes) || !within(directory.kept, 0, size) ||
        !within(directory.rows, 1, size) || !within(directory.more, 0, size) ||
        std::pair(directory.rows, directory.kept_rows) != rows_needed(directory))
        return false;
    std::vector<FileRange> ranges = {{directory.offset, page_bytes}};
    for (int k = 0; k < directory.slot_count(); ++k)
        for (const auto& part : directory.parts(k))
            if (part.size > 0)
                ranges.push_back(part);
            else if (part.begin != 0) // what is nowhere
                return false;
    std::ranges::sort(ranges, {}, &FileRange::begin);
    std::int64_t end = page_bytes;
    for (const auto& range : ranges) {
        if (range.begin % page_bytes != 0 || range.begin < end || !within(range.size, 0, size - range.begin))
            return false;
        end = range.begin + range.size;
    }
    return std::ranges::all_of(directory.texts, [&](const TextPlace& text) {
        return within(text.size, 0, size) && within(text.begin, 0, size - text.size) &&
               std::ranges::none_of(ranges, [&](const FileRange& range) {
                   return text.begin < range.begin + range.size && range.begin < text.begin + text.size;
               });
    });
}

} // namespace

std::int64_t CheckpointDirectory::more_rows() const
{
    return round_up(more, rows_of_whole_pages<StateValue>);
}

std::array<FileRange, 6> CheckpointDirectory::parts(int slot) const
{
    const auto& place = slots[index(slot)];
    const auto size = [](std::int64_t n, std::size_t row) { return n * static_cast<std::int64_t>(row); };
    return {{{place.records, size(rank_capacity, sizeof(CommitRecord))},
             {place.positions, size(rows, sizeof(IVec3))},
             {place.velocities, size(rows, sizeof(IVec3))},
             {place.identities, size(rows, sizeof(AtomIdentity))},
             {place.kept, size(kept_rows, sizeof(KeptNumber))},
             {more_places[index(slot)], size(more_rows(), sizeof(StateValue))}}};
}

void seal(CheckpointDirectory& directory, const RawFile& file)
{
    // Where parts are beyond all files there is no rest, and nobody reads on.
    if (is_plausible(directory)) directory.rest_checksum = checksum_of_rest(file, directory);
    directory.checksum = checksum_of(directory);
}

namespace {

/// Of a file that is to be made: what follows from its size.
CheckpointDirectory new_directory(const CheckpointInput& input, const CheckpointNumbers& numbers, int ring, int ranks)
{
    HOLON_ASSERT(ring >= 1 && ring <= max_ring && input.atoms > 0,
                 fmt::format("{} slots, {} atoms", ring, input.atoms));
    CheckpointDirectory directory{};
    directory.ring = static_cast<std::uint32_t>(ring);
    directory.run_id = input.run_id;
    directory.atoms = input.atoms;
    directory.rank_capacity =
        std::max(min_rank_capacity, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ranks))));
    directory.format = checkpoint_format;
    directory.kept = numbers.kept;
    directory.more = values_beyond_record(numbers);
    std::tie(directory.rows, directory.kept_rows) = rows_needed(directory);
    return directory;
}

/// A little more than the file will have.
std::int64_t bytes_needed(const CheckpointInput& input, const CheckpointDirectory& directory)
{
    std::int64_t needed = std::int64_t{1} << 20;
    for (const auto& [name, text] : input.texts) needed += static_cast<std::int64_t>(text.size()) + page_bytes;
    for (const auto& part : directory.parts(0)) needed += directory.slot_count() * part.size;
    return needed;
}

} // namespace

std::int64_t values_beyond_record(const CheckpointNumbers& numbers)
{
    return std::max<std::int64_t>(0, numbers.values - static_cast<std::int64_t>(values_in_record));
}

std::int64_t checkpoint_bytes(const CheckpointInput& input, const CheckpointNumbers& numbers, int ring, int ranks)
{
    return bytes_needed(input, new_directory(input, numbers, ring, ranks));
}

CheckpointDirectory create_checkpoint_file(const std::string& path, const CheckpointInput& input,
                                           const CheckpointNumbers& numbers, int ring, int ranks)
{
    auto directory = new_directory(input, numbers, ring, ranks);
    RawFile(path, RawFile::Mode::create)
        .allocate(bytes_needed(input, directory)); // the HDF5 library copes badly with a full disk
    lay_out(path, input, directory);

    const RawFile file(path, RawFile::Mode::write);
    directory.file_size = file.size();
    file.allocate(directory.file_size);
    directory.magic = magic;
    seal(directory, file);
    file.write(std::as_bytes(std::span(&directory, 1)), directory.offset);
    HOLON_ASSERT(find_directory(file).checksum == directory.checksum, fmt::format("offset {}", directory.offset));
    return directory;
}

CheckpointDirectory read_directory(const RawFile& file)
{
    const auto directory = find_directory(file);
    if (directory.format != checkpoint_format)
        throw InputError(
            fmt::format("{} has format {}, and this version of the program reads format {} only. Go on with the {} "
                        "version that wrote it.",
                        file.path(), directory.format, checkpoint_format,
                        directory.format < checkpoint_format ? "older" : "newer"));
    if (directory.checksum != checksum_of(directory) || !is_plausible(directory))
        throw InputError(fmt::format(
            "{} is damaged: its directory does not match its checksum. Use a copy of the file.", file.path()));
    if (file.size() < directory.file_size)
        throw InputError(fmt::format("{} is truncated: it has {} of {} bytes. Use a complete copy of the file.",
                                     file.path(), file.size(), directory.file_size));
    if (checksum_of_rest(file, directory) != directory.rest_checksum)
        throw InputError(fmt::format("{} is damaged, or has been changed by another program: its input does not match "
                                     "its checksum. Use a copy of the file.",
                                     file.path()));
    return directory;
}

CheckpointInput read_input(const RawFile& file, const CheckpointDirectory& directory)
{
    CheckpointInput input{directory.atoms, directory.run_id, {}};
    for (const auto& place : directory.texts) {
        if (place.name.front() == '\0') continue;
        auto& text = input.texts[std::string(place.name.data(), strnlen(place.name.data(), place.name.size()))];
        text.resize(index(place.size));
        file.read(std::as_writable_bytes(std::span(text)), place.begin);
    }
    return input;
}

} // namespace holon
