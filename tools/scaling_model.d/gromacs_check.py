"""The model with the costs of GROMACS against published runs of GROMACS."""

import dataclasses
import math

import decomposition
import machines
import model

# What GROMACS sends and how it shares work out: positions and forces in single precision; a quarter of the ranks does
# the mesh, to which positions and charges are sent and from which forces come back.
COPY_BYTES, TO_MESH_BYTES, FROM_MESH_BYTES = 12, 16, 12
MESH_RANKS = 0.25
DENSITY = 100.0  # atoms per nm^3 of a solvated protein


def system():
    """The 1400k system: the box from its grid, whose spacing is a little below the 0.12 nm asked for."""
    given = machines.GROMACS_SYSTEM
    spacing = (given["atoms"] / DENSITY / math.prod(given["grid"])) ** (1.0 / 3.0)
    box = tuple(n * spacing for n in given["grid"])
    return model.System(given["atoms"], box, given["grid"], given["order"], ((given["halo"], 1.0),), given["dt"])


def accuracy(name, atoms_per_core):
    """Factor within which the model is to be of a published run."""
    return next(factor for least, factor in machines.GROMACS_RUNS[name].accuracy if atoms_per_core >= least)


def copies_ratio():
    """Copies in the zones of GROMACS (an eighth shell, rounded at edges and corners) over those that its log counts."""
    run, counts = system(), machines.GROMACS_DOMAINS
    x, y, z = (edge / n for edge, n in zip(run.box, counts))
    r = run.halo
    volume = r * (x * y + y * z + z * x) + math.pi / 4 * r**2 * (x + y + z) + math.pi / 6 * r**3
    return math.prod(counts) * run.density * volume / machines.GROMACS_COPIES


def costs_of(published):
    """Core time per atom and point from the speed on one node and the shares of its log."""
    run = system()
    seconds = run.dt * 1e-3 * 86400.0 / published.speeds[1] * published.cores
    share = machines.GROMACS_MESH_SHARE
    return model.Costs(
        atom=seconds * (1.0 - share["per_atom"] - share["per_point"]) / run.atoms,
        copy=0.0,
        mesh_atom=seconds * share["per_atom"] / run.atoms,
        point=seconds * share["per_point"] / math.prod(run.grid),
    )


def step(published, nodes):
    """Seconds of a step: all cores share the work, as if pairs and mesh were balanced; then what is sent."""
    run, costs = system(), costs_of(published)
    network = dataclasses.replace(published.network, local_latency=0.0, local_bandwidth=math.inf)  # is in the costs
    cores = nodes * published.cores
    if nodes == 1:
        return run.atoms * (costs.atom + costs.mesh_atom) / cores + math.prod(run.grid) * costs.point / cores
    pair_ranks, mesh_ranks = int(cores * (1.0 - MESH_RANKS)), int(cores * MESH_RANKS)
    work = run.atoms * (costs.atom + costs.mesh_atom) / cores + math.prod(run.grid) * costs.point / cores
    counts = decomposition.choose_grid(pair_ranks, run.box, run.halo)
    halo = decomposition.Halo(run.box, counts, run.halos, 0.0, run.density)
    per_node = round(published.cores * (1.0 - MESH_RANKS))
    sent = halo.sent(per_node)
    halo_time = 2 * model.message_time(
        network,
        sent["messages"] - sent["far_messages"],
        sent["far_messages"],
        (sent["copies"] - sent["far_copies"]) * COPY_BYTES,
        sent["far_copies"] * COPY_BYTES,
        per_node,
    )
    to_mesh = 2 * network.latency + run.atoms / nodes * (TO_MESH_BYTES + FROM_MESH_BYTES) / network.node_bandwidth
    free = dataclasses.replace(costs, point=0.0)  # the transforms' work is in `work`
    fy = max(k for k in range(1, int(math.sqrt(mesh_ranks)) + 1) if mesh_ranks % k == 0)
    transforms = model.transform_time(run, network, (mesh_ranks // fy, fy), free, published.cores * MESH_RANKS)
    return work + halo_time + to_mesh + transforms


def rows():
    """(run, nodes, atoms per core, ms per step: published, model, model / published)."""
    result = []
    for name, published in machines.GROMACS_RUNS.items():
        for nodes, speed in published.speeds.items():
            seconds = system().dt * 1e-3 * 86400.0 / speed
            modelled = step(published, nodes)
            atoms = system().atoms / (nodes * published.cores)
            result.append((name, nodes, atoms, 1e3 * seconds, 1e3 * modelled, modelled / seconds))
    return result


def report(table):
    body = [
        (name, nodes, f"{atoms:.0f}", f"{published:.2f}", f"{modelled:.2f}", f"{ratio:.2f}")
        for name, nodes, atoms, published, modelled, ratio in rows()
    ]
    return (
        "The model with the costs of GROMACS, taken from its run on one node, against published runs "
        "(github.com/hpc-uk/archer-benchmarks, 1400k atoms)\n\n"
        + table(body, ["run", "nodes", "atoms/core", "published ms/step", "model ms/step", "model / published"])
    )
