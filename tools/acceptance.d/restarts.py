"""Item 3: restart on another number of ranks, and after kill -9 at random moments."""

from support import holon_runner as holon
from support import same_bits
from support import trajectories

OUTPUT = {"nstxout_compressed": 10, "nstenergy": 10}


def compare(report, result, whole):
    """Logs whether a run that was interrupted is the same as one that was not."""
    report.check("state hash", result.state_hash == whole.state_hash, result.state_hash, f"= {whole.state_hash[:8]}...")
    problem = trajectories.differing_frames(result.folder / "trajectory.h5md", whole.folder / "trajectory.h5md")
    report.check("trajectory: each frame once, same values", not problem, problem or "same")
    energies, expected = (trajectories.energies(run.folder / "energy.csv") for run in (result, whole))
    same = all(list(energies[name]) == list(column) for name, column in expected.items())
    report.check("energy.csv: each row once, same values", same, "same" if same else "differs")


def split(name):
    def run(report):
        arguments = holon.input_files(holon.INPUTS / name)
        whole = holon.run(report.work / "whole", arguments, 2, nsteps=200, **OUTPUT)
        compare(report, same_bits.split_run(report.work / "split", arguments, 200, **OUTPUT), whole)

    run.__doc__ = f"restart: {name}, 100 steps on 2 ranks, 100 more on 3"
    return run


def killed(name, steps, kills):
    def run(report):
        arguments = holon.input_files(holon.INPUTS / name)
        whole = holon.run(report.work / "whole", arguments, 2, nsteps=steps, timeout=3600, **OUTPUT)
        longest = 0.8 * whole.summary["wall_s"] / kills
        result = same_bits.killed_run(report.work / "killed", arguments, steps, kills, longest=longest, **OUTPUT)
        report.note("steps left to the last start", result.steps)
        compare(report, result, whole)

    run.__doc__ = f"restart: {name}, every rank killed {kills} times at random moments of {steps} steps"
    return run


CASES = {
    "3.split-water": split("spce"),
    "3.split-lysozyme": split("lysozyme"),
    "3.killed-water": killed("spce", 3000, 10),
    "3.killed-lysozyme": killed("lysozyme", 400, 10),
}
