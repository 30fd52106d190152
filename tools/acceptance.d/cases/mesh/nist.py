"""Item 3: the water configurations of NIST, by the plain Ewald sum and by the default mesh."""

from support import holon_runner as holon
from support import nist
from support import references

# The sum with next to nothing left out, whatever the box: erfc(beta rc) and the last wave vectors at 1e-12.
CONVERGED = {"coulombtype": "Ewald", "ewald_beta": 0, "ewald_k_cutoff": 0, "ewald_rtol": 1e-12}


def published(number):
    def run(report):
        errors = nist.water_errors(report.work, number, 2)
        for component, error in errors.items():
            report.check(f"{component}: error / last of six digits", abs(error) <= 0.55, error, "<= 0.55")

    run.__doc__ = f"NIST: six energy components of water configuration {number}"
    return run


def mesh(number):
    def run(report):
        nist.write_water(number, report.work)
        files = holon.input_files(report.work)
        exact_energies, exact = references.single_point(report.work / "exact", files, **CONVERGED)
        for precision in ("mixed", "double"):
            settings = {"coulombtype": "PME", "precision": precision, "coulomb_modifier": "potential-shift"}
            found, forces = references.single_point(report.work / precision, files, **settings)
            difference = abs(found["potential"] / exact_energies["potential"] - 1)
            report.at_most(f"{precision}: relative rms force error", references.relative_rms(forces, exact), 4.7e-4)
            report.at_most(f"{precision}: relative error of the energy", difference, 1e-4)

    run.__doc__ = f"NIST: the default mesh against converged Ewald, water configuration {number}"
    return run


CASES = {f"3.components-{k}": published(k) for k in nist.CONFIGURATIONS}
CASES |= {f"3.mesh-{k}": mesh(k) for k in nist.CONFIGURATIONS}
