"""A Slurm of its own on this machine: munged, slurmctld and a slurmd for each of two made-up nodes, in one folder.

Debian packages: slurmctld slurmd slurm-client munge. Needs root, as slurmd does.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol")
NODES, CPUS = 2, 8

CONFIG = """\
ClusterName=holon
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=1,sched_interval=3
MpiDefault=none
KillWait=5
ReturnToService=2
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def is_possible():
    return os.geteuid() == 0 and all(shutil.which(program) for program in PROGRAMS)


def free_ports(count):
    """Ports that nobody uses at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class LocalSlurm:
    """with LocalSlurm(folder) as slurm: slurm.submit(...)"""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.daemons = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        port, *node_ports = free_ports(1 + NODES)
        host = socket.gethostname()
        for name in ("state", *(f"spool-n{k + 1}" for k in range(NODES))):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        nodes = "\n".join(
            f"NodeName=n{k + 1} NodeHostname={host} NodeAddr=127.0.0.1 Port={node_port} CPUs={CPUS} RealMemory=1000 "
            "State=UNKNOWN"
            for k, node_port in enumerate(node_ports)
        )
        (self.folder / "slurm.conf").write_text(CONFIG.format(folder=self.folder, host=host, port=port, nodes=nodes))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.launch(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.pid",
            f"--seed-file={self.folder}/munged.seed",
            f"--log-file={self.folder}/munged.log",
        )
        self.wait_until(lambda: (self.folder / "munge.socket").exists(), "munged has a socket")
        self.launch("slurmctld", "-D")
        for k in range(NODES):
            self.launch("slurmd", "-D", "-N", f"n{k + 1}")
        self.wait_until(lambda: self.call("sinfo", "-h", "-o", "%T").split() == ["idle"], "all nodes are idle")

    def launch(self, *command):
        with open(self.folder / f"{len(self.daemons)}-{command[0]}.out", "w") as log:
            self.daemons.append(
                subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            )

    def stop(self):
        for job in self.call("squeue", "-h", "-o", "%i", check=False).split():
            self.call("scancel", "--signal=KILL", "--full", job, check=False)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def wait_until(self, condition, what, timeout=30):
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited {timeout} s in vain until {what}\n{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        return "\n".join(
            f"{path.name}:\n{path.read_text(errors='replace')[-1500:]}"
            for path in [*sorted(self.folder.glob("*.log")), *sorted(self.folder.glob("*.out"))]
        )

    def call(self, *command, check=True, **environment):
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, env={**self.environment, **environment}
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}\n{self.logs()}")
        return done.stdout

    def submit(self, *arguments, **environment):
        """Number of the job that sbatch makes."""
        return self.call("sbatch", "--parsable", *arguments, **environment).strip()

    def job(self, number):
        """What scontrol says of a job: {"JobState": "RUNNING", "Restarts": "1", ...}."""
        words = self.call("scontrol", "show", "job", number, "-o").split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_for(self, number, timeout):
        """What is said of a job when it has ended for good."""
        deadline = time.monotonic() + timeout
        ended = ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT")
        while (job := self.job(number))["JobState"] not in ended:
            if time.monotonic() > deadline:
                raise RuntimeError(f"job {number} is {job['JobState']} after {timeout} s\n{job}\n{self.logs()}")
            time.sleep(0.5)
        return job
