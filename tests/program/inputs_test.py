#!/usr/bin/env python3
"""Every folder of inputs/ runs as it is for ten steps and leaves the files that the manual promises."""

from support import holon_runner as holon

FILES = {"checkpoint.h5", "trajectory.h5md", "energy.csv", "confout.gro", "md.log", "summary.json"}


class Inputs(holon.ProgramTest):
    def test_each_input_runs(self):
        folders = sorted(path.parent for path in holon.INPUTS.glob("*/md.mdp"))
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(folder.name):
                result = holon.run(
                    self.work / folder.name,
                    holon.input_files(folder),
                    ranks=2,
                    nsteps=10,
                    nstxout_compressed=5,
                    nstenergy=5,
                )
                summary = result.summary
                self.assertEqual((summary["status"], summary["end_step"], summary["ranks"]), ("finished", 10, 2))
                self.assertLessEqual(FILES, {path.name for path in result.folder.iterdir()})
                for file in ("checkpoint.h5", "trajectory.h5md"):
                    inspection = holon.call("holon-inspect", [result.folder / file])
                    self.assertEqual(inspection.status, 0, inspection.stdout + inspection.stderr)

    def test_last_coordinates_are_an_input(self):
        first = holon.run(self.work / "first", holon.input_files(holon.INPUTS / "argon"), nsteps=5)
        again = [
            "-f",
            holon.INPUTS / "argon" / "md.mdp",
            "-c",
            first.folder / "confout.gro",
            "-p",
            holon.INPUTS / "argon" / "topol.top",
        ]
        second = holon.run(self.work / "second", again, nsteps=0)
        last, start = (
            run.summary[key]["energies_kJ_per_mol"]["potential"] for run, key in ((first, "final"), (second, "initial"))
        )
        self.assertAlmostEqual(last, start, delta=1e-4 * abs(last))

    def test_a_continuation_with_other_constraints_than_before_is_noted(self):
        files = holon.input_files(holon.INPUTS / "peptide")  # was made with those of bonds to hydrogen
        for constraints, noted in (("h-bonds", False), ("all-bonds", True)):
            run = holon.run(self.work / constraints, files, 2, constraints=constraints, continuation="yes", nsteps=1)
            self.assertEqual("do not satisfy the constraints" in run.stderr, noted, run.stderr)

    def test_help_and_version(self):
        for program in ("holon-md", "holon-inspect"):
            for option in ("--help", "--version"):
                result = holon.call(program, [option])
                self.assertEqual(result.status, 0, result.stderr)
                self.assertIn("holon", result.stdout.lower())


if __name__ == "__main__":
    holon.main()
