#!/usr/bin/env python3
"""holon-report: the figures are those of the run, and the page looks as it should, in Chromium if that is there."""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import numpy
except ImportError:
    sys.exit(77)

from run_folders import ARGON, PACKAGE, WATER, runner, write_run
import holon
from holon.report import plots, views, write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Run in the page: what is wider than the window, curves that are flat or outside, and the colours of page and text.
LOOK = """<script>
const wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(".wide") &&
  e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(e => e.outerHTML.slice(0, 80));
const flat = [...document.querySelectorAll("svg")].filter(s => ![...s.querySelectorAll("polyline, polygon")].some(
  c => c.getBBox().height > 8 && c.getBBox().width > 40)).map(s => s.getAttribute("aria-label"));
const cut = [...document.querySelectorAll("svg")].filter(s => [...s.children].some(c => { const b = c.getBBox();
  return b.x < -1 || b.y < -1 || b.x + b.width > 481 || b.y + b.height > 221; })).map(
  s => s.getAttribute("aria-label"));
const bars = [...document.querySelectorAll(".bar")].filter(b => !(b.getBoundingClientRect().height > 4)).length;
const style = getComputedStyle(document.body);
parent.document.body.innerHTML = "<pre id='found'>" + JSON.stringify({wide, flat, cut, bars,
  svgs: document.querySelectorAll("svg").length, width: document.documentElement.clientWidth,
  scroll: document.documentElement.scrollWidth, paper: style.backgroundColor, ink: style.color}) + "</pre>";
</script>"""


class Structure(html.parser.HTMLParser):
    """Finds elements that are not closed, and whatever a page would load."""

    VOID = {"meta", "br", "line"}

    def __init__(self, page):
        super().__init__()
        self.open, self.loads, self.svgs, self.text = [], [], 0, []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.svgs += tag == "svg"
        self.loads += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def brightness(colour):
    return sum(int(word) for word in re.findall(r"\d+", colour)[:3]) / 3


