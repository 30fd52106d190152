"""Cuts the power of a run: of all pages written since they were last synced, and of the lengths of files, the disk has
some as they were then and some as they are now. Shared by power_cut_test.py and tools/acceptance.
"""

import dataclasses
import shutil
import subprocess
import time

import h5py

from support import holon_runner as holon
from support import hostile
from support.same_bits import reached_step

PAGE = 4096
SHIM = holon.ROOT / "tests" / "support" / "disk_image.c"


@dataclasses.dataclass
class Outcome:
    states: int = 0
    refused: list = dataclasses.field(default_factory=list)  # messages
    wrong: list = dataclasses.field(default_factory=list)  # what should not have come, as text
    lost: int = 0  # steps, the most


def build_shim(folder):
    library = folder / "disk_image.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    return library


def on_disk_of(folder, images, shim, command, **more):
    """The command line with an image of the disk beneath the program alone: the launcher's files are its own business."""
    images.mkdir(parents=True, exist_ok=True)
    variables = {**holon.preload(shim), "HOLON_DISK_OF": folder, "HOLON_DISK_IMAGE": images, **more}
    at = command.index(str(holon.BIN / "holon-md"))
    return [*command[:at], "env", *(f"{name}={value}" for name, value in variables.items()), *command[at:]]


class Cut:
    """A run that is killed after `rows` of energies and a few syncs, with what the disk had at its last syncs (`old`)
    and what had been written (`new`)."""

    def __init__(self, work, shim, arguments, ranks, rows, **settings):
        self.folder, images = work / "cut", work / "images"
        for folder in (self.folder, images):
            shutil.rmtree(folder, ignore_errors=True)
        words = [*arguments, "-o", self.folder, *holon.options(settings)]
        command = on_disk_of(self.folder, images, shim, holon.command_line("holon-md", words, ranks))
        launcher = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        energies, synced = self.folder / "energy.csv", set()
        # Twice more since rows were first synced: a state that goes with them has been, too.
        while not energies.exists() or energies.read_bytes().count(b"\n") <= rows or len(synced) < 3:
            if (images / "energy.csv").exists() and (images / "energy.csv").read_bytes().count(b"\n") > 1:
                synced.add((images / "energy.csv").stat().st_size)
            if launcher.poll() is not None:
                raise holon.RunError(f"the run has ended by itself, with {launcher.returncode}")
            time.sleep(0.001)
        holon.kill_ranks(launcher)
        launcher.wait()
        self.names = [path.name for path in images.iterdir() if (self.folder / path.name).exists()]
        self.old = {name: (images / name).read_bytes() for name in self.names}
        self.new = {name: (self.folder / name).read_bytes() for name in self.names}

    def leave(self, folder, rng):
        """One of the ways in which the files may be on disk."""
        self.put(folder, {name: mixed(self.old[name], self.new[name], rng) for name in self.names})

    def leave_without_frames(self, folder):
        """Everything is on disk but the positions of the frames that the trajectory has gained since it was synced."""
        name = trajectory_of(self.folder).name
        with h5py.File(self.folder / name) as file:
            positions = next(iter(file["particles"].values()))["position/value"]
            begin, size = positions.id.get_offset(), positions.nbytes
        old = self.old[name][begin : begin + size].ljust(size, b"\0")
        lost = self.new[name][:begin] + old + self.new[name][begin + size :]
        self.put(folder, {**self.new, name: lost})
        return lost != self.new[name]

    def put(self, folder, files):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        restart_machine(folder / "checkpoint.h5")


def restart_machine(checkpoint):
    """Has the commit records say that they were written before the machine was started this time."""
    file = hostile.File(checkpoint.read_bytes())
    for slot in range(file.slots()):
        for rank in range(file.get("rank_capacity")):
            file.change_boot(slot, rank)
    checkpoint.write_bytes(file.data)


def mixed(old, new, rng):
    """Pages and length of either; what a length has gained before its pages have come is zeros."""
    share = rng.choice((0.0, 0.05, 0.5, 0.95, 0.995, 1.0, 1.0, 1.0))
    any_length = rng.randint(min(len(old), len(new)), max(len(old), len(new)))
    length = rng.choice((len(old), any_length, len(new), len(new)))
    pages = []
    for at in range(0, length, PAGE):
        page = (new if rng.random() < share else old)[at : at + PAGE]
        pages.append(page.ljust(min(PAGE, length - at), b"\0")[: length - at])
    return b"".join(pages)


def trajectory_of(folder):
    return next(folder.glob("trajectory.*"))


def judge(cut, work, whole, ranks, rng, outcome):
    """Goes on from what a power cut left, to the end: everything must be as in the run that nothing happened to."""
    folder = work / "left"
    cut.leave(folder, rng)
    go_on(folder, whole, ranks, outcome)


def go_on(folder, whole, ranks, outcome):
    last = whole.summary["end_step"]
    result = holon.call("holon-md", ["--restart", folder / "checkpoint.h5", "--nsteps", last], ranks, folder=folder)
    if result.status == holon.BAD_INPUT and len(holon.messages(result.stderr)) == 1:
        outcome.refused.append(result.stderr.strip())
        return
    problem = ""
    if result.status != holon.FINISHED:
        problem = f"status {result.status}: {result.stderr[-500:]}"
    elif result.state_hash != whole.state_hash:
        problem = f"another state, from step {result.summary['start_step']}"
    elif (folder / "energy.csv").read_bytes() != (whole.folder / "energy.csv").read_bytes():
        problem = "other energies"
    else:
        compared = holon.call("holon-inspect", [trajectory_of(folder), trajectory_of(whole.folder)])
        problem = compared.stdout if compared.status != holon.FINISHED else ""
    if problem:
        outcome.wrong.append(f"from step {result.summary['start_step']}: {problem}")
    else:
        outcome.states += 1
        outcome.lost = max(outcome.lost, last - result.summary["start_step"])


def cut_many(work, arguments, rng, cuts, subsets, **settings):
    """The Outcome of so many cuts, each with so many subsets of pages that got to the disk."""
    outcome = Outcome()
    shim = build_shim(work)
    settings = {"nstxout_compressed": 5, "nstenergy": 5, "nstlog": 10, **settings}
    for k in range(cuts):
        how = {"nsteps": 4000, "checkpoint_sync": 0.05, "checkpoint_mapping": ("yes", "no")[k % 2]}
        cut = Cut(work, shim, arguments, 1 + k % 3, rng.randint(2, 60), **settings, **how)
        last = 10 + reached_step(cut.folder / "checkpoint.h5")
        shutil.rmtree(work / "whole", ignore_errors=True)
        whole = holon.run(work / "whole", arguments, 1, nsteps=last, **settings)
        if cut.leave_without_frames(work / "left"):
            go_on(work / "left", whole, 0, outcome)
        for _ in range(subsets):
            judge(cut, work, whole, 0, rng, outcome)
    return outcome
