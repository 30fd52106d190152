"""The page: one HTML file that needs nothing else."""

import pathlib

from ..version import VERSION
from . import sections
from .views import View, text

STYLE = pathlib.Path(__file__).with_name("style.css")
HOW_TO_READ = (
    "Thin or band: every row of energy.csv, of many the smallest and largest; bold: averages over sixtieths of the "
    "time; dashed: average from the start on. Dotted verticals: the program was started again."
)


def page(views: list[View]) -> str:
    """The report of one run, or of several side by side."""
    title = views[0].title or views[0].label if len(views) == 1 else f"{len(views)} runs"
    legend = "".join(
        f'<li><span class="swatch fill{view.colour}"></span>{text(view.label)}</li>' for view in views
    )
    energies = [
        sections.plots("Energies", views, sections.ENERGIES, f'<p class="note">{HOW_TO_READ}</p>'),
        sections.conserved(views),
        sections.plots("Temperature and pressure", views, sections.COUPLED),
        sections.plots("Box and density", views, sections.box_columns(views)),
        sections.plots("Terms", views, sections.other_terms(views)),
    ]
    if not any(energies):
        energies = [sections.section("Energies", "<p>Too few rows of energies to plot: <code>nstenergy</code>.</p>")]
    content = [
        sections.what_was_run(views),
        sections.parts(views),
        sections.averages(views),
        *energies,
        sections.constraint_errors(views),
        sections.where_the_time_went(views),
        sections.load_balance(views),
        sections.checkpoint_cost(views),
    ]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{text(title)}: Holon report</title>
<style>
{STYLE.read_text()}</style>
</head>
<body>
<header><h1>{text(title)}</h1>
<p class="soft">Report of Holon {VERSION}</p>
{f'<ul class="legend">{legend}</ul>' if len(views) > 1 else ''}</header>
<main>
{chr(10).join(piece for piece in content if piece)}
</main>
</body>
</html>
"""
