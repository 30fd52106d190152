"""Item 4: with a mesh, the same bits on any number of ranks, any domain grid and after a restart."""

import bits
from support import holon_runner as holon
import restarts
from support import same_bits
from support import systems

WATER = holon.INPUTS / "spce"
# A small grid has fewer lines and planes than there are ranks.
MANY_RANKS = [(1, None), (16, None), (27, "3x3x3"), (64, None)]


def as_it_is(system, **settings):
    def run(report):
        bits.check(report, holon.input_files(holon.SHARED_SYSTEMS / system), same_bits.LAYOUTS, **settings)

    run.__doc__ = f"same bits: {system} with its md.mdp {' '.join(map(str, settings.values()))}"
    return run


def boxes(report):
    """same bits: water in a long box and in a skewed cell, mesh = esp and spme"""
    for name, rows in (("long", None), ("skewed", systems.SKEWED)):
        folder = report.work / name
        folder.mkdir()
        systems.replicate(WATER, folder, (2, 1, 1), rows)
        for mesh in ("esp", "spme"):
            settings = {"coulombtype": "PME", "mesh": mesh, "nsteps": 20}
            found = same_bits.hashes(folder / mesh, holon.input_files(folder), **settings)
            for layout, state_hash in found.items():
                report.check(f"{name}, {mesh}: hash on {layout} ranks", state_hash == found["1"], state_hash)


def many_ranks(report):
    """same bits: a small system on up to 64 ranks"""
    files = holon.input_files(WATER)
    found = same_bits.hashes(report.work, files, MANY_RANKS, coulombtype="PME", nsteps=5, timeout=1800)
    for layout, state_hash in found.items():
        report.check(f"hash on {layout} ranks", state_hash == found["1"], state_hash)


def restart(report):
    """same bits: lysozyme with its md.mdp, 100 steps on 2 ranks, 100 more on 3"""
    files = holon.input_files(holon.SHARED_SYSTEMS / "lysozyme")
    whole = holon.run(report.work / "whole", files, 2, nsteps=bits.STEPS, **restarts.OUTPUT)
    restarts.compare(report, same_bits.split_run(report.work / "split", files, bits.STEPS, **restarts.OUTPUT), whole)


CASES = {
    "4.lysozyme": as_it_is("lysozyme"),
    "4.lysozyme-spme": as_it_is("lysozyme", mesh="spme"),
    "4.water-double": as_it_is("spce-3852", precision="double", integrator="md-vv"),
    "4.boxes": boxes,
    "4.many-ranks": many_ranks,
    "4.restart": restart,
}
