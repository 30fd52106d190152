"""Nodes of this machine with nothing but a bad network between them.

Each node is a network namespace with a host name and an address of its own; a process relays what one sends to another:
late, by times that vary, so that packets overtake each other, and not all of it. For root, on Linux with the program ip
and TUN devices; nothing outside the namespaces is touched.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import threading
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
DEVICE = "holon0"
LIBC = ctypes.CDLL(None, use_errno=True)


def is_possible():
    return os.geteuid() == 0 and shutil.which("ip") and shutil.which("unshare") and os.path.exists("/dev/net/tun")


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def open_tun(namespace):
    """A descriptor of a new device of a namespace; it reads and writes whole IP packets."""
    opened = []

    def inside():  # a thread of its own: threads are in namespaces, not processes
        with open(f"/run/netns/{namespace}") as handle:
            if LIBC.setns(handle.fileno(), CLONE_NEWNET) != 0:
                return
        descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
        opened.append(descriptor)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    if not opened:
        raise OSError("cannot make a device in a network namespace")
    return opened[0]


def relay(tuns, delay, jitter, loss):
    """Passes packets on for ever. tuns: {address: descriptor}."""
    rng, due, count = random.Random(1), [], 0
    counts = {"passed": 0, "lost": 0}
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
    while not stop:
        wait = max(0.0, due[0][0] - time.monotonic()) if due else 0.1
        for descriptor in select.select(list(tuns.values()), [], [], wait)[0]:
            try:
                packet = os.read(descriptor, 65536)
            except BlockingIOError:
                continue
            target = tuns.get(packet[16:20]) if packet[0] >> 4 == 4 else None
            if target is None or rng.random() < loss:
                counts["lost"] += target is not None
                continue
            count += 1
            heapq.heappush(due, (time.monotonic() + delay + rng.uniform(-jitter, jitter), count, target, packet))
        while due and due[0][0] <= time.monotonic():
            _, _, target, packet = heapq.heappop(due)
            try:
                os.write(target, packet)
                counts["passed"] += 1
            except OSError:  # nobody listens any more, or there is no room: lost like others
                counts["lost"] += 1
    return counts


class BadNetwork:
    """`nodes` nodes; `delay` and `jitter` [s] of each packet, `loss` of one in how many. Use it in a with statement."""

    def __init__(self, work, nodes=2, delay=0.0, jitter=0.0, loss=0.0):
        self.work, self.properties = work, (delay, jitter, loss)
        self.names = [f"holon-{os.getpid()}-{k}" for k in range(nodes)]
        self.addresses = [f"10.203.77.{k + 1}" for k in range(nodes)]
        self.counts = None

    def __enter__(self):
        tuns = {}
        try:
            for name, address in zip(self.names, self.addresses):
                ip("netns", "add", name)
                tuns[bytes(map(int, address.split(".")))] = open_tun(name)
                for words in (["link", "set", "lo", "up"], ["addr", "add", f"{address}/24", "dev", DEVICE]):
                    ip("-n", name, *words)
                ip("-n", name, "link", "set", DEVICE, "up")
        except (OSError, subprocess.CalledProcessError):
            self.remove()
            raise
        reader, writer = os.pipe()
        self.relay = os.fork()
        if self.relay == 0:
            counts = relay(tuns, *self.properties)
            os.write(writer, f"{counts['passed']} {counts['lost']}".encode())
            os._exit(0)
        self.reader = reader
        for descriptor in [*tuns.values(), writer]:
            os.close(descriptor)
        self.agent = self.work / "agent"
        cases = "".join(f"{a}) node={n} ;;\n" for n, a in zip(self.names, self.addresses))
        self.agent.write_text(f"#!/bin/sh\nwhile :; do case $1 in -*) shift ;; *) break ;; esac; done\n"
                              f"case $1 in {cases} esac\nshift\n"
                              'exec ip netns exec $node unshare -u sh -c "hostname $node; $*"\n')
        self.agent.chmod(0o755)
        return self

    def __exit__(self, *_):
        os.kill(self.relay, signal.SIGTERM)
        self.counts = tuple(map(int, os.read(self.reader, 64).split()))
        os.waitpid(self.relay, 0)
        os.close(self.reader)
        self.remove()

    def remove(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def on_node(self, node, command):
        """The words that run a command on a node."""
        return ["ip", "netns", "exec", self.names[node], "unshare", "-u", "sh", "-c", 'hostname "$0" && exec "$@"',
                self.names[node], *map(str, command)]

    def launch(self, ranks):
        """The words that start so many ranks on each node, which have only TCP between them; of Open MPI's mpirun."""
        hosts = ",".join(f"{address}:{ranks}" for address in self.addresses)
        parameters = {
            "plm_rsh_agent": self.agent,
            "plm_rsh_no_tree_spawn": 1,
            "btl": "self,tcp",
            "btl_tcp_if_include": DEVICE,
            "oob_tcp_if_include": DEVICE,
            "oob_tcp_peer_retries": 60,
        }
        options = [str(word) for key, value in parameters.items() for word in ("--mca", key, value)]
        return self.on_node(0, ["mpirun", *options, "--host", hosts, "-n", ranks * len(self.addresses)])
