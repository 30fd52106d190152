#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/io/checkpoint.hpp>

#include <support/checkpoint_case.hpp>
#include <support/killed_process.hpp>

#include <io/checkpoint/layout.hpp>

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fstream>
#include <functional>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

namespace holon {
namespace {

using namespace test;

/// By a helper, or at once and through memory that is the file's.
class CheckpointWays : public testing::TestWithParam<CheckpointMapping> {
protected:
    CheckpointOptions options = {.slots = 4, .mapping = GetParam(), .sync_seconds = 0.0};
};
INSTANTIATE_TEST_SUITE_P(Ways, CheckpointWays, testing::Values(CheckpointMapping::no, CheckpointMapping::yes));

TEST_P(CheckpointWays, return_the_last_state)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 10, options);
    expect_state(read_checkpoint({}, path), 10);
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(Checkpoint, keeps_the_last_steps_and_the_values)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 9);
    const CheckpointFile file(path);
    std::vector<std::int64_t> steps;
    for (const auto& slot : file.slots()) {
        if (slot.empty) continue;
        EXPECT_EQ(slot.state, sample_state(slot.state.step));
        expect_whole(file.read(slot.index));
        steps.push_back(slot.state.step);
    }
    std::ranges::sort(steps);
    EXPECT_EQ(steps, (std::vector<std::int64_t>{6, 7, 8, 9}));
    EXPECT_EQ(file.input(), input);
}

TEST(Checkpoint, kept_numbers_take_a_file_of_their_own)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    auto bare = sample_atoms(n_atoms, 3);
    bare.kept_begin.clear();
    bare.kept.clear();
    CheckpointWriter::create({}, path, {input, options}, sample_state(3), bare, sample_box());
    const auto contents = read_checkpoint({}, path);
    EXPECT_EQ(contents.atoms.size(), static_cast<std::size_t>(n_atoms));
    EXPECT_TRUE(contents.kept.empty());

    auto writer = CheckpointWriter::resume({}, path, contents, options, sample_atoms(n_atoms, 3), sample_box());
    submit_step(writer, 4);
    writer.finish();
    expect_state(read_checkpoint({}, path), 4);
}

TEST(Checkpoint, kept_numbers_that_are_zero_are_not_written)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    auto atoms = sample_atoms(n_atoms, 3);
    auto writer = CheckpointWriter::create({}, path, {input, options}, sample_state(3), atoms, sample_box());
    for (const std::size_t every : {2, 7, 1}) { // of an atom's numbers the first are missing, or the last, or all
        for (std::size_t k = 0; k < atoms.kept.size(); ++k)
            if (k % every == 0) atoms.kept[k] = 0.0;
        writer.submit(sample_state(3), atoms, sample_box(), false);
        writer.finish();
        std::vector<KeptNumber> expected;
        for (std::size_t i = 0; i < static_cast<std::size_t>(n_atoms); ++i)
            for_each_kept(atoms, i, [&](const KeptNumber& n) {
                if (n.value != 0.0) expected.push_back(n);
            });
        std::ranges::sort(expected, {}, [](const KeptNumber& n) { return std::pair(n.id, n.index); });
        EXPECT_EQ(CheckpointFile(path).newest().kept, expected) << every;
        atoms = sample_atoms(n_atoms, 3);
    }
}

/// Which atoms the rows are is written again only after a repartition, and only where it is not yet in the slot.
TEST(Checkpoint, identities_are_written_when_they_change_and_stale_ones_are_found_out)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    auto writer =
        CheckpointWriter::create({}, path, {input, options}, sample_state(0), sample_atoms(n_atoms, 0), sample_box());
    const auto directory = read_directory(RawFile(path, RawFile::Mode::read));
    const auto size = n_atoms * static_cast<std::int64_t>(sizeof(AtomIdentity));
    const auto identities_of = [&](std::size_t slot) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(size));
        RawFile(path, RawFile::Mode::read).read(bytes, directory.slots[slot].identities);
        return bytes;
    };
    const auto problems = [&] {
        writer.finish();
        const CheckpointFile file(path);
        std::vector<std::string> all;
        for (int slot = 0; slot < options.slots; ++slot) all.push_back(file.verify(slot));
        return all;
    };
    const auto ring = static_cast<std::size_t>(options.slots);
    const std::vector<std::string> none(ring), stale(ring, "the ids of rank 0 are damaged");
    const auto first = identities_of(0);
    for (std::int64_t step = 1; step < 9; ++step) submit_step(writer, step);
    EXPECT_EQ(problems(), none);
    const auto second = identities_of(0); // of the last steps
    EXPECT_NE(first, second);

    for (std::size_t slot = 0; slot < ring; ++slot)
        RawFile(path, RawFile::Mode::write).write(first, directory.slots[slot].identities);
    EXPECT_EQ(problems(), stale);
    const auto atoms = sample_atoms(n_atoms, 5);
    for (std::int64_t step = 9; step < 15; ++step) writer.submit(sample_state(step), atoms, sample_box());
    EXPECT_EQ(problems(), stale);
    writer.repartition(atoms);
    writer.submit(sample_state(15), atoms, sample_box());
    auto one_good = stale;
    one_good[15 % ring] = "";
    EXPECT_EQ(problems(), one_good);
    for (std::int64_t step = 16; step < 19; ++step) writer.submit(sample_state(step), atoms, sample_box());
    EXPECT_EQ(problems(), none);
    EXPECT_EQ(identities_of(0), second);
}

