"""Long-range electrostatics by a mesh: as accurate as asked, bit-identical, and cheap."""

import mesh_bits
import mesh_drift
import mesh_energies
import mesh_errors
import mesh_nist
import mesh_speed
import mesh_virial

CASES = {
    name: case
    for part in (mesh_energies, mesh_errors, mesh_nist, mesh_bits, mesh_virial, mesh_drift, mesh_speed)
    for name, case in part.CASES.items()
}
