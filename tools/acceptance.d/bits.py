"""Item 2: the same bits on any number of ranks and any domain grid."""

from support import holon_runner as holon
from support import same_bits
from support import systems

STEPS = 200


def case(name, **settings):
    """A case that runs an input on every layout."""

    def run(report):
        check(report, holon.input_files(holon.INPUTS / name), same_bits.LAYOUTS, **settings)

    run.__doc__ = f"same bits: {name} {' '.join(map(str, settings.values()))}"
    return run


def check(report, arguments, layouts, **settings):
    found = same_bits.hashes(report.work, arguments, layouts, nsteps=STEPS, **settings)
    first = found["1"]
    for layout, state_hash in found.items():
        report.check(f"hash on {layout} ranks", state_hash == first, state_hash, f"= {first[:8]}...")


def triclinic(report):
    """same bits: water in a triclinic cell, which has the energy of two cubes"""
    systems.triclinic_water(holon.INPUTS / "spce", report.work)
    files = holon.input_files(report.work)
    check(report, files, same_bits.LAYOUTS)
    skewed, cube = (
        holon.run(report.work / name, arguments, 2, nsteps=0, continuation="yes", precision="double").summary
        for name, arguments in (("skewed", files), ("cube", holon.input_files(holon.INPUTS / "spce")))
    )
    energy, expected = (summary["initial"]["energies_kJ_per_mol"]["potential"] for summary in (skewed, cube))
    report.at_most("relative energy difference to two cubes", abs(energy / expected / 2 - 1), 1e-9)


SHAKE = {"constraints": "all-bonds", "constraint_algorithm": "shake"}
CASES = {
    "2.water-md": case("spce", integrator="md"),
    "2.water-md-vv": case("spce", integrator="md-vv"),
    "2.water-double": case("spce", integrator="md-vv", precision="double"),
    "2.lysozyme-md-h-bonds": case("lysozyme", integrator="md", constraints="h-bonds"),
    "2.lysozyme-md-vv-h-bonds": case("lysozyme", integrator="md-vv", constraints="h-bonds"),
    "2.lysozyme-md-all-bonds": case("lysozyme", integrator="md", **SHAKE),
    "2.lysozyme-md-vv-all-bonds": case("lysozyme", integrator="md-vv", **SHAKE),
    "2.triclinic": triclinic,
}