TEST_P(CheckpointWays, atoms_that_are_lent_may_change_after_their_release)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    auto atoms = sample_atoms(n_atoms, 0);
    auto writer = CheckpointWriter::create({}, path, {input, options}, sample_state(0), atoms, sample_box());
    for (std::int64_t step = 1; step < 50; ++step) {
        atoms = sample_atoms(n_atoms, step);
        if (step % 5 == 0) writer.repartition(atoms);
        const bool lent = step % 3 != 0, synced = step % 7 == 0;
        writer.agree(writer.votes() | (synced ? std::uint64_t{checkpoint_sync_due} : 0));
        writer.submit(sample_state(step), atoms, sample_box(), lent);
        writer.release();
        for (auto* vectors : {&atoms.x, &atoms.v}) std::ranges::fill(*vectors, IVec3(1, 2, 3));
        std::ranges::fill(atoms.kept, 0.0);
        if (step % 11 == 0) {
            writer.finish();
            expect_state(read_checkpoint({}, path), step);
        }
    }
    writer.finish();
    const CheckpointFile file(path);
    for (const auto& slot : file.slots()) {
        if (slot.empty) continue;
        expect_whole(file.read(slot.index));
    }
}

TEST(Checkpoint, goes_on_in_the_ring_without_overwriting_the_state_it_came_from)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 5);
    for (std::int64_t step = 5; step < 20; ++step) {
        const auto contents = read_checkpoint({}, path);
        expect_state(contents, step);
        auto writer = CheckpointWriter::resume({}, path, contents, options, sample_atoms(n_atoms, step), sample_box());
        submit_step(writer, step + 1);
        writer.finish();
        const CheckpointFile file(path);
        EXPECT_EQ(file.verify(contents.slot), "");
    }
}

/// As after so many states and steps more.
void age(const std::string& path, std::int64_t states, std::int64_t steps)
{
    const RawFile file(path, RawFile::Mode::write);
    const auto directory = read_directory(file);
    for (int k = 0; k < directory.slot_count(); ++k) {
        const auto at = directory.slots[static_cast<std::size_t>(k)].records;
        auto record = file.read_value<CommitRecord>(at);
        if (!is_sealed(record)) continue;
        record.sequence += states;
        record.step += steps;
        seal(record);
        file.write(std::as_bytes(std::span(&record, 1)), at);
    }
}

TEST(Checkpoint, goes_on_after_any_number_of_states_and_steps)
{
    for (const std::int64_t power : {31, 32, 53, 61}) {
        const TemporaryFolder folder;
        const auto path = folder.file("checkpoint.h5");
        write_steps(path, 0, 5);
        const auto more = (std::int64_t{1} << power) - 8; // the next states cross it
        age(path, more, more);
        for (std::int64_t step = 5; step < 20; ++step) {
            auto contents = read_checkpoint({}, path);
            EXPECT_EQ(contents.state.step, more + step);
            EXPECT_EQ(state_hash(contents.state, contents.atoms, contents.kept), sample_hash(n_atoms, step));
            auto writer =
                CheckpointWriter::resume({}, path, contents, options, sample_atoms(n_atoms, step), sample_box());
            auto next = sample_state(step + 1);
            next.step += more;
            submit_step(writer, step + 1, next);
            writer.finish();
        }
    }
}

/// As sample_state(), with marks that belong to the step.
RunState marked_state(std::int64_t step)
{
    auto state = sample_state(step);
    state.outputs = {step / 5, step, {10 * step, 7}, {20 * step, 9}, step - 1};
    return state;
}

