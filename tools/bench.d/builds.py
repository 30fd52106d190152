"""Builds of GROMACS: Debian's, and those that somebody names by path."""

import functools
import os
import pathlib
import re
import shutil
import subprocess

import gromacs
from support import holon_runner as holon

USUAL = ("gmx_mpi", "gmx_mpi_d")  # of Debian, mixed and double


def cores():
    """Cores that this process may use; hardware threads of one core count once."""
    topology = pathlib.Path("/sys/devices/system/cpu")
    allowed = os.sched_getaffinity(0)
    siblings = [topology / f"cpu{cpu}" / "topology" / "thread_siblings_list" for cpu in allowed]
    return len({file.read_text() if file.exists() else str(file) for file in siblings})


def launcher(ranks):
    """Words and environment that start a program on so many ranks of one thread each.

    Open MPI binds ranks to cores and lets them wait without yielding unless it is told that there are more of them than
    cores; that costs 3 to 5 %.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    words = holon.launch(ranks)
    if ranks <= cores() and holon.launcher_name() == "Open MPI":
        words.remove("--oversubscribe")
        environment.pop("OMPI_MCA_rmaps_base_oversubscribe", None)
        environment.pop("OMPI_MCA_mpi_yield_when_idle", None)
    return words, environment


class Build:
    """One program of GROMACS: what it was built for, and how it is started."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).absolute()) if os.sep in str(program) else str(program)
        try:
            done = subprocess.run([self.program, "--version"], capture_output=True, text=True)
        except OSError as error:
            raise holon.RunError(f"{self.program}: can not be run: {error.strerror}") from None
        told = dict(re.findall(r"^(GROMACS version|Precision|MPI library|SIMD instructions): +(.+)$", done.stdout, re.MULTILINE))
        if "GROMACS version" not in told:
            raise holon.RunError(f"{self.program}: not a program of GROMACS: --version does not tell its version")
        self.version = told["GROMACS version"]
        self.simd = told.get("SIMD instructions", "unknown")
        self.double = told.get("Precision", "mixed").startswith("double")
        self.mpi = told.get("MPI library", "").startswith("MPI")

    @property
    def name(self):
        """As tables have it."""
        return f"{pathlib.Path(self.program).name} {self.version.split('-')[0]} {self.simd}"

    def mdrun(self, ranks):
        """Words behind mdrun for so many ranks of one thread each."""
        return ["-ntomp", 1, *([] if self.mpi else ["-ntmpi", ranks, "-pin", "on"])]

    def launched_ranks(self, ranks):
        """Ranks that the launcher has to start: 0 where the program starts its own threads."""
        return ranks if self.mpi else 0


@functools.cache
def usual():
    """Those of Debian that are installed."""
    return tuple(Build(program) for program in USUAL if shutil.which(program))


def of_precision(builds, settings):
    """Those that compute with the precision of the settings, spelt with underscores."""
    return [build for build in builds if build.double == (settings.get("precision") == "double")]


def required(settings=None):
    """The usual ones for these settings; raises Missing where there is none."""
    found = of_precision(usual(), settings or {})
    if not found:
        raise gromacs.Missing(f"{USUAL[(settings or {}).get('precision') == 'double']} is not installed")
    return found
