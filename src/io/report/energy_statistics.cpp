#include <holon/io/energy_statistics.hpp>

#include "files/raw_file.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace holon {

void SeriesStatistics::add(double time, double value)
{
    ++n_;
    const double part = 1.0 / static_cast<double>(n_);
    const double from_time = time - mean_time_, from_mean = value - mean_;
    mean_time_ += part * from_time;
    mean_ += part * from_mean;
    time_squares_ += from_time * (time - mean_time_);
    squares_ += from_mean * (value - mean_);
    products_ += from_time * (value - mean_);

    double block = value;
    for (std::size_t k = 0;; ++k) {
        if (k == levels_.size()) levels_.emplace_back();
        auto& level = levels_[k];
        ++level.n;
        const double deviation = block - level.mean;
        level.mean += deviation / static_cast<double>(level.n);
        level.squares += deviation * (block - level.mean);
        if (level.n % 2 != 0) {
            level.first_half = block;
            return;
        }
        block = 0.5 * (level.first_half + block);
    }
}

double SeriesStatistics::rms_fluctuation() const
{
    return n_ > 0 ? std::sqrt(squares_ / static_cast<double>(n_)) : 0.0;
}

double SeriesStatistics::drift() const
{
    return time_squares_ > 0.0 ? products_ / time_squares_ : 0.0;
}

std::optional<double> SeriesStatistics::error() const
{
    if (n_ < 2 * fewest_blocks) return std::nullopt;
    double largest = 0.0;
    for (const auto& level : levels_) {
        const auto n = static_cast<double>(level.n);
        if (level.n >= fewest_blocks) largest = std::max(largest, std::sqrt(level.squares / n / (n - 1.0)));
    }
    return largest;
}

const EnergyStatistics::Column* EnergyStatistics::find(const std::string& name) const
{
    const auto found = std::ranges::find(columns, name, &Column::name);
    return found != columns.end() ? &*found : nullptr;
}

namespace {

/// The lines of a file that end, one after the other.
class Lines {
public:
    explicit Lines(const std::string& path) : file_(path, RawFile::Mode::read), size_(file_.size()) {}

    bool next(std::string_view& line)
    {
        for (;;) {
            const auto end = text_.find('\n', begin_);
            if (end != std::string::npos) {
                line = std::string_view(text_).substr(begin_, end - begin_);
                begin_ = end + 1;
                return true;
            }
            if (offset_ == size_) return false;
            text_.erase(0, begin_);
            begin_ = 0;
            constexpr std::int64_t piece = 1 << 20;
            const auto more = std::min(piece, size_ - offset_);
            const auto had = text_.size();
            text_.resize(had + index(more));
            file_.read(std::as_writable_bytes(std::span(text_).subspan(had)), offset_);
            offset_ += more;
        }
    }

private:
    RawFile file_;
    std::int64_t size_, offset_ = 0;
    std::string text_;
    std::size_t begin_ = 0;
};

std::vector<std::string_view> fields(std::string_view line)
{
    std::vector<std::string_view> all;
    for (std::size_t begin = 0; begin <= line.size();) {
        const auto end = std::min(line.find(',', begin), line.size());
        all.push_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

template <class Number>
Number number(const std::string& path, std::string_view text)
{
    Number value{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size())
        throw Failure(fmt::format("{}: '{}' is not a number", path, text));
    return value;
}

} // namespace

EnergyStatistics energy_statistics(const std::string& path)
{
    Lines lines(path);
    std::string_view line;
    if (!lines.next(line) || !line.starts_with("step,time_ps")) throw Failure(path + ": not a file of energies");
    EnergyStatistics result;
    for (const auto name : fields(line)) result.columns.push_back({.name = std::string(name), .error = {}});
    result.columns.erase(result.columns.begin(), result.columns.begin() + 2);

    std::vector<SeriesStatistics> series(result.columns.size());
    while (lines.next(line)) {
        const auto row = fields(line);
        if (row.size() != series.size() + 2) throw Failure(path + ": a row has another number of columns");
        result.last_step = number<std::int64_t>(path, row[0]);
        result.last_time = number<double>(path, row[1]);
        if (result.rows++ == 0) result.first_step = result.last_step, result.first_time = result.last_time;
        for (std::size_t k = 0; k < series.size(); ++k)
            series[k].add(result.last_time, number<double>(path, row[k + 2]));
    }
    for (std::size_t k = 0; k < series.size(); ++k) {
        auto& column = result.columns[k];
        column.mean = series[k].mean();
        column.rms_fluctuation = series[k].rms_fluctuation();
        column.drift = series[k].drift();
        column.error = series[k].error();
    }
    return result;
}

} // namespace holon
