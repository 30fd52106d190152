"""Item 1: killed in every way at any moment, and nothing is lost. In pieces of a few minutes."""

from support import chaos
from support import holon_runner as holon


def case(name, steps, kills, seed, longest):
    def run(report):
        tally = chaos.kill_runs(report.work, holon.input_files(holon.INPUTS / name), steps, kills, seed, longest)
        report.at_least("kills survived", tally.kills, kills)
        report.note("by way", ", ".join(f"{way} {count}" for way, count in sorted(tally.ways.items())))
        report.note("during creation or restart", tally.early)
        report.note("runs that ended with the right bits", tally.chains)
        report.at_most("steps lost at most", tally.most_lost, chaos.IN_FLIGHT)
        report.note("asked to stop while running", tally.asked)
        report.note("of these stopped within the second", tally.stopped)
        report.note("starts refused while others were dying", tally.refused)

    run.__doc__ = f"chaos: {name}, {kills} kills, seed {seed}"
    return run


CASES = {
    **{f"1.water-{seed}": case("spce", 2000, 40, seed, 1.0) for seed in range(1, 5)},
    **{f"1.lysozyme-{seed}": case("lysozyme", 200, 10, seed, 3.0) for seed in range(1, 5)},
}
