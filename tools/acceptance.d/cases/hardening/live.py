"""Item 1: states taken out of the checkpoint of a run that goes on are those of their labels."""

from support import holon_runner as holon
from support import live

# Branches, .gro files and restarts of each run: 204, 108 and 60 in all.
COUNTS = (17, 9, 5)
WRITERS = (1, 2, 4)
MOST_REFUSED = 0.05


def case(name, arguments_of, may_refuse=False, ranks=1):
    def run(report):
        outcomes = []
        arguments = arguments_of(report.work)
        for writers in WRITERS:
            outcome = live.take_many(report.work, arguments, writers, COUNTS)
            outcomes.append(outcome)
            report.note(f"written on {writers} ranks: states taken", len(outcome.taken))
        whole = live.Outcome(
            *(sum((getattr(o, part) for o in outcomes), []) for part in ("taken", "refused", "wrong"))
        )
        live.compare(report.work, arguments, whole, ranks)
        report.check("not the state of its label, or no clear refusal", not whole.wrong, "\n".join(whole.wrong) or 0, "= 0")
        share = len(whole.refused) / (len(WRITERS) * sum(COUNTS))
        if may_refuse:
            report.note("share of refusals", share)
        else:
            report.at_most("share of refusals", share, MOST_REFUSED)

    run.__doc__ = f"live: {name}: branches, .gro files, restarts on 1, 2 and 4 ranks while 1, 2 and 4 ranks write"
    return run


def inputs(name):
    return lambda work: holon.input_files(holon.INPUTS / name)


CASES = {
    "1.eight-atoms": case("8 atoms", lambda work: live.eight_atoms(work / "eight"), may_refuse=True),
    "1.argon": case("864 atoms", inputs("argon")),
    "1.spce": case("3,852 atoms", inputs("spce")),
    "1.lysozyme": case("33,876 atoms", inputs("lysozyme"), ranks=2),
}
