# Compiles for 64-bit ARM on another processor, against the Debian packages unpacked in HOLON_ARM64_ROOT: see
# tools/build-arm64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HOLON_ARM64_ROOT)
set(CMAKE_SYSROOT ${HOLON_ARM64_ROOT})
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${HOLON_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH ${HOLON_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Unpacked, not installed: what the packages' own scripts would link to is named here, and their compiler wrappers do
# not run.
set(libraries ${HOLON_ARM64_ROOT}/usr/lib/aarch64-linux-gnu)
foreach(language C CXX)
  set(MPI_${language}_COMPILER NOTFOUND)
  set(MPI_${language}_HEADER_DIR ${libraries}/openmpi/include CACHE PATH "")
  set(MPI_${language}_LIB_NAMES mpi CACHE STRING "")
endforeach()
set(MPI_CXX_SKIP_MPICXX ON)
set(MPI_mpi_LIBRARY ${libraries}/openmpi/lib/libmpi.so CACHE FILEPATH "")
set(HDF5_C_COMPILER_EXECUTABLE NOTFOUND)
set(HDF5_NO_FIND_PACKAGE_CONFIG_FILE ON)
set(HDF5_ROOT ${libraries}/hdf5/openmpi)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries} -Wl,-rpath-link,${libraries}/openmpi/lib")
