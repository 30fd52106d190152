"""Item 7: one state hash on any processor, from any compiler: instruction sets, variants of the C library, Clang, arm64."""

import pathlib
import shutil
import subprocess

from support import holon_runner as holon
from support import same_bits

STEPS = 50
ROOT = pathlib.Path(__file__).resolve().parents[4]
CLANG = ("clang++-16", "clang++-14", "clang++")

PME = {"coulombtype": "PME"}
WITHOUT_SHAKE = {**PME, "constraint-algorithm": "lincs"}
SYSTEMS = {
    "argon": ("argon", {}),
    "water-esp": ("spce", PME),
    "water-spme": ("spce", {**PME, "mesh": "spme"}),
    "water-double": ("spce", {**PME, "precision": "double"}),
    "lysozyme-h-bonds": ("lysozyme", {**WITHOUT_SHAKE, "constraints": "h-bonds", "tcoupl": "no"}),
    "lysozyme-newton": (
        "lysozyme",
        {**PME, "constraints": "all-bonds", "constraint-algorithm": "newton", "tcoupl": "no"},
    ),
    "lysozyme-v-rescale": ("lysozyme", {**WITHOUT_SHAKE, "constraints": "h-bonds", "tcoupl": "v-rescale"}),
    "lysozyme-sd": ("lysozyme", {**WITHOUT_SHAKE, "constraints": "h-bonds", "integrator": "sd", "tcoupl": "no"}),
}


def clang_programs():
    """The folder of programs that Clang has built, or None without Clang."""
    compiler = next((name for name in CLANG if shutil.which(name)), None)
    if compiler is None:
        return None
    build = ROOT / "build-clang"
    c_compiler = compiler.replace("clang++", "clang")
    how = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DHOLON_TESTS=OFF"]
    how += [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_C_COMPILER={c_compiler}"]
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *how], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "holon-md"], check=True, stdout=subprocess.DEVNULL)
    return build / "bin"


def arm64_programs():
    """The folder of scripts that run the arm64 programs, or None without the cross compiler."""
    if not all(map(shutil.which, ("aarch64-linux-gnu-g++", "qemu-aarch64", "mmdebstrap"))):
        return None
    subprocess.run([ROOT / "tools" / "build-arm64", "holon-md"], check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build-arm64" / "emulated"


def variants():
    """Name, programs, ranks (0: without a launcher) and environment; the first is what others are compared with."""
    own = holon.BIN
    yield "the best kernels", own, 2, {}
    sets = same_bits.instruction_sets()
    for name, environment in sets.items():
        yield name, own, 2, environment
    yield "C library without FMA and AVX", own, 1, same_bits.OLD_C_LIBRARY
    for builder, name in ((clang_programs, "Clang"), (arm64_programs, "arm64")):
        programs = builder()
        if name == "Clang" and programs is not None:
            for kernels, environment in sets.items():
                yield f"Clang, {kernels}", programs, 1, environment
        else:
            yield name, programs, 0, {}


def case(system, settings):
    def run(report):
        files = holon.input_files(holon.INPUTS / system)
        own, first = holon.BIN, None
        for name, programs, ranks, environment in variants():
            if programs is None:
                report.note(name, "not installed")
                continue
            holon.BIN = programs
            try:
                folder = report.work / name.replace(" ", "-").replace(",", "")
                result = holon.run(
                    folder, files, ranks, timeout=7200, environment=environment, nsteps=STEPS, **settings
                )
            finally:
                holon.BIN = own
            first = first or result.state_hash
            report.check(name, result.state_hash == first, result.state_hash, f"= {first[:8]}...")

    run.__doc__ = f"one hash on any processor: {system} {' '.join(map(str, settings.values()))}, {STEPS} steps"
    return run


CASES = {f"7.{name}": case(*how) for name, how in SYSTEMS.items()}
