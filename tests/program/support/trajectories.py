"""Reads trajectory.h5md and energy.csv as a user would."""

import csv

import h5py
import numpy


def steps(path):
    """Steps of the frames of a trajectory. Opens the file, so raises OSError if it is broken."""
    with h5py.File(path) as file:
        return list(file["particles/trajectory/position/step"][()])


def frames(path, field="position"):
    """Steps and values [frame][atom][xyz] of a field of a trajectory."""
    with h5py.File(path) as file:
        (group,) = (particles[field] for particles in file["particles"].values() if field in particles)
        return list(group["step"][()]), group["value"][()]


def forces(path):
    """Forces [atom][xyz] of the first frame [kJ/mol/nm]."""
    return frames(path, "force")[1][0]


def masses(path):
    with h5py.File(path) as file:
        return file["particles/trajectory/mass"][()]


def differing_frames(path, reference):
    """What distinguishes two trajectories that should be the same, as text; empty if nothing."""
    (steps_a, values_a), (steps_b, values_b) = frames(path), frames(reference)
    if steps_a != steps_b:
        return f"steps {steps_a} instead of {steps_b}"
    different = [step for step, a, b in zip(steps_a, values_a, values_b) if not numpy.array_equal(a, b)]
    return f"frames of steps {different} differ" if different else ""


def energies(path):
    """Columns of an energy.csv as arrays: {"step": ..., "time_ps": ..., "kinetic": ...}."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return {name: numpy.array([float(row[k]) for row in rows[1:]]) for k, name in enumerate(rows[0])}


def logged_steps(path):
    """Steps of the tables of energies in an md.log."""
    lines = path.read_text().splitlines()
    return [int(after.split()[0]) for line, after in zip(lines, lines[1:]) if line.split() == ["step", "time", "/", "ps"]]


def newest_velocities(path):
    """Of the newest state of a checkpoint of a run that has ended: [atom][xyz], in units of 2^-44 nm/ps, by id."""
    with h5py.File(path) as file:
        slots = []
        for slot in file["slots"].values():
            commits = slot["commits"][()]
            commits = commits[: commits[0]["ranks"]]
            if len(commits) and len(set(commits["step"])) == 1 and commits["atoms"].sum() == file.attrs["atoms"]:
                slots.append((int(commits[0]["step"]), slot, commits))
        _, slot, commits = max(slots, key=lambda slot: slot[0])
        rows = numpy.concatenate([numpy.arange(c["first_row"], c["first_row"] + c["atoms"]) for c in commits])
        return slot["velocity"][:][rows[numpy.argsort(slot["identity"]["id"][rows])]]
