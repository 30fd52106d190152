#include "log_file.hpp"

#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <unistd.h>

namespace holon {

LogFile::LogFile(const std::string& path) : file_(AppendFile::create(path)), terminal_(isatty(STDERR_FILENO) != 0) {}

LogFile::LogFile(const std::string& path, const OutputMarks& marks)
    : file_(AppendFile::resume(path, marks.log.bytes)), last_table_(marks.last_table),
      terminal_(isatty(STDERR_FILENO) != 0)
{
}

void LogFile::energies(const Measurement& m, const std::vector<std::pair<std::string, double>>& terms,
                       const std::vector<std::pair<std::string, double>>& further)
{
    if (last_table_ == m.step) return;
    last_table_ = m.step;
    std::string text = fmt::format("\n{:>12} {:>16}\n{:>12} {:>16.4f}\n", "step", "time / ps", m.step, m.time);
    for (const auto& [key, value] : terms) text += fmt::format("  {:<24} {:>20.6f} kJ/mol\n", key, value);
    text += fmt::format("  {:<24} {:>20.4f} K\n  {:<24} {:>20.4f} bar\n", "temperature", m.temperature, "pressure",
                        m.mean_pressure());
    for (const auto& [key, value] : further) text += fmt::format("  {:<24} {:>20.6f}\n", key, value);
    line(text);
}

void LogFile::timings(const std::vector<std::pair<std::string, double>>& stages, double wall_s)
{
    std::string text = fmt::format("  {:<14} {:>10} {:>8}\n", "stage", "seconds", "%");
    double named = 0.0;
    const auto row = [&](const std::string& name, double s) {
        text += fmt::format("  {:<14} {:>10.3f} {:>8.1f}\n", name, s, wall_s > 0.0 ? 100.0 * s / wall_s : 0.0);
    };
    for (const auto& [key, seconds] : stages) {
        row(key, seconds);
        named += seconds;
    }
    row("rest", wall_s - named);
    row("total", wall_s);
    line(text);
}

void LogFile::progress(const Progress& progress)
{
    if (schedule_.due(progress)) line("Progress: " + text_of(progress, std::time(nullptr)));
    if (!terminal_ || progress.seconds - shown_at_ < 1.0) return;
    shown_at_ = progress.seconds;
    std::fprintf(stderr, "\r%s    ", text_of(progress, std::time(nullptr)).c_str());
}

void LogFile::end_progress()
{
    if (terminal_ && shown_at_ >= 0.0) std::fputc('\n', stderr);
    shown_at_ = -1.0;
}

} // namespace holon
