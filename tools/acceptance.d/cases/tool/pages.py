"""Item 2: reports as a browser shows them, at two widths and on paper. The pictures stay, to be looked at."""

import html
import json
import re
import shutil
import subprocess
import sys

from support import holon_runner as holon

sys.path.append(str(holon.ROOT / "tests" / "python"))
import report_test  # noqa: E402

LYSOZYME = holon.input_files(holon.INPUTS / "lysozyme")
WIDTHS = (1280, 420)
MOST_MB = 5.0


def chromium(work, *words):
    command = [report_test.CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
    command += [f"--user-data-dir={work / 'chromium'}", *words]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)


def framed(work, page, width, script=""):
    """A page of this width in one that is as wide as a browser's window has to be. Returns its address."""
    text = html.escape(page.read_text().replace("</body>", script + "</body>"), quote=True)
    frame = work / f"frame-{page.stem}-{width}.html"
    style = f'style="border:0;margin:0;width:{width}px;height:9000px"'
    frame.write_text(f'<!DOCTYPE html><body style="margin:0"><iframe {style} srcdoc="{text}"></iframe></body>')
    return frame.as_uri()


def look(report, page, width):
    address = framed(report.work, page, width, report_test.LOOK)
    done = chromium(report.work, "--window-size=1400,2100", "--dump-dom", address)
    found = json.loads(html.unescape(re.search(r"<pre id=.found.>(.*?)</pre>", done.stdout, re.DOTALL)[1]))
    name = f"{page.stem}, {width} px"
    report.check(f"{name}: wider than the page", found["scroll"] <= width and not found["wide"], found["wide"] or 0, "0")
    report.check(f"{name}: empty plots", not found["flat"] and found["svgs"] > 0, found["flat"] or 0, "0")
    report.check(f"{name}: curves cut off", not found["cut"], found["cut"] or 0, "0")
    picture = report.work / f"{page.stem}-{width}.png"
    window = f"--window-size={max(width, 500)},{9000 if width < 600 else 4500}"
    chromium(report.work, window, f"--screenshot={picture}", framed(report.work, page, width))
    report.check(f"{name}: picture", picture.exists(), str(picture))


def on_paper(report, page):
    """As a .pdf, and its pages as pictures, where pdftoppm is there."""
    paper = report.work / f"{page.stem}.pdf"
    chromium(report.work, f"--print-to-pdf={paper}", "--no-pdf-header-footer", page.as_uri())
    report.check(f"{page.stem} on paper [MB]", paper.exists(), paper.stat().st_size / 1e6 if paper.exists() else "none")
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "50", "-png", paper, report.work / f"{page.stem}-page"], check=True)


def chain(folder):
    """A run in jobs of some steps, each on another number of ranks."""
    for job, ranks in enumerate((2, 1, 3)):
        goes_on = ["--resume", *LYSOZYME, "-o", folder]
        settings = {"nsteps": 60 * (job + 1), "nstenergy": 2}
        done = holon.call("holon-md", [*goes_on, *holon.options(settings)], ranks, 3600)
        if done.status != holon.FINISHED:
            raise holon.RunError(done.stderr)


def screenshots(report):
    """reports of lysozyme, of a chain of jobs and of two runs, at two widths and on paper"""
    if report_test.CHROMIUM is None:
        raise holon.RunError("needs chromium")
    shutil.rmtree(report.work)
    report.work.mkdir()
    settings = {"nsteps": 200, "nstenergy": 2}
    holon.run(report.work / "lysozyme", LYSOZYME, 2, 3600, **settings)
    npt = {"pcoupl": "C-rescale", "tau_p": 1, "compressibility": "4.5e-5", "ref_p": 1}
    holon.run(report.work / "npt", LYSOZYME, 2, 3600, **settings, **npt)
    chain(report.work / "chain")
    for name, runs in {"one": ["lysozyme"], "jobs": ["chain"], "two": ["lysozyme", "npt"]}.items():
        page = report.work / f"{name}.html"
        subprocess.run([holon.BIN / "holon-report", *(report.work / run for run in runs), "-o", page], check=True)
        report.at_most(f"{name} [MB]", page.stat().st_size / 1e6, MOST_MB)
        for width in WIDTHS:
            look(report, page, width)
        on_paper(report, page)


screenshots.keeps_its_folder = True  # for whoever looks at them
CASES = {"2.screenshots": screenshots}
