"""Item 3: Edberg, Evans and Morriss: the tension of a dumbbell, drift without and with feedback."""

import re

from support import bad_input
from support import constrained_molecules
from support import holon_runner as holon

LENGTHS = (1, 2, 4, 8)  # ps


def accelerations(report):
    """Edberg-Evans-Morriss: dumbbell, a chain in free flight, liquid butane, with feedback and without"""
    result = holon.call("edberg_evans_morriss_test", [], 0, timeout=600, environment={"HOLON_PRINT": "1"})
    report.check("edberg_evans_morriss_test", not result.status, result.stdout[-300:] if result.status else "")
    dumbbell = re.search(r"^dumbbell: .*relative: (\S+)$", result.stdout, re.M)
    report.at_most("multiplier of a dumbbell less mu w^2, relative", abs(float(dumbbell[1])), 1e-9)
    for feedback, time, error in re.findall(r"^chain, feedback (\S+), (\S+) ps: error (\S+)$", result.stdout, re.M):
        report.note(f"chain in free flight, feedback {feedback}, to {time} ps: lengths", float(error))
    files = constrained_molecules.files(constrained_molecules.MOLECULES["butane"])
    arguments = bad_input.write_input(report.work, files)
    errors = {}
    for feedback in (0, 5, 10, 20, 50):
        for time in LENGTHS:
            folder = report.work / f"{feedback}-{time}"
            settings = {"constraint_algorithm": "edberg-evans-morriss", "feedback_steps": feedback, "nsteps": time * 500}
            run = holon.run(folder, arguments, 1, checkpoint_interval=0, nstxout_compressed=0, **settings)
            errors[feedback, time] = run.summary["constraint_error"]["length_max_relative"]
            report.note(f"butane, feedback {feedback}, to {time} ps: lengths", errors[feedback, time])
    growth = errors[0, 8] / errors[0, 1]
    report.check("without feedback errors add up: 8 ps / 1 ps", growth > 3, growth)
    report.at_most("with feedback they do not: 8 ps / 1 ps", errors[10, 8] / errors[10, 1], 3.0)
    report.at_most("with feedback, 8 ps: lengths", errors[10, 8], 1e-3)


CASES = {"3.edberg-evans-morriss": accelerations}
