"""Item 6: energy conservation with the default mesh."""

from support import holon_runner as holon
import physics


def drift(report):
    """NVE: drift of the conserved energy of spce-3852 over 400 ps; goes on where it was stopped"""
    files = holon.input_files(holon.SHARED_SYSTEMS / "spce-3852")
    physics.check_drift(report, files, 2e-5, integrator="md-vv", tcoupl="no")


drift.keeps_its_folder = True

CASES = {"6.nve-drift": drift}
