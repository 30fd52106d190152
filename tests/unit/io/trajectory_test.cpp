#include <holon/core/error.hpp>
#include <holon/io/trajectory.hpp>

#include <support/killed_process.hpp>
#include <support/sample_state.hpp>

#include <io/trajectory/layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sys/stat.h>

namespace holon {
namespace {

using namespace test;

constexpr std::int64_t n_atoms = 300;

TrajectoryInfo sample_info(std::int64_t frames = 100, bool double_precision = false)
{
    TrajectoryInfo info;
    info.atoms = n_atoms;
    info.run_id = 99;
    for (const auto q : {Quantity::position, Quantity::velocity, Quantity::force}) info.schedule[q] = {1};
    info.double_precision = double_precision;
    info.last_step = frames;
    for (std::int32_t i = 0; i < n_atoms; ++i) {
        info.species.push_back(i % 3 ? 1 : 8);
        info.mass.push_back(i % 3 ? 1.008 : 15.999);
        info.charge.push_back(i % 3 ? 0.4238 : -0.8476);
        if (i % 3) info.bonds.push_back({i - i % 3, i});
        info.name.characters += i % 3 ? "HW" : "OW";
        info.residue.push_back(i / 3);
        if (i % 3 == 0) info.residue_name.characters += "SOL";
    }
    info.name.width = 2;
    info.residue_name.width = 3;
    return info;
}

void append(TrajectoryWriter& writer, std::int64_t step)
{
    writer.append(step, 0.002 * static_cast<double>(step), sample_atoms(n_atoms, step), sample_box());
}

/// A frame as it should stand in the file.
template <class Real>
std::vector<std::byte> expected_contents(std::int64_t step)
{
    const auto atoms = sample_atoms(n_atoms, step);
    const auto box = sample_box();
    std::vector<double> edges, forces(3 * n_atoms);
    std::vector<Real> positions(3 * n_atoms), velocities(3 * n_atoms);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) edges.push_back(box.vectors()(i, j));
    for (std::size_t i = 0; i < n_atoms; ++i)
        for (int k = 0; k < 3; ++k) {
            IVec3 x = atoms.x[i];
            box.wrap(x);
            const auto at = 3 * static_cast<std::size_t>(atoms.id[i]) + static_cast<std::size_t>(k);
            positions[at] = static_cast<Real>(to_real(x, position_unit)[k]);
            velocities[at] = static_cast<Real>(to_real(atoms.v[i], velocity_unit)[k]);
            forces[at] = to_real(atoms.f[i], force_unit)[k];
        }
    std::vector<std::byte> bytes;
    const auto add = [&](const auto& values) {
        const auto part = std::as_bytes(std::span(values));
        bytes.insert(bytes.end(), part.begin(), part.end());
    };
    add(edges), add(positions), add(velocities), add(forces);
    return bytes;
}

void expect_frames(const std::string& path, const std::vector<std::int64_t>& steps)
{
    const TrajectoryFile file(path);
    ASSERT_EQ(file.frames(), static_cast<std::int64_t>(steps.size()));
    for (std::int64_t k = 0; k < file.frames(); ++k) {
        const auto step = steps[static_cast<std::size_t>(k)];
        EXPECT_EQ(file.step(k), step);
        EXPECT_EQ(file.time(k), 0.002 * static_cast<double>(step));
        EXPECT_EQ(file.contents(k), expected_contents<float>(step)) << "step " << step;
    }
}

/// Opens files as a user does; -1, if the user's programs are not there.
int check_with_python(const std::string& paths)
{
    const auto command = "/usr/bin/python3 " HOLON_SOURCE_DIR "/tests/python/check_trajectory.py " + paths;
    const int status = std::system(command.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    return code == 77 || code == 127 ? -1 : code;
}

TEST(Trajectory, holds_the_frames_in_input_order)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    auto writer = TrajectoryWriter::create({}, path, sample_info());
    expect_frames(path, {});
    for (const int step : {0, 10, 20}) append(writer, step);
    expect_frames(path, {0, 10, 20});
    EXPECT_FALSE(writer.wants(20));
    EXPECT_TRUE(writer.wants(21));
}

TEST(Trajectory, stores_all_digits_in_double_precision)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    auto writer = TrajectoryWriter::create({}, path, sample_info(1, true));
    append(writer, 5);
    EXPECT_EQ(TrajectoryFile(path).contents(0), expected_contents<double>(5));
}

TEST(Trajectory, opens_in_h5py_and_mdanalysis)
{
    const TemporaryFolder folder;
    std::string paths;
    for (const int kind : {0, 1, 2}) {
        auto info = sample_info(5, kind == 1);
        if (kind == 2) {
            info.schedule[Quantity::velocity] = info.schedule[Quantity::force] = {};
            info.bonds.clear();
        }
        const auto path = folder.file("trajectory-" + std::to_string(kind) + ".h5md");
        auto writer = TrajectoryWriter::create({}, path, info);
        for (const int step : {0, 10, 20}) append(writer, step);
        paths += path + " ";
    }
    TrajectoryWriter::create({}, folder.file("empty.h5md"), sample_info());
    const int status = check_with_python(paths + folder.file("empty.h5md"));
    if (status == -1) GTEST_SKIP() << "no h5py";
    EXPECT_EQ(status, 0);
}

