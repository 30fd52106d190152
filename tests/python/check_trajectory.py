#!/usr/bin/python3
"""Opens trajectories as a user would, with h5py and, if it is there, MDAnalysis, and checks that they follow H5MD 1.1.

    check_trajectory.py FILE...

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

UNITS = {"position": "nm", "velocity": "nm ps-1", "force": "kJ mol-1 nm-1"}


def check_structure(file):
    """What H5MD and its readers ask for. Returns the number of frames."""
    assert list(file["h5md"].attrs["version"]) == [1, 1]
    assert file["h5md/author"].attrs["name"] and file["h5md/creator"].attrs["name"]
    assert list(file["h5md/modules/units"].attrs["version"]) == [1, 0]
    particles = file["particles/trajectory"]
    assert particles["box"].attrs["dimension"] == 3
    assert list(particles["box"].attrs["boundary"]) == [b"periodic"] * 3
    step, time = particles["position/step"], particles["position/time"]
    assert time.attrs["unit"] == "ps"
    frames, atoms = particles["position/value"].shape[:2]
    assert particles["box/edges/value"].shape == (frames, 3, 3)
    assert step.shape == time.shape == (frames,)
    assert numpy.all(numpy.diff(step[()]) > 0)
    for name in ["box/edges", "velocity", "force"]:
        if name in particles:
            assert particles[name]["step"] == step and particles[name]["time"] == time, f"{name}: not linked"
    for name, unit in UNITS.items():
        if name in particles:
            assert particles[name]["value"].shape == (frames, atoms, 3), name
            assert particles[name]["value"].attrs["unit"] == unit
            assert numpy.all(numpy.isfinite(particles[name]["value"][()])), name
    for name in ["mass", "charge", "species"]:
        assert name not in particles or particles[name].shape == (atoms,), name
    if "connectivity/bonds" in file:
        bonds = file["connectivity/bonds"]
        assert file[bonds.attrs["particles_group"]].name == "/particles/trajectory"
        assert bonds.shape[1] == 2 and bonds[()].min() >= 0 and bonds[()].max() < atoms
    return frames, atoms


def check_with_mdanalysis(path, frames, atoms):
    """Every frame comes out as it stands in the file, in MDAnalysis' units (1 nm = 10 A)."""
    universe = MDAnalysis.Universe.empty(atoms, trajectory=True, velocities=True, forces=True)
    universe.load_new(path, format="H5MD")
    assert len(universe.trajectory) == frames
    with h5py.File(path) as file:
        particles = file["particles/trajectory"]
        for k, frame in enumerate(universe.trajectory):
            assert numpy.allclose(frame.positions, 10 * particles["position/value"][k], rtol=1e-6, atol=1e-5)
            assert numpy.isclose(frame.time, particles["position/time"][k])
            edges = particles["box/edges/value"][k]
            assert numpy.allclose(frame.dimensions[:3], 10 * numpy.linalg.norm(edges, axis=1), rtol=1e-5)
            if "velocity" in particles:
                assert numpy.allclose(frame.velocities, 10 * particles["velocity/value"][k], rtol=1e-5, atol=1e-5)
            if "force" in particles:
                assert numpy.allclose(frame.forces, particles["force/value"][k] / 10, rtol=1e-5, atol=1e-4)


def main(paths):
    for path in paths:
        with h5py.File(path) as file:
            frames, atoms = check_structure(file)
        if MDAnalysis is not None and frames:
            check_with_mdanalysis(path, frames, atoms)
        print(f"{path}: {frames} frames of {atoms} atoms, MDAnalysis {'yes' if MDAnalysis else 'no'}")


if __name__ == "__main__":
    main(sys.argv[1:])
