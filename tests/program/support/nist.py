"""The sample configurations of NIST as inputs, and their published energies.

Shared by references_test.py and tools/acceptance. The configurations are in tests/data/nist; the energies are those of the
NIST Standard Reference Simulation Website, pages "SPC/E water reference calculations, 10 A cutoff" and
"Lennard-Jones fluid reference calculations, cuboid cell".
"""

import math

import numpy

from support import holon_runner as holon
from support import systems

DATA = holon.ROOT / "tests" / "data" / "nist"
CONFIGURATIONS = (1, 2, 3, 4)

KELVIN = 1.3806488e-23 * 6.02214129e23 * 1e-3  # kJ/mol, with the constants that NIST used (CODATA 2010)

# Energies / Boltzmann's constant [K] of each water configuration, to the six digits published.
SPCE = {
    "lj": (9.95387e4, 1.93712e5, 3.54344e5, 4.48593e5),
    "lj-correction": (-8.23715e2, -3.29486e3, -7.41343e3, -1.37286e4),
    "coulomb-real": (-5.58889e5, -1.19295e6, -1.96297e6, -3.57226e6),
    "coulomb-reciprocal": (6.27009e3, 6.03495e3, 5.24461e3, 7.58785e3),
    "coulomb-self": (-2.84469e6, -5.68938e6, -8.53407e6, -1.42235e7),
    "coulomb-exclusion": (2.80999e6, 5.61998e6, 8.42998e6, 1.41483e7),
}

# Energy, virial sum r.f of all pairs and long-range correction of each Lennard-Jones configuration, in units of epsilon,
# by cutoff in units of sigma; to the five digits published.
LENNARD_JONES = {
    3: (
        (-4.3515e3, -5.6867e2, -1.9849e2),
        (-6.9000e2, -5.6846e2, -2.4230e1),
        (-1.1467e3, -1.1649e3, -4.9622e1),
        (-1.6790e1, -4.6249e1, -5.4517e-1),
    ),
    4: (
        (-4.4675e3, -1.2639e3, -8.3769e1),
        (-7.0460e2, -6.5599e2, -1.0226e1),
        (-1.1754e3, -1.3371e3, -2.0942e1),
        (-1.7060e1, -4.7869e1, -2.3008e-1),
    ),
}

SIGMA = 0.34  # nm: the length that stands for one in reduced units; epsilon is 1 kJ/mol

SINGLE_POINT = """\
integrator = md-vv
nsteps = 0
continuation = yes
tcoupl = no
precision = double
vdw-modifier = none
DispCorr = AllEner
"""

WATER = f"""\
[ defaults ]
1 2 no
[ atomtypes ]
OW 8 15.9994 0.0 A 0.316555789 {78.19743111 * KELVIN!r}
HW 1  1.008  0.0 A 0.0 0.0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW  1 -0.8476
2 HW 1 SOL HW1 1  0.4238
3 HW 1 SOL HW2 1  0.4238
[ settles ]
1 1 0.1 {0.2 * math.sin(math.radians(109.47 / 2))!r}
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
NIST sample configuration of SPC/E water
[ molecules ]
SOL """

ATOMS = f"""\
[ defaults ]
1 2 no
[ atomtypes ]
AR 18 39.948 0.0 A {SIGMA} 1.0
[ moleculetype ]
AR 1
[ atoms ]
1 AR 1 AR AR 1 0.0
[ system ]
NIST sample configuration of the Lennard-Jones fluid
[ molecules ]
AR """


def read(path):
    """Box lengths, the number on line 2, positions [atom][xyz]; in the units of the file."""
    lines = path.read_text().splitlines()
    columns = [line.split() for line in lines[2:] if line.strip()]
    return [float(word) for word in lines[0].split()], int(lines[1]), numpy.array([row[1:4] for row in columns], float)


def write_water(number, folder):
    """Writes conf.gro, topol.top and md.mdp of water configuration 1 to 4: NIST's plain Ewald sum."""
    lengths, molecules, positions = read(DATA / f"spce_sample_config_periodic{number}.txt")
    labels = [
        f"{m + 1:5d}{'SOL':<5}{name:>5}{3 * m + k + 1:5d}"
        for m in range(molecules)
        for k, name in enumerate(("OW", "HW1", "HW2"))
    ]
    box = numpy.diag(lengths) / 10
    systems.write_gro(folder / "conf.gro", "SPC/E water", labels, positions / 10, None, box, decimals=13)
    (folder / "topol.top").write_text(f"{WATER}{molecules}\n")
    edge = lengths[0] / 10
    # n^2 < 27, n the integer wave vectors: the squares next to it are 26 and 27.
    settings = {
        "coulombtype": "Ewald",
        "coulomb-modifier": "none",
        "rcoulomb": 1.0,
        "rvdw": 1.0,
        "ewald-beta": 5.6 / edge,
        "ewald-k-cutoff": 2 * math.pi / edge * math.sqrt(26.5),
    }
    lines = "".join(f"{key} = {value!r}\n".replace("'", "") for key, value in settings.items())
    (folder / "md.mdp").write_text(SINGLE_POINT + lines)


def write_atoms(number, cutoff, folder):
    """Writes conf.gro, topol.top and md.mdp of Lennard-Jones configuration 1 to 4 for a cutoff in units of sigma."""
    lengths, count, positions = read(DATA / f"lj_sample_config_periodic{number}.txt")
    labels = [f"{k + 1:5d}{'AR':<5}{'AR':>5}{k + 1:5d}" for k in range(count)]
    box = SIGMA * numpy.diag(lengths)
    systems.write_gro(folder / "conf.gro", "Lennard-Jones fluid", labels, SIGMA * positions, None, box, decimals=13)
    (folder / "topol.top").write_text(f"{ATOMS}{count}\n")
    lines = f"coulombtype = cut-off\nrcoulomb = {cutoff * SIGMA!r}\nrvdw = {cutoff * SIGMA!r}\n"
    (folder / "md.mdp").write_text(SINGLE_POINT + lines)


def last_digit(published, digits):
    """What one in the last of the digits of a published figure stands for."""
    return 10.0 ** (math.floor(math.log10(abs(published))) - digits + 1)


def water_errors(folder, number, ranks=1):
    """Runs a water configuration: the error of each component in units of the last digit published."""
    folder.mkdir(parents=True, exist_ok=True)
    write_water(number, folder)
    summary = holon.run(folder / "run", holon.input_files(folder), ranks).summary
    energies = summary["initial"]["energies_kJ_per_mol"]
    published = {name: values[number - 1] for name, values in SPCE.items()}
    missing = sorted(set(published) - set(energies))
    if missing:
        raise holon.RunError(f"summary.json has no {', '.join(missing)}")
    return {name: (energies[name] / KELVIN - value) / last_digit(value, 6) for name, value in published.items()}


def atoms_errors(folder, number, cutoff, ranks=1):
    """Runs a Lennard-Jones configuration: errors of energy, virial and correction in units of the last digit."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atoms(number, cutoff, folder)
    initial = holon.run(folder / "run", holon.input_files(folder), ranks).summary["initial"]
    energies, virial = initial["energies_kJ_per_mol"], numpy.trace(initial["virial_kJ_per_mol"])
    found = (energies["lj"], -2 * virial, energies["lj-correction"])
    published = LENNARD_JONES[cutoff][number - 1]
    names = ("lj", "virial", "lj-correction")
    return {name: (a - b) / last_digit(b, 5) for name, a, b in zip(names, found, published)}
