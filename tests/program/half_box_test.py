#!/usr/bin/env python3
"""A box exactly twice as wide as the cutoff, as users type it: accepted, and every pair within the cutoff counts once."""

import numpy

from support import holon_runner as holon

SIGMA, EPSILON, CUTOFF = 0.3, 0.5, 0.9

TOPOLOGY = f"""[ defaults ]
1 2 no 1 1
[ atomtypes ]
AR AR 18 39.948 0 A {SIGMA} {EPSILON}
[ moleculetype ]
AR 1
[ atoms ]
1 AR 1 AR AR 1 0 39.948
[ system ]
argon
[ molecules ]
AR %d
"""
PARAMETERS = f"""integrator = md
nsteps = 0
coulombtype = cut-off
rcoulomb = {CUTOFF}
rvdw = {CUTOFF}
"""


class HalfBox(holon.ProgramTest):
    def write(self, length, positions):
        lines = [f"{1:5d}{'AR':<5}{'AR':>5}{i + 1:5d}" + "".join(f"{x:10.5f}" for x in r) for i, r in enumerate(positions)]
        box = f"{length:.5f} {length:.5f} {length:.5f}"
        (self.work / "conf.gro").write_text("\n".join(["argon", str(len(positions)), *lines, box, ""]))
        (self.work / "topol.top").write_text(TOPOLOGY % len(positions))
        (self.work / "md.mdp").write_text(PARAMETERS)
        return holon.input_files(self.work)

    def positions(self, length):
        """A lattice of four places a side, some of them exactly half a box apart, a little shaken but for those."""
        random = numpy.random.default_rng(3)
        grid = numpy.stack(numpy.meshgrid(*[numpy.arange(4)] * 3), -1).reshape(-1, 3) * length / 4
        shaken = grid + random.uniform(-0.03, 0.03, grid.shape)
        still = (grid[:, 1] == 0.0) & (grid[:, 2] == 0.0)
        return numpy.round(numpy.where(still[:, None], grid, shaken) % length, 5)

    def energy(self, length, positions):
        """Of all pairs [kJ/mol]: Lennard-Jones, shifted to zero at the cutoff."""
        apart = positions[:, None] - positions[None]
        apart -= length * numpy.round(apart / length)
        r2 = (apart**2).sum(axis=2)[numpy.triu_indices(len(positions), 1)]

        def lennard_jones(s6):
            return 4 * EPSILON * (s6**2 - s6)

        within = r2[r2 < CUTOFF**2]
        return (lennard_jones((SIGMA**2 / within) ** 3) - lennard_jones((SIGMA / CUTOFF) ** 6)).sum()

    def test_runs_and_has_the_energy_of_all_pairs(self):
        length = 2 * CUTOFF
        positions = self.positions(length)
        files, expected = self.write(length, positions), self.energy(length, positions)
        for precision, tolerance in (("mixed", 1e-5), ("double", 1e-9)):
            hashes = set()
            for ranks in (1, 2, 8):
                run = holon.run(self.work / f"{precision}-{ranks}", files, ranks, nsteps=20, precision=precision)
                energy = run.summary["initial"]["energies_kJ_per_mol"]["lj"]
                self.assertLess(abs(energy - expected), tolerance * abs(expected))
                hashes.add(run.state_hash)
            self.assertEqual(len(hashes), 1)
            last = self.work / f"{precision}-8"
            holon.run(last, ["--restart", last / "checkpoint.h5"], 3, nsteps=30)

    def test_a_smaller_one_is_refused_with_all_digits(self):
        files = self.write(1.79999, self.positions(1.79999))
        result = holon.call("holon-md", [*files, "-o", self.work / "run"], 1)
        self.assertEqual(result.status, holon.BAD_INPUT)
        self.assertIn("the cutoff, 0.9 nm, must not exceed half the shortest box vector or height, 0.89999", result.stderr)


if __name__ == "__main__":
    holon.main()
