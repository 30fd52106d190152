"""Item 2: the speed is not bought with errors. The cases are those of the mesh's list."""

from cases.mesh import drift as mesh_drift
from cases.mesh import errors as mesh_errors


def drift(report):
    """NVE: drift of the conserved energy of spce-3852 over 400 ps; goes on with the run of `mesh 6`"""
    report.work = report.work.parents[1] / "mesh" / "6.nve-drift"
    report.work.mkdir(parents=True, exist_ok=True)
    mesh_drift.drift(report)


CASES = {f"2.force-error-{name.partition('-')[2]}": case for name, case in mesh_errors.CASES.items() if "default" in name}
CASES |= {"2.nve-drift": drift}
