#pragma once

#include <holon/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace holon {

/// A file of the operating system, read and written at given positions; no state but the descriptor, so that threads
/// may share it. All errors are Failures with the file's name and the system's reason.
class RawFile {
public:
    enum class Mode { read, write, create };

    RawFile() = default;
    RawFile(std::string path, Mode mode); // create: empties a file that is there
    ~RawFile();
    RawFile(RawFile&& other) noexcept { *this = std::move(other); }
    RawFile& operator=(RawFile&& other) noexcept;

    const std::string& path() const { return path_; }
    std::int64_t size() const;
    void read(std::span<std::byte> bytes, std::int64_t offset) const; // Failure, if the file ends before
    void write(std::span<const std::byte> bytes, std::int64_t offset) const;
    void resize(std::int64_t size) const;                    // what is added reads as zero and takes no space
    void allocate(std::int64_t size) const;                  // reserves space on disk, where that can be done
    void sync() const;                                       // data to disk (fdatasync)
    void sync(std::int64_t offset, std::int64_t size) const; // of this part at least; offset: of a page

    /// Memory that is this part of the file, to read, or to read and write; null, if the system refuses. offset: of a
    /// page.
    std::byte* map(std::int64_t offset, std::int64_t size, Mode mode) const;

    void renamed_to(std::string path) { path_ = std::move(path); }
    void check_in_place() const; // Failure, if the file has been removed, or another has its name now

    template <class T>
    T read_value(std::int64_t offset) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        read(std::as_writable_bytes(std::span(&value, 1)), offset);
        return value;
    }

private:
    void check_limit(std::int64_t size) const;
    [[noreturn]] void fail(const char* action, int error) const;
    std::string path_;
    int descriptor_ = -1;
};

/// Opens a file that the user named for reading: InputError, if that does not work.
RawFile open_input(const std::string& path);

/// A file that is made under another name in the same folder and gets its own when it is complete. It goes away if it
/// never gets so far.
class UnfinishedFile {
public:
    explicit UnfinishedFile(std::string path) : path_(std::move(path)), temporary_(temporary_name(path_)) {}
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;

    static std::string temporary_name(const std::string& path);
    const std::string& name() const { return temporary_; }
    void publish(); // syncs the data, renames the file, syncs the folder. Failure if that does not work.

private:
    std::string path_, temporary_;
    bool published_ = false;
};

bool file_exists(const std::string& path); // Failure, if that cannot be found out

/// Whether the files of a folder are in the memory of this node alone, in pages that stay as they are until they are
/// written to disk: not so on network file systems.
bool is_local(const std::string& folder);

/// Folder part of a path, "." if there is none.
std::string folder_of(const std::string& path);

} // namespace holon
