"""Item 1: speed on two ranks with a checkpoint every step, in turns with GROMACS; on a quiet machine."""

from support import holon_runner as holon
from in_turns import in_turns

LEAST, GOAL = 2.0, 2.6  # level with GROMACS for AVX-512, which gmx_mpi of Debian is not


def case(system, rounds=5, seconds=20):
    def run(report):
        in_turns(report, holon.SHARED_SYSTEMS / system, {}, LEAST, rounds, seconds, goal=GOAL)

    run.__doc__ = f"speed: {system} as it is on 2 ranks, in turns with gmx_mpi, {rounds} rounds of {seconds} s"
    return run


CASES = {f"1.{system}": case(system) for system in ("dhfr", "lysozyme", "spce-23262")}
