"""Item 7: malformed inputs are refused, on one rank and on eight."""

from support import bad_input


def refused(ranks):
    def run(report):
        checks = bad_input.checks()
        good = 0
        for name in checks:
            problem = bad_input.run_check(name, report.work / "case", ranks)
            if problem:
                report.check(name, False, problem)
            good += not problem
        report.at_least("malformed inputs", len(checks), 40)
        report.at_least("refused as they should be", good, len(checks))

    run.__doc__ = f"bad input: exit status 2, one message, no files, no hang on {ranks} rank{'s' if ranks > 1 else ''}"
    return run


CASES = {"7.one-rank": refused(1), "7.eight-ranks": refused(8)}
