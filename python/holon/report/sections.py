"""The sections of the report, each the HTML of what the runs have of it; empty where they have nothing."""

import math

import numpy

from ..table import title_of, unit_of
from .plots import Curve, Look, far_apart, line_plot
from .views import View, bars, count, number, run_heads, seconds, size, table, text, with_error

ENERGIES = ["potential", "kinetic", "enthalpy"]
COUPLED = ["temperature_K", "pressure_bar"]
BOX = ["volume_nm3", "density_kg_m3", *(f"box_{axis}_nm" for axis in ("xx", "yy", "zz", "yx", "zx", "zy"))]
NOT_PLOTTED = {"conserved", "pV", "group_pressure_bar"}


def unit_mark(column: str) -> str:
    unit = unit_of(column).replace("^3", "³")
    return f' <span class="unit">{text(unit)}</span>'


def name_of(column: str) -> str:
    return text(title_of(column)) + unit_mark(column)


def what_was_run(views: list[View]) -> str:
    """Properties of the runs, a column for each."""
    rows = [[name, *cells] for name, cells in _properties(views) if any(cell for cell in cells)]
    return section("What was run", table(run_heads(views), rows, numeric=False))


def _properties(views: list[View]) -> list[tuple[str, list[str]]]:
    def of(key: str) -> list[str]:
        return [text(view.summary.get(key, "")) for view in views]

    return [
        ("System", [text(view.title) for view in views]),
        ("Status", [_status(view) for view in views]),
        ("Folder", [f"<code>{text(view.run.folder)}</code>" for view in views]),
        ("Atoms", [count(view.summary.get("atoms")) for view in views]),
        ("Constraints", [count(view.summary.get("constraints")) for view in views]),
        ("Virtual sites", [count(view.summary.get("virtual_sites") or None) for view in views]),
        ("Steps", [_steps(view) for view in views]),
        ("Method", [text(view.parameter("integrator")) for view in views]),
        ("Temperature", [_coupling(view, "tcoupl", "ref-t", "K") for view in views]),
        ("Pressure", [_coupling(view, "pcoupl", "ref-p", "bar") for view in views]),
        ("Electrostatics", [_joined(view, "coulombtype", "rcoulomb") for view in views]),
        ("Lennard-Jones", [_joined(view, "vdwtype", "rvdw") for view in views]),
        ("Precision", [text(view.parameter("precision")) for view in views]),
        ("Processors", [_processors(view) for view in views]),
        ("Speed", [f"{number(view.summary['ns_per_day'], 3)} ns/day" if _fast(view) else "" for view in views]),
        ("Wall time", [seconds(view.summary["wall_s"]) if "wall_s" in view.summary else "" for view in views]),
        ("State hash", [f"<code>{cell}</code>" if cell else "" for cell in of("state_hash")]),
        ("Program", [text(f"{v.summary['program']} {v.summary['version']}") if v.summary else "" for v in views]),
    ]


def _fast(view: View) -> bool:
    return bool(view.summary.get("ns_per_day"))


def _status(view: View) -> str:
    status = view.run.status
    kind = {"finished": "good", "failed": "bad"}.get(status, "soft")
    more = {"unfinished": ": goes on, or was killed", "stopped": ": can be continued"}.get(status, "")
    return f'<span class="{kind}">{text(status)}</span>{more}'


def _steps(view: View) -> str:
    step, time = view.last_step, view.last_time
    if step is None or time is None:
        return ""
    if view.minimises:
        return f"{count(step)} of minimisation"
    dt = view.parameter("dt")
    each = f" of {float(dt) * 1000:g} fs" if dt else ""
    return f"{count(step)}{each}, up to {time:.10g} ps"


def _coupling(view: View, method: str, reference: str, unit: str) -> str:
    chosen = view.parameter(method)
    if not chosen or view.minimises:
        return ""
    return "not coupled" if chosen == "no" else text(f"{chosen}, {view.parameter(reference)} {unit}")


def _joined(view: View, method: str, cutoff: str) -> str:
    chosen = view.parameter(method)
    return text(f"{chosen}, cutoff {view.parameter(cutoff)} nm") if chosen else ""


