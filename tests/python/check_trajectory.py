#!/usr/bin/python3
"""Opens trajectories as a user would, with h5py and, if it is there, MDAnalysis, and checks that they follow H5MD 1.1.

    check_trajectory.py [--structure CONF.GRO] FILE...

With a structure, MDAnalysis opens it and the file by their names alone, as in Universe("conf.gro", "trajectory.h5md").
Prints a line per file. Exit status: 0 all as they should be; 1 not so (what is wrong is on stderr); 77 without h5py.
"""

import sys
import warnings

try:
    import h5py
    import numpy
except ImportError:
    sys.exit(77)

try:
    warnings.simplefilter("ignore")
    import MDAnalysis
except ImportError:
    MDAnalysis = None

UNITS = {
    "position": "nm",
    "velocity": "nm ps-1",
    "force": "kJ mol-1 nm-1",
    "constraint_force": "kJ mol-1 nm-1",
}


def check_structure(file):
    """What H5MD and its readers ask for. Returns the number of frames."""
    assert list(file["h5md"].attrs["version"]) == [1, 1]
    assert file["h5md/author"].attrs["name"] and file["h5md/creator"].attrs["name"]
    assert list(file["h5md/modules/units"].attrs["version"]) == [1, 0]
    names = list(file["particles"])
    assert names[0] == "trajectory" and all(name.startswith("trajectory_") for name in names[1:]), names
    frames, atoms = file["particles/trajectory/position/value"].shape[:2]
    for name in names:
        check_series(file["particles"][name], atoms)
    elements = [element for name in names for element in file["particles"][name] if element in UNITS]
    assert len(elements) == len(set(elements)), elements
    particles = file["particles/trajectory"]
    for name in ["mass", "charge", "species", "name"]:
        assert name not in particles or particles[name].shape == (atoms,), name
    if "name" in particles:
        assert all(particles["name"].asstr()[()])
    structure = file["parameters/vmd_structure"]
    if "resid" in structure:
        assert structure["resid"].shape == (atoms,)
        assert structure["resid"][()].max() + 1 == len(structure["resname"])
    if "connectivity/bonds" in file:
        bonds = file["connectivity/bonds"]
        assert file[bonds.attrs["particles_group"]].name == "/particles/trajectory"
        assert bonds.shape[1] == 2 and bonds[()].min() >= 0 and bonds[()].max() < atoms
        assert numpy.array_equal(numpy.stack([structure["bond_from"], structure["bond_to"]], 1), bonds[()] + 1)
    return frames, atoms


def check_series(particles, atoms):
    """A group of elements that share their steps and times."""
    assert particles["box"].attrs["dimension"] == 3
    assert list(particles["box"].attrs["boundary"]) == [b"periodic"] * 3
    step, time = particles["box/edges/step"], particles["box/edges/time"]
    assert time.attrs["unit"] == "ps" and particles["box/edges/value"].attrs["unit"] == "nm"
    assert numpy.all(numpy.diff(step[()]) > 0)
    assert particles["box/edges/value"].shape == (len(step), 3, 3) and time.shape == step.shape
    for name, unit in UNITS.items():
        if name in particles:
            assert particles[name]["step"] == step and particles[name]["time"] == time, f"{name}: not linked"
            assert particles[name]["value"].shape == (len(step), atoms, 3), name
            assert particles[name]["value"].attrs["unit"] == unit
            assert numpy.all(numpy.isfinite(particles[name]["value"][()])), name


def open_universe(path, structure, atoms):
    """As a user opens it, who has a structure or has not."""
    if structure:
        return MDAnalysis.Universe(structure, path)
    universe = MDAnalysis.Universe.empty(atoms, trajectory=True, velocities=True, forces=True)
    return universe.load_new(path)


def check_with_mdanalysis(path, structure, frames, atoms):
    """Every frame comes out as it stands in the file, in MDAnalysis' units (1 nm = 10 A)."""
    universe = open_universe(path, structure, atoms)
    assert type(universe.trajectory).__name__ == "H5MDReader"
    assert len(universe.trajectory) == frames and len(universe.atoms) == atoms
    with h5py.File(path) as file:
        particles = file["particles/trajectory"]
        if structure and "name" in particles:
            assert list(universe.atoms.names) == list(particles["name"].asstr()[()])
        for k, frame in enumerate(universe.trajectory):
            assert numpy.allclose(frame.positions, 10 * particles["position/value"][k], rtol=1e-6, atol=1e-5)
            assert numpy.isclose(frame.time, particles["position/time"][k])
            edges = particles["box/edges/value"][k]
            assert numpy.allclose(frame.dimensions[:3], 10 * numpy.linalg.norm(edges, axis=1), rtol=1e-5)
            if "velocity" in particles:
                assert numpy.allclose(frame.velocities, 10 * particles["velocity/value"][k], rtol=1e-5, atol=1e-5)
            if "force" in particles:
                assert numpy.allclose(frame.forces, particles["force/value"][k] / 10, rtol=1e-5, atol=1e-4)


def main(arguments):
    structure = arguments[1] if arguments[0] == "--structure" else None
    for path in arguments[2:] if structure else arguments:
        with h5py.File(path) as file:
            frames, atoms = check_structure(file)
        if MDAnalysis is not None and frames:
            check_with_mdanalysis(path, structure, frames, atoms)
        print(f"{path}: {frames} frames of {atoms} atoms, MDAnalysis {'yes' if MDAnalysis else 'no'}")


if __name__ == "__main__":
    main(sys.argv[1:])
