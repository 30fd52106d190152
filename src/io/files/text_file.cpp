#include <holon/io/text_file.hpp>

#include <holon/core/error.hpp>
#include <holon/core/shown_text.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace holon {

namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what, const std::string& why)
{
    throw InputError(path + ": cannot read the " + std::string(what) + ": " + why);
}

} // namespace

InputFile open_input_file(const std::string& path, std::string_view what)
{
    // Opening a directory succeeds and opening a pipe may wait forever: ask first.
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        fail(path, what, "it is not a regular file");
    InputFile file(std::fopen(path.c_str(), "rb"));
    if (!file) fail(path, what, std::strerror(errno));
    return file;
}

std::string read_text_file(const std::string& path, std::string_view what)
{
    const InputFile file = open_input_file(path, what);
    std::string text;
    std::array<char, 1 << 14> piece;
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get()))
        text.append(piece.data(), got);
    if (std::ferror(file.get()) != 0) fail(path, what, std::strerror(errno));
    if (text.find('\0') != std::string::npos) fail(path, what, "it is not a text file");
    return text;
}

std::string printable(std::string_view text, std::size_t longest)
{
    auto shown = without_control_characters(std::string(text.substr(0, longest)));
    std::ranges::replace(shown, '\n', '?');
    return text.size() > longest ? shown + "..." : shown;
}

} // namespace holon
