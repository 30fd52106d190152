"""Networks and published runs that the projection is made for and checked against, with where the numbers are from."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Network:
    """Of a cluster: time per message [s] and bytes per second."""

    name: str
    cores_per_node: int
    latency: float  # of a message to another node
    node_bandwidth: float  # of all ranks of a node together, to other nodes
    local_latency: float  # of a message within the node
    local_bandwidth: float  # per rank, within the node
    overhead: float  # of the sender per further message
    all_to_all_gap: float  # per message of a transpose in which all ranks of many nodes take part
    source: str


# Bandwidths are the nominal ones of the ports. Latencies are round: published half round trips of small messages on
# these networks are between 1 and 2.5 microseconds. The gap of messages in transposes, in which all ranks of a node share
# its ports, is the one number that was fitted: to the run on 32 nodes of CSD3 below.
ARCHER2 = Network(
    "ARCHER2 (Slingshot, 128 cores)",
    128,
    2.0e-6,
    25e9,
    0.5e-6,
    3e9,
    0.5e-6,
    8.0e-6,
    "two ports of 100 Gb/s per node (ARCHER2 hardware description); HPE's Slingshot: De Sensi et al., SC20, "
    "arXiv:2008.08886",
)
CSD3 = Network(
    "CSD3 Skylake (Omni-Path, 32 cores)",
    32,
    2.0e-6,
    12.5e9,
    0.5e-6,
    3e9,
    0.5e-6,
    8.0e-6,
    "one port of 100 Gb/s per node (Intel Omni-Path 100 series)",
)
ARCHER = Network(
    "ARCHER (Aries, 24 cores)",
    24,
    2.0e-6,
    16e9,
    0.5e-6,
    3e9,
    0.5e-6,
    8.0e-6,
    "PCI Express 3.0 x16 between a node and the network (Alverson et al., Cray XC Series Network, WP-Aries01-1112)",
)
NETWORKS = {"archer2": ARCHER2, "csd3": CSD3, "archer": ARCHER}


@dataclasses.dataclass(frozen=True)
class Published:
    """Speeds of GROMACS [ns/day] by nodes, from the logs of github.com/hpc-uk/archer-benchmarks (1400k-atoms).

    `accuracy`: factors within which the model was found to be, each with the atoms per core from which on it is.
    """

    network: Network
    cores: int
    speeds: dict
    accuracy: tuple = ((0, 1.3),)


GROMACS_RUNS = {
    "CSD3, GROMACS 2018.1": Published(CSD3, 32, {1: 2.49, 2: 4.89, 4: 9.41, 8: 17.06, 16: 26.69, 32: 48.44}),
    "ARCHER2, GROMACS 2020.3": Published(ARCHER2, 128, {1: 7.35, 2: 14.54, 4: 28.04, 8: 48.47}),
    # The best of several runs; on 128 nodes they differ by half. There the model is too fast: it knows nothing of
    # domains with more work than others, 30 to 50 % more in the logs, nor of ranks for the mesh that are too few, with
    # which up to 25 % of the time is lost.
    "ARCHER, GROMACS 2018": Published(
        ARCHER,
        24,
        {1: 1.05, 2: 2.09, 4: 3.82, 8: 7.00, 16: 10.2, 32: 17.9, 64: 29.5, 128: 34.5},
        ((4000, 1.3), (1000, 1.7), (0, 2.5)),
    ),
}

# The system of those runs: 1,403,180 atoms, cutoff 1.2 nm, PME order 4, 2 fs.
GROMACS_SYSTEM = {"atoms": 1_403_180, "halo": 1.33, "grid": (160, 280, 208), "order": 4, "dt": 0.002}
# Share of the core time of the one-node run on CSD3 that goes into the mesh as such, from its log: spread and gather,
# transforms with their exchange, solve, redistribution.
GROMACS_MESH_SHARE = {"per_atom": 0.082, "per_point": 0.091}
# Copies of atoms that the log of a run on 32 nodes of ARCHER2 counts for its domains.
GROMACS_DOMAINS, GROMACS_COPIES = (16, 16, 12), 6_218_749
