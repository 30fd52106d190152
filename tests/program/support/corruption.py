"""Damages the files of a run in many ways and has the programs look at what is left: the right older state, or a clear
error. Shared by corruption_test.py and tools/acceptance.
"""

import dataclasses
import re
import shutil

import h5py

from support import holon_runner as holon

STEPS = 12
SETTINGS = {"nsteps": STEPS, "nstxout_compressed": 4, "nstenergy": 4}
PAGE = 4096


@dataclasses.dataclass
class Outcome:
    """How often which answer came."""

    states: int = 0
    errors: int = 0
    wrong: list = dataclasses.field(default_factory=list)  # what should not have come, as text


class Victim:
    """A run whose checkpoint is damaged in copies."""

    def __init__(self, work, arguments):
        self.folder = holon.run(work / "victim", arguments, 3, **SETTINGS).folder
        self.copy = work / "damaged"
        self.bytes = (self.folder / "checkpoint.h5").read_bytes()
        listed = holon.call("holon-inspect", [self.folder / "checkpoint.h5"]).stdout
        found = re.findall(r"^ +(\d+)  (?:ring|synced) +(\d+) .* (\w{16}) *$", listed, re.MULTILINE)
        self.steps = {int(slot): int(step) for slot, step, _ in found}
        self.hashes = {int(step): state_hash for _, step, state_hash in found}
        with h5py.File(self.folder / "checkpoint.h5") as file:
            self.slots = {
                int(name): {part: (data.id.get_offset(), data.nbytes) for part, data in slot.items()}
                for name, slot in file["slots"].items()
            }
            self.commits = {int(name): slot["commits"][:3] for name, slot in file["slots"].items()}

    def restart(self, data, ranks, nsteps=STEPS + 1):
        """Goes on from a copy of the run whose checkpoint has other bytes."""
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.folder, self.copy)
        (self.copy / "checkpoint.h5").write_bytes(data)
        return holon.call(
            "holon-md", ["--restart", self.copy / "checkpoint.h5", "--nsteps", nsteps], ranks, folder=self.copy
        )

    def judge(self, data, ranks, final_hash, outcome, what, steps=None):
        """One restart: it must end with the state of an undamaged run, or be refused with a message. `steps`: those that
        it may begin with; [] if it has to be refused."""
        result = self.restart(data, ranks)
        allowed = list(self.hashes) if steps is None else steps
        problem = ""
        if result.status == holon.FINISHED:
            outcome.states += 1
            if result.summary["start_step"] not in allowed:
                problem = f"goes on from step {result.summary['start_step']}, not {allowed}"
            elif result.state_hash != final_hash:
                problem = f"ends with {result.state_hash}"
        elif result.status == holon.BAD_INPUT and len(holon.messages(result.stderr)) == 1:
            outcome.errors += 1
            if steps:
                problem = f"is refused: {result.stderr[-500:]}"
        else:
            problem = f"exit status {result.status}: {result.stderr[-500:]}"
        if problem:
            outcome.wrong.append(f"{what}: {problem}")

    def used_byte(self, slot, rng):
        """Place of a random byte that a state in a slot is made of."""
        record = rng.choice(self.commits[slot])
        if rng.random() < 0.3:
            return self.slots[slot]["commits"][0] + PAGE * int(record["rank"]) + rng.randrange(PAGE)
        part, size = rng.choice([("position", 24), ("velocity", 24), ("identity", 16)])
        row = int(record["first_row"]) + rng.randrange(int(record["atoms"]))
        return self.slots[slot][part][0] + size * row + rng.randrange(size)


def flipped(data, places, rng):
    damaged = bytearray(data)
    for place in places:
        damaged[place] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def zeroed(data, begin, length):
    return data[:begin] + bytes(min(length, len(data) - begin)) + data[begin + length :]


def damage(work, arguments, rng, rounds, truncations, fuzzed):
    """Damages a checkpoint in all ways; returns {kind of damage: Outcome}."""
    victim = Victim(work, arguments)
    outcomes = {}

    def kind(name):
        return outcomes.setdefault(name, Outcome())

    final = victim.restart(victim.bytes, 2).state_hash
    newest_first = sorted(victim.steps, key=lambda slot: -victim.steps[slot])
    for turn in range(rounds):
        data = victim.bytes
        for k, slot in enumerate(newest_first):  # one slot after the other
            data = flipped(data, [victim.used_byte(slot, rng)], rng)
            older = [victim.steps[other] for other in newest_first[k + 1 :]][:1]
            victim.judge(data, 1 + (turn + k) % 3, final, kind("slots damaged in turn"), f"{k + 1} slots", older)
        begin, length = rng.randrange(len(data) // PAGE) * PAGE, PAGE * rng.randint(1, 60)
        what = f"zeros from {begin}, {length} bytes"
        victim.judge(zeroed(victim.bytes, begin, length), 2, final, kind("zeroed blocks"), what)
    for _ in range(truncations):
        length = rng.randrange(len(victim.bytes))
        victim.judge(victim.bytes[:length], 2, final, kind("truncation"), f"{length} bytes", [])
    inside = [range(begin, begin + size) for slot in victim.slots.values() for begin, size in slot.values()]
    headers = [at for at in range(0, len(victim.bytes), 8) if not any(at in slot for slot in inside)]
    for _ in range(fuzzed):
        places = rng.sample(headers, rng.randint(1, 8))
        victim.judge(flipped(victim.bytes, places, rng), 2, final, kind("fuzzed headers"), f"bytes {places}", [])
    return outcomes


def swap(work, arguments, others):
    """Puts each file of one run in the place of another run's; returns the Outcome. All have to be refused."""
    outcome = Outcome()
    victim = Victim(work, arguments)
    other = holon.run(work / "other", others, 2, **SETTINGS).folder
    for name in ("checkpoint.h5", "trajectory.h5md", "energy.csv", "md.log"):
        shutil.rmtree(victim.copy, ignore_errors=True)
        shutil.copytree(victim.folder, victim.copy)
        shutil.copy(other / name, victim.copy / name)
        before = {path.name: path.read_bytes() for path in victim.copy.iterdir()}
        result = holon.call("holon-md", ["--restart", victim.copy / "checkpoint.h5", "--nsteps", STEPS + 1], 2)
        untouched = all((victim.copy / file).read_bytes() == data for file, data in before.items())
        if result.status == holon.BAD_INPUT and untouched and len(holon.messages(result.stderr)) == 1:
            outcome.errors += 1
        else:
            outcome.wrong.append(f"{name} of another run: status {result.status}, untouched: {untouched}")
    return outcome
