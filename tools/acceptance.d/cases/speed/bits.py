"""Item 3: the same bits whatever makes the run fast: instruction set, ranks, threads, load balancing, skin."""

from support import holon_runner as holon
from support import same_bits

STEPS = 100


def variants():
    """Name, ranks, environment, settings; the first is what the others are compared with."""
    one_thread = {"OMP_NUM_THREADS": "1"}
    yield "1 rank", 1, one_thread, {}
    for ranks in range(2, 9):
        yield f"{ranks} ranks", ranks, one_thread, {}
    for name, environment in same_bits.instruction_sets().items():
        yield name, 2, {**one_thread, **environment}, {}
    for threads in (1, 2):
        for ranks in (1, 3):
            yield f"{ranks} x {threads} threads", ranks, {"OMP_NUM_THREADS": str(threads)}, {}
    for dlb in ("no", "yes"):
        for ranks in (2, 6):
            yield f"dlb = {dlb}, {ranks} ranks", ranks, one_thread, {"dlb": dlb}
    for skin in (0.04, 0.15, 0.5):
        yield f"skin = {skin} nm", 2, one_thread, {"skin": skin}
    mixed = {"HOLON_INSTRUCTION_SET": "baseline", "OMP_NUM_THREADS": "2"}
    yield "all at once", 5, mixed, {"dlb": "yes", "skin": 0.1}


def case(system, steps=STEPS):
    def run(report):
        files = holon.input_files(holon.SHARED_SYSTEMS / system)
        first = None
        for name, ranks, environment, settings in variants():
            folder = report.work / name.replace(" ", "-")
            result = holon.run(folder, files, ranks, timeout=1800, environment=environment, nsteps=steps, **settings)
            first = first or result.state_hash
            report.check(name, result.state_hash == first, result.state_hash, f"= {first[:8]}...")
            (folder / "checkpoint.h5").unlink()

    run.__doc__ = f"same bits: {system}, {steps} steps, every instruction set, 1 to 8 ranks, threads, dlb, skins"
    return run


CASES = {f"3.{system}": case(system) for system in ("dhfr", "lysozyme")}