def _processors(view: View) -> str:
    s = view.summary
    if "ranks" not in s:
        return ""
    threads = s.get("threads_per_rank", 1)
    each = f" of {threads} threads" if threads != 1 else ""
    domains = " × ".join(str(n) for n in s.get("domains", []))
    return text(f"{s['ranks']} rank{'s' if s['ranks'] != 1 else ''}{each}, domains {domains}")


def parts(views: list[View]) -> str:
    """Runs of several starts of the program."""
    written = []
    for view in views:
        if len(view.jobs) < 2:
            continue
        rows = []
        for k, job in enumerate(view.jobs, 1):
            speed = number(job.ns_per_day, 3)
            end = count(job.end_step) or "\u2013"
            rows.append([str(k), text(job.status), str(job.ranks), end, seconds(job.seconds), speed])
        head = ["Start", "status", "ranks", "to step", "wall time", "ns/day"]
        written.append(_titled(view, views, table(head, rows)))
    return section("Starts of the program", *written)


def averages(views: list[View]) -> str:
    """Averages side by side, and the whole statistics of each run folded away."""
    columns = [column for column in _columns(views) if _varies(views, column)]
    rows = []
    for column in columns:
        cells = []
        for view in views:
            s = view.statistics.get(column)
            cells.append(with_error(s.mean, s.error) if s else "\u2013")
        rows.append([name_of(column), *cells])
    if not rows or all(view.minimises for view in views):
        return ""
    note = "Averages over all rows of energy.csv, with the standard error from block averages."
    whole = "".join(_titled(view, views, _statistics(view)) for view in views if view.statistics)
    folded = f"<details><summary>Fluctuations and drifts</summary>{whole}</details>"
    return section("Averages", f'<p class="note">{note}</p>', table(run_heads(views), rows), folded)


def _statistics(view: View) -> str:
    assert view.table is not None
    time = view.table["time_ps"]
    span = float(time[-1] - time[0])
    rows = [
        [name_of(name), number(s.mean, 7), number(s.error, 2), number(s.rms_fluctuation), number(s.drift_per_ps * span)]
        for name, s in view.statistics.items()
    ]
    head = ["", "average", "error", "rms fluctuation", f"drift over {span:.10g} ps"]
    return table(head, rows)


def curves_of(views: list[View], column: str, shift: bool = False) -> list[Curve]:
    """A curve for each run that has the column, and not zeros only; `shift`: differences from the first value."""
    found = []
    for view in views:
        y = view.column(column)
        if y is None or view.table is None or len(y) < 2 or not y.any():
            continue
        x = view.table["step" if _by_step(views) else "time_ps"] * _x_scale(views)
        found.append(Curve(view.colour, x, y - y[0] if shift else y))
    return found


def _by_step(views: list[View]) -> bool:
    return any(view.minimises for view in views)


def _x_scale(views: list[View]) -> float:
    """Nanoseconds for long runs."""
    longest = max((view.last_time or 0.0 for view in views), default=0.0)
    return 1e-3 if longest >= 10_000 and not _by_step(views) else 1.0


def look_of(views: list[View], overlay: str = "average") -> Look:
    label = "step" if _by_step(views) else "time / ns" if _x_scale(views) < 1 else "time / ps"
    marks: list[float] = []
    if len(views) == 1 and views[0].table is not None and views[0].table.rows > 1:
        table_, ends = views[0].table, [job.end_step for job in views[0].jobs[:-1] if job.end_step is not None]
        x = table_["step" if _by_step(views) else "time_ps"] * _x_scale(views)
        marks = numpy.interp(numpy.array(ends, float), table_["step"], x).tolist() if ends else []
    return Look(label, "none" if _by_step(views) else overlay, tuple(marks))


def plots(title: str, views: list[View], columns: list[str], note: str = "") -> str:
    """A card for each column that is there and varies."""
    cards = []
    for column in columns:
        if not _varies(views, column):
            continue
        curves, name = curves_of(views, column), name_of(column)
        if far_apart(curves):
            curves = [Curve(c.run, c.x, c.y - c.y.mean()) for c in curves]
            name = f'{text(title_of(column))}, minus the average of the run <span class="unit">{unit_of(column)}</span>'
        if svg := line_plot(title_of(column), curves, look_of(views)):
            cards.append(f'<div class="card"><h3>{name}</h3>{svg}</div>')
    return section(title, note, f'<div class="cards">{"".join(cards)}</div>') if cards else ""


