"""Items 2 and 5: checkpoints made to do harm, and what a power cut leaves of them."""

import random

from support import holon_runner as holon
from support import hostile
from support import power_cut


def inputs(name):
    return holon.input_files(holon.INPUTS / name)


def note(report, kind, outcome):
    report.note(f"{kind}: went on from a state", outcome.states)
    report.note(f"{kind}: refused with a message", outcome.errors)
    report.check(f"{kind}: anything else", not outcome.wrong, "\n".join(outcome.wrong) or 0, "= 0")


def edited(report):
    """hostile checkpoints: other types, shapes, links and objects, written by the HDF5 library; older formats"""
    victim = hostile.Victim(report.work, inputs("argon"))
    outcome = hostile.Outcome()
    for what, change in hostile.hdf5_edits(report.work).items():
        victim.judge(outcome, what, victim.edited(change).data, same_states=False)
    note(report, "edits", outcome)
    outcome = hostile.Outcome()
    hostile.older_layouts(victim, outcome)
    note(report, "older formats", outcome)


def values(report):
    """hostile checkpoints: any value in directory, records and rows, with right checksums; slots exchanged"""
    victim = hostile.Victim(report.work, inputs("argon"))
    for make in (hostile.swapped_slots, hostile.directory_values, hostile.record_values, hostile.row_values):
        outcome = hostile.Outcome()
        make(victim, outcome, random.Random(1), 100)
        note(report, make.__name__.replace("_", " "), outcome)


def metadata(report):
    """hostile checkpoints: 500 with fuzzed HDF5 metadata and right checksums"""
    victim = hostile.Victim(report.work, inputs("argon"))
    outcome = hostile.Outcome()
    hostile.fuzzed_metadata(victim, outcome, random.Random(1), 500)
    note(report, "fuzzed metadata", outcome)


def huge(report):
    """hostile checkpoints: billions of atoms and millions of ranks in files of holes"""
    victim = hostile.Victim(report.work, inputs("argon"))
    outcome = hostile.Outcome()
    hostile.huge(victim, outcome)
    hostile.huge(victim, outcome, atoms=1000, ranks=2**25)
    note(report, "huge", outcome)


def cut(name, seed):
    def run(report):
        outcome = power_cut.cut_many(report.work, inputs(name), random.Random(seed), 10, 25)
        report.note("went on from a state", outcome.states)
        report.check("refused", not outcome.refused, "\n".join(outcome.refused) or 0, "= 0")
        report.check("wrong states or files", not outcome.wrong, "\n".join(outcome.wrong) or 0, "= 0")

    run.__doc__ = f"power cut: {name}: 250 subsets of the pages and lengths not synced, 10 cuts"
    return run


CASES = {
    "2.hostile-edited": edited,
    "2.hostile-values": values,
    "2.hostile-metadata": metadata,
    "2.hostile-huge": huge,
    "5.argon": cut("argon", 1),
    "5.spce": cut("spce", 2),
}
