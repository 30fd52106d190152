"""Item 1: on a bare Debian 12, from a fresh clone, the demo and the tests run; the second time quickly.

Needs root, debootstrap and the network (a Debian mirror). The commit is tested, not the working tree.
"""

import os
import pathlib
import shutil
import subprocess
import time

from support import holon_runner as holon

MIRROR = "http://deb.debian.org/debian"
BARE = pathlib.Path("/var/tmp/holon-bare-debian")


def sh(*words, **how):
    done = subprocess.run(
        [str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, **how
    )
    if done.returncode != 0:
        raise holon.RunError(
            f"{' '.join(map(str, words))}: exit status {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}"
        )
    return done.stdout


MOUNTS = {"proc": "proc", "sys": "sysfs", "dev/pts": "devpts"}


def mount_system(root):
    for target, kind in MOUNTS.items():
        (root / target).mkdir(parents=True, exist_ok=True)
        sh("mount", "-t", kind, kind, root / target)


def remove(root):
    """Unmounts and removes the tree; raises RunError rather than removing what is still mounted."""
    for target in MOUNTS:
        if os.path.ismount(root / target):
            sh("umount", root / target)
    shutil.rmtree(root, ignore_errors=True)


def fresh_clone(report):
    """a bare Debian 12: tools/demo and tools/test from a fresh clone, twice"""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise holon.RunError("needs root and debootstrap")
    root = BARE
    remove(root)
    sh("debootstrap", "--variant=minbase", "--include=git,ca-certificates", "bookworm", root, MIRROR)
    shutil.copy("/etc/hosts", root / "etc" / "hosts")  # else each start waits for a name server
    mount_system(root)
    try:
        sh("git", "clone", "-q", "--no-hardlinks", holon.ROOT, root / "root" / "holon")
        report.note("commit", sh("git", "-C", root / "root" / "holon", "rev-parse", "--short=12", "HEAD").strip())
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
        for script in ("tools/demo", "tools/test"):
            for turn in ("first", "second"):
                began = time.monotonic()
                output = sh("chroot", root, "/bin/sh", "-c", f"cd /root/holon && {script}", env=environment)
                (report.work / f"{pathlib.Path(script).name}-{turn}.log").write_text(output)
                report.check(f"{script}, {turn} time [s]", True, time.monotonic() - began)
                if script == "tools/demo":
                    report.check(
                        "shows energies, speed and files",
                        all(word in output for word in ("potential", "ns/day", "trajectory.h5md")),
                    )
    finally:
        remove(root)


CASES = {"1.fresh-clone": fresh_clone}