TEST(Checkpoint, keeps_the_marks_of_the_outputs)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    auto writer =
        CheckpointWriter::create({}, path, {input, options}, marked_state(0), sample_atoms(n_atoms, 0), sample_box());
    for (std::int64_t step = 1; step < 4; ++step)
        writer.submit(marked_state(step), sample_atoms(n_atoms, step), sample_box());
    writer.finish();
    EXPECT_EQ(read_checkpoint({}, path).state, marked_state(3));

    auto last = marked_state(3);
    last.outputs.log = {1000, 1001};
    writer.mark_outputs(last.outputs);
    const auto contents = read_checkpoint({}, path);
    EXPECT_EQ(contents.state, last);
    EXPECT_EQ(contents.notes.size(), 0u);
}

TEST(Checkpoint, of_two_states_of_a_step_the_later_one_counts)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 9);
    for (std::int64_t turn = 1; turn < 9; ++turn) {
        const auto contents = read_checkpoint({}, path);
        auto writer = CheckpointWriter::resume({}, path, contents, options, sample_atoms(n_atoms, 9), sample_box());
        auto state = sample_state(9);
        state.outputs.frames = turn;
        writer.submit(state, sample_atoms(n_atoms, 9), sample_box());
        writer.finish();
        EXPECT_EQ(read_checkpoint({}, path).state.outputs.frames, turn);
    }
}

TEST(Checkpoint, falls_back_to_a_state_that_fits_the_outputs)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 9);
    const auto contents = read_checkpoint({}, path, [](std::uint64_t run_id, const RunState& state) {
        EXPECT_EQ(run_id, input.run_id);
        return state.step > 7 ? "the trajectory is short" : "";
    });
    expect_state(contents, 7);
    EXPECT_EQ(contents.notes.size(), 2u);
    try {
        read_checkpoint({}, path, [](std::uint64_t, const RunState& state) { return std::to_string(state.step); });
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("do not belong to its states: 9. Nothing has been changed"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Checkpoint, a_file_that_goes_away_is_noticed)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    for (const bool replace : {false, true}) {
        auto writer = CheckpointWriter::create({}, path, {input, options}, sample_state(0), sample_atoms(n_atoms, 0),
                                               sample_box());
        std::filesystem::remove(path);
        if (replace) std::ofstream(path) << "something else";
        for (int k = 0; k < 200 && writer.votes() == 0; ++k) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            writer.submit(sample_state(k), sample_atoms(n_atoms, k), sample_box());
        }
        EXPECT_EQ(writer.votes(), checkpoint_failed);
        EXPECT_NE(writer.error().find(replace ? "has been replaced" : "has been removed"), std::string::npos)
            << writer.error();
    }
}

TEST(Checkpoint, is_made_anew_when_the_input_or_the_number_of_slots_changes)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 5);
    auto contents = read_checkpoint({}, path);
    contents.input.texts["mdp"] = "dt = 0.001\n";
    auto more = options;
    more.slots = 6;
    CheckpointWriter::resume({}, path, contents, more, sample_atoms(n_atoms, 5), sample_box()).finish();
    const auto again = read_checkpoint({}, path);
    EXPECT_EQ(again.input, contents.input);
    EXPECT_EQ(again.state, contents.state);
    EXPECT_EQ(CheckpointFile(path).slots().size(), 8u);
}

TEST(Checkpoint, synced_states_have_slots_of_their_own)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 60, {.slots = 3, .sync_seconds = 1e-9, .sync_also = {path}}, std::chrono::milliseconds(5));
    const CheckpointFile file(path);
    const auto slots = file.slots();
    ASSERT_EQ(slots.size(), 5u);
    for (const auto& slot : slots) {
        EXPECT_EQ(slot.synced, slot.index >= 3);
        EXPECT_FALSE(slot.empty);
        EXPECT_EQ(file.verify(slot.index), "");
    }
    expect_state(read_checkpoint({}, path), 60);
}

TEST(Checkpoint, goes_on_from_a_synced_state_over_the_oldest_ones)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    const CheckpointOptions three{.slots = 3, .sync_seconds = 0.0};
    const auto steps = [&] {
        std::vector<std::int64_t> all;
        for (const auto& slot : CheckpointFile(path).slots()) all.push_back(slot.empty ? -1 : slot.state.step);
        return all;
    };
    write_steps(path, 0, 3, three);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 1, 2, -1, -1}));
    const auto go_on = [&](std::int64_t step, std::uint64_t agreed) {
        const auto contents = read_checkpoint({}, path);
        EXPECT_EQ(contents.state.step, step - 1);
        auto writer = CheckpointWriter::resume({}, path, contents, three, sample_atoms(n_atoms, step), sample_box());
        submit_step(writer, step, sample_state(step), agreed);
        writer.finish();
        EXPECT_EQ(writer.error(), "");
    };
    go_on(4, checkpoint_sync_due);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 1, 2, -1, 4}));
    go_on(5, checkpoint_sync_due | checkpoint_sync_busy);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 5, 2, -1, 4}));
    go_on(6, checkpoint_sync_due);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 5, 2, 6, 4}));
    go_on(7, 0);
    go_on(8, checkpoint_sync_due);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 5, 7, 6, 8}));
}

