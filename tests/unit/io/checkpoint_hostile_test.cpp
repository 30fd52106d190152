// Files that are no checkpoint of ours although all their checksums are right: refused with a message, whatever they
// declare; nothing is read into memory that it does not fit.
#include <support/checkpoint_case.hpp>

#include <io/checkpoint_layout.hpp>
#include <io/h5.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace holon {
namespace {

using namespace test;

class HostileCheckpoint : public ::testing::Test {
protected:
    void SetUp() override { write_steps(path_, 0, 3); }

    /// Lets `change` change the file through the HDF5 library and then makes the checksums match.
    void change_file(const std::function<void(hid_t file)>& change)
    {
        {
            const h5::Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
            change(file);
        }
        change_directory([&](CheckpointDirectory& d) { d.file_size = RawFile(path_, RawFile::Mode::read).size(); });
    }

    void change_directory(const std::function<void(CheckpointDirectory&)>& change)
    {
        const RawFile file(path_, RawFile::Mode::write);
        auto directory = file.read_value<CheckpointDirectory>(original().offset);
        change(directory);
        seal(directory, file);
        file.write(std::as_bytes(std::span(&directory, 1)), original().offset);
    }

    /// Puts something else in the place of the text `mdp`.
    void replace_text(const std::function<void(hid_t group)>& put)
    {
        change_file([&](hid_t file) {
            const auto group = h5::open_group(file, "input");
            h5::check(H5Ldelete(group, "mdp", H5P_DEFAULT), "delete");
            put(group);
        });
    }

    void expect_refused(const std::string& reason) const
    {
        const auto error = read_error(path_);
        EXPECT_NE(error.find(path_), std::string::npos) << error;
        EXPECT_NE(error.find(reason), std::string::npos) << error;
        EXPECT_THROW(CheckpointFile(path_).input(), InputError);
    }

    const CheckpointDirectory& original() const
    {
        static const auto directory = read_directory(RawFile(path_, RawFile::Mode::read));
        return directory;
    }

    const TemporaryFolder folder_;
    const std::string path_ = folder_.file("checkpoint.h5");
};

TEST_F(HostileCheckpoint, an_unchanged_file_is_read)
{
    change_file([](hid_t) {});
    EXPECT_EQ(read_error(path_), "none");
}

TEST_F(HostileCheckpoint, texts_of_another_type_are_refused)
{
    replace_text([](hid_t group) {
        const double number = 1.0;
        h5::write_values(group, "mdp", H5T_NATIVE_DOUBLE, {}, &number);
    });
    expect_refused("mdp, which is not a text");
}

TEST_F(HostileCheckpoint, texts_of_variable_length_are_refused)
{
    replace_text([](hid_t group) {
        const char* text = "dt = 0.001";
        h5::write_values(group, "mdp", h5::text_type(H5T_VARIABLE), {}, &text);
    });
    expect_refused("mdp, which is not a text");
}

TEST_F(HostileCheckpoint, many_texts_in_the_place_of_one_are_refused)
{
    replace_text([](hid_t group) {
        const std::vector<char> texts(80'000, 'x');
        const std::int64_t extent[] = {10'000};
        h5::write_values(group, "mdp", h5::text_type(8), extent, texts.data());
    });
    expect_refused("mdp, which is not a text");
}

TEST_F(HostileCheckpoint, texts_of_huge_declared_size_are_refused)
{
    replace_text([](hid_t group) {
        // 2 GiB that take no space in the file: it has no place for them.
        const h5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "properties");
        const h5::Handle space = h5::space({});
        const h5::Handle type = h5::text_type(std::size_t{1} << 31);
        h5::check(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_LATE), "late");
        const h5::Handle set(H5Dcreate2(group, "mdp", type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
                             "huge");
    });
    expect_refused("mdp, which is longer than the file");
}

TEST_F(HostileCheckpoint, groups_in_the_place_of_texts_are_refused)
{
    replace_text([](hid_t group) { h5::create_group(group, "mdp"); });
    expect_refused("mdp");
}

TEST_F(HostileCheckpoint, links_out_of_the_file_are_refused)
{
    replace_text([](hid_t group) {
        h5::check(H5Lcreate_external("/etc/passwd", "/", group, "mdp", H5P_DEFAULT, H5P_DEFAULT), "external link");
    });
    expect_refused("its input cannot be read");
}

TEST_F(HostileCheckpoint, links_to_themselves_are_refused)
{
    replace_text([](hid_t group) {
        h5::check(H5Lcreate_soft("/input/mdp", group, "mdp", H5P_DEFAULT, H5P_DEFAULT), "soft link");
    });
    expect_refused("its input cannot be read");
}

TEST_F(HostileCheckpoint, directories_with_impossible_numbers_are_refused)
{
    constexpr std::int64_t huge = std::int64_t{1} << 61;
    using Change = std::function<void(CheckpointDirectory&)>;
    const std::vector<Change> changes = {
        [](auto& d) { d.atoms = d.rows = huge; },          [](auto& d) { d.rows = huge; },
        [](auto& d) { d.rank_capacity = huge; },           [](auto& d) { d.kept = d.kept_rows = huge; },
        [](auto& d) { d.slots[1].records = d.file_size; }, [](auto& d) { d.slots[2].positions = d.file_size - 8; },
        [](auto& d) { d.slots[3].velocities = -4096; },    [](auto& d) { d.slots[4].identities = huge; },
        [](auto& d) { d.slots[0].kept = -huge; },          [](auto& d) { d.ring = max_ring + 1; },
    };
    const RawFile file(path_, RawFile::Mode::write);
    for (std::size_t k = 0; k < changes.size(); ++k) {
        // Where the checksum of the rest of the file cannot be made to match, that of the directory can.
        try {
            change_directory(changes[k]);
        } catch (const Failure&) {
            continue;
        }
        SCOPED_TRACE(k);
        expect_refused("impossible numbers");
        file.write(std::as_bytes(std::span(&original(), 1)), original().offset);
    }
}

} // namespace
} // namespace holon
