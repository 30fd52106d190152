"""Items 3 and 4: how exact the solvers are, and that they agree."""

import re


from cases.constraints import bits as constraint_bits
from support import holon_runner as holon
from support import systems

LYSOZYME = holon.input_files(holon.INPUTS / "lysozyme")


def lincs_table(report):
    """P-LINCS, orders 4/1, 4/2, 6/2, 8/1, 8/4: largest errors of one step, as in the published table"""
    _, failed, printed = constraint_bits.run_tests("lincs_test", 0, "Lincs.IsAsAccurateAsItsTermsAllow")
    rows = re.findall(r"^(.+?) +(\d/\d)  (\S+) \((\S+)\)$", printed, re.M)
    report.check("rows", len(rows) == 20, len(rows))
    for name, order, error, expected in rows:
        ratio = float(error) / float(expected)
        report.check(f"{name}, {order}: {expected}, ratio", 0.5 < ratio < 2, ratio, "within 2")


def lincs_cut(report):
    """P-LINCS cut by domains, its import across three of them: bits as on one rank"""
    for ranks in (1, 2, 3, 4, 8):
        passed, failed, _ = constraint_bits.run_tests("lincs_domains_test", ranks)
        report.check(f"{ranks} ranks: bits at any order", passed and not failed, len(passed))


def one_step(report, name, **settings):
    """Positions [nm] and velocities [nm/ps] after a step from the same start, on 2 ranks."""
    how = {"integrator": "md-vv", "tcoupl": "no", "constraints": "all-bonds", "dt": 0.002, "precision": "double"}
    # The start has been projected by one solver for all.
    run = holon.run(
        report.work / name, holon.input_files(report.work), 2, nsteps=1, continuation="yes", **{**how, **settings}
    )
    _, _, positions, velocities, box = systems.read_gro(run.folder / "confout.gro")
    return positions, velocities, box


def agreement(report):
    """SHAKE, P-LINCS, Newton and SETTLE: positions and velocities of lysozyme in water after a step"""
    start = holon.run(
        report.work / "start", LYSOZYME, 2, nsteps=0, constraints="all-bonds", constraint_algorithm="newton"
    )
    for name in ("md.mdp", "topol.top"):
        (report.work / name).symlink_to(holon.INPUTS / "lysozyme" / name)
    (report.work / "conf.gro").symlink_to(start.folder / "confout.gro")
    expected = one_step(report, "newton", constraint_algorithm="newton")
    lincs = {"constraint_algorithm": "lincs"}
    cases = {
        f"shake {tol}": ({"constraint_algorithm": "shake", "shake_tol": tol}, 10 * tol) for tol in (1e-6, 1e-9, 1e-13)
    }
    cases["ciccotti-ryckaert 1e-13"] = ({"constraint_algorithm": "ciccotti-ryckaert", "shake_tol": 1e-13}, 1e-12)
    cases["wiggle+newton"] = ({"constraint_algorithm": "wiggle+newton"}, 1e-13)
    cases["lincs 8/4"] = ({**lincs, "lincs_order": 8, "lincs_iter": 4}, 1e-6)
    cases["lincs 16/12"] = ({**lincs, "lincs_order": 16, "lincs_iter": 12}, 1e-12)
    for name, (settings, limit) in cases.items():
        positions, velocities, box = one_step(report, name.replace(" ", "-").replace("/", "-"), **settings)
        moved = systems.nearest(positions - expected[0], box)
        report.at_most(f"{name}: positions differ by [nm]", float(abs(moved).max()), limit)
        report.at_most(
            f"{name}: velocities differ by x dt [nm]", 0.002 * float(abs(velocities - expected[1]).max()), limit
        )


def agreement_of_small(report):
    """every solver against a dense Newton solution, small clusters and water, to 1e-13"""
    passed, failed, _ = constraint_bits.run_tests("solvers_test", 0)
    report.check("solvers_test", passed and not failed, f"{len(passed)} tests")


CASES = {
    "3.lincs-table": lincs_table,
    "3.lincs-cut": lincs_cut,
    "4.lysozyme": agreement,
    "4.small": agreement_of_small,
}