def conserved(views: list[View]) -> str:
    """The conserved energy, its drift and error."""
    if not any(view.column("conserved") is not None for view in views) or _by_step(views):
        return ""
    svg = line_plot("conserved energy", curves_of(views, "conserved", shift=True), look_of(views, "line"))
    label = 'conserved energy, change since the start <span class="unit">kJ/mol</span>'
    plot = f'<div class="cards"><div class="card"><h3>{label}</h3>{svg}</div></div>' if svg else ""
    rows = []
    for name, unit in (
        ("Drift", "kJ/mol/ps"),
        ("Drift per degree of freedom", "kT/ns"),
        ("Rms fluctuation", "kJ/mol"),
        ("Error of the average", "kJ/mol"),
    ):
        found = [_of_conserved(view)[name] for view in views]
        if any(value is not None for value in found):
            rows.append([f'{name} <span class="unit">{unit}</span>', *(number(value, 3) for value in found)])
    note = '<p class="note">Drift: of the straight line that fits best (dashed); error: from block averages.</p>'
    return section("Conserved energy", note, table(run_heads(views), rows), plot)


def _of_conserved(view: View) -> dict[str, float | None]:
    s = view.statistics.get("conserved")
    return {
        "Drift": s.drift_per_ps if s else None,
        "Drift per degree of freedom": view.summary.get("statistics", {}).get("conserved_drift_kT_per_ns_per_dof"),
        "Rms fluctuation": s.rms_fluctuation if s else None,
        "Error of the average": s.error if s else None,
    }


def box_columns(views: list[View]) -> list[str]:
    """Volume, density and edges of the box; of edges that change alike the first one."""
    tables = [view.table for view in views if view.table is not None and "box_xx_nm" in view.table]
    edges: list[str] = []
    for edge in (c for c in BOX[2:] if all(c in table_ for table_ in tables)):
        values = [table_[edge] / (table_[edge][:1] or 1.0) for table_ in tables]
        known = [[table_[e] / (table_[e][:1] or 1.0) for table_ in tables] for e in edges]
        if not any(all(numpy.allclose(a, b, rtol=1e-6) for a, b in zip(values, others)) for others in known):
            edges.append(edge)
    return [*BOX[:2], *edges]


def other_terms(views: list[View]) -> list[str]:
    """Columns that have no section of their own, but for the tensor of the pressure."""
    known = {*ENERGIES, *COUPLED, *BOX, *NOT_PLOTTED}
    return [c for c in _columns(views) if c not in known and not c.startswith("pressure_")]


def constraint_errors(views: list[View]) -> str:
    """The largest errors of constraints, and the sets that were solved."""
    if not any(view.summary.get("constraints") for view in views):
        return ""
    names = {
        "length_max_relative": "Largest relative error of a length",
        "velocity_max_per_ps": "Largest velocity along a constraint, relative to its length, 1/ps",
        "iterations_max": "Most iterations",
    }
    rows = []
    for key, name in names.items():
        found = [view.summary.get("constraint_error", {}).get(key) for view in views]
        if any(value is not None for value in found):
            rows.append([name, *(count(v) if isinstance(v, int) else number(v, 3) for v in found)])
    sets = []
    for view in views:
        lines = [
            [text(s["molecule_type"]), count(s["molecules"]), str(s["constraints"]), str(s["rank"])]
            for s in view.summary.get("constraint_sets", [])
            if s.get("constraints")
        ]
        if lines:
            head = ["Molecule type", "molecules", "constraints of each", "rank"]
            sets.append(_titled(view, views, table(head, lines)))
    return section("Constraints", table(run_heads(views), rows), *sets)


