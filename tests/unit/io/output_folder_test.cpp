#include <holon/core/error.hpp>
#include <holon/io/output_folder.hpp>

#include <io/files/folder_lock.hpp>
#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <sys/wait.h>

namespace holon {
namespace {

using namespace test;
using Start = OutputFolder::Start;

std::string error_of(const std::function<void()>& work)
{
    try {
        work();
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

void touch(const std::string& path, const std::string& text = "x")
{
    std::ofstream(path) << text;
}

/// Exit status of `work` in a process of its own.
int in_child(const std::function<int()>& work)
{
    const auto child = fork();
    if (child == 0) [&]() noexcept { _exit(work()); }();
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(OutputFolder, is_created_and_removed_again_if_nothing_is_written)
{
    const TemporaryFolder base;
    {
        const OutputFolder folder({}, base.file("a/b/"), Start::fresh);
        EXPECT_TRUE(std::filesystem::is_directory(base.file("a/b")));
        EXPECT_EQ(folder.file("md.log"), base.file("a/b") + "/md.log");
    }
    EXPECT_FALSE(std::filesystem::exists(base.file("a")));
    {
        const OutputFolder folder({}, base.file("c"), Start::fresh);
        touch(folder.file("md.log"));
    }
    EXPECT_TRUE(std::filesystem::exists(base.file("c/md.log")));
    EXPECT_FALSE(std::filesystem::exists(base.file("c/.holon-lock")));
}

TEST(OutputFolder, a_run_is_not_overwritten_unless_asked_for)
{
    const TemporaryFolder base;
    touch(base.file("notes.txt"));
    {
        const OutputFolder folder({}, base.path(), Start::fresh);
    }
    touch(base.file("checkpoint.h5"));
    touch(base.file("energy.csv"));
    touch(base.file("trajectory.h5md.new"));
    const auto error = error_of([&] { OutputFolder({}, base.path(), Start::fresh); });
    EXPECT_NE(error.find("already holds a run (checkpoint.h5, energy.csv)"), std::string::npos) << error;
    {
        const OutputFolder folder({}, base.path(), Start::resume);
    }
    EXPECT_TRUE(std::filesystem::exists(base.file("checkpoint.h5")));
    OutputFolder folder({}, base.path(), Start::overwrite);
    EXPECT_TRUE(std::filesystem::exists(base.file("checkpoint.h5")));
    folder.clear();
    for (const auto* name : {"checkpoint.h5", "energy.csv", "trajectory.h5md.new"})
        EXPECT_FALSE(std::filesystem::exists(base.file(name))) << name;
    EXPECT_TRUE(std::filesystem::exists(base.file("notes.txt")));
}

TEST(OutputFolder, bad_places_are_refused)
{
    const TemporaryFolder base;
    touch(base.file("file"));
    EXPECT_NE(error_of([&] { OutputFolder({}, base.file("file"), Start::fresh); }).find("Not a directory"),
              std::string::npos);
    EXPECT_NE(error_of([&] { OutputFolder({}, base.file("file/below"), Start::fresh); }).find("Cannot create"),
              std::string::npos);
    EXPECT_NE(error_of([&] { OutputFolder({}, "/proc/nowhere", Start::fresh); }).find("Cannot create"),
              std::string::npos);
}

TEST(OutputFolder, folders_without_permission_are_refused)
{
    const TemporaryFolder base;
    std::filesystem::permissions(base.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec |
                                                  std::filesystem::perms::others_read |
                                                  std::filesystem::perms::others_exec);
    const int status = in_child([&] {
        constexpr uid_t nobody = 65534;
        if (geteuid() == 0 && setuid(nobody) != 0) return 1;
        const auto inside = error_of([&] { OutputFolder({}, base.path(), Start::fresh); });
        const auto below = error_of([&] { OutputFolder({}, base.file("new"), Start::fresh); });
        return inside.find("Permission denied") != std::string::npos &&
                       below.find("Permission denied") != std::string::npos
                   ? 42
                   : 2;
    });
    std::filesystem::permissions(base.path(), std::filesystem::perms::owner_all);
    EXPECT_EQ(status, 42);
}

TEST(OutputFolder, is_kept_to_one_run)
{
    const TemporaryFolder base;
    {
        const OutputFolder folder({}, base.path(), Start::fresh);
        const auto here = error_of([&] { OutputFolder({}, base.path(), Start::resume); });
        EXPECT_NE(here.find("is in use: process " + std::to_string(getpid())), std::string::npos) << here;
        EXPECT_EQ(in_child([&] {
                      return error_of([&] { OutputFolder({}, base.path(), Start::resume); }).find("is in use") !=
                             std::string::npos;
                  }),
                  1);
    }
    EXPECT_EQ(error_of([&] { OutputFolder({}, base.path(), Start::resume); }), "none");
}

TEST(OutputFolder, a_killed_run_does_not_block_it)
{
    const TemporaryFolder base;
    EXPECT_EQ(in_child([&] {
                  const OutputFolder folder({}, base.path(), Start::fresh);
                  return kill(getpid(), SIGKILL);
              }),
              -1);
    EXPECT_TRUE(std::filesystem::exists(base.file(".holon-lock")));
    EXPECT_EQ(error_of([&] { OutputFolder({}, base.path(), Start::resume); }), "none");
}

TEST(FolderLock, of_another_host_is_taken_over_when_its_run_gives_no_sign_of_life)
{
    const TemporaryFolder base;
    const auto path = base.file("lock");
    touch(path, "process 12 on elsewhere, key 00, alive 0000000003\n");
    EXPECT_EQ(error_of([&] { FolderLock(path, {0.01, 0.2}); }), "none");

    touch(path, "process 12 on elsewhere, key 00, alive 0000000003\n");
    std::jthread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        // As runs do it: in place, so that the file is never empty.
        std::fstream(path, std::ios::in | std::ios::out) << "process 12 on elsewhere, key 00, alive 0000000004\n";
    });
    const auto error = error_of([&] { FolderLock(path, {0.01, 0.5}); });
    EXPECT_NE(error.find("in use: process 12 on elsewhere"), std::string::npos) << error;
}

TEST(FolderLock, that_was_taken_over_is_noticed_and_left_alone)
{
    const TemporaryFolder base;
    const auto path = base.file("lock");
    const std::string other = "process 12 on elsewhere, key 00, alive 0000000003\n";
    {
        const FolderLock lock(path, {0.01, 1.0});
        EXPECT_EQ(lock.problem(), "");
        std::filesystem::remove(path);
        touch(path, other);
        for (int k = 0; k < 500 && lock.problem().empty(); ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_NE(lock.problem().find("Process 12 on elsewhere has taken over the folder"), std::string::npos);
    }
    std::ifstream file(path);
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), {}), other);
}

TEST(FolderLock, shows_that_its_run_is_alive)
{
    const TemporaryFolder base;
    const auto path = base.file("lock");
    const FolderLock lock(path, {0.01, 1.0});
    const auto content = [&] {
        std::ifstream file(path);
        return std::string((std::istreambuf_iterator<char>(file)), {});
    };
    const auto before = content();
    EXPECT_NE(before.find("process " + std::to_string(getpid())), std::string::npos);
    for (int k = 0; k < 500 && content() == before; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(content(), before);
}

} // namespace
} // namespace holon
