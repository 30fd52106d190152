#include "files/h5.hpp"
#include "layout.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace holon {

namespace {

constexpr const char* force_unit_name = "kJ mol-1 nm-1";
constexpr PerQuantity<const char*> element_names = {{"position", "velocity", "force", "constraint_force"}};
constexpr PerQuantity<const char*> units = {{"nm", "nm ps-1", force_unit_name, force_unit_name}};
// MDAnalysis looks for the first, and opens the group whose name comes first.
constexpr PerQuantity<const char*> group_names = {
    {"trajectory", "trajectory_velocity", "trajectory_force", "trajectory_constraint_force"}};

/// A dataset of one value, vector, ... per frame.
class FieldSet {
public:
    FieldSet(hid_t file, hid_t type, std::vector<std::int64_t> extent, const char* unit)
        : set_(h5::create_contiguous(file, type, extent, "a dataset of frames", true))
    {
        frame_bytes_ = static_cast<std::int64_t>(H5Tget_size(type));
        for (std::size_t k = 1; k < extent.size(); ++k) frame_bytes_ *= extent[k];
        if (*unit) h5::set_unit(set_, unit);
    }

    void link(hid_t group, const char* name) const { h5::link(set_, group, name); }

    std::int64_t header() const
    {
        H5O_info_t info;
        h5::check(H5Oget_info(set_, &info), "find an object header");
        return static_cast<std::int64_t>(info.addr);
    }

