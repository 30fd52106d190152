"""Kills runs in every way and at any moment, goes on from what they leave, and checks that nothing is lost.

Shared by chaos_test.py, tools/chaos and tools/acceptance.
"""

import dataclasses
import json
import random
import shutil
import signal
import subprocess
import time

import h5py
import numpy

from support import holon_runner as holon
from support import trajectories
from support.same_bits import wait_for_progress

INTERVAL = 10  # steps between frames and between rows of energy.csv
SETTINGS = {"nstxout_compressed": INTERVAL, "nstenergy": INTERVAL, "nstlog": 5 * INTERVAL, "checkpoint_sync": 0.3}
IN_FLIGHT = 2  # steps that a kill may cost: one that is written, one that is computed
PATIENCE = 120  # s until something that must end counts as hanging


class Violation(Exception):
    """A promise that was not kept."""


def require(condition, text):
    if not condition:
        raise Violation(text)


@dataclasses.dataclass
class Tally:
    """What happened: kills of each way, how many of them before the first step, steps lost, clean stops."""

    ways: dict = dataclasses.field(default_factory=dict)
    early: int = 0
    chains: int = 0
    refused: int = 0
    most_lost: int = 0
    asked: int = 0
    stopped: int = 0

    @property
    def kills(self):
        return sum(self.ways.values())

    def text(self):
        ways = ", ".join(f"{count} {way}" for way, count in sorted(self.ways.items()))
        return (
            f"{self.kills} kills ({ways}), {self.early} of them during creation or restart, in {self.chains} runs; at "
            f"most {self.most_lost} steps lost; {self.stopped} of {self.asked} that were asked while running stopped "
            f"in time; {self.refused} starts refused while ranks of the one before were dying"
        )


def wait_for_ranks(launcher):
    """Process ids of the ranks, as soon as there are any. RunError if the launcher ends first."""
    deadline = time.monotonic() + PATIENCE
    while not (pids := holon.rank_pids(launcher)):
        require(time.monotonic() < deadline, "the launcher starts no ranks")
        if launcher.poll() is not None:
            raise holon.RunError("ended before it could be killed")
    return pids


def kill_launcher(launcher, _):
    launcher.send_signal(signal.SIGKILL)


def kill_one(launcher, rng):
    holon.send([rng.choice(wait_for_ranks(launcher))], signal.SIGKILL)


def kill_all(launcher, _):
    holon.send(wait_for_ranks(launcher), signal.SIGKILL)


def terminate(launcher, _):
    launcher.send_signal(signal.SIGTERM)


def ask_by_usr1(launcher, _):
    launcher.send_signal(signal.SIGUSR1)