TEST(Trajectory, is_trimmed_and_goes_on)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    {
        auto writer = TrajectoryWriter::create({}, path, sample_info());
        for (const int step : {0, 10, 20, 30}) append(writer, step);
    }
    auto writer = TrajectoryWriter::resume({}, path, sample_info(), 20);
    EXPECT_FALSE(writer.wants(20));
    EXPECT_EQ(writer.frames(), 3);
    expect_frames(path, {0, 10, 20});
    append(writer, 25);
    expect_frames(path, {0, 10, 20, 25});
}

TEST(Trajectory, grows_when_there_are_more_frames_than_expected)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    std::vector<std::int64_t> steps;
    auto writer = TrajectoryWriter::create({}, path, sample_info(2));
    for (int step = 0; step < 9; ++step) {
        append(writer, step);
        steps.push_back(step);
        expect_frames(path, steps);
    }
    EXPECT_EQ(TrajectoryWriter::resume({}, path, sample_info(50), 100).frames(), 9);
    expect_frames(path, steps);
}

TEST(Trajectory, a_frame_waits_for_its_constraint_forces)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    auto info = sample_info(2); // it has to grow
    info.schedule[Quantity::constraint_force] = {1};
    const auto write_frame = [](TrajectoryWriter& writer, std::int64_t step) {
        append(writer, step);
        EXPECT_TRUE(writer.waits_for_constraint_forces());
        const auto atoms = sample_atoms(n_atoms, step);
        std::vector<Vec3> forces;
        for (std::size_t i = 0; i < n_atoms; ++i)
            forces.emplace_back(static_cast<double>(step), static_cast<double>(atoms.id[i]), -1.0);
        writer.add_constraint_forces(atoms, forces);
        EXPECT_FALSE(writer.waits_for_constraint_forces());
    };
    {
        auto writer = TrajectoryWriter::create({}, path, info);
        write_frame(writer, 0);
        append(writer, 10);
        EXPECT_EQ(TrajectoryFile(path).frames(), 1);
        EXPECT_EQ(writer.frames(), 1);
        EXPECT_EQ(writer.last_step(), 0); // and never will, if the run is killed now
    }
    auto writer = TrajectoryWriter::resume({}, path, info, 10);
    for (const int step : {10, 20, 30}) write_frame(writer, step);

    const TrajectoryFile file(path);
    EXPECT_TRUE(file.has(Quantity::constraint_force));
    ASSERT_EQ(file.frames(), 4);
    for (const std::int64_t k : {0, 1, 2, 3}) {
        auto expected = expected_contents<float>(10 * k);
        for (std::size_t id = 0; id < n_atoms; ++id)
            for (const double value : {static_cast<double>(10 * k), static_cast<double>(id), -1.0}) {
                const auto bytes = std::as_bytes(std::span(&value, 1));
                expected.insert(expected.end(), bytes.begin(), bytes.end());
            }
        EXPECT_EQ(file.contents(k), expected) << k;
    }
}

TEST(Trajectory, takes_no_more_space_than_its_frames)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    auto writer = TrajectoryWriter::create({}, path, sample_info(1000000000));
    append(writer, 0);
    expect_frames(path, {0});
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_GT(status.st_size, std::int64_t{1} << 40);
    EXPECT_LT(status.st_blocks * 512, 3 << 20);
}

TEST(Trajectory, has_places_for_more_frames_than_31_bits_count)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5");
    constexpr std::int64_t capacity = 3'000'000'000;
    auto info = sample_info(capacity);
    info.atoms = 1;
    info.species.clear(), info.mass.clear(), info.charge.clear(), info.bonds.clear();
    info.name = info.residue_name = {};
    info.residue.clear();
    SeriesTable series;
    for (const auto q : {Quantity::position, Quantity::velocity, Quantity::force}) series[q] = Series::position;
    PerQuantity<std::int64_t> capacities{}, frames{};
    capacities[Series::position] = capacity;
    frames[Series::position] = (std::int64_t{1} << 31) + 5;
    const auto directory = create_trajectory_file(path, info, series, capacities);
    const RawFile file(path, RawFile::Mode::write);
    std::vector<std::pair<std::int64_t, std::int64_t>> places; // begin, end
    for (const auto& field : directory.fields)
        if (field.frame_bytes > 0) places.emplace_back(field.data, field.data + capacity * field.frame_bytes);
    std::ranges::sort(places);
    EXPECT_LE(places.back().second, file.size());
    for (std::size_t k = 1; k < places.size(); ++k) EXPECT_LE(places[k - 1].second, places[k].first);

    VisibleLength(file, directory).set(file, frames);
    EXPECT_EQ(VisibleLength(file, read_trajectory_directory(file)).get(), frames);
    const auto command = "/usr/bin/python3 -c 'import h5py; f = h5py.File(\"" + path +
                         "\"); g = f[\"particles/trajectory/position\"]; g[\"value\"][-1]; "
                         "assert len(g[\"step\"]) == len(g[\"value\"]) == 2**31 + 5'";
    if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) return;
    EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Trajectory, refuses_what_does_not_match_and_touches_nothing)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    {
        auto writer = TrajectoryWriter::create({}, path, sample_info());
        for (const int step : {0, 10}) append(writer, step);
    }
    const auto error = [&](auto change) {
        auto info = sample_info();
        change(info);
        try {
            TrajectoryWriter::resume({}, path, info, 0);
        } catch (const InputError& e) {
            return std::string(e.what());
        }
        return std::string("none");
    };
    EXPECT_NE(error([](auto& i) { i.run_id = 1; }).find("another run"), std::string::npos);
    EXPECT_NE(error([](auto& i) { i.atoms = 30; }).find("another run"), std::string::npos);
    EXPECT_NE(error([](auto& i) { i.double_precision = true; }).find("precision"), std::string::npos);
    expect_frames(path, {0, 10});

    std::filesystem::resize_file(path, 20000);
    EXPECT_NE(error([](auto&) {}).find("truncated"), std::string::npos) << error([](auto&) {});
    std::ofstream(path) << "nonsense";
    EXPECT_NE(error([](auto&) {}).find("not a trajectory"), std::string::npos);
}

