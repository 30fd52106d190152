// A file that is damaged in any way gives the newest state that is whole, or a clear error: never a wrong state.
#include <support/checkpoint_case.hpp>

#include <io/checkpoint/layout.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace holon {
namespace {

using namespace test;

using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t begin, std::int64_t end)
{
    return std::uniform_int_distribution<std::int64_t>(begin, end - 1)(random);
}

/// A file with the states of steps 6 to 9; copies of it are damaged.
class Victim {
public:
    Victim()
    {
        write_steps(original_, 0, 9);
        const RawFile file(original_, RawFile::Mode::read);
        directory_ = read_directory(file);
        bytes_.resize(static_cast<std::size_t>(file.size()));
        file.read(bytes_, 0);
    }

    const std::string& path() const { return copy_; }
    std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
    const CheckpointDirectory& directory() const { return directory_; }
    std::span<const std::byte> bytes() const { return bytes_; }

    /// A whole copy, `length` bytes of it.
    void copy(std::int64_t length) const
    {
        RawFile(copy_, RawFile::Mode::create).write(std::span(bytes_).first(static_cast<std::size_t>(length)), 0);
    }
    void copy() const { copy(size()); }

    void overwrite(std::span<const std::byte> bytes, std::int64_t offset) const
    {
        RawFile(copy_, RawFile::Mode::write).write(bytes, offset);
    }

    void flip(std::int64_t offset, int bit) const
    {
        const std::array byte = {bytes_[static_cast<std::size_t>(offset)] ^ std::byte(1 << bit)};
        overwrite(byte, offset);
    }

    /// Slots with a state, the newest first.
    std::vector<int> by_age() const
    {
        const RawFile file(original_, RawFile::Mode::read);
        std::vector<SlotRecords> slots;
        for (int k = 0; k < directory_.slot_count(); ++k) slots.push_back(read_records(file, directory_, k));
        return slots_by_age(slots);
    }

    std::int64_t step(int slot) const
    {
        const RawFile file(original_, RawFile::Mode::read);
        return read_records(file, directory_, slot).records.front().step;
    }

    /// Damages what makes up the state in a slot: its commit record, a position, velocity, identity, kept number or
    /// value.
    void damage(int slot, Random& random) const
    {
        const auto part = static_cast<std::size_t>(pick(random, 0, 6));
        const std::array used = {static_cast<std::int64_t>(sizeof(CommitRecord)),
                                 n_atoms * 24,
                                 n_atoms * 24,
                                 n_atoms * 16,
                                 directory_.kept * 16,
                                 directory_.more * 48};
        flip(directory_.parts(slot)[part].begin + pick(random, 0, used[part]), static_cast<int>(pick(random, 0, 8)));
    }

    /// True for bytes that belong to no slot: the HDF5 metadata, the input and the directory.
    bool is_header(std::int64_t offset) const
    {
        for (int k = 0; k < directory_.slot_count(); ++k)
            for (const auto& [begin, size] : directory_.parts(k))
                if (offset >= begin && offset < begin + size) return false;
        return true;
    }

private:
    TemporaryFolder folder_;
    std::string original_ = folder_.file("checkpoint.h5"), copy_ = folder_.file("copy.h5");
    CheckpointDirectory directory_{};
    std::vector<std::byte> bytes_;
};

/// A state that has been written, or an error that names the file; on all ways that lead into it. True for a state.
bool expect_right_state_or_error(const std::string& path)
{
    bool state = false;
    try {
        const auto contents = read_checkpoint({}, path);
        EXPECT_TRUE(contents.state.step >= 6 && contents.state.step <= 9) << contents.state.step;
        expect_state(contents, contents.state.step);
        state = true;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
    try {
        const CheckpointFile file(path);
        bool any = false;
        for (const auto& slot : file.slots()) {
            if (!file.verify(slot.index).empty()) continue;
            expect_whole(file.read(slot.index));
            any = true;
        }
        EXPECT_EQ(any, state);
    } catch (const InputError&) {
        EXPECT_FALSE(state);
    }
    return state;
}

TEST(DamagedCheckpoint, each_slot_that_is_damaged_leads_to_the_one_before)
{
    const Victim victim;
    Random random(1);
    const auto slots = victim.by_age();
    ASSERT_EQ(slots.size(), 4u);
    for (int round = 0; round < 40; ++round) {
        victim.copy();
        for (std::size_t k = 0; k < slots.size(); ++k) {
            const auto contents = read_checkpoint({}, victim.path());
            expect_state(contents, victim.step(slots[k]));
            EXPECT_EQ(contents.notes.size(), k);
            victim.damage(slots[k], random);
        }
        EXPECT_NE(read_error(victim.path()).find("holds no valid state"), std::string::npos);
    }
}

TEST(DamagedCheckpoint, an_older_slot_that_is_damaged_does_not_matter)
{
    const Victim victim;
    Random random(2);
    const auto slots = victim.by_age();
    for (int round = 0; round < 40; ++round) {
        victim.copy();
        victim.damage(slots[static_cast<std::size_t>(pick(random, 1, 4))], random);
        expect_state(read_checkpoint({}, victim.path()), 9);
    }
}

TEST(DamagedCheckpoint, truncation_at_any_length_is_refused)
{
    const Victim victim;
    Random random(3);
    std::vector<std::int64_t> lengths = {0, 7, 100, 5000, 9000, victim.size() - 1};
    for (int k = 0; k < 100; ++k) lengths.push_back(pick(random, 0, victim.size()));
    for (const auto length : lengths) {
        victim.copy(length);
        const auto error = read_error(victim.path());
        EXPECT_NE(error.find(length > 8192 ? "truncated" : "not a checkpoint"), std::string::npos)
            << length << ": " << error;
    }
}

TEST(DamagedCheckpoint, zeroed_blocks_give_a_right_state_or_an_error)
{
    const Victim victim;
    Random random(4);
    int states = 0;
    for (int round = 0; round < 200; ++round) {
        victim.copy();
        const auto at = pick(random, 0, victim.size() / page_bytes) * page_bytes;
        const auto length = std::min(pick(random, 1, 40) * page_bytes, victim.size() - at);
        victim.overwrite(std::vector<std::byte>(static_cast<std::size_t>(length)), at);
        states += expect_right_state_or_error(victim.path());
    }
    EXPECT_GT(states, 50);
}

TEST(DamagedCheckpoint, blocks_of_other_slots_give_a_right_state_or_an_error)
{
    const Victim victim;
    Random random(5);
    for (int round = 0; round < 200; ++round) {
        victim.copy();
        const auto length = pick(random, 1, 20) * page_bytes;
        const auto from = pick(random, 0, (victim.size() - length) / page_bytes) * page_bytes;
        const auto to = pick(random, 0, (victim.size() - length) / page_bytes) * page_bytes;
        victim.overwrite(victim.bytes().subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length)), to);
        expect_right_state_or_error(victim.path());
    }
}

