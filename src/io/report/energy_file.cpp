#include <holon/io/energy_file.hpp>

#include "files/raw_file.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace holon {

namespace {

constexpr auto no_step = std::numeric_limits<std::int64_t>::min();

std::string header_of(const std::vector<std::string>& columns)
{
    return fmt::format("step,time_ps{}{}\n", columns.empty() ? "" : ",", fmt::join(columns, ","));
}

/// What is to be kept of a file.
struct Kept {
    std::int64_t bytes = 0;
    std::int64_t last_step = no_step;
};

/// The rows of a file.
Kept scan(const std::string& path, std::string_view text, std::string_view header)
{
    if (!text.starts_with(header))
        throw InputError(
            fmt::format("{}:1: cannot append: the columns are not those of this run ({}). Nothing has been "
                        "changed. Move the file away or choose another folder with -o.",
                        path, header.substr(0, header.size() - 1)));
    Kept kept{static_cast<std::int64_t>(header.size()), no_step};
    for (int line = 2;; ++line) {
        const auto begin = index(kept.bytes), end = text.find('\n', begin);
        if (end == std::string_view::npos) return kept; // a row that is not finished does not count
        std::int64_t value = 0;
        const auto parsed = std::from_chars(text.data() + begin, text.data() + end, value);
        if (parsed.ec != std::errc{} || *parsed.ptr != ',' || value <= kept.last_step)
            throw InputError(
                fmt::format("{}:{}: cannot append: this is not a row of a later step than the one before. Nothing "
                            "has been changed. Repair the file or move it away.",
                            path, line));
        kept = {static_cast<std::int64_t>(end) + 1, value};
    }
}

/// What resume() would keep.
Kept kept_of(const std::string& path, const std::vector<std::string>& columns, std::int64_t bytes)
{
    const auto input = open_input(path);
    std::string text(index(std::min(input.size(), bytes)), '\0');
    input.read(std::as_writable_bytes(std::span(text)), 0);
    return scan(path, text, header_of(columns));
}

} // namespace

struct EnergyFile::Impl {
    AppendFile file;
    std::size_t columns = 0;
    std::int64_t last_step = no_step;
};

EnergyFile::EnergyFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EnergyFile::~EnergyFile() = default;
EnergyFile::EnergyFile(EnergyFile&&) noexcept = default;
EnergyFile& EnergyFile::operator=(EnergyFile&&) noexcept = default;

EnergyFile EnergyFile::create(const std::string& path, const std::vector<std::string>& columns)
{
    return EnergyFile(
        std::make_unique<Impl>(Impl{AppendFile::create(path, header_of(columns)), columns.size(), no_step}));
}

void EnergyFile::check_append(const std::string& path, const std::vector<std::string>& columns, std::int64_t bytes)
{
    kept_of(path, columns, bytes);
}

EnergyFile EnergyFile::resume(const std::string& path, const std::vector<std::string>& columns, std::int64_t bytes)
{
    const auto kept = kept_of(path, columns, bytes);
    return EnergyFile(
        std::make_unique<Impl>(Impl{AppendFile::resume(path, kept.bytes), columns.size(), kept.last_step}));
}

void EnergyFile::append(std::int64_t step, double time, std::span<const double> values)
{
    HOLON_ASSERT(values.size() == impl_->columns && step > impl_->last_step, fmt::format("step {}", step));
    impl_->file.append(fmt::format("{},{}{}{}\n", step, time, values.empty() ? "" : ",", fmt::join(values, ",")));
    impl_->last_step = step;
}

bool EnergyFile::has_row(std::int64_t step) const
{
    return impl_->last_step >= step;
}

TextMark EnergyFile::mark() const
{
    return impl_->file.mark();
}

void EnergyFile::finish()
{
    impl_->file.sync();
}

const std::string& EnergyFile::error() const
{
    return impl_->file.error();
}

} // namespace holon