class Report(runner.ProgramTest):
    """Reports of water under pressure coupling (started twice, 2 ranks), and of argon."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="holon-test-")
        cls.addClassCleanup(holder.cleanup)
        work = pathlib.Path(holder.name)
        coupling = {"pcoupl": "C-rescale", "ref_p": 1, "compressibility": 4.5e-5}
        holon.run(*WATER, work / "water", ranks=2, nsteps=40, nstenergy=1, **coupling)
        cls.water = holon.restart(work / "water", nsteps=60, ranks=2)
        cls.argon = holon.run(*ARGON, work / "argon <&>", nsteps=100, nstenergy=1)
        cls.minimised = holon.run(*ARGON, work / "minimised", integrator="steep", nsteps=30, nstenergy=1)

    def report(self, *runs):
        return write_report([run.folder for run in runs], self.work / "report.html").read_text()

    def test_the_page_is_whole_and_loads_nothing(self):
        for runs in [(self.water,), (self.argon,), (self.minimised,), (self.water, self.argon, self.minimised)]:
            structure = Structure(self.report(*runs))
            self.assertEqual((structure.open, structure.loads), ([], []))
            self.assertGreater(structure.svgs, 1)
            for word in ("nan", "None", "inf"):
                self.assertNotRegex("".join(structure.text), rf"\b{word}\b")

    def test_the_figures_are_those_of_the_run(self):
        page, summary = self.report(self.water), self.water.summary
        text = " ".join("".join(Structure(page).text).split())
        temperature = self.water.statistics()["temperature_K"]
        self.assertIn(views.with_error(temperature.mean, temperature.error), page)
        for expected in (
            "SPC/E water",
            summary["state_hash"],
            "C-rescale, 1 bar",
            f"{summary['load_balance']['imbalance_mean'] * 100:.1f} %",
            f"{views.number(summary['statistics']['conserved_drift_kT_per_ns_per_dof'], 3)}",
            f"{summary['checkpoint']['written']}",
            f"{summary['timings_s']['pair'] / summary['wall_s'] * 100:.1f} %",
        ):
            self.assertIn(expected, text)
        for title in ("Starts of the program", "Constraints", "Where the time went", "Load balance", "Checkpoints"):
            self.assertIn(f"<h2>{title}</h2>", page)
        self.assertEqual(page.count('class="mark"'), page.count("<svg"))  # where it was started again

    def test_what_a_run_does_not_have_is_left_out(self):
        page = self.report(self.argon)
        self.assertIn("argon &lt;&amp;&gt;", page)
        for title in ("Constraints", "Load balance", "Starts of the program", "Box and density"):
            self.assertNotIn(f"<h2>{title}</h2>", page)
        folder = self.work / "alone"
        folder.mkdir()
        shutil.copy(self.water.file("energy.csv"), folder)
        self.assertIn("goes on, or was killed", self.report(holon.Run(folder)))
        self.assertIn("time / ps", self.report(holon.Run(folder)))
        self.assertIn(">step<", self.report(self.minimised))

    @unittest.skipIf(CHROMIUM is None, "without Chromium")
    def test_it_looks_as_it_should(self):
        self.report(self.water, self.argon)
        both = self.work / "report.html"
        alone = write_report([self.water.folder], self.work / "alone.html")
        papers = {}
        for path in (both, alone):
            for width in (1280, 480):
                for scheme, name in enumerate(("dark", "light")):
                    with self.subTest(path.name, width=width, scheme=name):
                        found = self.look(path, width, scheme)
                        self.assertEqual(found["width"], width)
                        self.assertLessEqual(found["scroll"], width)
                        self.assertEqual((found["wide"], found["flat"], found["cut"], found["bars"]), ([], [], [], 0))
                        self.assertGreater(found["svgs"], 8)
                        papers[name] = found["paper"]
                        contrast = brightness(found["paper"]) - brightness(found["ink"])
                        self.assertGreater(contrast if name == "light" else -contrast, 150)
        self.assertNotEqual(papers["dark"], papers["light"])

    def look(self, path, width, scheme):
        """In a frame, for windows have a least width."""
        page = html.escape(path.read_text().replace("</body>", LOOK + "</body>"), quote=True)
        frame = self.work / "frame.html"
        frame.write_text(
            '<!DOCTYPE html><meta name="color-scheme" content="light dark"><body style="margin:0">'
            f'<iframe style="width:{width}px;height:2000px;border:0" srcdoc="{page}"></iframe>'
        )
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        command += [f"--user-data-dir={self.work / 'chromium'}", f"--window-size=1400,2100"]
        command += [f"--blink-settings=preferredColorScheme={scheme}", "--dump-dom", frame.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        found = re.search(r"<pre id=.found.>(.*?)</pre>", done.stdout, re.DOTALL)
        self.assertTrue(found, done.stderr[-2000:])
        return json.loads(html.unescape(found[1]))

    def test_the_command(self):
        def call(*arguments):
            command = [sys.executable, "-m", "holon.report", *arguments]
            environment = {"PYTHONPATH": str(PACKAGE), "PATH": "/usr/bin:/bin"}
            return subprocess.run(command, capture_output=True, text=True, cwd=self.work, env=environment)

        done = call(self.water.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "report.html\n", ""))
        for arguments, status, message in [
            ([self.work / "nowhere"], 2, "no such folder: give the folder of a run"),
            ([self.work], 2, "no run: there is no energy.csv"),
            ([self.water.folder, "-o", self.work / "a" / "b.html"], 3, "b.html: cannot write the report: No such file"),
        ]:
            done = call(*arguments)
            self.assertEqual((done.returncode, done.stdout), (status, ""))
            self.assertRegex(done.stderr, rf"^holon-report: error: .*{message}.*\n$")


class Plots(runner.ProgramTest):
    def test_no_value_is_lost_in_an_envelope(self):
        random = numpy.random.default_rng(1)
        x = numpy.cumsum(random.uniform(0.1, 5.0, 50_000))
        y = random.normal(size=len(x))
        y[31_234], y[7] = 9.0, -9.0
        at, low, high = plots.envelope(plots.Curve(0, x, y))
        self.assertLessEqual(len(at), plots.BUCKETS)
        self.assertEqual((high.max(), low.min()), (9.0, -9.0))
        self.assertTrue(numpy.all(low <= high))
        where = numpy.searchsorted(at, x, side="right") - 1
        self.assertTrue(numpy.all((low[where] <= y) & (y <= high[where])))

    def test_averages(self):
        curve = plots.Curve(0, numpy.arange(1001.0), 1e9 + numpy.arange(1001.0))
        x, y = plots.running_average(curve)
        numpy.testing.assert_allclose(y - 1e9, x / 2, rtol=0, atol=1e-5)
        x, y = plots.moving_average(curve)
        numpy.testing.assert_allclose(y - 1e9, x, rtol=0, atol=1e-5)
        self.assertEqual([line.tolist() for line in plots.best_line(curve)], [[0, 1000], [1e9, 1e9 + 1000]])

    def test_ticks_are_round_and_labels_tell_them_apart(self):
        for low, high in [(0, 1), (-3.2, 7.9), (1e5, 1.0001e5), (0, 3e12), (-2e-7, 5e-7), (299.99, 300.02)]:
            found = plots.ticks(low, high, 5)
            self.assertTrue(2 <= len(found) <= 7, found)
            self.assertTrue(low <= found[0] + 1e-9 * abs(low) and found[-1] <= high + 1e-9 * abs(high))
            labels = plots.tick_labels(found)
            self.assertEqual(len(set(labels)), len(labels), labels)
            for value, label in zip(found, labels):
                written = float(label.replace("\u2009", "").replace("\u2212", "-"))
                self.assertAlmostEqual(written, value, delta=1e-6 * (high - low))

    def test_single_huge_values_do_not_flatten_the_rest(self):
        y = numpy.sin(numpy.arange(500.0))
        y[0] = 1e19
        svg = plots.line_plot("potential", [plots.Curve(0, numpy.arange(500.0), y)], plots.Look("step", "none"))
        self.assertIn("values reach from -1 to 1e+19", svg)
        heights = [float(point.split(",")[1]) for point in re.search(r'points="([^"]*)"', svg)[1].split()]
        self.assertGreater(numpy.ptp(heights[1:]), 50)

    def test_what_cannot_be_plotted(self):
        look, nothing = plots.Look("time / ps"), numpy.array([numpy.nan, numpy.nan])
        self.assertEqual(plots.line_plot("x", [], look), "")
        self.assertEqual(plots.line_plot("x", [plots.Curve(0, numpy.arange(2.0), nothing)], look), "")
        constant = plots.line_plot("x", [plots.Curve(0, numpy.arange(3.0), numpy.full(3, 7.0))], look)
        self.assertNotIn("nan", constant)

    def test_figures_have_the_digits_of_their_errors(self):
        self.assertEqual(views.with_error(300.12345, 0.8712), "300.12 ± 0.87")
        self.assertEqual(views.with_error(-59411.31, 59.5), "\u221259\u2009411 ± 60")
        self.assertEqual(views.with_error(1.5, None), "1.5000")
        self.assertEqual(views.labels_of([pathlib.Path("/a/run"), pathlib.Path("/b/run")]), ["a/run", "b/run"])

    def test_many_rows(self):
        random = numpy.random.default_rng(2)
        step = numpy.arange(100_000)
        values = numpy.column_stack([step, step * 0.02, random.normal(size=(len(step), 6))])
        columns = ["step", "time_ps", "potential", "kinetic", "conserved", "temperature_K", "pressure_bar", "bond"]
        folder = write_run(self.work / "run", [], columns)
        with open(folder / "energy.csv", "ab") as file:
            numpy.savetxt(file, values, delimiter=",", fmt="%.17g")
        began = time.process_time()
        path = write_report([folder], self.work / "report.html")
        self.assertLess(time.process_time() - began, 5.0)
        self.assertLess(path.stat().st_size, 300_000)
        self.assertEqual(path.read_text().count("<svg"), 6)


if __name__ == "__main__":
    runner.main()
