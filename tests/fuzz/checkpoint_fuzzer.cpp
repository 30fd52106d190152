/// Checkpoints: edits of a good file (edits.hpp), read in every way. Flags: 0: the directory's checksums are made to
/// match, 1: those of commit records, 2: those of rows.
///
/// The metadata of HDF5 stay as they are: they are not read.
#include "edits.hpp"

#include <app/inspect.hpp>
#include <holon/app/input.hpp>
#include <io/checkpoint/checksum.hpp>
#include <io/checkpoint/layout.hpp>
#include <support/sample_state.hpp>

#include <fstream>
#include <set>

using namespace holon;

namespace {

constexpr std::int64_t n_atoms = 12, last_step = 6;
constexpr const char* mdp = "dt = 0.001\nnsteps = 100\ncoulombtype = cut-off\nrcoulomb = 0.5\nrvdw = 0.5\n"
                            "constraints = h-bonds\n";
constexpr const char* topology = R"(;@file topol.top
;@ 0 1
[ defaults ]
1 2 yes 0.5 0.8333
[ atomtypes ]
C3 6 12.011 0.0 A 0.34 0.45
HC 1 1.008 0.0 A 0.26 0.06
[ bondtypes ]
C3 HC 1 0.109 280000
[ moleculetype ]
MOL 3
[ atoms ]
1 HC 1 MOL H1 1 0.05
2 C3 1 MOL C1 1 -0.05
3 HC 1 MOL H2 1 0.05
4 HC 1 MOL H3 1 -0.05
[ bonds ]
1 2 1
2 3 1
2 4 1
[ position_restraints ]
2 1 1000 1000 1000
[ system ]
molecules
[ molecules ]
MOL 3
)";

class Victim {
public:
    Victim()
    {
        const CheckpointInput input{n_atoms,
                                    4711,
                                    {{"mdp", mdp},
                                     {"topology", topology},
                                     {"index", "[ A ]\n1 2 3\n"},
                                     {"restraints", "1 0.5 0.25 0.125\n5 1 1 1\n9 2 2 2\n"},
                                     {"implied-constraints", "0 1 3 0.109\n"},
                                     {"title", "molecules"}}};
        const auto original = folder_.file("original.h5");
        auto writer = CheckpointWriter::create({}, original, {input, {.slots = 3, .sync_seconds = 0.0}},
                                               sample_state(0), sample_atoms(0), test::sample_box());
        hashes_.insert(test::sample_hash(n_atoms, 0));
        for (std::int64_t step = 1; step <= last_step; ++step) {
            const auto atoms = sample_atoms(step);
            if (step % 5 == 0) writer.repartition(atoms);
            writer.submit(sample_state(step), atoms, test::sample_box());
            hashes_.insert(test::sample_hash(n_atoms, step));
        }
        writer.finish();
        directory_ = read_directory(RawFile(original, RawFile::Mode::read));
        original_ = Bytes(original);
        const std::array parts = {std::string_view(mdp), std::string_view(topology), std::string_view("[ A ]"),
                                  std::string_view("1 0.5"), std::string_view("0 1 3")};
        for (const auto text : parts) texts_.emplace_back(find(text), static_cast<std::int64_t>(text.size()));
    }

    /// Makes a copy with these edits.
    const std::string& damage(const fuzz::Edits& edits)
    {
        copy_ = original_;
        for (const auto& edit : edits) apply(edit);
        if (edits.flag(2)) match_rows();
        if (edits.flag(1)) match_records();
        copy_.write(path_);
        if (edits.flag(0)) match_directory();
        return path_;
    }

    bool is_original(std::uint64_t hash) const { return hashes_.contains(hash); }
    std::string file(const char* name) const { return folder_.file(name); }

private:
    using Bytes = fuzz::Bytes;
    static RunState sample_state(std::int64_t step) { return test::sample_state(step); }
    static Atoms sample_atoms(std::int64_t step) { return test::sample_atoms(n_atoms, step); }

    std::int64_t find(std::string_view text)
    {
        const auto bytes = std::as_bytes(std::span(text));
        const auto all = original_.all();
        const auto found = std::ranges::search(all, bytes);
        fuzz::require(!found.empty(), "texts are in the file", text);
        return found.begin() - all.begin();
    }

    std::int64_t record(int slot, std::int64_t rank) const
    {
        return directory_.slots[static_cast<std::size_t>(slot)].records + rank * page_bytes;
    }

    void apply(const fuzz::Edit& edit)
    {
        const auto word = std::int64_t{edit.at};
        const int slot = edit.part % directory_.slot_count();
        switch (edit.kind(6)) {
        case 0:
            return copy_.change(directory_.offset + word % 512 * 8, edit);
        case 1:
            return copy_.change(record(slot, edit.part / 16 % directory_.rank_capacity) + word % 512 * 8, edit);
        case 2: {                                 // atoms, of the beginning of a slot
            const auto values = edit.part >= 240; // of the whole system
            const auto part = directory_.parts(slot)[values ? 5u : static_cast<std::size_t>(1 + edit.part / 16 % 4)];
            return copy_.change(part.begin + word % 64 * 8, edit);
        }
        case 3: { // a character of a text
            const auto& [begin, size] = texts_[edit.part % texts_.size()];
            const auto at = begin + word % size;
            if (copy_.has(at, 1)) copy_.put(at, static_cast<char>(edit.value));
            return;
        }
        case 4:
            return copy_page(edit);
        default:
            return copy_.truncate(static_cast<std::int64_t>(edit.value % static_cast<std::uint64_t>(original_.size())));
        }
    }