TEST(DamagedCheckpoint, fuzzed_headers_are_refused)
{
    const Victim victim;
    Random random(6);
    for (int round = 0; round < 500; ++round) {
        victim.copy();
        bool changed = false;
        for (auto count = pick(random, 1, 9); count > 0; --count) {
            const auto at = pick(random, 0, pick(random, 0, 2) ? 16 * page_bytes : victim.size());
            if (!victim.is_header(at)) continue;
            const std::array byte = {static_cast<std::byte>(pick(random, 0, 256))};
            changed |= byte[0] != victim.bytes()[static_cast<std::size_t>(at)];
            victim.overwrite(byte, at);
        }
        EXPECT_TRUE(expect_right_state_or_error(victim.path()) || changed);
    }
}

void flip(const std::string& path, std::int64_t offset)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const char byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(offset);
    file.put(byte);
}

TEST(DamagedCheckpoint, names_the_slots_it_skips)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 9);
    // An atom in the middle of the newest state: the bytes of its velocity are found by content.
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const auto newest = CheckpointFile(path).newest().atoms;
    const auto at = bytes.find(std::string(reinterpret_cast<const char*>(&newest[500].v), sizeof(IVec3)));
    ASSERT_NE(at, std::string::npos);
    flip(path, static_cast<std::int64_t>(at) + 3);
    const auto contents = read_checkpoint({}, path);
    expect_state(contents, 8);
    ASSERT_EQ(contents.notes.size(), 1u);
    EXPECT_NE(contents.notes[0].find("step 9, is skipped"), std::string::npos) << contents.notes[0];
}

TEST(DamagedCheckpoint, other_files_are_refused)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    EXPECT_NE(read_error(path).find("No such file"), std::string::npos) << read_error(path);
    std::ofstream(path) << std::string(50000, 'x');
    EXPECT_NE(read_error(path).find("not an HDF5 file"), std::string::npos) << read_error(path);
    EXPECT_NE(read_error(folder.path()).find("it is a folder"), std::string::npos) << read_error(folder.path());
}

TEST(DamagedCheckpoint, another_format_is_refused)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 0);
    for (const int difference : {-2, -1, 1}) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(4096 + 8);
        file.put(static_cast<char>(static_cast<int>(checkpoint_format) + difference));
        file.close();
        const auto error = read_error(path);
        EXPECT_NE(error.find(difference < 0 ? "the older version that wrote it" : "the newer version that wrote it"),
                  std::string::npos)
            << error;
    }
}

TEST(DamagedCheckpoint, what_has_no_place_is_nowhere)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    const auto directory = create_checkpoint_file(path, input, {}, 4, 1);
    ASSERT_EQ(directory.kept, 0);
    const RawFile file(path, RawFile::Mode::write);
    for (const std::int64_t place : {std::int64_t{1} << 62, directory.file_size, page_bytes, -page_bytes}) {
        auto changed = directory;
        changed.slots[1].kept = place;
        seal(changed, file);
        file.write(std::as_bytes(std::span(&changed, 1)), changed.offset);
        EXPECT_NE(read_error(path).find("damaged"), std::string::npos) << place << ": " << read_error(path);
    }
}

TEST(DamagedCheckpoint, changed_input_is_refused)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 3);
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    flip(path, static_cast<std::int64_t>(bytes.find("dt = 0.002")));
    EXPECT_NE(read_error(path).find("does not match its checksum"), std::string::npos) << read_error(path);
}

} // namespace
} // namespace holon
