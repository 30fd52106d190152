#include <holon/core/error.hpp>
#include <holon/io/append_file.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>

namespace holon {
namespace {

using test::TemporaryFolder;

std::string content(const std::string& path)
{
    std::ifstream file(path);
    return std::string((std::istreambuf_iterator<char>(file)), {});
}

TEST(AppendFile, goes_on_from_any_mark)
{
    const TemporaryFolder folder;
    const auto path = folder.file("md.log");
    std::vector<TextMark> marks;
    {
        auto file = AppendFile::create(path, "begin\n");
        for (int k = 0; k < 5; ++k) {
            marks.push_back(file.mark());
            file.append(std::string(400000, static_cast<char>('a' + k)) + "\n");
        }
        EXPECT_EQ(file.error(), "");
    }
    const auto whole = content(path);
    for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
        EXPECT_EQ(AppendFile::mismatch(path, *mark), "");
        auto file = AppendFile::resume(path, mark->bytes);
        EXPECT_EQ(file.mark(), *mark);
        EXPECT_EQ(content(path), whole.substr(0, static_cast<std::size_t>(mark->bytes)));
        file.append("x");
        EXPECT_EQ(AppendFile::mismatch(path, *mark), "");
        EXPECT_EQ(AppendFile::mismatch(path, file.mark()), "");
    }
    EXPECT_EQ(AppendFile::mismatch(path, {}), "");
}

TEST(AppendFile, finds_what_has_been_changed)
{
    const TemporaryFolder folder;
    const auto path = folder.file("md.log");
    auto file = AppendFile::create(path);
    file.append("one line\nanother line\n");
    const auto mark = file.mark();
    std::ofstream(path) << "one line\nanother lime\nmore\n";
    EXPECT_NE(AppendFile::mismatch(path, mark).find("are not those that had been written"), std::string::npos);
    std::ofstream(path) << "one line\n";
    EXPECT_NE(AppendFile::mismatch(path, mark).find("has 9 bytes, and 22 had been written"), std::string::npos);
    EXPECT_EQ(content(path), "one line\n");
    EXPECT_THROW(AppendFile::mismatch(folder.file("missing"), mark), InputError);
    EXPECT_THROW(AppendFile::resume(folder.file("missing"), 0), Failure);
}

TEST(AppendFile, keeps_its_mark_when_writing_fails)
{
    const TemporaryFolder folder;
    const auto path = folder.file("md.log");
    const auto child = fork();
    if (child == 0)
        [&]() noexcept {
            std::signal(SIGXFSZ, SIG_IGN);
            auto file = AppendFile::create(path, "begin\n");
            const auto mark = file.mark();
            const rlimit limit{100, 100};
            setrlimit(RLIMIT_FSIZE, &limit);
            file.append(std::string(1000, 'x'));
            file.append("after");
            const bool kept = file.mark() == mark && file.error().find("Cannot write") != std::string::npos;
            _exit(kept && AppendFile::mismatch(path, mark).empty() ? 42 : 1);
        }();
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 42);
}

} // namespace
} // namespace holon
