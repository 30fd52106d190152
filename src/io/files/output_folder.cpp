#include <holon/io/output_folder.hpp>

#include "folder_lock.hpp"
#include "raw_file.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace holon {

namespace {

namespace fs = std::filesystem;

constexpr std::array run_file_names = {"checkpoint.h5", "trajectory.h5md", "energy.csv",   "confout.gro",
                                       "md.log",        "summary.json",    "trajectory.h5"};

void remove_file(const std::string& path)
{
    std::error_code error;
    fs::remove(path, error);
    if (error) throw Failure(fmt::format("Cannot remove {}: {}.", path, error.message()));
}

/// Creates a folder and those above it; returns those that were not there, the lowest first.
std::vector<fs::path> create_folders(const std::string& path)
{
    std::vector<fs::path> created;
    std::error_code error;
    for (auto folder = fs::absolute(path).lexically_normal(); !fs::exists(folder, error) && !error;
         folder = folder.parent_path())
        created.push_back(folder);
    if (!error) fs::create_directories(path, error);
    if (!error && !fs::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
    if (error)
        throw InputError(
            fmt::format("Cannot create the output folder {}: {}. Choose another one with -o.", path, error.message()));
    return created;
}

/// InputError for a folder that holds a run which is to stay.
void refuse_run_in(const std::string& path)
{
    if (const auto files = OutputFolder::run_files(path); !files.empty())
        throw InputError(fmt::format("The folder {} already holds a run ({}). Choose another one with -o, continue it "
                                     "with --restart {}/checkpoint.h5, or replace it with --overwrite.",
                                     path, fmt::join(files, ", "), path));
}

std::string without_slashes(std::string path)
{
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

} // namespace

struct OutputFolder::Root {
    ~Root()
    {
        lock.reset();
        std::error_code ignored;
        for (const auto& folder : created) fs::remove(folder, ignored); // only if it is empty
    }

    std::vector<fs::path> created;
    std::optional<FolderLock> lock;
};

OutputFolder::OutputFolder(const Communicator& comm, std::string path, Start start)
    : comm_(comm), path_(without_slashes(std::move(path)))
{
    on_root(comm_, [&] {
        auto root = std::make_unique<Root>();
        root->created = create_folders(path_);
        root->lock.emplace(file(".holon-lock"));
        if (start == Start::fresh) refuse_run_in(path_);
        root_ = std::move(root);
    });
}

void OutputFolder::check(const Communicator& comm, const std::string& path, Start start)
{
    on_root(comm, [&] {
        auto there = fs::absolute(without_slashes(path)).lexically_normal();
        std::error_code error;
        while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
        if (!fs::is_directory(there, error) || ::access(there.c_str(), W_OK | X_OK) != 0)
            throw InputError(fmt::format("Cannot write into the output folder {}: {} {}. Choose another one with -o.",
                                         path, there.string(),
                                         fs::is_directory(there, error) ? "is not writable" : "is no folder"));
        if (start == Start::fresh) refuse_run_in(without_slashes(path));
    });
}

OutputFolder::~OutputFolder() = default;

std::string OutputFolder::problem() const
{
    return root_ && root_->lock ? root_->lock->problem() : "";
}

void OutputFolder::clear()
{
    on_root(comm_, [&] {
        for (const auto* name : run_file_names) {
            remove_file(file(name));
            remove_file(UnfinishedFile::temporary_name(file(name)));
        }
    });
}

std::vector<std::string> OutputFolder::run_files(const std::string& path)
{
    std::vector<std::string> found;
    for (const auto* name : run_file_names)
        if (file_exists(path + "/" + name)) found.emplace_back(name);
    return found;
}

} // namespace holon
