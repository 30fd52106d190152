#include <holon/core/error.hpp>
#include <holon/io/trajectory.hpp>

#include <support/killed_process.hpp>
#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <random>

namespace holon {
namespace {

using namespace test;

constexpr std::int64_t n_atoms = 40;

/// Intervals of positions, velocities, forces and constraint forces.
TrajectoryInfo sample_info(PerQuantity<std::int64_t> every, std::int64_t last)
{
    TrajectoryInfo info;
    info.atoms = n_atoms;
    info.run_id = 99;
    for (const auto q : all_quantities) info.schedule[q] = {every[q]};
    info.last_step = last;
    return info;
}

std::vector<Vec3> constraint_forces(std::int64_t step, const Atoms& atoms)
{
    std::vector<Vec3> forces;
    for (std::size_t i = 0; i < n_atoms; ++i)
        forces.emplace_back(static_cast<double>(step), static_cast<double>(atoms.id[i]), -1.0);
    return forces;
}

void write_step(TrajectoryWriter& writer, std::int64_t step)
{
    if (!writer.wants(step)) return;
    const auto atoms = sample_atoms(n_atoms, step);
    writer.append(step, 0.5 * static_cast<double>(step), atoms, sample_box());
    if (writer.waits_for_constraint_forces()) writer.add_constraint_forces(atoms, constraint_forces(step, atoms));
}

void write_steps(TrajectoryWriter& writer, std::int64_t first, std::int64_t last)
{
    for (auto step = first; step <= last; ++step) write_step(writer, step);
}

/// Each step holds the quantities that `due` says, and what is in a file of all quantities at each step, there.
template <class Due>
void expect_steps(const std::string& path, const std::string& reference, std::int64_t last, Due due)
{
    const TrajectoryFile file(path), all(reference);
    ASSERT_GT(all.frames(), last);
    const std::size_t edges = 72;
    const PerQuantity<std::size_t> size = {{12 * n_atoms, 12 * n_atoms, 24 * n_atoms, 24 * n_atoms}};
    std::int64_t frame = 0;
    for (std::int64_t step = 0; step <= last; ++step) {
        const auto whole = all.contents(step);
        std::vector<std::byte> expected(whole.begin(), whole.begin() + edges);
        auto at = whole.begin() + edges;
        for (const auto q : all_quantities) {
            const auto end = at + static_cast<std::ptrdiff_t>(size[q]);
            if (due(q, step)) expected.insert(expected.end(), at, end);
            at = end;
        }
        if (expected.size() == edges) continue;
        ASSERT_LT(frame, file.frames()) << step;
        EXPECT_EQ(file.step(frame), step);
        EXPECT_EQ(file.time(frame), 0.5 * static_cast<double>(step));
        EXPECT_EQ(file.contents(frame), expected) << step;
        ++frame;
    }
    EXPECT_EQ(file.frames(), frame);
}

class TrajectorySeries : public ::testing::Test {
protected:
    TrajectorySeries()
    {
        auto writer = TrajectoryWriter::create({}, reference, sample_info({{1, 1, 1, 1}}, 100));
        write_steps(writer, 0, 100);
    }

    const TemporaryFolder folder;
    const std::string path = folder.file("trajectory.h5md"), reference = folder.file("reference.h5md");
};

TEST_F(TrajectorySeries, EachQuantityHasItsSteps)
{
    const std::vector<PerQuantity<std::int64_t>> cases = {{{1, 2, 3, 5}},   {{6, 4, 4, 6}}, {{7, 0, 1, 7}},
                                                          {{10, 10, 5, 0}}, {{3, 2, 2, 2}}, {{5, 0, 0, 2}},
                                                          {{1, 50, 0, 0}}};
    for (const auto& every : cases) {
        for (const std::int64_t expected_last : {60, 5}) { // 5: it has to grow
            auto writer = TrajectoryWriter::create({}, path, sample_info(every, expected_last));
            write_steps(writer, 0, 60);
            expect_steps(path, reference, 60,
                         [&](Quantity q, std::int64_t step) { return every[q] > 0 && step % every[q] == 0; });
            EXPECT_EQ(writer.frames(), TrajectoryFile(path).frames());
        }
    }
}

TEST_F(TrajectorySeries, GoesOnWithOtherIntervalsAndKeepsWhatIsThere)
{
    const PerQuantity<std::int64_t> before = {{4, 4, 3, 0}};
    const std::vector<PerQuantity<std::int64_t>> after = {{{4, 4, 3, 0}}, {{2, 4, 3, 6}}, {{4, 2, 0, 4}},
                                                          {{2, 2, 2, 2}}, {{4, 0, 4, 0}}, {{5, 7, 1, 3}}};
    for (const auto& every : after) {
        {
            auto writer = TrajectoryWriter::create({}, path, sample_info(before, 50));
            write_steps(writer, 0, 50);
        }
        auto info = sample_info(every, 80);
        info.first_step = 40;
        auto writer = TrajectoryWriter::resume({}, path, info, 40);
        write_steps(writer, 40, 80);
        expect_steps(path, reference, 80, [&](Quantity q, std::int64_t step) {
            const auto due = [&](std::int64_t interval) { return interval > 0 && step % interval == 0; };
            return (step <= 40 && due(before[q])) || (step >= 40 && due(every[q]));
        });
    }
}

TEST_F(TrajectorySeries, MarksTellWhetherItReachesAsFarAsAState)
{
    auto writer = TrajectoryWriter::create({}, path, sample_info({{4, 3, 0, 0}}, 50));
    write_steps(writer, 0, 20);
    OutputMarks marks;
    marks.frames = writer.frames();
    marks.last_frame = writer.last_step();
    EXPECT_EQ(marks.frames, 11); // 0 3 4 6 8 9 12 15 16 18 20
    EXPECT_EQ(marks.last_frame, 20);
    EXPECT_EQ(TrajectoryFile(path).mismatch(99, marks), "");
    write_steps(writer, 21, 30);
    EXPECT_EQ(TrajectoryFile(path).mismatch(99, marks), "");
    writer = TrajectoryWriter::resume({}, path, sample_info({{4, 3, 0, 0}}, 50), 17);
    EXPECT_EQ(writer.frames(), 9);
    EXPECT_NE(TrajectoryFile(path).mismatch(99, marks).find("has 9 frames, and 11 had been written"),
              std::string::npos);
}

TEST_F(TrajectorySeries, ShowsWholeStepsOnlyWheneverItIsKilled)
{
    std::mt19937 random(5);
    const auto due = [](Quantity q, std::int64_t step) {
        return step % PerQuantity<std::int64_t>{{2, 1, 3, 5}}[q] == 0;
    };
    std::int64_t total = 0;
    for (int round = 0; round < 40; ++round) {
        std::filesystem::remove(path);
        kill_after(
            round % 20,
            [&](std::atomic<int>& done) {
                auto writer = TrajectoryWriter::create({}, path, sample_info({{2, 1, 3, 5}}, round % 2 ? 3 : 100));
                for (int step = 0; step <= 100; ++step, ++done) write_step(writer, step);
            },
            random);
        if (!std::filesystem::exists(path)) continue;      // killed before it was complete
        const auto frames = TrajectoryFile(path).frames(); // velocities are written at each step
        expect_steps(path, reference, frames - 1, due);
        total += frames;
    }
    EXPECT_GT(total, 20);
}

} // namespace
} // namespace holon