TEST(Trajectory, fuzzed_headers_do_no_harm)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    {
        auto writer = TrajectoryWriter::create({}, path, sample_info(5));
        for (const int step : {0, 10, 20}) append(writer, step);
    }
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    std::mt19937 random(4);
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
        auto damaged = bytes;
        for (int count = std::uniform_int_distribution(1, 20)(random); count > 0; --count)
            damaged[std::uniform_int_distribution<std::size_t>(0, 16 * 4096 - 1)(random)] =
                static_cast<char>(std::uniform_int_distribution(0, 255)(random));
        std::ofstream(path, std::ios::binary) << damaged;
        try {
            const TrajectoryFile file(path);
            EXPECT_LE(file.frames(), 5);
            auto writer = TrajectoryWriter::resume({}, path, sample_info(5), 20);
            EXPECT_LE(writer.frames(), 3);
        } catch (const InputError& error) {
            ++refused;
            EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
        }
    }
    EXPECT_GT(refused, 30);
}

TEST(Trajectory, shows_whole_frames_only_whenever_it_is_killed)
{
    const TemporaryFolder folder;
    const auto path = folder.file("trajectory.h5md");
    std::mt19937 random(3);
    std::string copies;
    std::int64_t total = 0;
    for (int round = 0; round < 60; ++round) {
        std::filesystem::remove(path);
        kill_after(
            round % 20,
            [&](std::atomic<int>& done) {
                auto writer = TrajectoryWriter::create({}, path, sample_info(round % 2 ? 3 : 500)); // 3: it has to grow
                for (int step = 0; step < 500; ++step, ++done) append(writer, step);
            },
            random);
        if (!std::filesystem::exists(path)) continue; // killed before it was complete
        std::vector<std::int64_t> steps;
        for (std::int64_t k = 0; k < TrajectoryFile(path).frames(); ++k) steps.push_back(k);
        expect_frames(path, steps);
        total += static_cast<std::int64_t>(steps.size());
        const auto copy = folder.file(std::to_string(round) + ".h5md");
        if (round % 3 == 0) {
            std::filesystem::rename(path, copy);
            copies += copy + " ";
        }
    }
    EXPECT_GT(total, 100);
    if (const int status = check_with_python(copies); status != -1) {
        EXPECT_EQ(status, 0);
    }
}

TEST(Trajectory, describes_molecules_by_their_topology)
{
    Topology topology;
    topology.atom_types = {{"OW", 8}, {"HW", 1}};
    MoleculeType water;
    water.atoms = {{0, 15.999, -0.8476, 0, "OW"}, {1, 1.008, 0.4238, 0, "HW1"}, {1, 1.008, 0.4238, 0, "HW2"}};
    water.settles = {{0, 0.1, 0.1633}};
    water.residues = {{"SOL", 1}};
    topology.molecule_types = {water};
    topology.blocks = {{0, 2, 0, 0}};
    TrajectoryInfo info;
    describe_atoms(topology, info);
    EXPECT_EQ(info.species, (std::vector<std::int32_t>{8, 1, 1, 8, 1, 1}));
    EXPECT_EQ(info.mass[3], 15.999);
    EXPECT_EQ(info.charge[5], 0.4238);
    EXPECT_EQ(info.name.characters, (std::string("OW\0HW1HW2OW\0HW1HW2", 18)));
    EXPECT_EQ(info.residue, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(info.residue_name.characters, "SOLSOL");
    EXPECT_EQ(info.bonds, (std::vector<std::array<std::int32_t, 2>>{{0, 1}, {0, 2}, {3, 4}, {3, 5}}));
}

} // namespace
} // namespace holon
