"""Item 8: speed, memory and start."""

import time

from support import holon_runner as holon
import measure
from support import references
from support import systems
from in_turns import in_turns


def versus_gromacs(report, rounds=3, seconds=10):
    """speed: dhfr with reaction field on 2 ranks, in turns with gmx_mpi"""
    in_turns(report, holon.SHARED_SYSTEMS / "dhfr", references.REACTION_FIELD, 0.2, rounds, seconds)


def peak_memory(folder, arguments, ranks, **settings):
    """Peak resident memory of each rank [MB]."""
    folder.mkdir(parents=True)
    words = [holon.BIN / "holon-md", *arguments, "-o", folder / "run", *holon.options(settings)]
    return [peak / 1024 for peak in measure.launch(folder / "peak", ranks, *words)]


def memory(report):
    """memory per rank falls as ranks are added: 104,004 atoms of water"""
    systems.replicate(holon.INPUTS / "spce", report.work, (3, 3, 3))
    worst = {}
    for ranks in (1, 2, 4, 8):
        worst[ranks] = max(peak_memory(report.work / f"np{ranks}", holon.input_files(report.work), ranks, nsteps=10))
        report.note(f"largest rank of {ranks} [MB]", worst[ranks])
    for few, many in ((1, 2), (2, 4), (4, 8)):
        report.check(f"falls from {few} to {many} ranks", worst[many] < worst[few], worst[many] / worst[few], "< 1")


def million(report):
    """start: more than a million atoms of water on 2 ranks, first step within a minute"""
    systems.replicate(holon.INPUTS / "spce", report.work, (6, 6, 8))
    arguments = holon.input_files(report.work)
    began = time.monotonic()
    result = holon.run(report.work / "run", arguments, 2, nsteps=0, nstxout_compressed=0)
    report.note("atoms", result.summary["atoms"])
    report.at_most("from the command to the end of step 0 [s]", time.monotonic() - began, 60)


CASES = {"8.speed": versus_gromacs, "8.memory": memory, "8.million": million}
