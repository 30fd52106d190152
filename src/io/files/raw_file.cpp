#include "raw_file.hpp"

#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace holon {

namespace {

[[noreturn]] void fail_at(const std::string& path, const char* action, int error)
{
    const char* advice = error == ENOSPC || error == EDQUOT ? " Make room on the disk and restart."
                         : error == EFBIG ? " The file system or a limit (ulimit -f) forbids files of this size."
                                          : "";
    throw Failure(fmt::format("Cannot {} {}: {}.{}", action, path, std::strerror(error), advice));
}

} // namespace

RawFile::RawFile(std::string path, Mode mode) : path_(std::move(path))
{
    const int flags = mode == Mode::read ? O_RDONLY : mode == Mode::write ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC;
    descriptor_ = ::open(path_.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(mode == Mode::create ? "create" : "open", errno);
}

RawFile::~RawFile()
{
    if (descriptor_ >= 0) ::close(descriptor_);
}

RawFile& RawFile::operator=(RawFile&& other) noexcept
{
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

void RawFile::fail(const char* action, int error) const
{
    fail_at(path_, action, error);
}

std::int64_t RawFile::size() const
{
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail("read the size of", errno);
    return status.st_size;
}

void RawFile::read(std::span<std::byte> bytes, std::int64_t offset) const
{
    while (!bytes.empty()) {
        const auto n = ::pread(descriptor_, bytes.data(), bytes.size(), offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("read", errno);
        if (n == 0) throw Failure(fmt::format("Cannot read {}: it ends before byte {}.", path_, offset));
        bytes = bytes.subspan(index(n));
        offset += n;
    }
}

void RawFile::write(std::span<const std::byte> bytes, std::int64_t offset) const
{
    while (!bytes.empty()) {
        const auto n = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("write", errno);
        bytes = bytes.subspan(index(n));
        offset += n;
    }
}

void RawFile::check_limit(std::int64_t size) const
{
    // The system would send a signal that ends the program.
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(size) > limit.rlim_cur)
        fail("enlarge", EFBIG);
}

void RawFile::resize(std::int64_t size) const
{
    check_limit(size);
    if (::ftruncate(descriptor_, size) != 0) fail("resize", errno);
}

void RawFile::allocate(std::int64_t size) const
{
    check_limit(size);
    int error = EINTR;
    while (error == EINTR) error = ::posix_fallocate(descriptor_, 0, size);
    if (error == EOPNOTSUPP || error == EINVAL) { // of a file system that cannot: writes find out whether there is room
        if (this->size() < size) resize(size);
        return;
    }
    if (error != 0) fail("reserve space for", error);
}

void RawFile::sync() const
{
    if (::fdatasync(descriptor_) != 0) fail("sync", errno);
}

void RawFile::sync(std::int64_t offset, std::int64_t size) const
{
    if (size == 0) return;
    // The call for a part of a file is that for memory it is mapped to. Nothing is read or written through the mapping.
    const auto length = index(size);
    void* const mapped = map(offset, size, Mode::read);
    if (mapped == nullptr) return sync(); // some file systems have no mappings
    const int error = ::msync(mapped, length, MS_SYNC) == 0 ? 0 : errno;
    ::munmap(mapped, length);
    if (error != 0) fail("sync", error);
}

std::byte* RawFile::map(std::int64_t offset, std::int64_t size, Mode mode) const
{
    const int protection = mode == Mode::read ? PROT_READ : PROT_READ | PROT_WRITE;
    void* const mapped = ::mmap(nullptr, index(size), protection, MAP_SHARED, descriptor_, offset);
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

void RawFile::check_in_place() const
{
    struct stat opened {
    }, named{};
    if (::fstat(descriptor_, &opened) != 0) fail("look at", errno);
    const bool found = ::stat(path_.c_str(), &named) == 0;
    if (found ? named.st_ino == opened.st_ino && named.st_dev == opened.st_dev : errno != ENOENT && errno != ENOTDIR)
        return;
    throw Failure(fmt::format("{} has been {} while the run was writing it. Nobody else may change the files of a run "
                              "that goes on.",
                              path_, found ? "replaced" : "removed"));
}

bool is_local(const std::string& folder)
{
    struct statfs status {};
    if (::statfs(folder.c_str(), &status) != 0) return false;
    constexpr std::array local = {0xef53L /* ext2 to ext4 */, 0x58465342L /* xfs */,  0x01021994L /* tmpfs */,
                                  0x9123683eL /* btrfs */,    0xf2f52010L /* f2fs */, 0x794c7630L /* overlayfs */};
    return std::ranges::find(local, static_cast<long>(status.f_type)) != local.end();
}

RawFile open_input(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw InputError(fmt::format("Cannot read {}: it is a folder. Give the file in it.", path));
    try {
        return {path, RawFile::Mode::read};
    } catch (const Failure& failure) {
        throw InputError(failure.what());
    }
}

UnfinishedFile::~UnfinishedFile()
{
    if (!published_) ::unlink(temporary_.c_str());
}

std::string UnfinishedFile::temporary_name(const std::string& path)
{
    return path + ".new";
}

void UnfinishedFile::publish()
{
    RawFile(temporary_, RawFile::Mode::write).sync();
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_at(path_, "replace", errno);
    published_ = true;
    const std::string folder = folder_of(path_);
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) fail_at(folder, "open", errno);
    const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL; // some file systems cannot sync a folder
    const int error = errno;
    ::close(descriptor);
    if (!synced) fail_at(folder, "sync", error);
}

bool file_exists(const std::string& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error); // not to be known is no reason to take it for absent
    if (!std::filesystem::status_known(status)) fail_at(path, "look at", error.value());
    return std::filesystem::exists(status);
}

std::string folder_of(const std::string& path)
{
    const auto folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

} // namespace holon
