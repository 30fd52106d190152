#include "h5.hpp"

#include "h5_file_driver.hpp"

#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holon::h5 {

namespace {

constexpr hsize_t page = 4096;

/// The library's own printing is replaced by our exceptions.
void set_up_library()
{
    static const bool done = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
    check(done ? 0 : -1, "set up the library");
}

Handle file_properties()
{
    Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "properties");
    check(H5Pset_libver_bounds(properties, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18), "set the format");
    check(H5Pset_alignment(properties, page, page), "set the alignment");
    check(H5Pset_meta_block_size(properties, page), "set the block size");
    // Closing a file must not be put off until its last object is closed: the error would be lost.
    check(H5Pset_fclose_degree(properties, H5F_CLOSE_SEMI), "set how files close");
    use_raw_files(properties);
    return properties;
}

void write_attribute(hid_t object, const char* name, hid_t type, hid_t extent, const void* value)
{
    Handle attribute(H5Acreate2(object, name, type, extent, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
    check(H5Awrite(attribute, type, value), name);
}

} // namespace

void check(herr_t status, std::string_view what)
{
    if (status >= 0) return;
    throw Failure(file_error().empty() ? fmt::format("HDF5 failed: {}.", what) : file_error());
}

Handle::Handle(hid_t id, Closer closer, std::string_view what) : id_(id), closer_(closer), what_(what)
{
    check(id < 0 ? -1 : 0, what);
}

Handle::~Handle()
{
    if (id_ >= 0) closer_(id_);
}

Handle::Handle(Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), closer_(other.closer_), what_(std::move(other.what_))
{
}

void Handle::close()
{
    check(closer_(std::exchange(id_, -1)), "close " + what_);
    if (!file_error().empty()) throw Failure(file_error());
}

Handle create_file(const std::string& path, bool compact)
{
    set_up_library();
    const auto properties = file_properties();
    Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "properties");
    if (compact) check(H5Pset_sym_k(creation, 4, 0), "set the size of groups");
    return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, properties), H5Fclose, "create " + path};
}

Handle create_group(hid_t parent, const char* name)
{
    return {H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, name};
}

Handle space(std::span<const std::int64_t> extent)
{
    if (extent.empty()) return {H5Screate(H5S_SCALAR), H5Sclose, "scalar"};
    const std::vector<hsize_t> sizes(extent.begin(), extent.end());
    return {H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose, "extent"};
}

Handle create_contiguous(hid_t file, hid_t type, std::span<const std::int64_t> extent, std::string_view what,
                         bool compact)
{
    Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "properties");
    check(H5Pset_layout(properties, H5D_CONTIGUOUS), "set the layout");
    check(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY), "set the allocation");
    check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), "set the filling");
    check(H5Pset_obj_track_times(properties, false), "set the times");
    check(H5Pset_dset_no_attrs_hint(properties, compact), "set the size of a header");
    const auto dataspace = space(extent);
    return {H5Dcreate_anon(file, type, dataspace, properties, H5P_DEFAULT), H5Dclose, what};
}

void link(hid_t object, hid_t parent, const char* name)
{
    check(H5Olink(object, parent, name, H5P_DEFAULT, H5P_DEFAULT), name);
}

std::int64_t offset_of(hid_t dataset)
{
    const haddr_t offset = H5Dget_offset(dataset);
    check(offset == HADDR_UNDEF ? -1 : 0, "find the place of a dataset");
    return static_cast<std::int64_t>(offset);
}

Handle write_values(hid_t parent, const char* name, hid_t type, std::span<const std::int64_t> extent,
                    const void* values)
{
    const auto dataspace = space(extent);
    Handle dataset(H5Dcreate2(parent, name, type, dataspace, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, name);
    if (std::ranges::find(extent, 0) == extent.end())
        check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
    return dataset;
}

Handle write_names(hid_t parent, const char* name, std::size_t width, const std::string& characters)
{
    const std::int64_t extent[] = {static_cast<std::int64_t>(characters.size() / width)};
    return write_values(parent, name, text_type(width), extent, characters.data());
}

Handle write_text(hid_t parent, const char* name, const std::string& text)
{
    const auto type = text_type(text.size() + 1);
    return write_values(parent, name, type, {}, text.c_str());
}

void set_attribute(hid_t object, const char* name, std::int64_t value)
{
    write_attribute(object, name, H5T_NATIVE_INT64, space({}), &value);
}

void set_attribute(hid_t object, const char* name, double value)
{
    write_attribute(object, name, H5T_NATIVE_DOUBLE, space({}), &value);
}

void set_attribute(hid_t object, const char* name, std::span<const int> values)
{
    const std::int64_t extent[] = {static_cast<std::int64_t>(values.size())};
    write_attribute(object, name, H5T_NATIVE_INT, space(extent), values.data());
}

void set_attribute(hid_t object, const char* name, std::string_view text)
{
    const std::string terminated(text);
    write_attribute(object, name, text_type(terminated.size() + 1), space({}), terminated.c_str());
}

void set_attribute(hid_t object, const char* name, std::span<const std::string> texts)
{
    const auto width = std::ranges::max(texts, {}, &std::string::size).size() + 1;
    std::string values;
    for (const auto& text : texts) values.append(text).append(width - text.size(), '\0');
    const std::int64_t extent[] = {static_cast<std::int64_t>(texts.size())};
    write_attribute(object, name, text_type(width), space(extent), values.data());
}

void set_unit(hid_t object, const char* unit)
{
    const auto type = text_type(H5T_VARIABLE);
    write_attribute(object, "unit", type, space({}), &unit);
}

Handle text_type(std::size_t length)
{
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
    check(H5Tset_size(type, length), "set the length of a text");
    check(H5Tset_cset(type, H5T_CSET_UTF8), "set the character set");
    return type;
}

Handle array_type(hid_t base, std::span<const hsize_t> extent)
{
    return {H5Tarray_create2(base, static_cast<unsigned>(extent.size()), extent.data()), H5Tclose, "array type"};
}

} // namespace holon::h5
