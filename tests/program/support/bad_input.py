"""What every malformed input must lead to: exit status 2, one message that says where, no files, no hang.

Shared by bad_input_test.py and tools/acceptance: each check returns what is wrong, as text; empty if nothing is.
"""

import os
import shutil

from support import holon_runner as holon
from support import malformed_inputs

NOBODY = 65534
TIMEOUT = 60  # s; eight ranks on two cores start slowly


def write_input(folder, files=None):
    """Writes an input (the good one by default); returns its file options."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (files or malformed_inputs.good_input()).items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return holon.input_files(folder)


def refused_call(arguments, ranks, user=None, program="holon-md"):
    """Runs holon-md with arguments it must refuse; returns (what is wrong, its message)."""
    try:
        result = holon.call(program, arguments, ranks, TIMEOUT, user)
    except holon.RunError as error:
        return str(error), ""
    said = result.stderr[-400:]
    if result.status != holon.BAD_INPUT:
        return f"exit status {result.status} instead of {holon.BAD_INPUT}: {said}", ""
    count = len(holon.messages(result.stderr))
    return (f"{count} messages instead of one: {said}" if count != 1 else ""), result.stderr


def refusal(arguments, ranks, says=(), **how):
    """What is wrong with the refusal of these arguments; `says` must stand in the message."""
    problem, message = refused_call(arguments, ranks, **how)
    missing = [text for text in says if str(text).lower() not in message.lower()]
    return problem or (f"does not say {missing}: {message[-400:]}" if missing else "")


def left_behind(output):
    """Complains about files in an output folder that should not be there."""
    return f"left {sorted(path.name for path in output.iterdir())}" if output.exists() and any(output.iterdir()) else ""


class RefusalTest(holon.ProgramTest):
    """A test that has inputs refused."""

    has_refused = False

    def refuse(self, name, files, says, **settings):
        """Without a launcher, the first of a test on two ranks too; `says`: what must stand in the message."""
        arguments = write_input(self.work / name, files)
        first, self.has_refused = not self.has_refused, True
        for ranks in (0, 2) if first else (0,):
            output = self.work / f"{name}-{ranks}"
            self.assertEqual(refusal([*arguments, "-o", output, *holon.options(settings)], ranks, says), "")
            self.assertEqual(left_behind(output), "")


def check_case(case, folder, ranks):
    """Runs one malformed input in `folder`."""
    arguments = write_input(folder, case.files())
    problem, message = refused_call([*arguments, "-o", folder / "run"], ranks)
    if problem or left_behind(folder / "run"):
        return problem or left_behind(folder / "run")
    complaint = case.complaint(message)
    return f"{complaint}: {message[-400:]}" if complaint else ""


def unprivileged_input(folder):
    """The good input for a user without privileges; returns the file options and how such a user runs the program."""
    arguments = write_input(folder)
    if os.geteuid() != 0:
        return arguments, {}
    program = folder / "holon-md"  # the build folder may be closed to others
    shutil.copy(holon.BIN / "holon-md", program)
    return arguments, {"user": NOBODY, "program": program}


def unwritable_folder(folder, ranks):
    arguments, how = unprivileged_input(folder)
    locked = folder / "locked"
    locked.mkdir(mode=0o555)
    return refusal([*arguments, "-o", locked / "run"], ranks, ["locked"], **how)


def unreadable_file(folder, ranks):
    arguments, how = unprivileged_input(folder)
    (folder / "topol.top").chmod(0o000)
    return refusal([*arguments, "-o", folder / "run"], ranks, ["topol.top"], **how)


def output_is_a_file(folder, ranks):
    arguments = write_input(folder)
    (folder / "run").write_text("mine")
    return refusal([*arguments, "-o", folder / "run"], ranks, ["run"])


def input_is_a_folder(folder, ranks):
    arguments = write_input(folder)
    (folder / "conf.gro").unlink()
    (folder / "conf.gro").mkdir()
    return refusal([*arguments, "-o", folder / "run"], ranks, ["conf.gro"])


def finished_run(folder):
    """A good run in folder/run; returns the file options of its input."""
    arguments = write_input(folder)
    holon.run(folder / "run", arguments)
    return arguments


def folder_holds_a_run(folder, ranks):
    arguments = finished_run(folder)
    before = {path.name: path.read_bytes() for path in (folder / "run").iterdir()}
    problem = refusal([*arguments, "-o", folder / "run"], ranks, ["run", "--overwrite"])
    after = {path.name: path.read_bytes() for path in (folder / "run").iterdir()}
    return problem or ("the refused run changed the folder's files" if after != before else "")


def restart_changes_the_time_step(folder, ranks):
    finished_run(folder)
    return refusal(["--restart", folder / "run" / "checkpoint.h5", "--nsteps", 4, "--dt", 0.001], ranks, ["dt"])


def restart_from_garbage(folder, ranks):
    folder.mkdir(parents=True)
    (folder / "checkpoint.h5").write_bytes(malformed_inputs.GARBAGE)
    return refusal(["--restart", folder / "checkpoint.h5"], ranks, ["checkpoint.h5"])


def restart_from_half_a_file(folder, ranks):
    finished_run(folder)
    content = (folder / "run" / "checkpoint.h5").read_bytes()
    (folder / "half.h5").write_bytes(content[: len(content) // 2])
    return refusal(["--restart", folder / "half.h5", "-o", folder / "next"], ranks, ["half.h5"])


def restart_from_nothing(folder, ranks):
    return refusal(["--restart", folder / "checkpoint.h5"], ranks, ["checkpoint.h5"])


def command_line_cases():
    """Options that the good input does not go with: name -> (options, what the message must say)."""
    return {
        "unknown option": (["--nstpes", 5], ["nstpes", "nsteps"]),
        "option no number": (["--dt", "fast"], ["dt", "fast"]),
        "option negative": (["--rcoulomb", -1], ["rcoulomb"]),
        "domains and ranks differ": (["--domains", "5x5x5"], ["domains"]),
        "missing index file": (["-n", "nowhere.ndx"], ["nowhere.ndx"]),
        "value missing": (["--nsteps"], ["nsteps"]),
    }


def index_file(content, says):
    def check(folder, ranks):
        arguments = write_input(folder)
        (folder / "index.ndx").write_bytes(content)
        return refusal([*arguments, "-n", folder / "index.ndx", "-o", folder / "run"], ranks, says)

    return check


def with_options(extra, says):
    def check(folder, ranks):
        arguments = write_input(folder)
        problem = refusal([*arguments, "-o", folder / "run", *extra], ranks, says)
        return problem or left_behind(folder / "run")

    return check


def checks():
    """Every check: name -> function(folder, ranks) that returns what is wrong."""
    found = {
        f"{case.file}: {case.name}": lambda folder, ranks, case=case: check_case(case, folder, ranks)
        for case in malformed_inputs.CASES
    }
    for check in (
        unwritable_folder,
        unreadable_file,
        output_is_a_file,
        input_is_a_folder,
        folder_holds_a_run,
        restart_changes_the_time_step,
        restart_from_garbage,
        restart_from_half_a_file,
        restart_from_nothing,
    ):
        found[check.__name__.replace("_", " ")] = check
    for name, (extra, says) in command_line_cases().items():
        found[f"command line: {name}"] = with_options(extra, says)
    found["index.ndx: atom out of range"] = index_file(b"[ System ]\n1 2 999\n", ["index.ndx:2"])
    found["index.ndx: atom no number"] = index_file(b"[ System ]\n1 two 3\n", ["index.ndx:2"])
    found["index.ndx: binary garbage"] = index_file(malformed_inputs.GARBAGE, ["index.ndx"])
    return found


def run_check(name, folder, ranks):
    """Runs one check in a folder of its own, which it removes."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return checks()[name](folder, ranks)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
