"""Items 1 and 3: other programs open what is exported; reports and exports of files that are large."""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import h5py
import numpy

from support import holon_runner as holon

MOST_REPORT = 20.0  # s, of 10^6 rows
ROWS = 10**6
LARGE = 3.0  # times the memory that the export may have beyond what its libraries take

MDANALYSIS = """
import sys, warnings
warnings.simplefilter("ignore")
import MDAnalysis
u = MDAnalysis.Universe(*sys.argv[1:3])
print(len(u.atoms), len(u.trajectory), *u.trajectory[-1].positions[0], u.trajectory.ts.has_velocities)
"""
PYMOL = """
import sys
from pymol import cmd
cmd.load(sys.argv[1], "m")
cmd.load_traj(sys.argv[2], "m")
print("STATES", cmd.count_atoms("m"), cmd.count_states("m"))
"""


def opened(report):
    """the demo's run as .xtc and .trr, opened by MDAnalysis and PyMOL"""
    settings = {"nsteps": 40, "nstxout_compressed": 10, "nstvout": 10}
    run = holon.run(report.work / "run", holon.input_files(holon.INPUTS / "lysozyme"), 2, **settings).folder
    subprocess.run([holon.BIN / "holon-report", run, "-o", run / "report.html"], check=True, stdout=subprocess.DEVNULL)
    report.at_most("report [MB]", (run / "report.html").stat().st_size / 1e6, 5.0)
    protein = ["-s", "protein"]
    for name, words in (("run.xtc", []), ("run.trr", []), ("ends.pdb", ["-e", "0"]), ("p.xtc", protein), ("p.pdb", [*protein, "-e", "0"])):
        subprocess.run([holon.BIN / "holon-export", run, "-o", run / name, *words], check=True, stdout=subprocess.DEVNULL)
    scripts = {name: report.work / f"{name}.py" for name in ("mdanalysis", "pymol")}
    scripts["mdanalysis"].write_text(MDANALYSIS)
    scripts["pymol"].write_text(PYMOL)
    with h5py.File(run / "trajectory.h5md") as file:
        last = 10.0 * file["particles/trajectory/position/value"][4][0]
    for name in ("run.xtc", "run.trr"):
        words = [sys.executable, scripts["mdanalysis"], holon.INPUTS / "lysozyme" / "conf.gro", run / name]
        said = subprocess.run(words, capture_output=True, text=True).stdout.split()
        report.check(f"MDAnalysis, {name}", said[:2] == ["33876", "5"], " ".join(said), "33876 5")
        report.at_most(f"first atom, {name} [A]", float(numpy.abs(numpy.array(said[2:5], float) - last).max()), 0.006)
    report.check("velocities in .trr", said[5] == "True", said[5], "True")
    if not shutil.which("pymol"):
        raise holon.RunError("needs pymol")
    debian = {**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"}  # pymol calls python3
    for pdb, xtc in (("ends.pdb", "run.trr"), ("p.pdb", "p.xtc")):
        words = ["pymol", "-cq", scripts["pymol"], "--", run / pdb, run / xtc]
        said = subprocess.run(words, env=debian, capture_output=True, text=True).stdout
        found = [line for line in said.splitlines() if line.startswith("STATES")]
        report.check(f"PyMOL, {xtc}", found and int(found[0].split()[2]) >= 5, found[0] if found else said[-300:], "5")


def long_report(report):
    """the report of a run of 10^6 rows"""
    folder = report.work / "long"
    run = holon.run(folder, holon.input_files(holon.INPUTS / "argon"), 1, nsteps=100, nstenergy=1).folder
    lines = (run / "energy.csv").read_text().splitlines()
    head, rows = lines[0], [line.split(",", 2)[2] for line in lines[1:]]
    with open(run / "energy.csv", "w") as file:
        file.write(head + "\n")
        file.writelines(f"{k},{0.002 * k},{rows[k % len(rows)]}\n" for k in range(ROWS))
    report.note("energy.csv [MB]", (run / "energy.csv").stat().st_size / 1e6)
    began = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = run / "report.html"
    subprocess.run([holon.BIN / "holon-report", run, "-o", output], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report.note("seconds by the clock", time.monotonic() - began)
    report.at_most("seconds of one core", after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, MOST_REPORT)
    report.at_most("report [MB]", output.stat().st_size / 1e6, 5.0)


def lengthen(path, frames):
    """Repeats the frames of a trajectory.h5md until there are so many."""
    other = path.with_suffix(".long")
    with h5py.File(path) as old, h5py.File(other, "w") as new:
        for name in old:
            old.copy(name, new)
        for key, value in old.attrs.items():
            new.attrs[key] = value
        particles = new["particles/trajectory"]
        had = len(old["particles/trajectory/position/value"])
        for name in ("position", "box/edges"):
            for part in ("value", "step", "time"):
                place = f"{name}/{part}"
                values = old[f"particles/trajectory/{place}"]
                del particles[place]
                shape = (frames, *values.shape[1:])
                made = particles.create_dataset(place, shape, values.dtype, chunks=(1, *values.shape[1:]))
                made.attrs.update(dict(values.attrs))
                for k in range(frames):
                    made[k] = k if part != "value" else values[k % had]
    other.replace(path)


def streamed(report):
    """the export of a trajectory that is larger than the memory that it may have"""
    settings = {"nsteps": 4, "nstxout_compressed": 1}
    run = holon.run(report.work / "run", holon.input_files(holon.INPUTS / "lysozyme"), 2, **settings).folder
    export = [holon.BIN / "holon-export", run, "--overwrite"]

    def peak(limit=None, last=None):
        """The largest address space [bytes] that an export needed, or may have."""
        words = [*export, "-o", run / "x.trr", *(["-e", str(last)] if last is not None else [])]
        command = " ".join(map(str, words))
        if limit:
            command = f"ulimit -v {limit // 1024}; {command}"
        else:
            command = f"{command} & pid=$!; while kill -0 $pid 2>/dev/null; do grep VmPeak /proc/$pid/status; sleep 0.05; done"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        sizes = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("VmPeak")]
        return done, 1024 * max(sizes, default=0)

    _, few = peak()
    allowed = int(1.1 * few)  # what its libraries and a frame take, and a tenth
    with h5py.File(run / "trajectory.h5md") as file:
        frame = 12 * file["particles/trajectory/position/value"].shape[1]
    frames = int(LARGE * 0.1 * few / frame) + int(allowed / frame)
    lengthen(run / "trajectory.h5md", frames)
    size = (run / "trajectory.h5md").stat().st_size
    report.note("address space of a short one [MB]", few / 1e6)
    report.at_least("trajectory over what is allowed", size / allowed, 1.0)
    done, _ = peak(limit=allowed)
    report.check("export", done.returncode == 0, (done.stdout + done.stderr)[-300:], "succeeds")
    report.check("all frames", f"{frames} frames" in done.stdout, done.stdout.strip(), str(frames))
    for path in (run / "x.trr", run / "trajectory.h5md"):
        pathlib.Path(path).unlink(missing_ok=True)


CASES = {"1.opened": opened, "3.report": long_report, "3.export": streamed}
