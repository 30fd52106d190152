"""Runs the programs and reads what they leave. Shared by the program tests and tools/acceptance.

HOLON_BIN is the folder of the programs (build/bin), HOLON_MPIEXEC the launcher (mpirun).
"""

import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
INPUTS = ROOT / "inputs"
SHARED_SYSTEMS = ROOT.parent / "shared" / "systems"
BIN = pathlib.Path(os.environ.get("HOLON_BIN", ROOT / "build" / "bin")).absolute()
MPIEXEC = os.environ.get("HOLON_MPIEXEC", "mpirun")

# Open MPI refuses root, and more ranks than cores, unless told otherwise.
os.environ |= {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
# Without a launcher it starts a daemon; without that, programs make and remove one folder under each other's feet.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_create_session_dirs": "0"}

FINISHED, BAD_INPUT, FAILED, STOPPED = 0, 2, 3, 75


class RunError(Exception):
    """A run that did not do what its caller relies on."""


@dataclasses.dataclass
class Result:
    """What one call of a program left: exit status, messages and, in `folder`, its files."""

    command: list
    status: int
    stdout: str
    stderr: str
    seconds: float
    folder: pathlib.Path | None = None

    @property
    def summary(self):
        return summary_of(self.folder)

    @property
    def state_hash(self):
        return self.summary["state_hash"]

    @property
    def steps(self):
        """Steps that this call computed."""
        return self.summary["end_step"] - self.summary["start_step"]


def summary_of(folder):
    """summary.json of an output folder."""
    return json.loads((folder / "summary.json").read_text())


def options(settings):
    """{"nsteps": 20, "tcoupl": "no"} -> ["--nsteps", "20", "--tcoupl", "no"]; None stands for no value."""
    words = []
    for key, value in settings.items():
        words.append("--" + key.replace("_", "-"))
        if value is not None:
            words.append(str(value))
    return words


def input_files(folder, parameters=None):
    """The file options of an input folder: md.mdp (or `parameters`), conf.gro, topol.top."""
    folder = pathlib.Path(folder)
    return ["-f", parameters or folder / "md.mdp", "-c", folder / "conf.gro", "-p", folder / "topol.top"]


@functools.cache
def launcher_name():
    """Open MPI, or the word that another MPI's launcher tells its version with."""
    told = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True).stdout
    return "Open MPI" if re.search("Open MPI|OpenRTE", told) else told.split(" ")[0]


def passed_on():
    """What the launcher returns after each signal that it passes on to ranks, which then stop: {signal: {status, ...}}.
    To TERM and INT Open MPI's reacts itself and returns 1; MPICH's returns 0 or what the ranks return, and USR2 ends it."""
    if launcher_name() == "Open MPI":
        return {signal.SIGTERM: {1}, signal.SIGINT: {1}, signal.SIGUSR1: {STOPPED}, signal.SIGUSR2: {STOPPED}}
    return dict.fromkeys((signal.SIGTERM, signal.SIGINT, signal.SIGUSR1), {FINISHED, STOPPED})


def launch(ranks):
    """The words that start a program on so many ranks."""
    options = ["--quiet", "--oversubscribe"] if launcher_name() == "Open MPI" else []
    return [MPIEXEC, *options, "-n", str(ranks)]


def command_line(program, arguments, ranks):
    return [str(word) for word in [*(launch(ranks) if ranks else []), BIN / program, *arguments]]


def start(arguments, ranks=1, stderr=subprocess.DEVNULL, **how):
    """Starts holon-md and does not wait for it."""
    return subprocess.Popen(
        command_line("holon-md", arguments, ranks), stdout=subprocess.DEVNULL, stderr=stderr, **how
    )


