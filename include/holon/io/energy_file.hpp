#pragma once

#include <holon/io/append_file.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// energy.csv: a row per step, `step,time_ps,<columns>`, every number with all its digits. For one rank.
class EnergyFile {
public:
    /// A new file; one that is there is replaced. Failure, if that does not work.
    static EnergyFile create(const std::string& path, const std::vector<std::string>& columns);

    /// Goes on after the first `bytes` bytes: later rows, and one that is not finished there, are dropped. InputError,
    /// with nothing touched, if the file cannot be read or has other columns.
    static EnergyFile resume(const std::string& path, const std::vector<std::string>& columns, std::int64_t bytes);

    /// Throws what resume() would throw, and changes nothing.
    static void check_append(const std::string& path, const std::vector<std::string>& columns, std::int64_t bytes);

    ~EnergyFile();
    EnergyFile(EnergyFile&&) noexcept;
    EnergyFile& operator=(EnergyFile&&) noexcept;

    /// One value per column. Does nothing after a failure.
    void append(std::int64_t step, double time, std::span<const double> values);

    bool has_row(std::int64_t step) const; // the last row is of this step or a later one
    TextMark mark() const;                 // see AppendFile
    void finish();                         // rows to disk
    const std::string& error() const;      // empty, or why writing failed

private:
    struct Impl;
    explicit EnergyFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
