#include <holon/core/error.hpp>
#include <holon/io/energy_file.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <array>
#include <fstream>

namespace holon {
namespace {

using test::TemporaryFolder;

const std::vector<std::string> columns = {"bond", "potential"};

std::string content(const std::string& path)
{
    std::ifstream file(path);
    return std::string((std::istreambuf_iterator<char>(file)), {});
}

void append(EnergyFile& file, std::int64_t step)
{
    file.append(step, 0.1 * static_cast<double>(step), std::array{1.0 / 3.0, -1e5});
}

TEST(EnergyFile, keeps_all_digits)
{
    const TemporaryFolder folder;
    auto file = EnergyFile::create(folder.file("energy.csv"), columns);
    append(file, 3);
    EXPECT_EQ(content(folder.file("energy.csv")),
              "step,time_ps,bond,potential\n3,0.30000000000000004,0.3333333333333333,-100000\n");
    EXPECT_EQ(file.error(), "");
}

TEST(EnergyFile, is_trimmed_and_goes_on)
{
    const TemporaryFolder folder;
    const auto path = folder.file("energy.csv");
    std::vector<TextMark> marks; // after each row
    {
        auto file = EnergyFile::create(path, columns);
        for (const int step : {0, 10, 20, 30}) {
            append(file, step);
            marks.push_back(file.mark());
        }
    }
    std::ofstream(path, std::ios::app) << "40,4.0,0.1"; // killed in the middle of a row
    for (const int rows : {4, 3, 2}) {
        const auto mark = marks[static_cast<std::size_t>(rows - 1)];
        auto file = EnergyFile::resume(path, columns, mark.bytes);
        EXPECT_EQ(file.mark(), mark);
        EXPECT_TRUE(file.has_row(10 * (rows - 1)));
        EXPECT_FALSE(file.has_row(10 * (rows - 1) + 1));
    }
    auto file = EnergyFile::resume(path, columns, marks[1].bytes);
    append(file, 20);
    const auto text = content(path);
    EXPECT_EQ(std::ranges::count(text, '\n'), 4);
    EXPECT_TRUE(text.find("\n10,1,") < text.find("\n20,2,"));
    EXPECT_EQ(file.mark(), marks[2]);
}

TEST(EnergyFile, refuses_what_does_not_match_and_touches_nothing)
{
    const TemporaryFolder folder;
    const auto path = folder.file("energy.csv");
    const auto error = [&](const std::string& text) {
        std::ofstream(path) << text;
        try {
            EnergyFile::resume(path, columns, 1000);
        } catch (const InputError& e) {
            EXPECT_EQ(content(path), text);
            return std::string(e.what());
        }
        return std::string("none");
    };
    EXPECT_NE(error("step,time_ps,angle\n").find("energy.csv:1: "), std::string::npos);
    EXPECT_NE(error("").find("energy.csv:1: "), std::string::npos);
    EXPECT_NE(error("step,time_ps,bond,potential\n1,0,0,0\nnonsense\n").find("energy.csv:3: "), std::string::npos);
    EXPECT_NE(error("step,time_ps,bond,potential\n5,0,0,0\n5,0,0,0\n").find("energy.csv:3: "), std::string::npos);
    EXPECT_THROW(EnergyFile::resume(folder.file("missing.csv"), columns, 0), InputError);
    EXPECT_THROW(EnergyFile::create(folder.file("no/energy.csv"), columns), Failure);
}

} // namespace
} // namespace holon
