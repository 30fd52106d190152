#pragma once

#include <holon/app/measurement.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// md.log: a readable account of the run; and progress on a terminal. For rank 0. A line that cannot be written is lost
/// without ending the run: everything in the log is in summary.json and energy.csv, too.
class LogFile {
public:
    /// Appends to the file, or replaces it.
    LogFile(const std::string& path, bool append);

    void line(const std::string& text = {});

    /// A table of energies, temperature and pressure at one step.
    void energies(const Measurement& m, const std::vector<std::pair<std::string, double>>& terms);

    /// Two columns: seconds and share of the wall time.
    void timings(const std::vector<std::pair<std::string, double>>& stages, double wall_s);

    /// One line on standard error if that is a terminal, at most once a second: step and time left.
    void progress(std::int64_t step, std::int64_t first, std::int64_t last, double wall_s);

    /// Ends the progress line.
    void end_progress();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> file_;
    bool terminal_;
    double shown_at_ = -1.0; // wall seconds
};

} // namespace holon
