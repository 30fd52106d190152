# Debian packages: `cpack` in the build folder makes holon, the programs with the Python package, and holon-dev, the
# libraries with the CMake package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME holon)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR Holon)
set(CPACK_PACKAGE_CONTACT "The Holon authors <holon@localhost.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "molecular dynamics with domain decomposition and exact constraints")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "Runs the inputs of GROMACS on any number of ranks, with the same bits on\n\
each number, and checkpoints every step. With the Python package holon,\n\
which reads runs, and the programs holon-report and holon-export.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, static libraries and the CMake package of Holon, a program for\n\
molecular dynamics of large proteins and liquids.")

if(HOLON_MPI STREQUAL "mpich")
  set(launcher mpich)
  set(mpi_library "libmpich-dev, libhdf5-mpich-dev")
else()
  set(launcher openmpi-bin)
  set(mpi_library "libopenmpi-dev, libhdf5-openmpi-dev")
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME holon)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "${launcher}, python3 (>= 3.11), python3-numpy, python3-h5py")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "python3-mdanalysis, python3-pandas")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/tools/packaging/prerm)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME holon-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libeigen3-dev, libboost-program-options-dev, libfmt-dev, nlohmann-json3-dev, ${mpi_library}")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/debian-files.cmake)
set(CPACK_HOLON_SOURCE_DIR ${PROJECT_SOURCE_DIR})
include(CPack)
