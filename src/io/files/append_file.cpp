#include <holon/io/append_file.hpp>

#include "checkpoint/checksum.hpp"
#include "raw_file.hpp"

#include <holon/core/index.hpp>
#include <holon/io/atomic_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace holon {

namespace {

/// Adds the first `bytes` bytes of a file to a checksum, piece by piece.
void add_bytes(Checksum& sum, const RawFile& file, std::int64_t bytes)
{
    std::vector<std::byte> piece(1 << 20);
    for (std::int64_t at = 0; at < bytes;) {
        const auto part = std::span(piece).first(index(std::min<std::int64_t>(bytes - at, 1 << 20)));
        file.read(part, at);
        sum.add(part);
        at += static_cast<std::int64_t>(part.size());
    }
}

} // namespace

struct AppendFile::Impl {
    RawFile file;
    Checksum sum;
    std::int64_t bytes = 0;
    std::string error;

    template <class Work>
    void guarded(Work work)
    {
        if (!error.empty()) return;
        try {
            work();
        } catch (const Failure& failure) {
            error = failure.what();
        }
    }
};

AppendFile::AppendFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AppendFile::~AppendFile() = default;
AppendFile::AppendFile(AppendFile&&) noexcept = default;
AppendFile& AppendFile::operator=(AppendFile&&) noexcept = default;

AppendFile AppendFile::create(const std::string& path, std::string_view text)
{
    write_file_atomically(path, text);
    return resume(path, static_cast<std::int64_t>(text.size()));
}

AppendFile AppendFile::resume(const std::string& path, std::int64_t bytes)
{
    auto impl = std::make_unique<Impl>();
    impl->file = RawFile(path, RawFile::Mode::write);
    add_bytes(impl->sum, impl->file, bytes);
    impl->file.resize(bytes);
    impl->bytes = bytes;
    return AppendFile(std::move(impl));
}

std::string AppendFile::mismatch(const std::string& path, const TextMark& mark)
{
    const auto file = open_input(path);
    if (file.size() < mark.bytes)
        return fmt::format("{} has {} bytes, and {} had been written", path, file.size(), mark.bytes);
    Checksum sum;
    add_bytes(sum, file, mark.bytes);
    return mark.bytes == 0 || sum.value() == mark.checksum
               ? ""
               : fmt::format("the first {} bytes of {} are not those that had been written", mark.bytes, path);
}

void AppendFile::append(std::string_view text)
{
    impl_->guarded([&] {
        impl_->file.write(std::as_bytes(std::span(text)), impl_->bytes);
        impl_->sum.add(std::as_bytes(std::span(text)));
        impl_->bytes += static_cast<std::int64_t>(text.size());
    });
}

void AppendFile::sync()
{
    impl_->guarded([&] { impl_->file.sync(); });
}

TextMark AppendFile::mark() const
{
    return {impl_->bytes, impl_->sum.value()};
}

const std::string& AppendFile::error() const
{
    return impl_->error;
}

} // namespace holon
