#pragma once

#include <hdf5.h>

#include <string>

/// How the HDF5 library gets at files here. Its own drivers let a file that could not be written be half closed, which
/// ends in a crash when MPI does, and errors of what is written late (buffers of datasets) in no error at all. With
/// this one the library believes that all has been written: nothing is after the first error, and file_error() says
/// why.
namespace holon::h5 {

void use_raw_files(hid_t file_access_properties);

/// Why the file that was opened last could not be opened, written or read; empty, if it could.
const std::string& file_error();

} // namespace holon::h5
