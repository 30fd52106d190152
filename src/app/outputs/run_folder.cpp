#include "run_folder.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/io/energy_file.hpp>

#include <filesystem>
#include <fmt/format.h>

namespace holon {

namespace {

constexpr const char* old_trajectory_name = "trajectory.h5"; // of earlier versions

/// The trajectory that is in a folder, be it under its old name; empty, if there is none.
std::string trajectory_in(const std::string& folder)
{
    for (const char* name : {trajectory_name, old_trajectory_name})
        if (auto path = folder + "/" + name; std::filesystem::exists(path)) return path;
    return {};
}

} // namespace

std::string folder_mismatch(const std::string& folder, std::uint64_t run_id, const OutputMarks& marks, bool newest)
{
    const auto text_mismatch = [&](const char* name, const TextMark& mark) -> std::string {
        const auto path = folder + "/" + name;
        if (!std::filesystem::exists(path)) return {};
        if (mark.bytes == 0 && !newest) return fmt::format("{} had not been begun", path);
        return AppendFile::mismatch(path, mark);
    };
    const auto trajectory = trajectory_in(folder);
    std::string problem;
    if (!trajectory.empty()) problem = TrajectoryFile(trajectory).mismatch(run_id, marks);
    if (problem.empty()) problem = text_mismatch(energies_name, marks.energies);
    if (problem.empty()) problem = text_mismatch(log_name, marks.log);
    return problem;
}

RunFolder::RunFolder(const Communicator& comm, const OutputFolder& folder, bool in_place, const OutputMarks& marks,
                     const TrajectoryInfo& trajectory_info, const std::vector<std::string>& energy_columns)
    : folder_(folder), in_place_(in_place)
{
    on_root(comm, [&] { // nothing is touched before everything has been looked at
        if (!in_place_) return;
        const auto trajectory = trajectory_in(folder_.path());
        check(folder_.path(), marks, trajectory_info, energy_columns);
        start_marks_ = marks;
        if (trajectory.empty()) start_marks_.frames = 0, start_marks_.last_frame = OutputMarks::no_step;
        if (!goes_on_in(energies_name)) start_marks_.energies = {};
        if (!goes_on_in(log_name)) start_marks_.log = {}, start_marks_.last_table = OutputMarks::no_step;
        if (trajectory == file(old_trajectory_name)) std::filesystem::rename(trajectory, file(trajectory_name));
    });
}

void RunFolder::check(const std::string& folder, const OutputMarks& marks, const TrajectoryInfo& trajectory_info,
                      const std::vector<std::string>& energy_columns)
{
    const auto trajectory = trajectory_in(folder);
    const auto energies = folder + "/" + energies_name;
    if (std::filesystem::exists(energies) && marks.energies.bytes > 0)
        EnergyFile::check_append(energies, energy_columns, marks.energies.bytes);
    if (!trajectory.empty() && trajectory_info.writes_any())
        TrajectoryWriter::check_append(trajectory, trajectory_info);
}

bool RunFolder::goes_on_in(const char* name) const
{
    return in_place_ && std::filesystem::exists(file(name));
}

} // namespace holon