def where_the_time_went(views: list[View]) -> str:
    """Bars for the stages of the step, of each run."""
    timed = [view for view in views if view.summary.get("timings_s") and view.summary.get("wall_s")]
    shares = {view.label: _shares(view) for view in timed}
    stages = dict.fromkeys(stage for share in shares.values() for stage in share)
    rows = []
    for stage in stages:
        values = [(view.colour, *shares[view.label].get(stage, (0.0, "\u2013"))) for view in timed]
        if any(length >= 1e-3 for _, length, _ in values):
            rows.append((stage, values))
    if not rows:
        return ""
    rows.sort(key=lambda row: (row[0] == "rest", -max(length for _, length, _ in row[1])))
    note = '<p class="note">Averages over the ranks, since the last start of the program.</p>'
    return section("Where the time went", note, bars(rows))


def _shares(view: View) -> dict[str, tuple[float, str]]:
    """Stage: its share of the wall time, and what is written of it."""
    wall = float(view.summary["wall_s"])
    timings = {name: float(value) for name, value in view.summary["timings_s"].items()}
    timings["rest"] = max(0.0, wall - sum(timings.values()))
    return {name: (s / wall, f"{100 * s / wall:.1f} %, {seconds(s)}") for name, s in timings.items()}


def load_balance(views: list[View]) -> str:
    """How much more the busiest rank had to do than the mean."""
    shown = [view for view in views if view.summary.get("ranks", 1) > 1 and "load_balance" in view.summary]
    if not shown:
        return ""
    rows = []
    for key, name in (("first", "at first"), ("mean", "over the run"), ("last", "at last")):
        values = []
        for view in shown:
            share = float(view.summary["load_balance"].get(f"imbalance_{key}", 0.0))
            values.append((view.colour, share, f"{100 * share:.1f} %"))
        rows.append((name, values))
    lines = [["Moves of domain faces", *(str(view.summary["load_balance"].get("moves", "")) for view in shown)]]
    halo = {"halo_messages": "Messages of the halo, per rank", "halo_copies": "Copies of atoms, per rank"}
    for key, name in halo.items():
        cells = []
        for view in shown:
            total = view.summary.get("communication", {}).get(key, {}).get("total")
            cells.append("\u2013" if total is None else f"{total / view.summary['ranks']:.4g}")
        lines.append([name, *cells])
    note = '<p class="note">What the busiest rank had to do beyond the mean of all ranks.</p>'
    return section("Load balance", note, bars(rows), table(run_heads(shown), lines))


def checkpoint_cost(views: list[View]) -> str:
    """States written, and the time that the steps spent on them."""
    shown = [view for view in views if view.summary.get("checkpoint", {}).get("written")]
    if not shown:
        return ""

    def of(view: View, key: str) -> float:
        return float(view.summary["checkpoint"].get(key, 0.0))

    def share(view: View) -> str:
        spent, wall = view.summary.get("timings_s", {}).get("checkpoint"), view.summary.get("wall_s")
        return f"{seconds(spent)}, {100 * spent / wall:.2f} %" if spent is not None and wall else "\u2013"

    rows = [
        ["States written", *(count(int(of(view, "written"))) for view in shown)],
        ["Bytes of each", *(size(of(view, "bytes_per_step")) for view in shown)],
        ["Time of the steps", *(share(view) for view in shown)],
        ["of this waiting for the disk", *(f"{1000 * of(view, 'blocked_s'):.1f} ms" for view in shown)],
    ]
    return section("Checkpoints", table(run_heads(shown), rows))


def section(title: str, *pieces: str) -> str:
    """Empty without pieces."""
    content = "".join(pieces)
    return f"<section><h2>{text(title)}</h2>{content}</section>" if content else ""


def _titled(view: View, views: list[View], content: str) -> str:
    if len(views) == 1:
        return content
    return f'<h3><span class="swatch fill{view.colour}"></span>{text(view.label)}</h3>{content}'


def _columns(views: list[View]) -> list[str]:
    """Columns of energies of all runs, in the order of the first that has them."""
    tables = [view.table for view in views if view.table is not None]
    return list(dict.fromkeys(column for table_ in tables for column in table_.columns[2:]))


def _varies(views: list[View], column: str) -> bool:
    """Whether there is anything to see: numbers that are not all zero, and in plots not all one."""
    for view in views:
        s = view.statistics.get(column)
        if s and (math.isnan(s.mean) or s.rms_fluctuation > 1e-12 * abs(s.mean)):
            return True
    return False
