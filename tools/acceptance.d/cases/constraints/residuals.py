"""Item 1: Newton's method leaves nothing but rounding at every step, on any number of ranks."""

from support import holon_runner as holon

LYSOZYME = holon.input_files(holon.INPUTS / "lysozyme")
RANKS = (1, 2, 4, 8)
NEWTON = {"constraint_algorithm": "newton", "integrator": "md-vv", "tcoupl": "no"}
QUIET = {"checkpoint_interval": 0, "nstxout_compressed": 0, "nstenergy": 0, "nstlog": 0}


def residuals(steps, iterations, dt, **settings):
    def run(report):
        found = {}
        for ranks in RANKS:
            result = holon.run(
                report.work / str(ranks),
                LYSOZYME,
                ranks,
                timeout=7200,
                nsteps=steps,
                dt=dt,
                **NEWTON,
                **QUIET,
                **settings,
            )
            error = result.summary["constraint_error"]
            report.at_most(f"{ranks} ranks: max |r^2 - d^2| / (2 d^2)", error["length_max_relative"], 1e-13)
            report.at_most(f"{ranks} ranks: max |r.v| dt / d^2", error["velocity_max_per_ps"] * dt, 1e-13)
            report.at_most(f"{ranks} ranks: iterations", error["iterations_max"], iterations)
            found[ranks] = (result.state_hash, error)
        for ranks in RANKS[1:]:
            report.check(f"{ranks} ranks: state and errors as on one", found[ranks] == found[1], found[ranks][0])

    run.__doc__ = f"residuals of Newton: lysozyme, {settings['constraints']}, {steps} steps of {1000 * dt:g} fs"
    return run


CASES = {
    "1.all-bonds": residuals(1000, 4, 0.002, constraints="all-bonds"),
    "1.h-angles": residuals(1000, 5, 0.0035, constraints="h-angles"),
}
