"""Item 6: load balancing, of systems that leave some domains empty."""

from support import holon_runner as holon
import numpy
from support import systems

SETTINGS = {"coulombtype": "PME", "nstxout_compressed": 0, "nstenergy": 0, "checkpoint_interval": 100}


def beside_vacuum(target, factors):
    """23,112 atoms of water in a box `factors` times as wide along each axis."""
    systems.replicate(holon.INPUTS / "spce", target, (2, 3, 1))
    title, labels, positions, velocities, box = systems.read_gro(target / "conf.gro")
    old = numpy.diag(box)
    for first in range(0, len(positions), 3):  # molecules that the old boundary cut are whole
        molecule = positions[first : first + 3]
        molecule -= old * numpy.round((molecule - molecule[0]) / old)
    systems.write_gro(target / "conf.gro", title, labels, positions, velocities, box * numpy.array(factors)[:, None])


def case(name, factors, domains, steps=300):
    def run(report):
        beside_vacuum(report.work, factors)
        found = {}
        for dlb in ("no", "auto"):
            result = holon.run(
                report.work / dlb, holon.input_files(report.work), 4, nsteps=steps, dlb=dlb, domains=domains, **SETTINGS
            )
            found[dlb] = result.state_hash
            load = result.summary["load_balance"]
            for when in ("first", "last", "mean"):
                report.note(f"dlb = {dlb}: most over mean, {when}", 1.0 + load[f"imbalance_{when}"])
            report.note(f"dlb = {dlb}: moves", load["moves"])
        report.check("same state hash", found["no"] == found["auto"], found["auto"])
        report.at_most("imbalance after", load["imbalance_last"], 0.15)

    run.__doc__ = f"load balance: {name} on 4 ranks, {domains}"
    return run


CASES = {
    "6.slab-1x1x4": case("a slab of water beside vacuum", (1, 1, 3), "1x1x4"),
    "6.slab-2x1x2": case("a slab of water beside vacuum", (1, 1, 3), "2x1x2"),
    "6.droplet-2x2x1": case("a block of water in vacuum", (2, 2, 2), "2x2x1"),
}
