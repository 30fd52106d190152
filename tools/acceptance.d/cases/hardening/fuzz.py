"""Item 3: ten minutes of each fuzzer without a finding; sanitizers are silent."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[4]
SECONDS = 600


def fuzzer(name):
    def run(report):
        result = subprocess.run(
            [ROOT / "tools" / "fuzz", name, "--seconds", str(SECONDS)], capture_output=True, text=True
        )
        inputs = re.search(rf"^{name} +(\d+) inputs", result.stdout, re.MULTILINE)
        report.check("no finding", result.returncode == 0, "" if result.returncode == 0 else result.stdout[-2000:])
        report.at_least("inputs", int(inputs[1]) if inputs else 0, 1)

    run.__doc__ = f"fuzzers: {name}, {SECONDS} s"
    return run


def sanitizers(kind):
    def run(report):
        result = subprocess.run([ROOT / "tools" / "sanitize", kind], capture_output=True, text=True)
        clean = result.returncode == 0 and "sanitize: clean" in result.stdout
        report.check("clean", clean, "" if clean else (result.stdout + result.stderr)[-2000:])

    run.__doc__ = f"sanitizers: {kind}, tests and programs"
    return run


CASES = {
    f"3.fuzz-{source.stem.removesuffix('_fuzzer')}": fuzzer(source.stem.removesuffix("_fuzzer"))
    for source in sorted((ROOT / "tests" / "fuzz").glob("*_fuzzer.cpp"))
} | {f"3.sanitize-{kind}": sanitizers(kind) for kind in ("address", "threads")}
