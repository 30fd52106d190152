/// A library to be loaded before a program (LD_PRELOAD): it counts the calls by which one rank reads and writes files
/// in given places, and has one of them fail, or all from one on.
///
///   HOLON_FAULT_PATHS    places, separated by colons: every path that begins with one of them is watched
///   HOLON_FAULT_RANK     the rank whose calls count
///   HOLON_FAULT_LOG      gets a line for each call: its number, name and path, and whether it was made to fail
///   HOLON_FAULT_KIND     EIO, ENOSPC, short (half of what was asked for is read or written) or SIGBUS (from this call
///   on
///                        the system has no pages for memory that is mapped to files); none: calls are only counted
///   HOLON_FAULT_AT       number of the call that fails, from 1
///   HOLON_FAULT_LASTING  1: so do all later ones to which the kind applies
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <vector>

namespace {

enum class Kind { none, eio, enospc, short_count, sigbus };
enum class Needs { nothing, space }; // on the disk

/// What becomes of a call.
enum class Fate { goes_on, fails, half };

class Faults {
public:
    Faults()
    {
        const auto text = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
        std::string rank = text("OMPI_COMM_WORLD_RANK") + text("PMI_RANK");
        if (rank.empty() || rank != text("HOLON_FAULT_RANK")) return;
        const auto list = text("HOLON_FAULT_PATHS") + ":";
        for (std::size_t begin = 0, end; (end = list.find(':', begin)) != std::string::npos; begin = end + 1)
            if (end > begin) places_.push_back(list.substr(begin, end - begin));
        const auto kind = text("HOLON_FAULT_KIND");
        kind_ = kind == "EIO"      ? Kind::eio
                : kind == "ENOSPC" ? Kind::enospc
                : kind == "short"  ? Kind::short_count
                : kind == "SIGBUS" ? Kind::sigbus
                                   : Kind::none;
        at_ = std::atol(text("HOLON_FAULT_AT").c_str());
        lasting_ = text("HOLON_FAULT_LASTING") == "1";
        log_ = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, text("HOLON_FAULT_LOG").c_str(),
                                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    }

    bool watches(const char* path) const
    {
        if (path == nullptr) return false;
        for (const auto& place : places_)
            if (std::strncmp(path, place.c_str(), place.size()) == 0) return true;
        return false;
    }
    bool watches(int descriptor)
    {
        if (places_.empty()) return false; // no lock: the launcher writes in its signal handlers
        const std::lock_guard lock(mutex_);
        return !path(descriptor).empty();
    }
    void opened(int descriptor, const char* name)
    {
        if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= paths_.size()) return;
        const std::lock_guard lock(mutex_);
        path(descriptor) = name;
    }
    void closed(int descriptor) { opened(descriptor, ""); }
    void mapped(void* memory, std::size_t size, int descriptor, bool writable)
    {
        const std::lock_guard lock(mutex_);
        mappings_.push_back({memory, size, path(descriptor), writable});
    }
    std::string path_of_mapping(void* memory)
    {
        const std::lock_guard lock(mutex_);
        for (const auto& m : mappings_)
            if (m.memory == memory) return m.path;
        return {};
    }
    void unmapped(void* memory)
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(mappings_, [memory](const Mapping& m) { return m.memory == memory; });
    }

    /// Counts a call and decides on it; errno is set if it fails.
    Fate next(const char* call, const char* name, Needs needs, bool divisible = false)
    {
        const std::lock_guard lock(mutex_);
        ++count_;
        const bool due = kind_ != Kind::none && (lasting_ ? count_ >= at_ : count_ == at_);
        const bool applies = kind_ == Kind::eio || (kind_ == Kind::enospc && needs == Needs::space) ||
                             (kind_ == Kind::short_count && divisible) ||
                             (kind_ == Kind::sigbus && count_ == at_ && !mappings_.empty());
        const auto line = std::to_string(count_) + " " + call + " " + name + (due && applies ? " fails" : "") + "\n";
        if (::syscall(SYS_write, log_, line.data(), line.size()) < 0) std::abort();
        if (!due || !applies) return Fate::goes_on;
        if (kind_ == Kind::sigbus) take_pages_away();
        if (kind_ == Kind::sigbus) return Fate::goes_on;
        if (kind_ == Kind::short_count) return Fate::half;
        errno = kind_ == Kind::eio ? EIO : ENOSPC;
        return Fate::fails;
    }
    Fate next(const char* call, int descriptor, Needs needs, bool divisible = false)
    {
        return next(call, path(descriptor).c_str(), needs, divisible);
    }

