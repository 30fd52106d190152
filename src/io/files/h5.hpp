#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The little of the HDF5 library that creating our files takes, with errors as Failure and handles that
/// close themselves. Used on one rank at a time.
namespace holon::h5 {

/// An HDF5 handle and how it is closed.
class Handle {
public:
    using Closer = herr_t (*)(hid_t);
    Handle(hid_t id, Closer closer, std::string_view what); // Failure naming `what` if the id is invalid
    ~Handle();
    Handle(Handle&& other) noexcept;
    Handle& operator=(Handle&&) = delete;
    operator hid_t() const { return id_; }
    void close(); // Failure if that does not work: for files, where the last data are written now

private:
    hid_t id_;
    Closer closer_;
    std::string what_;
};

void check(herr_t status, std::string_view what);

/// Creates or replaces a file in the oldest format: no part of its metadata has a checksum, so that they may be read
/// while a run goes on and extended in place. Objects of a page (4096 bytes) and more begin at a page boundary.
/// `compact`: the index of each group is for some thirty objects, not for hundreds.
Handle create_file(const std::string& path, bool compact = false);
Handle create_group(hid_t parent, const char* name);

/// An extent; none is a scalar.
Handle space(std::span<const std::int64_t> extent);

/// A dataset that is contiguous and has its place in the file at once, but no values. It has no name yet: see link().
/// `compact`: its object header is no larger than it must be; attributes make it grow where it is, if they are set
/// before anything else is created.
Handle create_contiguous(hid_t file, hid_t type, std::span<const std::int64_t> extent, std::string_view what,
                         bool compact = false);
void link(hid_t object, hid_t parent, const char* name);
std::int64_t offset_of(hid_t dataset); // first byte in the file

/// Small datasets that are written once.
Handle write_values(hid_t parent, const char* name, hid_t type, std::span<const std::int64_t> extent,
                    const void* values);
Handle write_names(hid_t parent, const char* name, std::size_t width, const std::string& characters);
Handle write_text(hid_t parent, const char* name, const std::string& text);

/// Attributes. Texts have a fixed length but for units, which readers in Python look up by their value: h5py gives them
/// a str for texts of variable length only.
void set_attribute(hid_t object, const char* name, std::int64_t value);
void set_attribute(hid_t object, const char* name, double value);
void set_attribute(hid_t object, const char* name, std::span<const int> values);
void set_attribute(hid_t object, const char* name, std::string_view text);
void set_attribute(hid_t object, const char* name, std::span<const std::string> texts);
void set_unit(hid_t object, const char* unit);

Handle text_type(std::size_t length);
Handle array_type(hid_t base, std::span<const hsize_t> extent);

} // namespace holon::h5
