#!/usr/bin/env python3
"""Rigid angles: what follows from other constraints is left out for good, what can not be solved for is refused."""

from support import bad_input
from support import holon_runner as holon

FORCE_FIELD = """[ defaults ]
1 2 yes 0.5 0.5
[ atomtypes ]
CT 12.011 0.0 A 0.34 0.45
HC 1.008 0.0 A 0.26 0.06
[ bondtypes ]
CT CT 1 0.140 260000
CT HC 1 0.109 280000
[ angletypes ]
HC CT HC 1 109.5 270
CT CT CT 1 120.0 400
"""
METHANE = """[ moleculetype ]
CH4 3
[ atoms ]
1 CT 1 CH4 C 1 0
2 HC 1 CH4 H1 1 0
3 HC 1 CH4 H2 1 0
4 HC 1 CH4 H3 1 0
5 HC 1 CH4 H4 1 0
[ bonds ]
1 2 1
1 3 1
1 4 1
1 5 1
[ angles ]
2 1 3 1
2 1 4 1
2 1 5 1
3 1 4 1
3 1 5 1
4 1 5 1
"""
PLACES = [(0, 0, 0), (1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
MDP = "integrator = md\ndt = 0.0035\nrcoulomb = 0.9\nrvdw = 0.9\ngen-vel = yes\ngen-temp = 300\ngen-seed = 3\n"
RIGID = {"constraints": "all-angles", "constraint_algorithm": "newton"}


def gro(rows, side):
    lines = [f"{m:5d}{kind:<5s}{name:>5s}{k % 100000:5d}{x:8.3f}{y:8.3f}{z:8.3f}" for m, kind, name, k, x, y, z in rows]
    return "\n".join(["Molecules", str(len(lines)), *lines, f"{side:.5f} {side:.5f} {side:.5f}"]) + "\n"


def methane():
    """125 molecules in 2.5 nm."""
    rows = []
    for cell in range(125):
        origin = [0.25 + 0.5 * (cell // n % 5) for n in (25, 5, 1)]
        for name, place in zip(("C", "H1", "H2", "H3", "H4"), PLACES):
            rows.append((cell + 1, "CH4", name, len(rows) + 1, *(o + 0.063 * p for o, p in zip(origin, place))))
    top = FORCE_FIELD + METHANE + "[ system ]\nMethane\n[ molecules ]\nCH4 125\n"
    return {"md.mdp": MDP, "conf.gro": gro(rows, 2.5), "topol.top": top}


def benzene():
    """A ring of carbons: six bonds and six angles for nine shapes of a plane."""
    corners = [(0.14, 0.0), (0.07, 0.121), (-0.07, 0.121), (-0.14, 0.0), (-0.07, -0.121), (0.07, -0.121)]
    rows = [(1, "BNZ", f"C{k + 1}", k + 1, 1.5 + x, 1.5 + y, 1.5) for k, (x, y) in enumerate(corners)]
    atoms = "".join(f"{k} CT 1 BNZ C{k} 1 0\n" for k in range(1, 7))
    bonds = "".join(f"{k} {k % 6 + 1} 1\n" for k in range(1, 7))
    angles = "".join(f"{k} {k % 6 + 1} {(k + 1) % 6 + 1} 1\n" for k in range(1, 7))
    ring = f"[ moleculetype ]\nBNZ 3\n[ atoms ]\n{atoms}[ bonds ]\n{bonds}[ angles ]\n{angles}"
    top = FORCE_FIELD + ring + "[ system ]\nBenzene\n[ molecules ]\nBNZ 1\n"
    return {"md.mdp": MDP, "conf.gro": gro(rows, 3.0), "topol.top": top}


class RigidAngles(holon.ProgramTest):
    def test_are_the_same_on_any_number_of_ranks_and_after_a_restart(self):
        files = bad_input.write_input(self.work / "methane", methane())
        whole = holon.run(self.work / "whole", files, 1, nsteps=40, **RIGID)
        self.assertEqual(whole.summary["constraints"], 9 * 125)
        self.assertEqual(holon.ndof(whole.summary), 6 * 125 - 3)
        (found,) = whole.summary["constraint_sets"]
        self.assertEqual((found["molecules"], found["constraints"], found["rank"]), (125, 10, 9))
        self.assertGreater(found["lincs_spectral_radius"], 1.5)
        self.assertLess(whole.summary["constraint_error"]["length_max_relative"], 1e-13)
        log = (whole.folder / "md.log").read_text()
        self.assertEqual(log.count("left out, since the others imply it"), 1)

        other = self.work / "other"
        holon.run(other, files, 4, nsteps=25, **RIGID)
        goes_on = holon.run(other, ["--restart", other / "checkpoint.h5"], 2, nsteps=40)
        self.assertEqual(goes_on.state_hash, whole.state_hash)
        self.assertEqual(goes_on.summary["constraint_sets"], whole.summary["constraint_sets"])

    def test_go_elsewhere_where_lincs_would_diverge(self):
        files = bad_input.write_input(self.work / "methane", methane())
        run = holon.run(self.work / "lincs", files, 2, nsteps=5, constraints="all-angles", constraint_algorithm="lincs")
        self.assertLess(run.summary["constraint_error"]["length_max_relative"], 1e-13)
        self.assertIn("goes to newton. LINCS would not converge", (run.folder / "md.log").read_text())

    def test_of_a_plane_are_refused(self):
        files = bad_input.write_input(self.work / "benzene", benzene())
        for ranks in (1, 2):
            output = self.work / f"refused-{ranks}"
            arguments = [*files, "-o", output, *holon.options(RIGID)]
            says = ("Molecule type BNZ", "atoms 1 C1, 2 C2", "can not be solved for", "constraints = all-bonds")
            self.assertEqual(bad_input.refusal(arguments, ranks, says), "")
            self.assertEqual(bad_input.left_behind(output), "")
        holon.run(self.work / "all-bonds", files, 1, nsteps=5, constraints="all-bonds", constraint_algorithm="newton")


if __name__ == "__main__":
    holon.main()
