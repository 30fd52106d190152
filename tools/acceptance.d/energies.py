"""Item 4: energies, forces and the virial of single points."""

import gromacs
from support import holon_runner as holon
from support import references

SYSTEMS = ["spce-3852", "spce-23262", "dhfr", "lysozyme"]


def compare(report, expected, folder, limits=references.LIMITS, **settings):
    """Logs the errors of the single point of an input folder in both precisions."""
    arguments = holon.input_files(folder)
    for precision, (energy_limit, force_limit) in limits.items():
        found = references.single_point(report.work / f"run-{precision}", arguments, precision=precision, **settings)
        relative = references.errors(found, expected, folder / "conf.gro")
        error, term = references.worst(relative)
        report.at_most(f"{precision}: worst energy term ({term})", error, energy_limit)
        report.at_most(f"{precision}: forces, relative rms", relative["forces"], force_limit)
        report.note(f"{precision}: forces with atoms tied at the cutoff", relative["forces, all"])
        report.note(f"{precision}: atoms tied at the cutoff", relative["tied atoms"])
        unknown = set(found[0]) - set(expected[0]) - {"kinetic", "conserved"}
        report.check(f"{precision}: terms that GROMACS has not", not unknown, " ".join(sorted(unknown)) or "none")


def shared(system):
    def run(report):
        folder = holon.SHARED_SYSTEMS / system
        expected = references.read_reference(folder / "reaction-field.h5")
        compare(report, expected, folder, **references.REACTION_FIELD)

    run.__doc__ = f"energies and forces: {system} against its reference"
    return run


def force_field(name):
    def run(report):
        gromacs.peptide(report.work, name)
        settings = {
            **references.SINGLE_POINT,
            **references.REACTION_FIELD,
            "rcoulomb": 0.9,
            "rvdw": 0.9,
            "constraints": "h-bonds",
        }
        expected = gromacs.single_point(report.work, settings)
        (report.work / "md.mdp").write_text("; every key is given as an option\n")
        compare(report, expected, report.work, **settings)
        report.note("terms", " ".join(expected[0]))

    run.__doc__ = f"energies and forces: a peptide in {name} against gmx_d"
    return run


CASES = {f"4.{system}": shared(system) for system in SYSTEMS}
CASES |= {f"4.{name}": force_field(name) for name in ("charmm27", "oplsaa")}
