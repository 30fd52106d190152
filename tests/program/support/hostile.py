"""Checkpoints that somebody made to do harm: their checksums are right. Shared by hostile_test.py and tools/acceptance.

Each hostile file has to lead to a right state or a clear error, with exit status 0 or 2, in little time and memory.
"""

import ctypes
import dataclasses
import shutil
import signal
import struct

import h5py
import numpy

from support import holon_runner as holon

PAGE = 4096
BOOT = 4056  # where a commit record has it
ROWS_OF_PAGES = 512  # fill whole pages of each part
MEMORY = 6 << 30  # of a program, bytes of its address space
SECONDS = 60
FIELDS = {"format": (8, "<I"), "ring": (12, "<I")} | {
    name: (24 + 8 * k, "<q")
    for k, name in enumerate(
        ("offset", "file_size", "rest_checksum", "run_id", "atoms", "rows", "rank_capacity")
    )
} | {"kept": (640, "<q"), "kept_rows": (648, "<q")}
PARTS = ("commits", "position", "velocity", "identity", "kept")
ROW_BYTES = {"commits": PAGE, "position": 24, "velocity": 24, "identity": 16, "kept": 16}
EXTREMES = (-(2**63), -1, 0, 1, 2**31, 2**62, 2**63 - 1)

_xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
_xxh3.restype = ctypes.c_uint64
_xxh3.argtypes = (ctypes.c_char_p, ctypes.c_size_t)


def xxh3(data):
    return _xxh3(bytes(data), len(data))


