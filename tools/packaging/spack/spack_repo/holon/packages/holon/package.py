# Holon for Spack, from the clone that this file is in:
#
#   spack repo add tools/packaging/spack/spack_repo/holon
#   spack install holon
#
# For Spack 1.0 and newer; docs/installation.md has more.
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Holon(CMakePackage):
    """Molecular dynamics of large proteins and liquids, parallel with MPI by domain decomposition. The same bits on any
    number of ranks, constraints solved exactly across domains, every step checkpointed to HDF5."""

    git = pathlib.Path(__file__).resolve().parents[7].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("python", default=True, description="The Python package, holon-report and holon-export")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10:+mpi")
    depends_on("eigen@3.4:3", type=("build", "link"))
    depends_on("boost@1.74:+program_options")
    depends_on("nlohmann-json@3.11:")
    depends_on("fmt@9:")
    depends_on("xxhash@0.8:")
    depends_on("python@3.11:", type=("build", "run"), when="+python")
    depends_on("py-numpy@1.23:", type=("build", "run"), when="+python")
    depends_on("py-h5py@3.7:", type=("build", "run"), when="+python")
    depends_on("googletest@1.12:", type="test")

    generator("ninja")

    def cmake_args(self):
        return [self.define("HOLON_TESTS", self.run_tests)]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.share.holon.python)
