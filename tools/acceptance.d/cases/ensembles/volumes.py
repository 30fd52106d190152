"""Item 2: the volume of rigid groups that do not interact has a Gamma distribution, whatever they are made of."""

import numpy

import canonical
from support import holon_runner as holon
from support import trajectories

GROUPS, PICOSECONDS = 200, 1600.0
PRESSURE = 30.0  # bar
KT = canonical.BOLTZMANN * canonical.TEMPERATURE
BAR = 16.6053907  # per kJ/mol/nm^3
MOLECULES = {  # positions [nm]; constraints between all
    "points": [(0, 0, 0)],
    "linear": [(0, 0, 0), (0.12, 0, 0)],
    "planar": [(0, 0, 0), (0.12, 0, 0), (0.06, 0.11, 0)],
    "chains": [(0.12 * k, 0.03 * (k % 2), 0) for k in range(8)],
}


def write_input(folder, sites):
    n = len(sites)
    pairs = [(i, i + 1) for i in range(n - 1)] + ([(0, 2)] if n == 3 else [])
    length = {(i, j): numpy.linalg.norm(numpy.subtract(sites[i], sites[j])) for i, j in pairs}
    (folder / "topol.top").write_text(
        "[ defaults ]\n1 1 no 1 1\n[ atomtypes ]\nX 20.0 0 A 0 0\n[ moleculetype ]\nM 0\n[ atoms ]\n"
        + "".join(f"{i + 1} X 1 M A{i + 1} {i + 1} 0 20.0\n" for i in range(n))
        + ("[ constraints ]\n" if n > 1 else "")
        + "".join(f"{i + 1} {j + 1} 1 {length[i, j]:.8f}\n" for i, j in pairs)
        + f"[ system ]\nideal\n[ molecules ]\nM {GROUPS}\n"
    )
    side = ((GROUPS + 1) * KT / PRESSURE * BAR) ** (1 / 3)
    random = numpy.random.default_rng(3)
    lines, atom = [], 0
    for m in range(GROUPS):
        at = random.random(3) * side
        for i, site in enumerate(sites):
            atom += 1
            x, y, z = at + site
            lines.append(f"{m % 100000 + 1:5d}M    {f'A{i + 1}':>5}{atom % 100000:5d}{x:12.7f}{y:12.7f}{z:12.7f}\n")
    (folder / "conf.gro").write_text(f"ideal\n{atom}\n{''.join(lines)}{side:.6f} {side:.6f} {side:.6f}\n")
    (folder / "md.mdp").write_text("integrator = md\n")


# Groups that do not meet exchange no energy, and rotations none with centres: it takes a bath that reaches each.
BATHS = {
    "md": {"tcoupl": "v-rescale", "tau-t": 0.2},  # of points all energy is that of the centres
    "md-vv": {"tcoupl": "andersen", "tau-t": 0.2},
    "sd": {"tcoupl": "no", "tau-t": 0.2},
}


def shape(barostat):
    """Of the Gamma distribution of the volume. Parrinello and Rahman's variable is a length, L, in which the ensemble is
    flat: V^N dL goes as V^(N - 2/3) dV."""
    return GROUPS + (1 / 3 if barostat == "Parrinello-Rahman" else 1)


def case(barostat, kind, scheme, ranks):
    def run(report):
        write_input(report.work, MOLECULES[kind])
        keys = {
            "integrator": scheme,
            **BATHS[scheme],
            "tc-grps": "System",
            "ref-t": canonical.TEMPERATURE,
            "gen-vel": "yes",
            "gen-temp": canonical.TEMPERATURE,
            "pcoupl": barostat,
            "tau-p": 0.5,
            "ref-p": PRESSURE,
            "compressibility": 1.0 / PRESSURE,
            "comm-mode": "none",
            "constraint-algorithm": "newton",
            "dt": 0.004,
            "nsteps": round(PICOSECONDS / 0.004),
            "nstenergy": 25,
            "nstlog": 0,
            "nstxout-compressed": 0,
            "checkpoint-interval": 1000,
            "ld-seed": 6,
        }
        keys = {key.replace("-", "_"): value for key, value in keys.items()}
        holon.run(report.work / "run", holon.input_files(report.work), ranks, timeout=3600, **keys)
        volume = trajectories.energies(report.work / "run" / "energy.csv")["volume_nm3"][200:]
        unit = KT / PRESSURE * BAR
        squares = (volume - volume.mean()) ** 2
        for name, series, expected in (
            ("mean", volume, shape(barostat) * unit),
            ("variance", squares, shape(barostat) * unit**2),
        ):
            ratio, error = series.mean() / expected, canonical.block_error(series) / expected
            report.note(f"{name}: standard error of the ratio", error)
            report.check(f"{name} / that of the Gamma distribution", abs(ratio - 1) <= 3.5 * error, float(ratio), "1 +- 3.5 se")

    run.__doc__ = f"volume of {GROUPS} {kind} without interactions, {barostat} under {scheme}, {ranks} ranks, {PICOSECONDS:g} ps"
    return run


CASES = {
    "2.c-rescale-points": case("C-rescale", "points", "md", 1),
    "2.c-rescale-linear": case("C-rescale", "linear", "md-vv", 1),
    "2.c-rescale-planar": case("C-rescale", "planar", "sd", 1),
    "2.c-rescale-chains": case("C-rescale", "chains", "md-vv", 2),
    "2.pr-linear": case("Parrinello-Rahman", "linear", "sd", 1),
    "2.pr-chains": case("Parrinello-Rahman", "chains", "md-vv", 2),
    "2.mttk-planar": case("MTTK", "planar", "md-vv", 1),
    "2.mttk-points": case("MTTK", "points", "sd", 1),
}
