#include "h5_file_driver.hpp"

#include "h5.hpp"
#include "raw_file.hpp"

#include <algorithm>
#include <memory>

namespace holon::h5 {

namespace {

constexpr haddr_t max_address = (haddr_t{1} << 62) - 1;

struct File {
    H5FD_t base; // first: the library knows nothing else
    RawFile file;
    bool writable;
    haddr_t allocated; // end of what the library has a use for
    haddr_t size;
};

std::string error;

File& file_of(H5FD_t* base)
{
    return *reinterpret_cast<File*>(base);
}
const File& file_of(const H5FD_t* base)
{
    return *reinterpret_cast<const File*>(base);
}

/// True, if that works.
template <class Work>
bool attempt(Work work)
{
    if (!error.empty()) return false;
    try {
        work();
    } catch (const std::exception& exception) {
        error = exception.what();
    }
    return error.empty();
}

H5FD_t* open(const char* name, unsigned flags, hid_t /*properties*/, haddr_t /*max_address*/)
{
    auto opened = std::make_unique<File>();
    opened->writable = (flags & H5F_ACC_RDWR) != 0;
    error.clear();
    const bool done = attempt([&] {
        const auto mode = (flags & H5F_ACC_TRUNC) != 0 ? RawFile::Mode::create
                          : opened->writable           ? RawFile::Mode::write
                                                       : RawFile::Mode::read;
        opened->file = RawFile(name, mode);
        opened->size = static_cast<haddr_t>(opened->file.size());
    });
    return done ? &opened.release()->base : nullptr;
}

herr_t close(H5FD_t* base)
{
    delete &file_of(base);
    return 0;
}

herr_t query(const H5FD_t* /*base*/, unsigned long* features)
{
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

/// What lies beyond the end reads as zero.
herr_t read(H5FD_t* base, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t bytes, void* to)
{
    auto& f = file_of(base);
    const auto all = std::span(static_cast<std::byte*>(to), bytes);
    std::ranges::fill(all, std::byte{0});
    const auto there = all.first(at < f.size ? std::min<std::size_t>(bytes, f.size - at) : 0);
    const bool done = attempt([&] { f.file.read(there, static_cast<std::int64_t>(at)); });
    return done || f.writable ? 0 : -1;
}

herr_t write(H5FD_t* base, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t bytes, const void* from)
{
    auto& f = file_of(base);
    attempt([&] {
        f.file.write({static_cast<const std::byte*>(from), bytes}, static_cast<std::int64_t>(at));
        f.size = std::max(f.size, at + bytes);
    });
    return 0;
}

herr_t truncate(H5FD_t* base, hid_t /*transfer*/, hbool_t /*closing*/)
{
    auto& f = file_of(base);
    if (f.size == f.allocated) return 0;
    attempt([&] { f.file.resize(static_cast<std::int64_t>(f.allocated)); });
    f.size = f.allocated;
    return 0;
}

haddr_t allocated(const H5FD_t* base, H5FD_mem_t /*type*/)
{
    return file_of(base).allocated;
}

herr_t allocate(H5FD_t* base, H5FD_mem_t /*type*/, haddr_t end)
{
    file_of(base).allocated = end;
    return 0;
}

haddr_t size(const H5FD_t* base, H5FD_mem_t /*type*/)
{
    return file_of(base).size;
}

hid_t driver()
{
    static const hid_t id = [] {
        static H5FD_class_t functions{}; // fields by name: there are more of them in later versions
#ifdef H5FD_CLASS_VERSION
        functions.version = H5FD_CLASS_VERSION;
        functions.value = static_cast<H5FD_class_value_t>(H5FD_RESERVED + 1);
#endif
        functions.name = "holon";
        functions.maxaddr = max_address;
        functions.fc_degree = H5F_CLOSE_WEAK;
        functions.open = open;
        functions.close = close;
        functions.query = query;
        functions.get_eoa = allocated;
        functions.set_eoa = allocate;
        functions.get_eof = size;
        functions.read = read;
        functions.write = write;
        functions.truncate = truncate;
        const H5FD_mem_t kinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
        std::ranges::copy(kinds, functions.fl_map);
        return H5FDregister(&functions);
    }();
    return id;
}

} // namespace

void use_raw_files(hid_t file_access_properties)
{
    check(H5Pset_driver(file_access_properties, driver(), nullptr), "set the driver");
}

const std::string& file_error()
{
    return error;
}

} // namespace holon::h5
