"""Starts holon-md and follows it."""

import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import IO, Any

from .errors import HolonError, RunFailed
from .folder import Run

FLAGS = {"overwrite", "resume", "reverse-velocities"}  # options without a value
LOOK_EVERY = 0.2  # s

Path = str | pathlib.Path
Follow = Callable[["Progress"], None]


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a run has come: its last row of energies."""

    step: int
    time_ps: float
    energies: dict[str, float]  # the other columns of energy.csv


class Running:
    """A run that has been started and may have ended."""

    def __init__(self, command: list[str], folder: pathlib.Path) -> None:
        self.command = command
        self.folder = folder
        self._messages: IO[bytes] = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._messages, env=_environment()
            )
        except OSError as error:
            raise HolonError(f"{command[0]}: cannot be started: {error.strerror}") from None
        self._began = time.time()

    def progress(self) -> Progress | None:
        """The last row of energies so far; None before the first one."""
        path = self.folder / "energy.csv"
        try:
            if path.stat().st_mtime < self._began - 1.0:
                return None  # of the run before
            with open(path, "rb") as file:
                names = file.readline().decode().strip().split(",")
                file.seek(max(file.tell(), file.seek(0, os.SEEK_END) - 8192))
                lines = file.read().split(b"\n")[:-1]
            values = [float(word) for word in lines[-1].split(b",")]
        except (OSError, ValueError, IndexError):
            return None
        if len(values) != len(names):
            return None
        return Progress(int(values[0]), values[1], dict(zip(names[2:], values[2:])))

    def messages(self) -> str:
        """What the program has said on stderr so far; nothing after wait()."""
        if self._messages.closed:
            return ""
        self._messages.seek(0)
        return self._messages.read().decode(errors="replace")

    def stop(self) -> None:
        """Asks the run to end after its step; it can be continued then."""
        while self.process.poll() is None and not self._listens():
            time.sleep(0.02)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGUSR1)  # launchers pass it on

    def _listens(self) -> bool:
        """Whether the program has come so far that a signal does not kill it: it has taken its folder then."""
        try:
            return (self.folder / ".holon-lock").stat().st_mtime >= self._began - 1.0
        except OSError:
            return False

    def wait(self, follow: Follow | None = None) -> Run:
        """Waits for the end. `follow` is called with each row of energies that is new at the time of looking.

        RunFailed with the program's message if it did not finish and cannot be continued.
        """
        last: Progress | None = None
        try:
            while True:
                ended = self.process.poll() is not None
                now = self.progress() if follow else None
                if follow and now and now != last:
                    follow(now)
                    last = now
                if ended:
                    break
                time.sleep(LOOK_EVERY)
        except BaseException:
            self.stop()
            raise
        return self._result()

    def _result(self) -> Run:
        status, messages = self.process.returncode, self.messages()
        self._messages.close()
        if status == 0:
            return Run(self.folder)
        if (self.folder / "summary.json").exists() and Run(self.folder).status == "stopped":
            return Run(self.folder)
        said = [line for line in messages.splitlines() if line.startswith("holon-md: ")]
        lines = [line for line in said if not line.startswith("holon-md: note:")] or messages.splitlines()[-5:]
        raise RunFailed("\n".join(lines) or f"exit status {status}: {' '.join(self.command)}", status)


def run(
    mdp: Path, gro: Path, top: Path, output: Path = "run", follow: Follow | None = None, **options: Any
) -> Run:
    """Runs holon-md to its end: the folder `output`.

    options: ranks=4, and all options of holon-md and keys of .mdp, as in nsteps=1000, index="groups.ndx",
    overwrite=True, tau_t=0.5, define="POSRES".
    """
    return start(mdp, gro, top, output, **options).wait(follow)


def start(mdp: Path, gro: Path, top: Path, output: Path = "run", **options: Any) -> Running:
    """Starts holon-md and does not wait for it. Options as for run()."""
    files = ["-f", str(mdp), "-c", str(gro), "-p", str(top), "-o", str(output)]
    return _start(files, pathlib.Path(output), options)


def restart(folder: Path | Run, follow: Follow | None = None, **options: Any) -> Run:
    """Continues a run in its folder to its end, or a later one: restart("run", nsteps=2000, ranks=4)."""
    path = folder.folder if isinstance(folder, Run) else pathlib.Path(folder)
    return _start(["--restart", str(path / "checkpoint.h5")], path, options).wait(follow)


def _start(files: list[str], folder: pathlib.Path, options: dict[str, Any]) -> Running:
    options = dict(options)
    ranks = int(options.pop("ranks", 1))
    if ranks < 1:
        raise HolonError(f"ranks: {ranks} is not a number of processes")
    command = [*_launcher(ranks), str(find_program("holon-md")), *files, *_words(options)]
    return Running(command, folder)


def _words(options: dict[str, Any]) -> list[str]:
    """{"nsteps": 20, "overwrite": True, "gen_vel": False} -> --nsteps 20 --overwrite --gen-vel no"""
    words: list[str] = []
    for key, value in options.items():
        name = key.replace("_", "-")
        if name in FLAGS:
            words += [f"--{name}"] if value else []
        elif isinstance(value, bool):
            words += [f"--{name}", "yes" if value else "no"]
        elif isinstance(value, (list, tuple)) and name == "define":
            words += [word for one in value for word in ("--define", str(one))]
        elif isinstance(value, (list, tuple)):
            words += [f"--{name}", " ".join(str(one) for one in value)]
        else:
            words += [f"--{name}", str(value)]
    return words


def find_program(name: str) -> pathlib.Path:
    """In the folder that HOLON_BIN names, on the path, or in build/bin of the source. HolonError if it is nowhere."""
    folders = [os.environ[key] for key in ["HOLON_BIN"] if key in os.environ]
    source = pathlib.Path(__file__).resolve().parents[2]
    found = shutil.which(name, path=os.pathsep.join(folders)) if folders else None
    found = found or shutil.which(name) or shutil.which(name, path=str(source / "build" / "bin"))
    if not found:
        raise HolonError(f"{name}: not found: put it on the path, or its folder into HOLON_BIN")
    return pathlib.Path(found).absolute()


def _launcher(ranks: int) -> list[str]:
    """The words that start a program on so many ranks; HOLON_MPIEXEC is the launcher with its options."""
    if ranks == 1:
        return []
    words = os.environ.get("HOLON_MPIEXEC", "mpirun").split()
    if not shutil.which(words[0]):
        raise HolonError(f"{words[0]}: not found: several ranks need the launcher of MPI; HOLON_MPIEXEC names another")
    return [*words, "-n", str(ranks)]


def _environment() -> dict[str, str]:
    # Open MPI refuses more ranks than cores otherwise; other launchers do not know it.
    return {"OMPI_MCA_rmaps_base_oversubscribe": "1", **os.environ}
