"""Item 8: what coupling the pressure costs."""

import math
import statistics

from support import holon_runner as holon

QUIET = {"nstxout_compressed": 0, "nstenergy": 0, "nstlog": 0}
PME = {"coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9, "constraints": "h-bonds"}
SYSTEM = holon.SHARED_SYSTEMS / "lysozyme"
PRESSURE = {"pcoupl": "C-rescale", "tau_p": 2, "ref_p": 1, "compressibility": 4.5e-5, "nstpcouple": 10}


TURNS, STEPS = 25, 240


def cost(report):
    """lysozyme in water on 2 ranks, md: seconds per step with pcoupl = C-rescale, nstpcouple = 10, over those without"""
    files = holon.input_files(SYSTEM if SYSTEM.exists() else holon.INPUTS / "lysozyme")
    kinds = {"without": {}, "with": PRESSURE}
    per_step = {kind: [] for kind in kinds}
    # The machine drifts by more than what is to be seen: many short runs, in changing order.
    for turn in range(TURNS):
        for kind in kinds if turn % 2 == 0 else reversed(kinds):
            folder = report.work / f"{kind}-{turn}"
            result = holon.run(folder, files, 2, nsteps=STEPS, **QUIET, **PME, **kinds[kind])
            per_step[kind].append(result.summary["wall_s"] / result.steps)
    ratios = [b / a for a, b in zip(per_step["without"], per_step["with"])]
    report.note("milliseconds per step without", 1e3 * statistics.median(per_step["without"]))
    report.note("standard error of the mean of the ratios", statistics.stdev(ratios) / math.sqrt(TURNS))
    report.at_most("median of the ratios in turns", statistics.median(ratios), 1.01)


CASES = {"8": cost}
