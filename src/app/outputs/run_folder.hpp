#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/io/output_folder.hpp>
#include <holon/io/trajectory.hpp>

#include <string>
#include <vector>

namespace holon {

inline constexpr const char* checkpoint_name = "checkpoint.h5";
inline constexpr const char* trajectory_name = "trajectory.h5md";
inline constexpr const char* energies_name = "energy.csv";
inline constexpr const char* log_name = "md.log";
inline constexpr const char* summary_name = "summary.json";
inline constexpr const char* confout_name = "confout.gro";

/// Why the files in a folder are not those of a run when `marks` were taken, as half a sentence; empty, if they are, or
/// are not there. The newest state may be older than a file; of another state that is no proof that the file is the
/// run's. On one rank.
std::string folder_mismatch(const std::string& folder, std::uint64_t run_id, const OutputMarks& marks, bool newest);

/// The folder of a run, and what is there of an earlier start that this one goes on in.
class RunFolder {
public:
    /// `in_place`: goes on in the files that are there, which are as they were at `marks` or have grown since.
    /// InputError, with nothing touched, if one of them cannot be gone on in. Collective.
    RunFolder(const Communicator& comm, const OutputFolder& folder, bool in_place, const OutputMarks& marks,
              const TrajectoryInfo& trajectory, const std::vector<std::string>& energy_columns);

    /// InputError, if a run that goes on in a folder cannot go on in one of its files. Touches nothing; on rank 0.
    static void check(const std::string& folder, const OutputMarks& marks, const TrajectoryInfo& trajectory,
                      const std::vector<std::string>& energy_columns);

    std::string file(const char* name) const { return folder_.file(name); }
    bool in_place() const { return in_place_; }
    bool goes_on_in(const char* name) const; // a file of an earlier start

    /// How far the files are that this start goes on in. Known to rank 0.
    const OutputMarks& start_marks() const { return start_marks_; }

    std::string problem() const { return folder_.problem(); } // see OutputFolder

private:
    const OutputFolder& folder_;
    bool in_place_ = false;
    OutputMarks start_marks_;
};

} // namespace holon
