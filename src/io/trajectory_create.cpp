#include "h5.hpp"
#include "trajectory_layout.hpp"

#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace holon {

namespace {

constexpr std::int64_t page_bytes = 4096;

/// A dataset of one value, vector, ... per frame.
class FieldSet {
public:
    FieldSet(hid_t file, hid_t type, std::vector<std::int64_t> extent, const char* unit)
        : set_(h5::create_contiguous(file, type, extent, "a dataset of frames")), unit_(unit)
    {
        frame_bytes_ = static_cast<std::int64_t>(H5Tget_size(type));
        for (std::size_t k = 1; k < extent.size(); ++k) frame_bytes_ *= extent[k];
    }

    void link(hid_t group, const char* name)
    {
        h5::link(set_, group, name);
        if (*unit_) h5::set_unit(set_, std::exchange(unit_, ""));
    }

    std::int64_t header() const
    {
        H5O_info_t info;
        h5::check(H5Oget_info(set_, &info), "find an object header");
        return static_cast<std::int64_t>(info.addr);
    }

    FieldPlace place() const { return {h5::offset_of(set_), frame_bytes_, 0, 0}; }

private:
    h5::Handle set_;
    const char* unit_;
    std::int64_t frame_bytes_ = 0;
};

using FieldSets = std::array<std::optional<FieldSet>, field_count>;

/// Makes the datasets of frames, first of all, so that their headers lie next to each other. In the order of Field.
FieldSets create_fields(hid_t file, const TrajectoryInfo& info, std::int64_t capacity)
{
    const hid_t real = info.double_precision ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    FieldSets sets;
    sets[field_step].emplace(file, H5T_NATIVE_INT64, std::vector{capacity}, "");
    sets[field_time].emplace(file, H5T_NATIVE_DOUBLE, std::vector{capacity}, "ps");
    sets[field_edges].emplace(file, H5T_NATIVE_DOUBLE, std::vector{capacity, std::int64_t{3}, std::int64_t{3}}, "nm");
    const std::vector<std::int64_t> extent = {capacity, info.atoms, 3};
    sets[field_position].emplace(file, real, extent, "nm");
    if (info.velocities) sets[field_velocity].emplace(file, real, extent, "nm ps-1");
    const char* force_unit = "kJ mol-1 nm-1";
    if (info.forces) sets[field_force].emplace(file, H5T_NATIVE_DOUBLE, extent, force_unit);
    if (info.constraint_forces) sets[field_constraint_force].emplace(file, H5T_NATIVE_DOUBLE, extent, force_unit);
    return sets;
}

/// One time-dependent element of H5MD; step and time are shared by all of them.
void link_element(hid_t parent, const char* name, FieldSets& sets, Field field)
{
    const auto group = h5::create_group(parent, name);
    sets[field_step]->link(group, "step");
    sets[field_time]->link(group, "time");
    sets[field]->link(group, "value");
}

void write_box(hid_t particles, FieldSets& sets)
{
    const auto box = h5::create_group(particles, "box");
    const std::array<std::string, 3> boundary = {"periodic", "periodic", "periodic"};
    h5::set_attribute(box, "dimension", std::int64_t{3});
    h5::set_attribute(box, "boundary", boundary);
    link_element(box, "edges", sets, field_edges);
}

template <class T>
void write_static(hid_t group, const char* name, hid_t type, const std::vector<T>& values, const char* unit)
{
    if (values.empty()) return;
    const std::int64_t extent[] = {static_cast<std::int64_t>(values.size())};
    const auto set = h5::write_values(group, name, type, extent, values.data());
    if (*unit) h5::set_unit(set, unit);
}

void write_particles(hid_t file, const TrajectoryInfo& info, FieldSets& sets)
{
    const auto particles = h5::create_group(file, "particles");
    const auto group = h5::create_group(particles, "trajectory"); // the name that MDAnalysis looks for
    write_box(group, sets);
    link_element(group, "position", sets, field_position);
    if (info.velocities) link_element(group, "velocity", sets, field_velocity);
    if (info.forces) link_element(group, "force", sets, field_force);
    if (info.constraint_forces) link_element(group, "constraint_force", sets, field_constraint_force);
    write_static(group, "species", H5T_NATIVE_INT32, info.species, "");
    write_static(group, "mass", H5T_NATIVE_DOUBLE, info.mass, "u");
    write_static(group, "charge", H5T_NATIVE_DOUBLE, info.charge, "e");
    if (info.bonds.empty()) return;

    const auto connectivity = h5::create_group(file, "connectivity");
    const std::int64_t extent[] = {static_cast<std::int64_t>(info.bonds.size()), 2};
    const auto bonds = h5::write_values(connectivity, "bonds", H5T_NATIVE_INT32, extent, info.bonds.data());
    hobj_ref_t reference;
    h5::check(H5Rcreate(&reference, file, "particles/trajectory", H5R_OBJECT, -1), "refer to the particles");
    h5::Handle attribute(H5Acreate2(bonds, "particles_group", H5T_STD_REF_OBJ, h5::space({}), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "particles_group");
    h5::check(H5Awrite(attribute, H5T_STD_REF_OBJ, &reference), "particles_group");
}

void write_header(hid_t file, const TrajectoryInfo& info)
{
    const auto h5md = h5::create_group(file, "h5md");
    const int version[] = {1, 1}, units_version[] = {1, 0};
    h5::set_attribute(h5md, "version", version);
    const char* user = std::getenv("USER");
    h5::set_attribute(h5::create_group(h5md, "author"), "name", std::string_view(user && *user ? user : "unknown"));
    const auto creator = h5::create_group(h5md, "creator");
    h5::set_attribute(creator, "name", std::string_view("Holon"));
    h5::set_attribute(creator, "version", std::string_view(info.program_version));
    const auto modules = h5::create_group(h5md, "modules");
    const auto units = h5::create_group(modules, "units");
    h5::set_attribute(units, "version", units_version);
    h5::set_attribute(units, "system", std::string_view("SI"));
}

/// Finds where an object header (version 1) has the length of its dataset: HDF5 File Format Specification 3.0, IV.A.1.a
/// "Version 1 Data Object Header Prefix" and IV.A.2.b "The Dataspace Message", version 1.
void locate_length(const RawFile& file, std::int64_t header, std::int64_t capacity, FieldPlace& place)
{
    constexpr std::uint16_t dataspace_message = 1;
    constexpr std::int64_t prefix_bytes = 16, message_prefix_bytes = 8, dataspace_prefix_bytes = 8;
    const auto count = file.read_value<std::uint16_t>(header + 2);
    const auto header_bytes = file.read_value<std::uint32_t>(header + 8);
    auto at = header + prefix_bytes;
    for (int k = 0; k < count && at < header + prefix_bytes + header_bytes; ++k) {
        const auto body = at + message_prefix_bytes;
        if (file.read_value<std::uint16_t>(at) == dataspace_message) {
            const auto rank = file.read_value<std::uint8_t>(body + 1), flags = file.read_value<std::uint8_t>(body + 2);
            place.length_at = body + dataspace_prefix_bytes;
            place.max_length_at = flags & 1 ? place.length_at + 8 * rank : -1;
            break;
        }
        at = body + file.read_value<std::uint16_t>(at + 2);
    }
    const bool found = file.read_value<std::uint8_t>(header) == 1 && place.length_at > 0 &&
                       file.read_value<std::int64_t>(place.length_at) == capacity;
    HOLON_ASSERT(found, fmt::format("HDF5 object header at byte {} of {}", header, file.path()));
}

/// Where the object headers of the fields are; 0 for those that the file does not have.
using Headers = std::array<std::int64_t, field_count>;

Headers write_file(hid_t file, const TrajectoryInfo& info, TrajectoryDirectory& directory)
{
    const std::int64_t page[] = {page_bytes};
    const auto page_set = h5::create_contiguous(file, H5T_NATIVE_UCHAR, page, "directory");
    directory.offset = h5::offset_of(page_set);
    auto sets = create_fields(file, info, directory.capacity);

    write_header(file, info);
    write_particles(file, info, sets);
    const auto parameters = h5::create_group(file, "parameters");
    h5::link(page_set, parameters, "holon_directory");

    Headers headers{};
    for (std::size_t k = 0; k < field_count; ++k) {
        if (!sets[k]) continue;
        directory.fields[k] = sets[k]->place();
        headers[k] = sets[k]->header();
    }
    return headers;
}

/// Lets the HDF5 library lay out the file; the lengths of the datasets are their capacity.
Headers lay_out(const std::string& path, const TrajectoryInfo& info, TrajectoryDirectory& directory)
{
    auto file = h5::create_file(path);
    const auto headers = write_file(file, info, directory);
    file.close();
    return headers;
}

} // namespace

TrajectoryDirectory create_trajectory_file(const std::string& path, const TrajectoryInfo& info, std::int64_t capacity)
{
    HOLON_ASSERT(info.atoms > 0 && capacity > 0, fmt::format("{} atoms, {} frames", info.atoms, capacity));
    TrajectoryDirectory directory{};
    directory.real_bytes = info.double_precision ? sizeof(double) : sizeof(float);
    directory.run_id = info.run_id;
    directory.atoms = info.atoms;
    directory.capacity = capacity;

    // The HDF5 library copes badly with a disk that is full or a file that may not become as large.
    const auto atoms = info.atoms, reals = 3 * atoms * (info.velocities ? 2 : 1) * directory.real_bytes;
    const auto frame = 88 + reals + 24 * atoms * (int{info.forces} + int{info.constraint_forces});
    const auto constant = 20 * atoms + 8 * static_cast<std::int64_t>(info.bonds.size()) + (std::int64_t{1} << 20);
    {
        const RawFile file(path, RawFile::Mode::create);
        file.resize(capacity * frame + constant);
        file.allocate(constant);
    }
    const auto headers = lay_out(path, info, directory);

    const RawFile file(path, RawFile::Mode::write);
    for (std::size_t k = 0; k < field_count; ++k)
        if (headers[k]) locate_length(file, headers[k], capacity, directory.fields[k]);
    seal(directory);
    file.write(std::as_bytes(std::span(&directory, 1)), directory.offset);
    HOLON_ASSERT(read_trajectory_directory(file).checksum == directory.checksum, std::to_string(directory.offset));
    VisibleLength(file, directory).set(file, 0);
    return directory;
}

} // namespace holon