class File:
    """A checkpoint as bytes: its directory, its commit records, and checksums that fit whatever they have become."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.at = next(page for page in range(PAGE, 17 * PAGE, PAGE) if self.data[page : page + 8] == b"HOLONCPT")

    def get(self, field):
        at, kind = FIELDS[field]
        return struct.unpack_from(kind, self.data, self.at + at)[0]

    def set(self, field, value):
        at, kind = FIELDS[field]
        value &= 0xFFFFFFFF if kind == "<I" else 2**64 - 1
        struct.pack_into(kind.upper(), self.data, self.at + at, value)

    def place(self, slot, part):
        return struct.unpack_from("<q", self.data, self._place_at(slot, part))[0]

    def set_place(self, slot, part, value):
        struct.pack_into("<q", self.data, self._place_at(slot, part), value)

    def _place_at(self, slot, part):
        return self.at + 80 + 40 * slot + 8 * PARTS.index(part)

    def slots(self):
        return self.get("ring") + 2

    def ranges(self):
        """What no checksum of the directory is of."""
        counts = {"commits": self.get("rank_capacity"), "kept": self.get("kept_rows")}
        found = [(self.at, self.at + PAGE)]
        for slot in range(self.slots()):
            for part in PARTS:
                begin = self.place(slot, part)
                found.append((begin, begin + ROW_BYTES[part] * counts.get(part, self.get("rows"))))
        return sorted(found)

    def seal(self, rest=True):
        """Makes the checksums of the directory right; `rest`: that of all that is no slot, too."""
        if rest:
            kept, at = bytearray(), 0
            for begin, end in [*self.ranges(), (self.get("file_size"), 0)]:
                kept += self.data[at:begin]
                at = max(at, end)
            self.set("rest_checksum", xxh3(kept))
        self.seal_directory()
        return self

    def seal_directory(self):
        struct.pack_into("<Q", self.data, self.at + 16, xxh3(self.data[self.at + 24 : self.at + PAGE]))

    def record(self, slot, rank, dtype):
        """A view of a commit record, to be changed in place."""
        begin = self.place(slot, "commits") + PAGE * rank
        return numpy.frombuffer(memoryview(self.data)[begin : begin + PAGE], dtype)

    def seal_record(self, slot, rank):
        begin = self.place(slot, "commits") + PAGE * rank
        struct.pack_into("<Q", self.data, begin, xxh3(self.data[begin + 8 : begin + PAGE]))

    def change_boot(self, slot, rank):
        """Of a record that is whole, and does not say that all files are on disk."""
        begin = self.place(slot, "commits") + PAGE * rank
        page = self.data[begin : begin + PAGE]
        if struct.unpack_from("<Q", page)[0] == xxh3(page[8:]) and struct.unpack_from("<Q", page, BOOT)[0] != 0:
            self.data[begin + BOOT] ^= 1
            self.seal_record(slot, rank)

    def seal_rows(self, slot, rank, dtype):
        record = self.record(slot, rank, dtype)
        first, atoms = int(record["first_row"][0]), int(record["atoms"][0])

        def rows(part):
            begin = self.place(slot, part) + ROW_BYTES[part] * first
            return self.data[begin : begin + ROW_BYTES[part] * atoms]

        record["data_checksum"] = xxh3(rows("position") + rows("velocity"))
        record["identity_checksum"] = xxh3(rows("identity"))
        self.seal_record(slot, rank)


@dataclasses.dataclass
class Outcome:
    states: int = 0
    errors: int = 0
    wrong: list = dataclasses.field(default_factory=list)  # what should not have come, as text


class Victim:
    """A run of which hostile copies are made."""

    def __init__(self, work, arguments, ranks=2, **settings):
        self.work = work
        folder = holon.run(work / "victim", arguments, ranks, **{"nsteps": 8, "nstenergy": 0, **settings}).folder
        self.data = (folder / "checkpoint.h5").read_bytes()
        self.path = work / "hostile.h5"
        with h5py.File(folder / "checkpoint.h5") as file:
            self.dtype = file["slots/0/commits"].dtype
        listed = holon.call("holon-inspect", [folder / "checkpoint.h5"]).stdout
        self.lines = {line.split(maxsplit=2)[2] for line in listed.splitlines() if line.strip()[:1].isdigit()}

    def file(self):
        return File(self.data)

    def newest(self):
        file = self.file()
        return max(range(file.slots()), key=lambda k: file.record(k, 0, self.dtype)["sequence"][0])

    def edited(self, change):
        """The file after change(h5py file), sealed again."""
        self.path.write_bytes(self.data)
        with h5py.File(self.path, "r+") as file:
            change(file)
        file = File(self.path.read_bytes())
        file.set("file_size", len(file.data))
        return file.seal()

    def judge(self, outcome, what, data=None, same_states=True, may_fail=False):
        """Looks at a file (that is there already, without `data`) and goes on from it. `same_states`: what it holds, if
        anything, are states of the run. `may_fail`: a run that goes on may fail."""
        if data is not None:
            self.path.write_bytes(data)
        shown = self.call("holon-inspect", [self.path])
        problem = self.look(shown, (holon.FINISHED, holon.BAD_INPUT))
        if not problem and shown.status == holon.FINISHED and same_states:
            lines = {line.split(maxsplit=2)[2] for line in shown.stdout.splitlines() if line.strip()[:1].isdigit()}
            if strange := {line for line in lines if "not valid" not in line and line[:1].isdigit()} - self.lines:
                problem = f"other states: {strange}"
        if not problem:
            folder = self.work / "other"
            shutil.rmtree(folder, ignore_errors=True)
            result = self.call("holon-md", ["--restart", self.path, "-o", folder, "--maxh", "1e-6", "--nsteps", "100"])
            ends = (holon.FINISHED, holon.STOPPED, holon.BAD_INPUT) + ((holon.FAILED,) if may_fail else ())
            problem = self.look(result, ends)
            outcome.states += result.status in (holon.FINISHED, holon.STOPPED)
            outcome.errors += result.status == holon.BAD_INPUT
        if problem:
            outcome.wrong.append(f"{what}: {problem}")

    @staticmethod
    def call(program, arguments):
        try:
            return holon.call(program, arguments, timeout=SECONDS, memory=MEMORY)
        except holon.RunError as problem:
            return holon.Result([program], -signal.SIGKILL, "", str(problem), SECONDS)

    @staticmethod
    def look(result, allowed):
        if result.status not in allowed:
            return f"{result.command[0]}: status {result.status}: {result.stderr[-300:]}"
        if result.status == holon.BAD_INPUT and not result.stderr.strip():
            return "no message"
        return ""


def _replaced(name, **how):
    def change(file):
        del file[name]
        file.create_dataset(name, **how)

    return change


def _linked(name, link):
    def change(file):
        del file[name]
        file[name] = link

    return change


def _removed(*names):
    def change(file):
        for name in names:
            del file[name]

    return change


def _huge_text(file):
    del file["input/topology"]
    text = h5py.h5t.C_S1.copy()
    text.set_size(1 << 44)
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    h5py.h5d.create(file["input"].id, b"topology", text, space)


def _swapped(file):
    file.move("slots/0", "slots/tmp")
    file.move("slots/1", "slots/0")
    file.move("slots/tmp", "slots/1")


def hdf5_edits(work):
    """{what: change(h5py file)}: types, shapes, links and objects other than those that belong there."""
    (work / "raw").write_bytes(b"x" * 1000)
    return {
        "a text of integers": _replaced("input/topology", data=numpy.arange(1000)),
        "a text of variable length": _replaced("input/topology", data="short", dtype=h5py.string_dtype()),
        "many texts in one": _replaced("input/topology", data=numpy.full(5000, b"x" * 100)),
        "a text of no type of texts": _replaced("input/mdp", data=numpy.zeros((), "V1000")),
        "chunks, compressed": _replaced("input/mdp", data=numpy.full(100, b"x"), chunks=True, compression="gzip"),
        "an empty extent": _replaced("input/mdp", data=h5py.Empty("S10")),
        "bytes of another file": _replaced(
            "input/mdp", shape=(), dtype="S1000", external=[(str(work / "raw"), 0, 1000)]
        ),
        "a text of 16 TB": _huge_text,
        "a link to itself": _linked("input/topology", h5py.SoftLink("/input/topology")),
        "a link to nothing": _linked("input/topology", h5py.SoftLink("/nowhere")),
        "a link to another text": _linked("input/topology", h5py.SoftLink("/input/mdp")),
        "a link to another file": _linked("input/topology", h5py.ExternalLink(str(work / "other.h5"), "/x")),
        "a group for a text": lambda file: (_removed("input/mdp")(file), file.create_group("input/mdp")),
        "input for itself": lambda file: (_removed("input/mdp")(file), file.__setitem__("input/mdp", file["input"])),
        "no input": _removed("input"),
        "no topology": _removed("input/topology"),
        "no parameters": _removed("input/mdp"),
        "input is a dataset": _replaced("input", data=numpy.arange(10)),
        "slots removed": _removed("slots"),
        "slots swapped": _swapped,
        "a slot of other types": _replaced("slots/0/position", data=numpy.zeros((3, 3), "f4")),
        "directory removed": _removed("directory"),
    }


def older_layouts(victim, outcome):
    for number in (0, 1, 2, 2**31):
        file = victim.file()
        file.set("format", number)
        victim.judge(outcome, f"format {number}", file.seal(rest=False).data)


def swapped_slots(victim, outcome, rng, rounds):
    """Slots, parts and pages of the directory's places exchanged."""
    for _ in range(rounds):
        file = victim.file()
        a, b = rng.sample(range(file.slots()), 2)
        parts = rng.choice([PARTS, *([part] for part in PARTS)])
        for part in parts:
            places = file.place(a, part), file.place(b, part)
            file.set_place(a, part, places[1])
            file.set_place(b, part, places[0])
        victim.judge(outcome, f"{parts} of slots {a} and {b} exchanged", file.seal(rest=False).data)