TEST_P(CheckpointWays, survive_kill_at_any_moment)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    std::mt19937 random(2);
    std::int64_t last = 0;
    int killed = 0;
    for (int round = 0; round < 100; ++round) {
        killed += kill_after(
            round % 20,
            [&](std::atomic<int>& done) {
                if (!std::filesystem::exists(path)) write_steps(path, 0, 0, options);
                const auto contents = read_checkpoint({}, path);
                auto step = contents.state.step;
                auto synced = options;
                synced.sync_seconds = 1e-9;
                auto writer = CheckpointWriter::resume({}, path, contents, round % 3 == 0 ? synced : options,
                                                       sample_atoms(n_atoms, step), sample_box());
                for (++step; step < contents.state.step + 1000; ++step, ++done) submit_step(writer, step);
            },
            random);
        if (!std::filesystem::exists(path)) continue; // killed before it was complete
        const auto contents = read_checkpoint({}, path);
        EXPECT_GE(contents.state.step, last);
        last = contents.state.step;
        expect_state(contents, last);
        EXPECT_LE(contents.notes.size(), 2u);
    }
    EXPECT_GT(killed, 50);
    EXPECT_GT(last, 100);
}

/// Runs `work` in a process whose files may not be larger than `bytes`; its exit status.
int with_file_limit(std::int64_t bytes, const std::function<int()>& work)
{
    const auto child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
        setrlimit(RLIMIT_FSIZE, &limit);
        [&]() noexcept { _exit(work()); }();
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Checkpoint, reports_that_there_is_no_space_and_leaves_the_old_file)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 3);
    const int status = with_file_limit(100000, [&] {
        try {
            write_steps(path, 100, 100);
        } catch (const Failure& failure) {
            return std::string(failure.what()).find("File too large") != std::string::npos ? 42 : 1;
        }
        return 2;
    });
    EXPECT_EQ(status, 42);
    expect_state(read_checkpoint({}, path), 3);
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_P(CheckpointWays, report_a_failed_write_and_the_last_good_state_stays)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    write_steps(path, 0, 5, options);
    const int status = with_file_limit(200000, [&] {
        const auto contents = read_checkpoint({}, path);
        auto writer = CheckpointWriter::resume({}, path, contents, options, sample_atoms(n_atoms, 5), sample_box());
        for (std::int64_t step = 6; step < 12; ++step) submit_step(writer, step);
        writer.finish();
        return writer.error().find("Cannot write") != std::string::npos && writer.votes() == checkpoint_failed ? 42 : 1;
    });
    EXPECT_EQ(status, 42);
    const auto contents = read_checkpoint({}, path);
    EXPECT_GE(contents.state.step, 5);
    expect_state(contents, contents.state.step);
}

/// The system has no page for what is stored beyond the end of a file: that must not end the program.
TEST(Checkpoint, a_file_that_is_cut_short_is_noticed)
{
    const TemporaryFolder folder;
    const auto path = folder.file("checkpoint.h5");
    const CheckpointOptions mapped{.mapping = CheckpointMapping::yes};
    auto writer =
        CheckpointWriter::create({}, path, {input, mapped}, sample_state(0), sample_atoms(n_atoms, 0), sample_box());
    submit_step(writer, 1);
    writer.finish();
    EXPECT_EQ(writer.error(), "");
    std::filesystem::resize_file(path, 8192);
    submit_step(writer, 2);
    writer.finish();
    EXPECT_NE(writer.error().find("cut short"), std::string::npos) << writer.error();
    EXPECT_EQ(writer.votes(), checkpoint_failed);
}

TEST(RunState, numbers_that_are_dynamics_are_hashed)
{
    auto state = sample_state(3);
    const std::vector<AtomRecord> atoms(4);
    const auto before = state_hash(state, atoms);
    state.globals[0].values[0] += 1.0; // a ledger
    EXPECT_EQ(state_hash(state, atoms), before);
    for (double& value : state.globals[1].values) {
        const double kept = std::exchange(value, value + 1.0);
        EXPECT_NE(state_hash(state, atoms), before);
        value = kept;
    }
    EXPECT_EQ(state_hash(state, atoms), before);
}

} // namespace
} // namespace holon
