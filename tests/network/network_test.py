#!/usr/bin/env python3
"""Ranks that have only TCP between them, and a network that delays, reorders and loses packets: the same bits."""

import os
import pathlib
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from bad_network import BadNetwork, is_possible  # noqa: E402
from support.chaos import newest_step  # noqa: E402
from support.same_bits import wait_for_progress  # noqa: E402

STEPS = 40
WATER = holon.input_files(holon.INPUTS / "spce")
# Delay and jitter of a packet [s], loss.
NETWORKS = {"delays": (0.002, 0.0, 0.0), "jitter": (0.003, 0.003, 0.0), "losses": (0.0005, 0.0005, 0.02)}


def run_on(network, arguments, ranks=1, timeout=600):
    """Runs holon-md with so many ranks on each node. RunError, if it does not end in time."""
    command = [*network.launch(ranks), holon.BIN / "holon-md", *arguments]
    try:
        return subprocess.run([str(w) for w in command], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise holon.RunError(f"still running after {timeout} s: {command}") from None


class Network(holon.ProgramTest):
    def setUp(self):
        super().setUp()
        if holon.launcher_name() != "Open MPI":
            self.skipTest("for the launcher of Open MPI")
        self.whole = holon.run(self.work / "whole", WATER, 1, nsteps=STEPS)

    def test_only_tcp(self):
        only_tcp = {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}
        run = holon.run(self.work / "run", WATER, 3, nsteps=STEPS, environment=only_tcp)
        self.assertEqual(run.state_hash, self.whole.state_hash)

    def need_nodes(self):
        if not is_possible():
            self.skipTest("needs root, ip and /dev/net/tun")
        os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"

    def test_bad_networks(self):
        self.need_nodes()
        for name, properties in NETWORKS.items():
            with self.subTest(name), BadNetwork(self.work, 2, *properties) as network:
                folder = self.work / name
                began = time.monotonic()
                done = run_on(network, [*WATER, "-o", folder, "--nsteps", STEPS // 2])
                self.assertEqual(done.returncode, holon.FINISHED, done.stderr)
                again = run_on(network, ["--restart", folder / "checkpoint.h5", "--nsteps", STEPS], 2)
                self.assertEqual(again.returncode, holon.FINISHED, again.stderr)
                self.assertEqual(holon.summary_of(folder)["state_hash"], self.whole.state_hash)
                seconds = time.monotonic() - began
            if network.counts and network.counts[0]:
                print(f"{name}: {seconds:.0f} s, {network.counts[0]} packets passed, {network.counts[1]} lost")

    def test_lock_between_nodes(self):
        self.need_nodes()
        folder = self.work / "run"
        with BadNetwork(self.work, 2, 0.001, 0.001) as network:
            command = [*network.launch(1), holon.BIN / "holon-md", *WATER, "-o", folder, "--nsteps", 1000000]
            launcher = subprocess.Popen([str(w) for w in command], stderr=subprocess.DEVNULL)
            self.addCleanup(launcher.kill)
            wait_for_progress(folder / "checkpoint.h5", launcher)
            second = network.on_node(1, [holon.BIN / "holon-md", "--restart", folder / "checkpoint.h5"])
            refused = subprocess.run(second, capture_output=True, text=True, timeout=100)
            self.assertEqual(refused.returncode, holon.BAD_INPUT, refused.stderr)
            self.assertIn(f"on {network.names[0]} is writing a run into it", refused.stderr)
            launcher.terminate()
            launcher.wait(100)
        self.assertGreater(newest_step(folder / "checkpoint.h5"), 0)


if __name__ == "__main__":
    holon.main()
