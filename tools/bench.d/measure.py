"""Runs one system with Holon and GROMACS in turns and takes medians of what they report."""

import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

import builds as gromacs_builds
import force_error
import gromacs
from support import holon_runner as holon
from support import systems

HOLON_KEYS = {"precision", "mesh", "mesh_accuracy", "coulomb_split_radius", "domains", "dlb", "skin"}
HOLON_KEYS |= {"checkpoint_interval", "checkpoint_sync", "checkpoint_mapping"}
WATER = {"4k": (1, 1, 1), "23k": (2, 3, 1), "100k": (3, 3, 3), "1M": (6, 6, 8)}  # copies of inputs/spce
WATER_SETTINGS = {"coulombtype": "PME", "nstxout_compressed": 0, "nstenergy": 100, "nstlog": 0}
PROBE_STEPS = 20  # to find out how many steps fill the time
LEAST_STEPS = 100  # so that what is not done in every step, as in the first and the last, counts as in a long run

# Runs a command and leaves the peak of its memory [kB] in a file per rank. Launchers talk to ranks by files they hand over.
PEAK = """\
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[2:], close_fds=False).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
rank = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0"))
open(sys.argv[1] + "." + rank, "w").write(str(peak))
sys.exit(status)
"""


def processor():
    """Name and clock [GHz] of the processor: the nominal one if the name has it."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"^model name\s*: (.*)", text, re.MULTILINE)
    name = name[1] if name else "unknown"
    nominal = re.search(r"([\d.]+)GHz", name)
    clock = re.search(r"^cpu MHz\s*: ([\d.]+)", text, re.MULTILINE)
    return {"name": name, "GHz": float(nominal[1]) if nominal else float(clock[1]) / 1000 if clock else math.nan}


def is_zen_4():
    """Whether this is a processor of AMD's of that kind, by its numbers: some do not tell their names."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    numbers = dict(re.findall(r"^(vendor_id|cpu family|model)\s*: (.*)$", text, re.MULTILINE))
    models = (*range(0x10, 0x20), *range(0x60, 0x80), *range(0xA0, 0xB0))
    family = (numbers.get("vendor_id"), numbers.get("cpu family"))
    return family == ("AuthenticAMD", "25") and int(numbers["model"]) in models


