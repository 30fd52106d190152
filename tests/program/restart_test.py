#!/usr/bin/env python3
"""A run goes on from its checkpoint as if it had never stopped: same bits, same trajectory, every frame once."""

import hashlib
import os
import shutil

import h5py
import numpy

from support import holon_runner as holon
from support import trajectories
from support.same_bits import killed_run, split_run

WATER = holon.input_files(holon.INPUTS / "spce")
OUTPUT = {"nstxout_compressed": 5, "nstenergy": 5}


def digests(folder):
    """What the files of a folder hold: {"md.log": digest, ...}."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


class Restart(holon.ProgramTest):
    def whole(self, steps):
        return holon.run(self.work / "whole", WATER, nsteps=steps, **OUTPUT)

    def check_same(self, result, whole):
        self.assertEqual(result.state_hash, whole.state_hash)
        self.assertEqual(
            trajectories.differing_frames(result.folder / "trajectory.h5md", whole.folder / "trajectory.h5md"), ""
        )
        self.assertEqual(*((run.folder / "energy.csv").read_text() for run in (result, whole)))
        logged, expected = (trajectories.logged_steps(run.folder / "md.log") for run in (result, whole))
        self.assertEqual(logged, sorted(set(logged)))  # each part begins with a table
        self.assertLessEqual(set(expected), set(logged))

    def test_on_another_number_of_ranks(self):
        self.check_same(split_run(self.work / "split", WATER, 40, **OUTPUT), self.whole(40))

    def test_langevin_dynamics(self):
        settings = {**OUTPUT, "integrator": "sd"}
        whole = holon.run(self.work / "whole", WATER, nsteps=20, **settings)
        self.check_same(split_run(self.work / "split", WATER, 20, **settings), whole)

    def test_many_baths(self):
        """Nine chains of ten: more numbers of the whole system than a commit record has place for."""
        names = [f"every{k}" for k in range(9)]
        groups = (f"[ {name} ]\n" + " ".join(str(i + 1) for i in range(k, 864, 9)) for k, name in enumerate(names))
        index = self.work / "index.ndx"
        index.write_text("\n".join([*groups, ""]))
        argon = [*holon.input_files(holon.INPUTS / "argon"), "-n", index]
        settings = {
            **OUTPUT,
            **{"integrator": "md-vv", "tcoupl": "nose-hoover", "nh_chain_length": 10, "nsttcouple": 1},
            **{"tc_grps": " ".join(names), "tau_t": " ".join(9 * ["0.2"]), "ref_t": " ".join(9 * ["100"])},
        }
        whole = holon.run(self.work / "whole", argon, 2, nsteps=10, **settings)
        self.check_same(split_run(self.work / "split", argon, 10, **settings), whole)
        state = self.work / "state"
        self.assertEqual(holon.call("holon-inspect", [whole.folder / "checkpoint.h5", "--branch", state]).status, 0)
        self.assertEqual(holon.call("holon-inspect", [state / "checkpoint.h5"]).status, 0)
        with h5py.File(state / "checkpoint.h5") as file:
            slots = [slot for slot in file["slots"].values() if slot["commits"][0]["ranks"] > 0]
            beyond = [int(slot["commits"][0]["value_count"]) - 78 for slot in slots]
            names = {name for slot, n in zip(slots, beyond) for name in slot["values"]["name"][:n]}
        self.assertGreaterEqual(min(beyond), 9 * 10 - 78)
        self.assertIn(b"nose-hoover-rates", names)

    def test_with_the_multipliers_of_shake(self):
        """SHAKE's warm start makes them part of the state: they outlive migrations, restarts and branches."""
        protein = holon.input_files(holon.INPUTS / "lysozyme")
        settings = {
            **OUTPUT,
            "constraints": "all-bonds",
            "constraint_algorithm": "shake",
            "shake_sor": "yes",
            "shake_warm_start": "yes",
        }
        whole = holon.run(self.work / "whole", protein, 2, nsteps=10, **settings)
        split = split_run(self.work / "split", protein, 10, first=3, second=1, **settings)
        self.check_same(split, whole)
        first, last = (self.states(folder / "checkpoint.h5")[10] for folder in (whole.folder, split.folder))
        self.assertTrue(numpy.array_equal(first, last))
        self.assertGreater(len(first), 1000)
        self.assertGreater(numpy.count_nonzero(first["value"]), 0.99 * len(first))

    def states(self, path):
        """Kept numbers of each step in a checkpoint, by id and index."""
        with h5py.File(path) as file:
            self.assertEqual(file.attrs["format"], 4)
            found = {}
            for slot in file["slots"].values():
                commits = slot["commits"][: slot["commits"][0]["ranks"]]
                rows = [slot["kept"][c["first_kept"] : c["first_kept"] + c["kept"]] for c in commits]
                if rows:
                    found[commits[0]["step"]] = numpy.sort(numpy.concatenate(rows), order=["id", "index"])
            return found

    def test_31_ranks_with_both_kinds_of_mpi_io(self):
        """HDF5 1.10 hangs in collective writes of 31 ranks with Open MPI's own MPI-IO: no such call may be made."""
        whole = self.whole(20)
        for kind, ranks in {"ompio": {"first": 31}, "romio321": {"first": 31, "second": 31}}.items():
            os.environ["OMPI_MCA_io"] = kind
            self.addCleanup(os.environ.pop, "OMPI_MCA_io", None)
            self.check_same(split_run(self.work / kind, WATER, 20, **ranks, **OUTPUT), whole)

    def test_each_part_of_the_log_stays(self):
        folder = split_run(self.work / "split", WATER, 40, **OUTPUT).folder
        text = (folder / "md.log").read_text()
        self.assertIn("finished at step 20", text)
        self.assertIn("Going on from the checkpoint of step 20", text)
        self.assertIn("finished at step 40", text)
        again = holon.run(folder, ["--restart", folder / "checkpoint.h5"], 2)  # nothing is left to do
        self.assertEqual(again.steps, 0)
        self.assertTrue((folder / "md.log").read_text().startswith(text))

    def test_what_does_not_match_is_refused_and_not_touched(self):
        folder = holon.run(self.work / "run", WATER, nsteps=10, **OUTPUT).folder
        other = holon.run(self.work / "other", WATER, nsteps=10, ld_seed=3, **OUTPUT).folder
        cases = {
            "trajectory.h5md": ("belongs to another run", lambda data: (other / "trajectory.h5md").read_bytes()),
            "energy.csv": ("are not those that had been written", lambda data: data.replace(b"\n5,", b"\n6,")),
            "md.log": ("are not those that had been written", lambda data: data.replace(b"System", b"system")),
        }
        for name, (reason, change) in cases.items():
            with self.subTest(name):
                good = (folder / name).read_bytes()
                (folder / name).write_bytes(change(good))
                before = digests(folder)
                result = holon.call("holon-md", ["--restart", folder / "checkpoint.h5", "--nsteps", 20], 2)
                self.assertEqual(result.status, holon.BAD_INPUT)
                self.assertIn(reason, result.stderr)
                self.assertIn("Nothing has been changed", result.stderr)
                self.assertEqual(digests(folder), before)
                (folder / name).write_bytes(good)

    def test_lost_ends_of_files_lead_to_an_older_state(self):
        """As after a power cut, when the checkpoint has come to disk and the others have not."""
        folder = holon.run(self.work / "run", WATER, nsteps=12, **OUTPUT).folder
        for name in ("energy.csv", "md.log"):
            path = folder / name
            path.write_bytes(path.read_bytes()[:-3])
        again = holon.run(folder, ["--restart", folder / "checkpoint.h5"], 2, nsteps=20)
        self.assertLess(again.summary["start_step"], 12)
        self.assertIn("is skipped", again.stderr)
        self.check_same(again, self.whole(20))

    def test_a_file_that_was_moved_away_is_begun_anew(self):
        folder = holon.run(self.work / "run", WATER, nsteps=10, **OUTPUT).folder
        for name in ("trajectory.h5md", "energy.csv", "md.log"):
            (folder / name).rename(self.work / name)
        again = holon.run(folder, ["--restart", folder / "checkpoint.h5"], 2, nsteps=20)
        self.assertEqual(again.state_hash, self.whole(20).state_hash)
        self.assertEqual(trajectories.steps(folder / "trajectory.h5md"), [10, 15, 20])
        self.assertEqual(list(trajectories.energies(folder / "energy.csv")["step"]), [10, 15, 20])
        self.assertIn("Going on from the checkpoint of step 10", (folder / "md.log").read_text())

    def test_another_system_is_refused(self):
        argon = holon.input_files(holon.INPUTS / "argon")
        folder = holon.run(self.work / "run", WATER, nsteps=5, **OUTPUT).folder
        result = holon.call("holon-md", [*argon, "--resume", "-o", folder], 2)
        self.assertEqual(result.status, holon.BAD_INPUT)
        self.assertIn("belongs to another system", result.stderr)
        self.assertEqual(holon.summary_of(folder)["status"], "finished")

    def test_files_may_move_between_starts(self):
        bath = {"tcoupl": "v-rescale", "tc_grps": "System", "ref_t": 300, "tau_t": 0.1, "ld_seed": -1, **OUTPUT}
        elsewhere = self.work / "elsewhere"
        shutil.copytree(holon.INPUTS / "spce", elsewhere)
        top = elsewhere / "topol.top"
        top.write_text("; a line more\n" + top.read_text())
        run = holon.run(self.work / "run", WATER, nsteps=10, **bath)
        moved = holon.run(elsewhere / "run", holon.input_files(elsewhere), 2, nsteps=10, **bath)
        self.assertEqual(moved.state_hash, run.state_hash)  # derived seeds, too, know nothing of places
        holon.run(run.folder, [*holon.input_files(elsewhere), "--resume"], nsteps=20, **bath)
        top.write_text(top.read_text().replace("SOL", "WAT"))
        result = holon.call("holon-md", [*holon.input_files(elsewhere), "--resume", "-o", run.folder])
        self.assertEqual(result.status, holon.BAD_INPUT)
        self.assertIn("belongs to another system", result.stderr)

    def test_branch_leaves_the_first_run_alone(self):
        first = holon.run(self.work / "first", WATER, 2, nsteps=20, **OUTPUT)
        before = first.state_hash
        branch = holon.run(self.work / "branch", ["--restart", first.folder / "checkpoint.h5"], nsteps=40)
        self.assertEqual(branch.state_hash, self.whole(40).state_hash)
        self.assertEqual(first.state_hash, before)
        self.assertEqual(trajectories.steps(first.folder / "trajectory.h5md"), [0, 5, 10, 15, 20])

    def test_killed_at_any_moment(self):
        steps = 1500
        result = killed_run(self.work / "killed", WATER, steps, kills=2, longest=0.5, **OUTPUT)
        self.check_same(result, self.whole(steps))
        self.assertLess(result.steps, steps)

    def test_argon_turned_round_comes_back(self):
        argon = holon.input_files(holon.INPUTS / "argon")
        start = holon.run(self.work / "start", argon, nsteps=0, comm_mode="none")
        holon.run(self.work / "there", argon, 2, nsteps=100, comm_mode="none")
        holon.run(
            self.work / "back",
            ["--restart", self.work / "there" / "checkpoint.h5", "--reverse-velocities"],
            3,
            nsteps=200,
        )
        again = holon.run(
            self.work / "again", ["--restart", self.work / "back" / "checkpoint.h5", "--reverse-velocities"], nsteps=200
        )
        self.assertEqual(again.state_hash, start.state_hash)


if __name__ == "__main__":
    holon.main()