    /// A page of a slot over another one.
    void copy_page(const fuzz::Edit& edit)
    {
        const auto begin = record(0, 0) / page_bytes;
        const auto pages = static_cast<std::uint64_t>(original_.size() / page_bytes - begin);
        copy_.copy_page(static_cast<std::uint64_t>(begin) + edit.value % pages,
                        static_cast<std::uint64_t>(begin) + edit.at % pages);
    }

    template <class F>
    void for_each_record(F f)
    {
        for (int slot = 0; slot < directory_.slot_count(); ++slot)
            for (std::int64_t rank = 0; rank < directory_.rank_capacity; ++rank) {
                const auto at = record(slot, rank);
                if (!copy_.has(at, page_bytes)) continue;
                auto changed = copy_.get<CommitRecord>(at);
                if (changed.writer == 0 && changed.ranks == 0) continue;
                f(directory_.slots[static_cast<std::size_t>(slot)], changed);
                copy_.put(at, changed);
            }
    }

    template <class Row>
    void add(Checksum& sum, std::int64_t block, std::int64_t first, std::int64_t count)
    {
        constexpr std::int64_t many = 1 << 20;
        if (first < 0 || first > many || count < 0 || count > many) return;
        const auto begin = row_offset<Row>(block, first), size = row_offset<Row>(0, count);
        if (copy_.has(begin, size)) sum.add(copy_.part(begin, size));
    }

    void match_rows()
    {
        for_each_record([&](const SlotPlace& place, CommitRecord& record) {
            Checksum moving, identities, kept;
            add<IVec3>(moving, place.positions, record.first_row, record.atoms);
            add<IVec3>(moving, place.velocities, record.first_row, record.atoms);
            add<AtomIdentity>(identities, place.identities, record.first_row, record.atoms);
            add<KeptNumber>(kept, place.kept, record.first_kept, record.kept);
            record.data_checksum = moving.value();
            record.identity_checksum = identities.value();
            record.kept_checksum = kept.value();
            const auto slot = &place - directory_.slots.data();
            const auto begin = directory_.more_places[static_cast<std::size_t>(slot)];
            const auto size = directory_.more * static_cast<std::int64_t>(sizeof(StateValue));
            if (directory_.more > 0 && copy_.has(begin, size)) record.more_checksum = checksum(copy_.part(begin, size));
        });
    }

    void match_records()
    {
        for_each_record([](const SlotPlace&, CommitRecord& record) { seal(record); });
    }

    void match_directory()
    {
        if (!copy_.has(directory_.offset, page_bytes)) return;
        auto changed = copy_.get<CheckpointDirectory>(directory_.offset);
        const RawFile file(path_, RawFile::Mode::write);
        if (changed.ring > max_ring || changed.file_size > file.size()) return;
        try {
            seal(changed, file);
            file.write(std::as_bytes(std::span(&changed, 1)), directory_.offset);
        } catch (const std::runtime_error&) {
            // No checksum matches a file that has holes, or ends before what it is said to have.
        }
    }

    test::TemporaryFolder folder_;
    std::string path_ = folder_.file("checkpoint.h5");
    CheckpointDirectory directory_{};
    std::set<std::uint64_t> hashes_;
    Bytes original_, copy_;
    std::vector<std::pair<std::int64_t, std::int64_t>> texts_; // offset and length
};

std::uint64_t hash_of(const auto& state, const auto& with_atoms)
{
    return state_hash(state, with_atoms.atoms, with_atoms.kept);
}

bool has_valid_slot(const std::string& path)
{
    const CheckpointFile file(path);
    file.input();
    const auto slots = file.slots();
    return std::ranges::any_of(slots, [&](const auto& slot) { return file.verify(slot.index).empty(); });
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static Victim victim;
    const fuzz::Edits edits(data, size);
    const auto& path = victim.damage(edits);
    std::uint64_t read = 0;
    const bool readable = fuzz::takes([&] {
        const auto contents = read_checkpoint({}, path);
        read = hash_of(contents.state, contents);
    });
    const bool hidden = edits.flag(0) || edits.flag(1) || edits.flag(2);
    fuzz::require(!readable || hidden || victim.is_original(read), "a state is one that was written");
    fuzz::takes([&] { fuzz::require(has_valid_slot(path) || !readable, "what is read is in a valid slot"); });
    fuzz::takes([&] {
        const WholeState state(path, {});
        fuzz::require(!readable || hash_of(state.run, state) == read, "all ways of reading find the same state");
        extract_gro(state, victim.file("state.gro"));
    });

    RunOptions options;
    options.restart = path;
    options.output = victim.file("branch");
    fuzz::takes([&] {
        const auto input = read_input({}, options, "fuzzer");
        fuzz::require(static_cast<std::int64_t>(input.records.size()) == input.topology->n_atoms(),
                      "all atoms are there");
    });
    return 0;
}