def directory_values(victim, outcome, rng, rounds):
    """Any value in any place of the directory."""
    for _ in range(rounds):
        file = victim.file()
        if rng.random() < 0.5:
            name = rng.choice([name for name in FIELDS if name != "format"])
            value = rng.choice((*EXTREMES, file.get(name) + rng.choice((-PAGE, -1, 1, PAGE))))
            what = f"{name} = {value}"
            file.set(name, value)
        else:
            slot, part = rng.randrange(file.slots()), rng.choice(PARTS)
            value = rng.choice((*EXTREMES, file.place(slot, part) + rng.choice((-PAGE, -1, 16, PAGE))))
            what = f"{part} of slot {slot} at {value}"
            file.set_place(slot, part, value)
        file.seal_directory()
        victim.judge(outcome, what, file.data)


def record_values(victim, outcome, rng, rounds):
    """Any value in any field of a commit record. The checksum is right: what fits the run's rules is its state."""
    names = [name for name in victim.dtype.names if name not in ("checksum", "values", "outputs")]
    marks = victim.dtype["outputs"].names
    for _ in range(rounds):
        file = victim.file()
        slot, rank = victim.newest(), rng.randrange(2)
        record = file.record(slot, rank, victim.dtype)
        name = rng.choice([*names, *marks])
        target = record if name in names else record["outputs"]
        if target[name].dtype.kind == "f":
            value = rng.choice((float("nan"), float("inf"), -1.0, 0.0, 1e300, 1e-300))
        else:
            value = rng.choice(EXTREMES) & (2 ** (8 * target[name].dtype.itemsize) - 1)
            value = numpy.uint64(value).astype(target[name].dtype)
        target[name] = value
        file.seal_record(slot, rank)
        victim.judge(outcome, f"{name} = {value}, rank {rank}", file.data, same_states=False, may_fail=True)


