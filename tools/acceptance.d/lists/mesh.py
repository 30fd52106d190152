"""Long-range electrostatics by a mesh: as accurate as asked, bit-identical, and cheap."""

from cases.mesh import bits as mesh_bits
from cases.mesh import drift as mesh_drift
from cases.mesh import energies as mesh_energies
from cases.mesh import errors as mesh_errors
from cases.mesh import nist as mesh_nist
from cases.mesh import speed as mesh_speed
from cases.mesh import virial as mesh_virial

CASES = {
    name: case
    for part in (mesh_energies, mesh_errors, mesh_nist, mesh_bits, mesh_virial, mesh_drift, mesh_speed)
    for name, case in part.CASES.items()
}
