# HOLON_MPI chooses among MPI libraries that are installed side by side, by the suffix of their commands as Debian has
# it: openmpi, mpich. Without it: the one whose mpicxx is found first.
set(HOLON_MPI "" CACHE STRING "MPI library, as the suffix of mpicxx: openmpi, mpich")
if(HOLON_MPI)
  find_program(MPI_CXX_COMPILER mpicxx.${HOLON_MPI} REQUIRED)
  find_program(MPIEXEC_EXECUTABLE mpiexec.${HOLON_MPI} REQUIRED)
  find_program(HDF5_C_COMPILER_EXECUTABLE h5pcc.${HOLON_MPI} REQUIRED)
endif()
find_package(MPI REQUIRED COMPONENTS CXX)