private:
    struct Mapping {
        void* memory;
        std::size_t size;
        std::string path;
        bool writable;
    };

    std::string& path(int descriptor)
    {
        static std::string none;
        return descriptor >= 0 && static_cast<std::size_t>(descriptor) < paths_.size()
                   ? paths_[static_cast<std::size_t>(descriptor)]
                   : none;
    }

    /// An empty file takes the place of what is mapped.
    void take_pages_away()
    {
        const int empty = ::memfd_create("empty", MFD_CLOEXEC);
        for (const auto& m : mappings_)
            if (m.writable)
                ::syscall(SYS_mmap, m.memory, m.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, empty, 0);
        ::syscall(SYS_close, empty);
    }

    std::recursive_mutex mutex_;
    std::vector<std::string> places_;
    std::array<std::string, 4096> paths_; // of watched descriptors
    std::vector<Mapping> mappings_;
    Kind kind_ = Kind::none;
    bool lasting_ = false;
    int log_ = -1;
    long at_ = 0, count_ = 0;
};

Faults& faults()
{
    static auto* const all = new Faults; // calls are made until the very end
    return *all;
}

template <class Function>
Function* real(Function*, const char* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

#define REAL(name)                                                                                                     \
    (([] {                                                                                                             \
        static auto* const f = real(&::name, #name);                                                                   \
        return f;                                                                                                      \
    })())

/// A call about a name that is not opened.
template <class Call>
auto by_name(const char* call, const char* path, Needs needs, Call make)
{
    using Result = decltype(make());
    if (!faults().watches(path) || faults().next(call, path, needs) == Fate::goes_on) return make();
    if constexpr (std::is_pointer_v<Result>)
        return Result{nullptr};
    else
        return Result{-1};
}

/// A call about an open file.
template <class Call>
auto by_descriptor(const char* call, int descriptor, Needs needs, Call make)
{
    using Result = decltype(make());
    if (!faults().watches(descriptor) || faults().next(call, descriptor, needs) == Fate::goes_on) return make();
    return Result{-1};
}

/// One that moves bytes: make(size).
template <class Call>
ssize_t of_bytes(const char* call, int descriptor, Needs needs, std::size_t size, Call make)
{
    if (!faults().watches(descriptor)) return make(size);
    const auto fate = faults().next(call, descriptor, needs, size > 1);
    return fate == Fate::fails ? -1 : make(fate == Fate::half ? size / 2 : size);
}

template <class Open>
int open_file(const char* call, const char* path, int flags, Open make)
{
    if (!faults().watches(path)) return make();
    if (faults().next(call, path, (flags & O_CREAT) != 0 ? Needs::space : Needs::nothing) != Fate::goes_on) return -1;
    const int descriptor = make();
    faults().opened(descriptor, path);
    return descriptor;
}

} // namespace

extern "C" {

int open(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return open_file("open", path, flags, [&] { return REAL(open)(path, flags, mode); });
}

int openat(int folder, const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return open_file("openat", path, flags, [&] { return REAL(openat)(folder, path, flags, mode); });
}

int close(int descriptor)
{
    if (!faults().watches(descriptor)) return REAL(close)(descriptor);
    const auto fate = faults().next("close", descriptor, Needs::nothing);
    const int error = errno;
    faults().closed(descriptor);
    const int result = REAL(close)(descriptor);
    if (fate == Fate::goes_on) return result;
    errno = error;
    return -1;
}

FILE* fopen(const char* path, const char* mode)
{
    const bool creates = mode[0] != 'r';
    FILE* const file =
        by_name("fopen", path, creates ? Needs::space : Needs::nothing, [&] { return REAL(fopen)(path, mode); });
    if (file != nullptr && faults().watches(path)) faults().opened(fileno(file), path);
    return file;
}

int fclose(FILE* file)
{
    const int descriptor = fileno(file);
    if (!faults().watches(descriptor)) return REAL(fclose)(file);
    const auto fate = faults().next("fclose", descriptor, Needs::space);
    const int error = errno;
    faults().closed(descriptor);
    const int result = REAL(fclose)(file);
    if (fate == Fate::goes_on) return result;
    errno = error;
    return EOF;
}

int fflush(FILE* file)
{
    return by_descriptor("fflush", file != nullptr ? fileno(file) : -1, Needs::space,
                         [&] { return REAL(fflush)(file); });
}

size_t fread(void* to, size_t size, size_t n, FILE* file)
{
    const int descriptor = fileno(file);
    if (!faults().watches(descriptor)) return REAL(fread)(to, size, n, file);
    if (faults().next("fread", descriptor, Needs::nothing) == Fate::goes_on) return REAL(fread)(to, size, n, file);
    file->_flags |= 0x20; // ferror()
    return 0;
}

size_t fwrite(const void* from, size_t size, size_t n, FILE* file)
{
    const int descriptor = fileno(file);
    if (!faults().watches(descriptor)) return REAL(fwrite)(from, size, n, file);
    if (faults().next("fwrite", descriptor, Needs::space) == Fate::goes_on) return REAL(fwrite)(from, size, n, file);
    file->_flags |= 0x20;
    return 0;
}

ssize_t read(int descriptor, void* to, size_t size)
{
    return of_bytes("read", descriptor, Needs::nothing, size,
                    [&](size_t part) { return REAL(read)(descriptor, to, part); });
}

ssize_t pread(int descriptor, void* to, size_t size, off_t offset)
{
    return of_bytes("pread", descriptor, Needs::nothing, size,
                    [&](size_t part) { return REAL(pread)(descriptor, to, part, offset); });
}

ssize_t write(int descriptor, const void* from, size_t size)
{
    return of_bytes("write", descriptor, Needs::space, size,
                    [&](size_t part) { return REAL(write)(descriptor, from, part); });
}

ssize_t pwrite(int descriptor, const void* from, size_t size, off_t offset)
{
    return of_bytes("pwrite", descriptor, Needs::space, size,
                    [&](size_t part) { return REAL(pwrite)(descriptor, from, part, offset); });
}

int ftruncate(int descriptor, off_t size) noexcept
{
    return by_descriptor("ftruncate", descriptor, Needs::space, [&] { return REAL(ftruncate)(descriptor, size); });
}

int posix_fallocate(int descriptor, off_t offset, off_t size)
{
    const int result = by_descriptor("posix_fallocate", descriptor, Needs::space,
                                     [&] { return REAL(posix_fallocate)(descriptor, offset, size); });
    return result == -1 ? errno : result;
}

int fsync(int descriptor)
{
    return by_descriptor("fsync", descriptor, Needs::space, [&] { return REAL(fsync)(descriptor); });
}

int fdatasync(int descriptor)
{
    return by_descriptor("fdatasync", descriptor, Needs::space, [&] { return REAL(fdatasync)(descriptor); });
}

int fstat(int descriptor, struct stat* status) noexcept
{
    return by_descriptor("fstat", descriptor, Needs::nothing, [&] { return REAL(fstat)(descriptor, status); });
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // of the struct of the same name
int flock(int descriptor, int operation) noexcept
{
    return by_descriptor("flock", descriptor, Needs::nothing, [&] { return REAL(flock)(descriptor, operation); });
}
#pragma GCC diagnostic pop

void* mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept
{
    const bool watched = (flags & MAP_ANONYMOUS) == 0 && faults().watches(descriptor);
    if (watched && faults().next("mmap", descriptor, Needs::nothing) != Fate::goes_on) return MAP_FAILED;
    void* const memory = REAL(mmap)(at, size, protection, flags, descriptor, offset);
    if (watched && memory != MAP_FAILED) faults().mapped(memory, size, descriptor, (protection & PROT_WRITE) != 0);
    return memory;
}

int munmap(void* memory, size_t size) noexcept
{
    faults().unmapped(memory);
    return REAL(munmap)(memory, size);
}

int msync(void* memory, size_t size, int flags)
{
    const auto path = faults().path_of_mapping(memory);
    return by_name("msync", path.c_str(), Needs::space, [&] { return REAL(msync)(memory, size, flags); });
}

int stat(const char* path, struct stat* status) noexcept
{
    return by_name("stat", path, Needs::nothing, [&] { return REAL(stat)(path, status); });
}

int lstat(const char* path, struct stat* status) noexcept
{
    return by_name("lstat", path, Needs::nothing, [&] { return REAL(lstat)(path, status); });
}

int statfs(const char* path, struct statfs* status) noexcept
{
    return by_name("statfs", path, Needs::nothing, [&] { return REAL(statfs)(path, status); });
}

int mkdir(const char* path, mode_t mode) noexcept
{
    return by_name("mkdir", path, Needs::space, [&] { return REAL(mkdir)(path, mode); });
}

int rename(const char* from, const char* to) noexcept
{
    return by_name("rename", from, Needs::space, [&] { return REAL(rename)(from, to); });
}

int unlink(const char* path) noexcept
{
    return by_name("unlink", path, Needs::nothing, [&] { return REAL(unlink)(path); });
}

int remove(const char* path) noexcept
{
    return by_name("remove", path, Needs::nothing, [&] { return REAL(remove)(path); });
}

DIR* opendir(const char* path)
{
    return by_name("opendir", path, Needs::nothing, [&] { return REAL(opendir)(path); });
}

} // extern "C"
