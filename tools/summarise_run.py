#!/usr/bin/env python3
"""Prints a run's energies, speed and files: tools/summarise_run.py FOLDER"""

import json
import pathlib
import sys

FILES = {
    "md.log": "the account of the run",
    "energy.csv": "energies, temperature and pressure",
    "trajectory.h5md": "the trajectory (H5MD: MDAnalysis, h5py)",
    "confout.gro": "the last coordinates and velocities",
    "checkpoint.h5": "continue with: mpirun -n 2 holon-md --restart {folder}/checkpoint.h5 --nsteps N",
    "summary.json": "the figures above, for scripts",
}


def main(folder):
    summary = json.loads((folder / "summary.json").read_text())
    first, last = summary["initial"], summary["final"]
    print(f"\n{'':24}{'step ' + str(first['step']):>16}{'step ' + str(last['step']):>16}")
    for term, value in last["energies_kJ_per_mol"].items():
        print(f"{term:24}{first['energies_kJ_per_mol'][term]:16.3f}{value:16.3f}  kJ/mol")
    print(f"{'temperature':24}{first['temperature_K']:16.3f}{last['temperature_K']:16.3f}  K")
    print(f"{'pressure':24}{first['pressure_bar']:16.3f}{last['pressure_bar']:16.3f}  bar")
    steps = last["step"] - first["step"]
    print(
        f"\n{summary['atoms']} atoms, {summary['constraints']} constraints, {summary['ranks']} ranks: {steps} steps in "
        f"{summary['wall_s']:.1f} s, {summary['ns_per_day']:.3g} ns/day; state hash {summary['state_hash']}\n"
    )
    for name, meaning in FILES.items():
        if (folder / name).exists():
            print(f"{folder / name}: {meaning.format(folder=folder)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