WAYS = {
    "mpirun": kill_launcher,
    "one rank": kill_one,
    "all ranks": kill_all,
    "SIGTERM": terminate,
    "SIGUSR1": ask_by_usr1,
}
REQUESTS = {"SIGTERM", "SIGUSR1"}  # to stop, where the others are plain murder


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_launcher(launcher):
    """Waits for its end. Open MPI's may wait for ever for ranks that were killed while they connected to it (PMIX ERROR:
    UNREACHABLE): without any rank left, it is helped."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            launcher.wait(10.0)
            return
        except subprocess.TimeoutExpired:
            if not any(map(is_alive, holon.rank_pids(launcher))):
                launcher.kill()
        require(time.monotonic() < deadline, "the launcher and its ranks live on")


def wait_for_death(launcher, pids, rng):
    """Waits for launcher and ranks to be gone; now and then not for the ranks whose launcher is dead. Returns those that
    may still be writing."""
    deadline = time.monotonic() + PATIENCE
    wait_for_launcher(launcher)
    impatient = rng.random() < 0.2
    while any(map(is_alive, pids)) and not impatient:
        require(time.monotonic() < deadline, f"ranks {pids} live on without their launcher")
        time.sleep(0.02)
    return list(filter(is_alive, pids))


def committed_steps(checkpoint):
    """Steps of all commit records of a checkpoint, whether their states are whole or not."""
    with h5py.File(checkpoint) as file:
        records = numpy.concatenate([slot["commits"].fields(["step", "writer"])[()] for slot in file["slots"].values()])
    return records["step"][records["writer"] != 0]


def newest_step(checkpoint):
    """Step of the newest valid state, by holon-inspect."""
    shown = holon.call("holon-inspect", [checkpoint, "--text", "mdp"])  # opens at all?
    require(shown.status == 0, f"holon-inspect: exit status {shown.status}: {shown.stderr}")
    listed = holon.call("holon-inspect", [checkpoint])
    require(listed.status == 0, f"no valid state: {listed.stdout}{listed.stderr}")
    slot = listed.stdout.splitlines()[-1].split()[-1].rstrip(".")
    line = next(line.split() for line in listed.stdout.splitlines() if line.split()[0] == slot)
    return int(line[2])


class Chain:
    """One run from its first step to its last, however often it is killed."""

    def __init__(self, folder, arguments, steps, rng, tally):
        self.folder, self.rng, self.tally = folder, rng, tally
        self.command = [*arguments, "--resume", "-o", folder, *holon.options({"nsteps": steps, **SETTINGS})]
        self.checkpoint = folder / "checkpoint.h5"
        self.reached = -1  # newest state seen so far
        self.dying = []  # ranks, of any start, that may still be writing
        self.story = []

    def kill_once(self, longest):
        """Starts, and kills at a random moment; False if the run came to its end before."""
        ranks, way, early = self.rng.randint(1, 8), self.rng.choice(list(WAYS)), self.rng.random() < 0.4
        began = time.monotonic()
        messages = self.folder.parent / "messages"
        with open(messages, "w") as stderr:
            launcher = holon.start(self.command, ranks, stderr)
        try:
            if early:
                time.sleep(self.rng.uniform(0.0, 1.5))
            else:
                wait_for_progress(self.checkpoint, launcher, PATIENCE)
                time.sleep(self.rng.uniform(0.0, longest))
            pids = holon.rank_pids(launcher)
            ended = launcher.poll() is not None
            if not ended:
                WAYS[way](launcher, self.rng)
        except holon.RunError:
            pids, ended = [], True
        if not ended and early and way in REQUESTS:
            self.insist(launcher)
        self.dying = list(filter(is_alive, self.dying)) + wait_for_death(launcher, pids, self.rng)
        moment = f"{'early' if early else 'running'}, after {time.monotonic() - began:.2f} s"
        self.story.append(f"{ranks} ranks: {'ended' if ended else way} ({moment}), status {launcher.returncode}")
        if ended:
            return self.ended_by_itself(launcher.returncode, messages.read_text())
        self.tally.ways[way] = self.tally.ways.get(way, 0) + 1
        self.tally.early += early
        if not self.dying:
            self.check(way in REQUESTS and not early)
        return True

    def insist(self, launcher):
        """A request that the launcher was too young to pass on is followed by murder."""
        try:
            launcher.wait(5.0)
        except subprocess.TimeoutExpired:
            holon.kill_ranks(launcher)

    def ended_by_itself(self, status, messages):
        if status == holon.BAD_INPUT and "is in use" in messages:
            self.tally.refused += 1
            time.sleep(1.0)
            return True
        require(status == holon.FINISHED, f"exit status {status}: {messages[-2000:]}")
        return False

    def check(self, asked):
        """What a kill has left must be good to go on from."""
        if not self.checkpoint.exists():
            require(self.reached < 0, "the checkpoint is gone")
            return
        newest = newest_step(self.checkpoint)
        lost = max(int(committed_steps(self.checkpoint).max()), self.reached) - newest
        self.story[-1] += f", state of step {newest}"
        require(lost <= IN_FLIGHT, f"{lost} steps are lost: the newest valid state is that of step {newest}")
        self.tally.most_lost = max(self.tally.most_lost, lost)
        self.reached = newest
        if (self.folder / "trajectory.h5md").exists():
            steps = trajectories.steps(self.folder / "trajectory.h5md")
            require(steps == list(range(0, INTERVAL * len(steps), INTERVAL)), f"frames of steps {steps}")
        if asked:
            self.tally.asked += 1
            summary = self.folder / "summary.json"
            status = json.loads(summary.read_text())["status"] if summary.exists() else None
            require(status in ("stopped", "finished", None), f"status {status} after a request to stop")
            self.tally.stopped += status is not None

    def check_end(self, whole):
        """The whole run must be that which was never interrupted."""
        result = holon.summary_of(self.folder)
        require(result["status"] == "finished", f"status {result['status']}")
        require(result["state_hash"] == whole.state_hash, f"hash {result['state_hash']}, not {whole.state_hash}")
        problem = trajectories.differing_frames(self.folder / "trajectory.h5md", whole.folder / "trajectory.h5md")
        require(not problem, problem)
        same = (self.folder / "energy.csv").read_text() == (whole.folder / "energy.csv").read_text()
        require(same, "energy.csv differs")
        logged = trajectories.logged_steps(self.folder / "md.log")
        expected = trajectories.logged_steps(whole.folder / "md.log")
        require(logged == sorted(set(logged)), f"md.log has the tables of steps {logged}")
        require(set(expected) <= set(logged), f"md.log lacks tables: {sorted(set(expected) - set(logged))}")


def kill_runs(work, arguments, steps, kills, seed, longest=1.5, tell=None):
    """Kills runs of `steps` steps `kills` times in all, at random moments up to `longest` [s] after their first step, and
    has each go on to its end. Returns the Tally. Violation, with the story of the run, if a promise is not kept."""
    rng, tally = random.Random(seed), Tally()
    whole = holon.run(work / "whole", arguments, 2, nsteps=steps, timeout=3600, **SETTINGS)
    while tally.kills < kills:
        chain = Chain(work / "chain", arguments, steps, rng, tally)
        shutil.rmtree(chain.folder, ignore_errors=True)
        try:
            while tally.kills < kills and chain.kill_once(longest):
                if tell:
                    tell(f"{tally.kills:4} {chain.story[-1]}")
            for _ in range(10):
                last = holon.call("holon-md", chain.command, rng.randint(1, 8), timeout=3600)
                if last.status != holon.BAD_INPUT or "is in use" not in last.stderr:
                    break
                time.sleep(1.0)
            require(last.status == holon.FINISHED, f"exit status {last.status}: {last.stderr[-2000:]}")
            chain.check_end(whole)
        except Violation as violation:
            story = "\n  ".join(chain.story)
            raise Violation(f"{violation}\nseed {seed}; the run so far:\n  {story}") from None
        tally.chains += 1
        if tell:
            tell(f"     run {tally.chains} ended as it should")
    return tally
