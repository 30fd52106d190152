#pragma once

#include "progress.hpp"

#include <holon/dynamics/measurement.hpp>
#include <holon/io/checkpoint.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// md.log: a readable account of the run; and progress on a terminal. For rank 0. A line that cannot be written is lost
/// without ending the run: everything in the log is in summary.json and energy.csv, too.
class LogFile {
public:
    /// A new file; one that is there is replaced. Failure, if that does not work.
    explicit LogFile(const std::string& path);

    /// Goes on in a file as it was when `marks` were taken. Failure, if that does not work.
    LogFile(const std::string& path, const OutputMarks& marks);

    void line(const std::string& text = {}) { append(text + "\n"); }
    void append(const std::string& lines) { file_.append(lines); }

    /// A table of energies, temperature and pressure at one step; not again if that of the last step is there.
    void energies(const Measurement& m, const std::vector<std::pair<std::string, double>>& terms,
                  const std::vector<std::pair<std::string, double>>& further);

    /// Two columns: seconds and share of the wall time.
    void timings(const std::vector<std::pair<std::string, double>>& stages, double wall_s);

    /// Step and time left: a line of the file now and then, see ProgressSchedule, and if standard error is a terminal
    /// one line there, renewed each second.
    void progress(const Progress& progress);

    /// Ends the progress line.
    void end_progress();

    TextMark mark() const { return file_.mark(); }
    std::int64_t last_table() const { return last_table_; }    // step, or OutputMarks::no_step
    void finish() { file_.sync(); }                            // to disk
    const std::string& error() const { return file_.error(); } // why lines are lost; empty, if none are

private:
    AppendFile file_;
    std::int64_t last_table_ = OutputMarks::no_step;
    bool terminal_;
    double shown_at_ = -1.0; // wall seconds
    ProgressSchedule schedule_;
};

} // namespace holon
