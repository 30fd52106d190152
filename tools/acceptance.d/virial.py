"""Item 4: the virial without constraint forces against finite differences of the energy under strain.

A homogeneous strain x -> x (1 + e) of atoms and box changes the energy by dU = sum_ij W_ij e_ij with
W = -sum x (x) f, so the virial -1/2 sum x (x) f is half the derivative of U. Box matrices have to stay lower
triangular, and the virial is symmetric: the six strains e_ij, i >= j, suffice.
"""

import numpy

import gromacs
from support import holon_runner as holon
from support import systems

STRAIN = 2e-5
SETTINGS = {
    "nsteps": 0,
    "integrator": "md-vv",
    "continuation": "yes",
    "tcoupl": "no",
    "constraints": "none",
    "precision": "double",
    "nstxout_compressed": 0,
    "checkpoint_interval": 0,
}
SMOOTH = {"coulombtype": "reaction-field", "epsilon_rf": 0, "rcoulomb": 0.9, "rvdw": 0.9, "rvdw_switch": 0.75}


def summary(folder, files, **settings):
    return holon.run(folder, files, 2, **SETTINGS, **settings).summary["initial"]


def strained_energy(work, conf, topology, strain, **settings):
    """Potential energy [kJ/mol] of a system under a strain matrix."""
    title, labels, positions, _, box = conf
    deform = numpy.eye(3) + strain
    systems.write_gro(work / "strained.gro", title, labels, positions @ deform, None, box @ deform, decimals=14)
    files = ["-f", work / "empty.mdp", "-c", work / "strained.gro", "-p", topology]
    return summary(work / "strained", [*files, "--overwrite"], **settings)["energies_kJ_per_mol"]["potential"]


def check(report, conf_path, topology, size=STRAIN, **settings):
    """Logs the largest difference between virial and finite differences, relative to the virial's largest element."""
    (report.work / "empty.mdp").write_text("; every key is given as an option\n")
    conf = systems.read_gro(conf_path)
    virial = numpy.array(
        summary(report.work / "as-is", ["-f", report.work / "empty.mdp", "-c", conf_path, "-p", topology], **settings)[
            "virial_kJ_per_mol"
        ]
    )
    worst = 0.0
    for i in range(3):
        for j in range(i + 1):
            unit = numpy.zeros((3, 3))
            unit[i, j] = 1.0
            energy = {
                k: strained_energy(report.work, conf, topology, k * size * unit, **settings) for k in (-2, -1, 1, 2)
            }
            slope = (8 * (energy[1] - energy[-1]) - (energy[2] - energy[-2])) / (12 * size)  # fourth order
            worst = max(worst, abs(slope / 2 - virial[i, j]), abs(slope / 2 - virial[j, i]))
    report.note("largest element of the virial", float(numpy.abs(virial).max()))
    report.at_most("largest error / largest element", float(worst / numpy.abs(virial).max()), 1e-6)


def argon(report):
    """virial: argon with dispersion correction, by finite differences"""
    folder = holon.INPUTS / "argon"
    check(
        report,
        folder / "conf.gro",
        folder / "topol.top",
        rvdw=0.9,
        rcoulomb=0.9,
        rvdw_switch=0.75,
        vdw_modifier="potential-switch",
        DispCorr="EnerPres",
    )


def peptide(force_field, modifier):
    def run(report):
        gromacs.peptide(report.work, force_field, ("-bt", "cubic", "-d", 0.6))  # a strained dodecahedron would be no reduced cell
        flexible = report.work / "flexible.top"
        flexible.write_text("#define FLEXIBLE\n" + (report.work / "topol.top").read_text())
        check(report, report.work / "conf.gro", flexible, **SMOOTH, vdw_modifier=modifier)

    run.__doc__ = f"virial: a peptide in flexible water, {force_field}, by finite differences"
    return run


CASES = {
    "4.virial-argon": argon,
    "4.virial-charmm27": peptide("charmm27", "force-switch"),
    "4.virial-oplsaa": peptide("oplsaa", "potential-switch"),
}
