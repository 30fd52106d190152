"""Item 6: v-rescale gives the canonical distribution of the kinetic energy."""

from support import holon_runner as holon
from support import trajectories

BOLTZMANN = 8.314462618e-3  # kJ/mol/K
TEMPERATURE = 300.0


def block_error(values, blocks=20):
    """Standard error of the mean of a correlated series, from block means."""
    size = len(values) // blocks
    means = values[: size * blocks].reshape(blocks, size).mean(axis=1)
    return float(means.std(ddof=1) / blocks**0.5)


def distribution(integrator, seed):
    def run(report):
        result = holon.run(
            report.work / "run",
            holon.input_files(holon.INPUTS / "spce"),
            2,
            timeout=6 * 3600,
            integrator=integrator,
            nsteps=60000,
            nstenergy=10,
            nstxout_compressed=0,
            checkpoint_interval=100,
            tau_t=0.05,
            ld_seed=seed,
        )
        kinetic = trajectories.energies(report.work / "run" / "energy.csv")["kinetic"][1000:]  # 20 ps to equilibrate
        degrees = holon.ndof(result.summary)
        unit = BOLTZMANN * TEMPERATURE
        mean, variance = degrees / 2 * unit, degrees / 2 * unit**2
        squares = (kinetic - kinetic.mean()) ** 2
        for name, series, expected in (("mean", kinetic, mean), ("variance", squares, variance)):
            ratio, error = series.mean() / expected, block_error(series) / expected
            report.note(f"{name}: standard error of the ratio", error)
            report.check(f"{name} / canonical {name}", abs(ratio - 1) <= 3 * error, float(ratio), "1 +- 3 se")
            report.at_most(f"{name}: resolution of this test", error, {"mean": 1e-3, "variance": 0.1}[name])

    run.__doc__ = f"v-rescale: mean and variance of the kinetic energy of water, {integrator}, 120 ps"
    return run


# Different noise, so that the two are independent tests.
CASES = {"6.md-vv": distribution("md-vv", 11), "6.md": distribution("md", 22)}
