#include <holon/io/text_file.hpp>

#include <holon/core/error.hpp>

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
    std::string shown;
    for (char c : text.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        shown += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return text.size() > longest ? shown + "..." : shown;
}

} // namespace holon
