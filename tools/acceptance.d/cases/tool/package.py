"""Item 1: the Debian packages, installed in a bare Debian; every command of the tutorial, with all its steps."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import fresh_clone
from support import holon_runner as holon

BARE = pathlib.Path("/var/tmp/holon-bare-package")
PROGRAMS = ("holon-md", "holon-inspect", "holon-bench-constraints", "holon-torsions", "holon-report", "holon-export")


def packages(report):
    """Makes the packages from the programs in HOLON_BIN; returns their paths."""
    build = holon.BIN.parent
    for old in build.glob("holon*.deb"):
        old.unlink()
    fresh_clone.sh("cpack", cwd=build)
    made = sorted(build.glob("holon*.deb"))
    report.check("packages", len(made) == 2, " ".join(path.name for path in made), "two")
    for path in made:
        report.note(f"{path.name.split('_')[0]} [MB]", path.stat().st_size / 1e6)
    done = subprocess.run(["lintian", "--no-tag-display-limit", *made], capture_output=True, text=True)
    errors = [line for line in done.stdout.splitlines() if line.startswith("E:")]
    report.check("lintian: errors", not errors, "\n".join(errors) or 0, "0")
    return made


def in_root(root, command):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
    allow = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return fresh_clone.sh("chroot", root, "/bin/bash", "-lc", command, env={**environment, **allow})


def check_module_files(report, root):
    """Those of both programs that sites have."""
    for package, start in (("environment-modules", "/etc/profile.d/modules.sh"), ("lmod", "/etc/profile.d/lmod.sh")):
        in_root(root, f"apt-get install -qq -y --no-install-recommends {package} procps >/dev/null 2>&1")
        load = f"source {start}; module use /usr/share/holon/modulefiles; module load holon && echo $PYTHONPATH"
        found = in_root(root, load)
        report.check(f"module load: {package}", "/usr/share/holon/python" in found, found.strip(), "PYTHONPATH")
        in_root(root, f"apt-get purge -qq -y {package} >/dev/null 2>&1")


def package(report):
    """packages: lintian, and the programs in a bare Debian"""
    for program in ("debootstrap", "lintian"):
        if not shutil.which(program) or os.geteuid() != 0:
            raise holon.RunError(f"needs root and {program}")
    made = packages(report)
    fresh_clone.remove(BARE)
    fresh_clone.sh("debootstrap", "--variant=minbase", "bookworm", BARE, fresh_clone.MIRROR)
    shutil.copy("/etc/hosts", BARE / "etc" / "hosts")  # else each start waits for a name server
    fresh_clone.mount_system(BARE)
    try:
        for path in made:
            shutil.copy(path, BARE / "root")
        in_root(BARE, "apt-get update -qq && apt-get install -qq -y --no-install-recommends man-db /root/holon_*.deb")
        for program in PROGRAMS:
            said = in_root(BARE, f"{program} --version && test -s /usr/share/bash-completion/completions/{program}")
            report.check(program, said.startswith(program), said.strip(), "runs")
        argon = "cd /usr/share/holon/inputs/argon; mpirun --oversubscribe -n {} holon-md -f md.mdp -c conf.gro -p topol.top"
        in_root(BARE, argon.format(2) + " -o /root/run --nsteps 50 --nstenergy 1 && holon-report /root/run -o /root/report.html")
        here = holon.run(report.work / "argon", holon.input_files(holon.INPUTS / "argon"), 1, nsteps=50)
        summary = holon.summary_of(BARE / "root" / "run")
        report.check("state hash there and here", summary["state_hash"] == here.state_hash, summary["state_hash"], "equal")
        plots = (BARE / "root" / "report.html").read_text().count("<svg")
        report.at_least("plots of the report", plots, 3)
        said = in_root(BARE, "python3 -c 'import holon; print(holon.Run(\"/root/run\").status)'")
        report.check("import holon", said.strip() == "finished", said.strip(), "finished")
        check_module_files(report, BARE)
        in_root(BARE, "apt-get purge -qq -y holon >/dev/null 2>&1")
        left = [path for path in BARE.glob("usr/**/*holon*")]
        report.check("left after purging", not left, " ".join(map(str, left)) or 0, "0")
    finally:
        fresh_clone.remove(BARE)


def tutorial(report):
    """every command of docs/tutorial.md with all its steps; gmx builds the system"""
    report.check("gmx", shutil.which("gmx"), shutil.which("gmx") or "none", "there")
    script = holon.ROOT / "tests" / "tools" / "tutorial_test.py"
    environment = {**os.environ, "HOLON_FULL": "1"}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    report.check("commands", done.returncode == 0, done.stderr[-1500:] if done.returncode else "all", "succeed")
    page = (holon.ROOT / "docs" / "tutorial.md").read_text()
    commands = re.findall(r"(?m)^(?:mpirun|gmx|holon-\w+|sbatch|tail|cp|mkdir|echo|cd) ", page)
    report.note("commands on the page", len(commands))


CASES = {"1.package": package, "1.tutorial": tutorial}