    FieldPlace place() const { return {h5::offset_of(set_), frame_bytes_, 0, 0}; }

private:
    h5::Handle set_;
    std::int64_t frame_bytes_ = 0;
};

using FieldSets = std::array<std::optional<FieldSet>, field_count>;

/// Makes the datasets of frames, before anything else with attributes and with headers as small as can be: those of all
/// lie in the first page of the file.
FieldSets create_fields(hid_t file, const TrajectoryInfo& info, const SeriesTable& series,
                        const PerQuantity<std::int64_t>& capacity)
{
    const hid_t real = info.double_precision ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    FieldSets sets;
    for (const auto q : all_quantities) {
        if (!series[q]) continue;
        const auto frames = capacity[*series[q]];
        if (*series[q] == q) {
            sets[stamp_field(q, 0)].emplace(file, H5T_NATIVE_INT64, std::vector{frames}, "");
            sets[stamp_field(q, 1)].emplace(file, H5T_NATIVE_DOUBLE, std::vector{frames}, "ps");
            sets[stamp_field(q, 2)].emplace(file, H5T_NATIVE_DOUBLE,
                                            std::vector{frames, std::int64_t{3}, std::int64_t{3}}, "nm");
        }
        const bool of_forces = q == Quantity::force || q == Quantity::constraint_force;
        sets[value_field(q)].emplace(file, of_forces ? H5T_NATIVE_DOUBLE : real,
                                     std::vector{frames, info.atoms, std::int64_t{3}}, units[q]);
    }
    return sets;
}

/// One time-dependent element of H5MD; step and time are shared by all of a series.
void link_element(hid_t parent, const char* name, const FieldSets& sets, Series series, Field field)
{
    const auto group = h5::create_group(parent, name);
    sets[stamp_field(series, 0)]->link(group, "step");
    sets[stamp_field(series, 1)]->link(group, "time");
    sets[field]->link(group, "value");
}

void write_box(hid_t particles, const FieldSets& sets, Series series)
{
    const auto box = h5::create_group(particles, "box");
    const std::array<std::string, 3> boundary = {"periodic", "periodic", "periodic"};
    h5::set_attribute(box, "dimension", std::int64_t{3});
    h5::set_attribute(box, "boundary", boundary);
    link_element(box, "edges", sets, series, stamp_field(series, 2));
}

template <class T>
void write_static(hid_t group, const char* name, hid_t type, const std::vector<T>& values, const char* unit)
{
    if (values.empty()) return;
    const std::int64_t extent[] = {static_cast<std::int64_t>(values.size())};
    const auto set = h5::write_values(group, name, type, extent, values.data());
    if (*unit) h5::set_unit(set, unit);
}

/// The group of each series.
void write_particles(hid_t file, const TrajectoryInfo& info, const SeriesTable& series, const FieldSets& sets)
{
    const auto particles = h5::create_group(file, "particles");
    for (const auto s : all_quantities) {
        if (series[s] != s) continue;
        const auto group = h5::create_group(particles, group_names[s]);
        write_box(group, sets, s);
        for (const auto q : all_quantities)
            if (series[q] == s) link_element(group, element_names[q], sets, s, value_field(q));
        if (s != Series::position) continue;
        write_static(group, "species", H5T_NATIVE_INT32, info.species, "");
        write_static(group, "mass", H5T_NATIVE_DOUBLE, info.mass, "u");
        write_static(group, "charge", H5T_NATIVE_DOUBLE, info.charge, "e");
        if (info.name.width) h5::write_names(group, "name", info.name.width, info.name.characters);
    }
}

void write_bonds(hid_t file, const TrajectoryInfo& info)
{
    const auto connectivity = h5::create_group(file, "connectivity");
    const std::int64_t extent[] = {static_cast<std::int64_t>(info.bonds.size()), 2};
    const auto bonds = h5::write_values(connectivity, "bonds", H5T_NATIVE_INT32, extent, info.bonds.data());
    hobj_ref_t reference;
    h5::check(H5Rcreate(&reference, file, "particles/trajectory", H5R_OBJECT, -1), "refer to the particles");
    h5::Handle attribute(H5Acreate2(bonds, "particles_group", H5T_STD_REF_OBJ, h5::space({}), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "particles_group");
    h5::check(H5Awrite(attribute, H5T_STD_REF_OBJ, &reference), "particles_group");
}

/// Residues and bonds where VMD's H5MD plugin looks for them: residues by index, atoms of bonds counted from 1.
void write_vmd_structure(hid_t parameters, const TrajectoryInfo& info)
{
    const auto group = h5::create_group(parameters, "vmd_structure");
    write_static(group, "resid", H5T_NATIVE_INT32, info.residue, "");
    if (info.residue_name.width)
        h5::write_names(group, "resname", info.residue_name.width, info.residue_name.characters);
    for (const auto& [name, end] : {std::pair("bond_from", 0), {"bond_to", 1}}) {
        std::vector<std::int32_t> atoms;
        for (const auto& bond : info.bonds) atoms.push_back(bond.at(index(end)) + 1);
        write_static(group, name, H5T_NATIVE_INT32, atoms, "");
    }
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
    const auto module = h5::create_group(modules, "units");
    h5::set_attribute(module, "version", units_version);
    h5::set_attribute(module, "system", std::string_view("SI"));
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

Headers write_file(hid_t file, const TrajectoryInfo& info, const SeriesTable& series,
                   const PerQuantity<std::int64_t>& capacity, TrajectoryDirectory& directory)
{
    const std::int64_t page[] = {page_bytes};
    const auto page_set = h5::create_contiguous(file, H5T_NATIVE_UCHAR, page, "directory", true);
    directory.offset = h5::offset_of(page_set);
    const auto sets = create_fields(file, info, series, capacity);

    write_header(file, info);
    write_particles(file, info, series, sets);
    if (!info.bonds.empty()) write_bonds(file, info);
    const auto parameters = h5::create_group(file, "parameters");
    h5::link(page_set, parameters, "holon_directory");
    write_vmd_structure(parameters, info);

    Headers headers{};
    for (std::size_t k = 0; k < field_count; ++k) {
        if (!sets[k]) continue;
        directory.fields[k] = sets[k]->place();
        headers[k] = sets[k]->header();
    }
    return headers;
}

/// Lets the HDF5 library lay out the file; the lengths of the datasets are their capacity.
Headers lay_out(const std::string& path, const TrajectoryInfo& info, const SeriesTable& series,
                const PerQuantity<std::int64_t>& capacity, TrajectoryDirectory& directory)
{
    auto file = h5::create_file(path, true);
    const auto headers = write_file(file, info, series, capacity, directory);
    file.close();
    return headers;
}

/// Bytes of all that changes from frame to frame, and of what does not.
std::int64_t frames_bytes(const TrajectoryInfo& info, const SeriesTable& series,
                          const PerQuantity<std::int64_t>& capacity)
{
    std::int64_t bytes = 0;
    for (const auto q : all_quantities) {
        if (!series[q]) continue;
        const bool narrow = !info.double_precision && (q == Quantity::position || q == Quantity::velocity);
        bytes += capacity[*series[q]] * ((*series[q] == q ? 88 : 0) + info.atoms * (narrow ? 12 : 24));
    }
    return bytes;
}

std::int64_t constant_bytes(const TrajectoryInfo& info)
{
    const auto names = info.name.characters.size() + info.residue_name.characters.size();
    return 24 * info.atoms + static_cast<std::int64_t>(16 * info.bonds.size() + names) + (std::int64_t{1} << 20);
}

} // namespace

TrajectoryDirectory create_trajectory_file(const std::string& path, const TrajectoryInfo& info,
                                           const SeriesTable& series, const PerQuantity<std::int64_t>& capacity)
{
    HOLON_ASSERT(info.atoms > 0 && series[Quantity::position], fmt::format("{} atoms", info.atoms));
    TrajectoryDirectory directory{};
    directory.real_bytes = info.double_precision ? sizeof(double) : sizeof(float);
    directory.run_id = info.run_id;
    directory.atoms = info.atoms;
    directory.capacity = capacity[Series::position];
    std::copy(capacity.begin() + 1, capacity.end(), directory.own_capacity.begin());

    // The HDF5 library copes badly with a disk that is full or a file that may not become as large.
    {
        const auto constant = constant_bytes(info);
        const RawFile file(path, RawFile::Mode::create);
        file.resize(frames_bytes(info, series, capacity) + constant);
        file.allocate(constant);
    }
    const auto headers = lay_out(path, info, series, capacity, directory);

    const RawFile file(path, RawFile::Mode::write);
    for (const auto q : all_quantities) {
        if (!series[q]) continue;
        const auto locate = [&](Field field) {
            locate_length(file, headers[field], capacity[*series[q]], directory.fields[field]);
        };
        locate(value_field(q));
        for (std::size_t k = 0; k < 3 && *series[q] == q; ++k) locate(stamp_field(q, k));
    }
    seal(directory);
    file.write(std::as_bytes(std::span(&directory, 1)), directory.offset);
    HOLON_ASSERT(read_trajectory_directory(file).checksum == directory.checksum, std::to_string(directory.offset));
    VisibleLength(file, directory).set(file, {});
    return directory;
}

} // namespace holon