def row_values(victim, outcome, rng, rounds):
    """Extreme positions, velocities, ids and image counts."""
    for _ in range(rounds):
        file = victim.file()
        slot, rank = victim.newest(), rng.randrange(2)
        record = file.record(slot, rank, victim.dtype)
        part = rng.choice(("position", "velocity", "identity"))
        row = int(record["first_row"][0]) + rng.randrange(int(record["atoms"][0]))
        at = file.place(slot, part) + ROW_BYTES[part] * row + 4 * rng.randrange(ROW_BYTES[part] // 4)
        value = rng.choice((-(2**31), -1, 0, 2**30, 2**31 - 1))
        struct.pack_into("<i", file.data, at, value)
        file.seal_rows(slot, rank, victim.dtype)
        victim.judge(outcome, f"{part}: {value}", file.data, same_states=False, may_fail=True)


def fuzzed_metadata(victim, outcome, rng, rounds):
    """Bytes of what the HDF5 library reads."""
    file = victim.file()
    ranges = file.ranges()
    size = file.get("file_size")
    free = [at for at in range(min(size, 1 << 20)) if not any(a <= at < b for a, b in ranges)]
    used = [at for at in free if file.data[at] != 0]
    for _ in range(rounds):
        file = victim.file()
        places = rng.sample(used if rng.random() < 0.7 else free, rng.randint(1, 6))
        for at in places:
            file.data[at] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        victim.judge(outcome, f"bytes {places}", file.seal().data, same_states=False)


def huge(victim, outcome, atoms=2**31 - 1, ranks=1):
    """A file of holes that is said to hold billions of atoms, or records of billions of ranks."""
    file = victim.file()
    capacity = 1 << max(3, (ranks - 1).bit_length())
    rows = (atoms + ROWS_OF_PAGES - 1) // ROWS_OF_PAGES * ROWS_OF_PAGES + capacity * ROWS_OF_PAGES
    begin = at = (len(file.data) + PAGE - 1) // PAGE * PAGE
    file.set("atoms", atoms)
    file.set("rank_capacity", capacity)
    file.set("rows", rows)
    for slot in range(file.slots()):
        for part in PARTS[:4]:
            file.set_place(slot, part, at)
            at += (capacity if part == "commits" else rows) * ROW_BYTES[part]
    file.set("file_size", at)
    record = bytearray(victim.file().record(victim.newest(), 0, victim.dtype).tobytes())
    fields = numpy.frombuffer(record, victim.dtype)
    fields["rank"], fields["ranks"], fields["first_row"], fields["atoms"] = 0, ranks, 0, atoms
    struct.pack_into("<Q", record, 0, xxh3(record[8:]))
    file.data += bytes(begin - len(file.data))
    file.set("rest_checksum", xxh3(file.data[: file.at] + file.data[file.at + PAGE :]))
    file.seal_directory()
    victim.path.write_bytes(file.data)
    with open(victim.path, "r+b") as sparse:
        sparse.truncate(at)
        sparse.seek(file.place(0, "commits"))
        sparse.write(record)
    victim.judge(outcome, f"{atoms} atoms, {ranks} ranks, {at} bytes")
    victim.path.unlink()
