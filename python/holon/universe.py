"""Trajectories and states as Universes of MDAnalysis, with all that trajectory.h5md knows about the atoms."""

import pathlib
import warnings
from typing import Any

import h5py
import numpy

from .errors import HolonError, missing_library
from .table import Array

A_PER_NM = 10.0
MOST_REPARTITIONED = 8.0  # u by which mass repartitioning may change an atom: CH3 gives 6


def load_mdanalysis() -> Any:
    try:
        with warnings.catch_warnings(record=True):  # of its own making; it changes the filters
            import MDAnalysis
    except ImportError:
        raise missing_library("MDAnalysis", "python3-mdanalysis", "for trajectories") from None
    return MDAnalysis


def trajectory_universe(path: pathlib.Path) -> Any:
    """The frames of a trajectory.h5md. HolonError if it has none."""
    with _open(path) as file:
        frames = len(file["particles/trajectory/position/value"])
        universe = topology_universe(file)
    if frames == 0:
        raise HolonError(f"{path}: no frames: set nstxout or nstxout-compressed, or take source='checkpoint'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        universe.load_new(str(path), format="H5MD", convert_units=True)
    return universe


def state_universe(path: pathlib.Path, positions: Array, velocities: Array, box: Array, time_ps: float) -> Any:
    """A single frame: positions and velocities [atom][xyz] in nm and nm/ps, box vectors by row in nm; atoms as in the
    trajectory.h5md at `path`."""
    mda = load_mdanalysis()
    with _open(path) as file:
        universe = topology_universe(file)
    universe.load_new(
        (A_PER_NM * positions[None]).astype(numpy.float32),
        velocities=(A_PER_NM * velocities[None]).astype(numpy.float32),
        dimensions=mda.lib.mdamath.triclinic_box(*(A_PER_NM * box)),
        order="fac",
    )
    universe.trajectory.ts.data["time"] = time_ps
    return universe


def frame_times(trajectory: Any) -> list[float]:
    """Times of the frames of a trajectory_universe() or state_universe() [ps], without reading the frames."""
    if not isinstance(trajectory.filename, str):
        return [float(trajectory.time)]
    with _open(pathlib.Path(trajectory.filename)) as file:
        times = file["particles/trajectory/position/time"][: len(trajectory)]
    return [float(time) for time in times]


def _open(path: pathlib.Path) -> Any:
    try:
        file = h5py.File(path, "r")
    except FileNotFoundError:
        raise HolonError(
            f"{path}: not there: the run writes no trajectory, which has the names of the atoms, too: set "
            "nstxout-compressed, in a restart as well"
        ) from None
    except OSError as error:
        raise HolonError(f"{path}: cannot read the trajectory: {error}") from None
    if "particles/trajectory/position" not in file:
        file.close()
        raise HolonError(f"{path}: not a trajectory of Holon: particles/trajectory/position is missing")
    return file


def topology_universe(file: Any) -> Any:
    """A Universe without frames: names, types, elements, masses, charges, residues and bonds of an open
    trajectory.h5md."""
    mda = load_mdanalysis()
    particles = file["particles/trajectory"]
    atoms = particles["position/value"].shape[1]
    structure = file.get("parameters/vmd_structure", {})
    residue = structure["resid"][()] if "resid" in structure else numpy.zeros(atoms, int)
    residues = int(residue.max()) + 1 if atoms else 0
    universe = mda.Universe.empty(
        atoms, residues, atom_resindex=residue, residue_segindex=[0] * residues, trajectory=False
    )
    universe.add_TopologyAttr("ids", numpy.arange(1, atoms + 1))
    names = structure["resname"].asstr()[()] if "resname" in structure else ["MOL"] * residues
    universe.add_TopologyAttr("resnames", [str(name) for name in names])
    universe.add_TopologyAttr("resids", numpy.arange(1, residues + 1))
    universe.add_TopologyAttr("resnums", numpy.arange(1, residues + 1))
    universe.add_TopologyAttr("segids", ["SYSTEM"])
    masses = particles["mass"][()] if "mass" in particles else numpy.zeros(atoms)
    universe.add_TopologyAttr("masses", masses)
    if "charge" in particles:
        universe.add_TopologyAttr("charges", particles["charge"][()])
    species = particles["species"][()]
    elements = _elements(mda, species, masses)
    if elements is not None:
        universe.add_TopologyAttr("elements", elements)
    types = [str(kind) for kind in species] if elements is None else elements
    universe.add_TopologyAttr("types", types)
    given = particles["name"].asstr()[()] if "name" in particles else types
    universe.add_TopologyAttr("names", [str(name) for name in given])
    bonds = file["connectivity/bonds"][()] if "connectivity/bonds" in file else numpy.empty((0, 2), int)
    universe.add_TopologyAttr("bonds", [tuple(pair) for pair in bonds.tolist()])
    return universe


def _elements(mda: Any, species: Any, masses: Array) -> list[str] | None:
    """Symbols of the elements [atom], empty for sites without mass; None where species are no atomic numbers, which
    the masses tell."""
    symbols = {number: symbol for symbol, number in mda.topology.tables.SYMB2Z.items()}
    symbols[0] = ""
    mass_of = {symbol.upper(): mass for symbol, mass in mda.topology.tables.masses.items()}
    for number in numpy.unique(species):
        if int(number) not in symbols:
            return None
        expected = mass_of.get(symbols[int(number)].upper(), 0.0)
        if abs(float(numpy.median(masses[species == number])) - expected) > MOST_REPARTITIONED:
            return None
    return [symbols[int(number)] for number in species]