def call(program, arguments, ranks=0, timeout=300, user=None, folder=None, environment=None, memory=None):
    """Runs a program to its end, under the launcher if `ranks` is not 0. RunError if it takes longer than `timeout` [s].

    `environment`: further variables; `memory` [bytes]: most that a process may address, and it leaves no core then.
    """

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    command = command_line(program, arguments, ranks)
    home = {} if user is None else {"HOME": "/"}
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        user=user,
        env={**os.environ, **home, **({} if ranks else ALONE), **(environment or {})},
        cwd=None if user is None else "/",  # where the tests run may be closed to others
        preexec_fn=limit if memory else None,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        kill_ranks(process)
        process.kill()
        stdout, stderr = process.communicate()
        raise RunError(f"still running after {timeout} s: {' '.join(command)}\n{stdout}{stderr}") from None
    return Result(command, process.returncode, stdout, stderr, time.monotonic() - began, folder)


def run(folder, arguments=(), ranks=1, timeout=600, status=FINISHED, environment=None, **settings):
    """Runs holon-md with output in `folder` and further settings as options. Raises RunError on another exit status.

    One rank needs no launcher, which takes longer to start than most of these runs.
    """
    folder = pathlib.Path(folder)
    goes_on = "--restart" in arguments and folder / "checkpoint.h5" in arguments
    output = [] if goes_on else ["-o", folder]
    words = [*arguments, *output, *options(settings)]
    result = call("holon-md", words, ranks if ranks > 1 else 0, timeout, folder=folder, environment=environment)
    if result.status != status:
        raise RunError(
            f"exit status {result.status}, not {status}: {' '.join(result.command)}\n{result.stdout[-2000:]}"
            f"{result.stderr[-4000:]}"
        )
    return result


@functools.cache
def constraint_algorithms():
    """Every value of constraint-algorithm that the program knows."""
    words = [*input_files(INPUTS / "argon"), "-o", "none", "--constraint-algorithm", "?"]
    told = call("holon-md", words).stderr
    found = re.search(r"constraint-algorithm.*choose one of ([\w+, -]+)", told)
    if found is None:
        raise RunError(told)
    return found[1].split(", ")


def rank_pids(launcher):
    """Process ids of the ranks that a launcher started on this machine, itself or, as MPICH's, by a proxy."""
    ranks = []
    for pid in children(launcher.pid):
        is_proxy = name_of_process(pid) == "hydra_pmi_proxy"
        ranks += children(pid) if is_proxy else [pid]
    return ranks


def children(pid):
    """Process ids of the children of a process, which may have ended."""
    found = []
    for thread in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, thread.read_text().split())
    return found


def name_of_process(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def send(pids, number):
    """Sends a signal to processes that may have ended."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def kill_ranks(launcher):
    """Sends SIGKILL to every rank, at once."""
    send(rank_pids(launcher), signal.SIGKILL)


def ndof(summary, comm_mode="linear"):
    """Degrees of freedom of the atoms: constraints and, with comm-mode linear, centre-of-mass motion taken off."""
    massive = summary["atoms"] - summary.get("virtual_sites", 0)
    return 3 * massive - summary["constraints"] - (3 if comm_mode == "linear" else 0)


def preload(library):
    """The variable that loads a library before the programs, beside those that the environment names."""
    return {"LD_PRELOAD": " ".join([str(library), *os.environ.get("LD_PRELOAD", "").split()])}


def have_programs():
    return (BIN / "holon-md").exists()


def messages(stderr):
    """The messages on stderr, notes left out: one line each, its first."""
    return [line for line in stderr.splitlines() if re.match(r"holon-md: (?!note:)", line)]


class ProgramTest(unittest.TestCase):
    """A test with a temporary folder `self.work`."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="holon-test-")
        self.addCleanup(holder.cleanup)
        self.work = pathlib.Path(holder.name)
        self.work.chmod(0o755)  # some runs are another user's


def main():
    """Runs the tests of the calling script; exit status 77 (skipped) where the programs are not built."""
    if not have_programs():
        raise SystemExit(77)
    unittest.main(module="__main__")