def launch(mark, ranks, *words):
    """Runs a program on `ranks` ranks of one thread in the folder of `mark`; returns the peak of memory of each [kB].

    Raises RunError if it fails. `mark`: path of the files in which the ranks leave their peaks. 0 ranks: no launcher.
    """
    wrapper = mark.with_name("peak.py")
    wrapper.write_text(PEAK)
    start, environment = gromacs_builds.launcher(max(ranks, 1))
    command = [*(start if ranks else []), sys.executable, wrapper, mark, *words]
    done = subprocess.run(list(map(str, command)), cwd=mark.parent, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise holon.RunError(f"{' '.join(map(str, words))}\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return [int(mark.with_name(f"{mark.name}.{rank}").read_text()) for rank in range(max(ranks, 1))]


def water(target, size):
    """The input folder of a box of water: inputs/spce as often as `size` asks for."""
    target.mkdir(parents=True, exist_ok=True)
    systems.replicate(holon.INPUTS / "spce", target, WATER[size])
    return target


def pairs_within(atoms, volume, cutoff):
    """Pairs of atoms within the cutoff at the mean density."""
    return 0.5 * atoms * (4.0 / 3.0) * math.pi * cutoff**3 * atoms / volume


class Runner:
    """`builds`: of GROMACS, each of which has its turn before Holon's in every round."""

    def __init__(self, work, ranks, rounds, seconds, builds=()):
        self.work, self.ranks, self.rounds, self.seconds = work, ranks, rounds, seconds
        self.builds = list(builds)

    def measure(self, name, folder, settings, errors=True):
        """The figures of a system, as tools/bench prints them; `errors`: those of the forces too."""
        settings = {key.replace("-", "_"): value for key, value in settings.items()}
        work = self.work / name / "runs"
        shared = {key: value for key, value in settings.items() if key not in HOLON_KEYS}
        works = {build: work / f"gmx-{number}" for number, build in enumerate(self.builds)}
        for path in (work, *works.values()):
            path.mkdir(parents=True, exist_ok=True)
        steps = self.steps_for(work, folder, settings)
        gromacs_steps = {build: self.prepare_gromacs(build, works[build], folder, shared) for build in self.builds}
        runs, speeds = [], {build: [] for build in self.builds}
        for _ in range(self.rounds):
            for build in self.builds:
                speeds[build].append(self.run_gromacs(build, works[build], gromacs_steps[build], reset=True))
            runs.append(self.run_holon(work, folder, settings, steps))
        found = self.figures(name, folder, {**gromacs.read_mdp(folder / "md.mdp"), **settings}, runs)
        others = [self.of_build(build, found, speeds[build]) for build in self.builds]
        if errors:
            exact = force_error.reference(work, folder, settings, self.ranks)
            found["force_error"] = force_error.of_holon(work, folder, settings, self.ranks, exact)
            for build, other in zip(self.builds, others):
                how = (build, works[build], folder, shared, self.ranks, exact)
                other["force_error"] = force_error.of_gromacs(*how)
        first = others[0] if others else {}
        more = {f"gromacs_{key}": first.get(key) for key in ("ns_per_day", "ns_per_day_each", "kB_per_atom", "force_error")}
        return {**found, **more, "ratio": first.get("ratio"), "gromacs": others}

    def timed(self, work, folder, settings):
        """The summary of one run that fills the time, without GROMACS."""
        return self.run_holon(work, folder, settings, self.steps_for(work, folder, settings))

    def steps_for(self, work, folder, settings):
        summary = self.run_holon(work, folder, settings, PROBE_STEPS)
        per_step = summary["wall_s"] / max(1, summary["end_step"] - summary["start_step"])
        return max(LEAST_STEPS, round(self.seconds / per_step))

    def run_holon(self, work, folder, settings, steps):
        output = work / "holon"
        arguments = [*holon.input_files(folder), "-o", output, "--overwrite", *holon.options({**settings, "nsteps": steps})]
        peaks = launch(work / "holon-peak", self.ranks, holon.BIN / "holon-md", *arguments)
        return {**holon.summary_of(output), "peak_kB": sum(peaks)}

    def prepare_gromacs(self, build, work, folder, settings):
        """Makes gmx.tpr; returns how many steps fill the time."""
        gromacs.run_input(work, folder, {**settings, "nsteps": -1}, program=build.program)
        per_day = self.run_gromacs(build, work, 5 * PROBE_STEPS, reset=False)["ns_per_day"]
        dt = float({**gromacs.read_mdp(folder / "md.mdp"), **settings}.get("dt", 0.001))
        # Twice: the counters are reset half way, after the balancing of loads.
        return max(LEAST_STEPS, round(2 * self.seconds * per_day / (dt * 1e-3) / 86400.0))

    def run_gromacs(self, build, work, steps, reset):
        how = [*build.mdrun(self.ranks), "-noconfout", "-notunepme", "-nsteps", steps, *(["-resethway"] if reset else [])]
        words = [build.program, "-quiet", "-nobackup", "mdrun", "-deffnm", "gmx", *how]
        peaks = launch(work / "gmx-peak", build.launched_ranks(self.ranks), *words)
        return {"ns_per_day": gromacs.ns_per_day(work / "gmx.log"), "peak_kB": sum(peaks)}

    def of_build(self, build, found, speeds):
        """The figures of a build of GROMACS beside Holon's."""
        speed = statistics.median(run["ns_per_day"] for run in speeds)
        return {
            "program": build.program,
            "name": build.name,
            "version": build.version,
            "simd": build.simd,
            "ns_per_day": speed,
            "ns_per_day_each": [run["ns_per_day"] for run in speeds],
            "ratio": found["ns_per_day"] / speed,
            "kB_per_atom": statistics.median(run["peak_kB"] for run in speeds) / found["atoms"],
            "force_error": None,
        }

    def figures(self, name, folder, parameters, runs):
        def median(get):
            return statistics.median(get(run) for run in runs)

        def steps(run):
            return run["end_step"] - run["start_step"]

        atoms = runs[0]["atoms"]
        volume = abs(box_volume(folder))
        cutoff = max(float(parameters.get(key, 1.0)) for key in ("rcoulomb", "rvdw"))
        cycles = processor()["GHz"] * 1e9 * self.ranks / pairs_within(atoms, volume, cutoff)
        stages = {key: median(lambda run, key=key: run["timings_s"][key] / run["wall_s"]) for key in runs[0]["timings_s"]}
        return {
            "system": name,
            "atoms": atoms,
            "ranks": self.ranks,
            "rounds": len(runs),
            "steps": steps(runs[0]),
            "ns_per_day": median(lambda run: run["ns_per_day"]),
            "ns_per_day_each": [run["ns_per_day"] for run in runs],
            "cpu_us_per_atom_step": median(lambda run: 1e6 * run["cpu_s"] / atoms / steps(run)),
            "cycles_per_pair": median(lambda run: cycles * run["cpu_timings_s"]["pair"] / steps(run)),
            "checkpoint_share": median(
                lambda run: (run["checkpoint"]["blocked_s"] + run["checkpoint"]["pack_s"]) / self.ranks / run["wall_s"]
            ),
            "force_error": None,
            "mesh_error": runs[0].get("mesh", {}).get("measured_error"),
            "kB_per_atom": median(lambda run: run["peak_kB"]) / atoms,
            "stages": stages,
            "load_balance": runs[0].get("load_balance"),
            "communication": runs[0].get("communication"),
        }


def box_volume(folder):
    """Volume of the box of conf.gro [nm^3]; the box is its last line."""
    with open(folder / "conf.gro", "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 400))
        numbers = [float(word) for word in file.read().decode().strip().splitlines()[-1].split()]
    return numbers[0] * numbers[1] * numbers[2]
