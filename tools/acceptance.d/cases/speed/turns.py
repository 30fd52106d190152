"""Item 1: speed on two ranks with a checkpoint every step, in turns with GROMACS; on a quiet machine."""

from support import holon_runner as holon
import measure
import standard
from in_turns import in_turns

# GROMACS for AVX-512, which gmx_mpi of Debian is not, is up to twice as fast as that.
LEAST, LEAST_ZEN_4, GOAL = 2.6, 2.3, 3.0
RATIOS = {"small": 2.2, "large": 2.3, "million": 2.6}


def least():
    """Of the ratio on this processor: Zen 4 does half as much 512-bit arithmetic a cycle."""
    return LEAST_ZEN_4 if measure.is_zen_4() else LEAST


def case(system, rounds=5, seconds=20):
    def run(report):
        in_turns(report, holon.SHARED_SYSTEMS / system, {}, least(), rounds, seconds, goal=GOAL)

    run.__doc__ = f"speed: {system} as it is on 2 ranks, in turns with gmx_mpi, {rounds} rounds of {seconds} s"
    return run


def of_size(name, rounds=3, seconds=10):
    def run(report):
        case = standard.CASES[name]
        folder = measure.water(report.work / case.water, case.water)
        in_turns(report, folder, measure.WATER_SETTINGS, RATIOS[name], rounds, seconds, errors=False)

    run.__doc__ = f"speed: {standard.CASES[name].about} on 2 ranks, in turns with gmx_mpi"
    return run


def with_settings(name, bound, rounds=3, seconds=10):
    def run(report):
        settings = standard.CASES[name].settings
        in_turns(report, holon.SHARED_SYSTEMS / "dhfr", settings, bound, rounds, seconds, errors=False)

    run.__doc__ = f"speed: {name}, dhfr on 2 ranks, in turns with gmx_mpi of the same precision"
    return run


CASES = {f"1.{system}": case(system) for system in ("dhfr", "lysozyme", "spce-23262")}
CASES |= {f"4.{name}": of_size(name) for name in RATIOS}
CASES |= {f"4.{name}": with_settings(name, 1.5) for name in ("reaction-field", "double")}
