#!/usr/bin/env python3
"""Manual pages and completions know every option that --help and --keys show."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

PROGRAMS = ("holon-md", "holon-inspect", "holon-bench-constraints", "holon-torsions", "holon-report", "holon-export")


def without_python(program):
    """The programs in Python take numpy and h5py, which a machine may lack."""
    return holon.call(program, ["--version"]).status != 0


class ManualPages(holon.ProgramTest):
    @classmethod
    def setUpClass(cls):
        missing = [name for name in PROGRAMS if not (holon.BIN / name).exists()]
        if missing or any(without_python(name) for name in PROGRAMS[4:]):
            raise unittest.SkipTest(f"not built: {missing}, or without numpy and h5py")
        holder = tempfile.TemporaryDirectory(prefix="holon-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.pages = pathlib.Path(holder.name)
        subprocess.run([sys.executable, holon.ROOT / "tools" / "manual", cls.pages], check=True)

    def text(self, kind, program):
        names = {
            "man": f"man/man1/{program}.1",
            "bash": f"bash-completion/completions/{program}",
            "zsh": f"zsh/site-functions/_{program}",
        }
        return (self.pages / names[kind]).read_text()

    def test_every_option_is_in_all_of_them(self):
        for program in PROGRAMS:
            helped = holon.call(program, ["--help"], environment={"COLUMNS": "200"}).stdout
            options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", "\n".join(re.findall(r"(?m)^  (-.*?)(?:  |$)", helped))))
            self.assertIn("--help", options)
            for kind in ("man", "bash", "zsh"):
                text = self.text(kind, program).replace("\\-", "-")
                missing = [option for option in options if not re.search(rf"{option}(?![\w-])", text)]
                self.assertEqual(missing, [], f"{kind} of {program}")

    def test_no_option_lacks_its_text(self):
        page = self.text("man", "holon-md")
        entries = re.findall(r"\.TP\n(.*)\n(.*)", page)
        self.assertGreater(len(entries), 20)
        self.assertEqual([name for name, text in entries if text == "\\&"], [])
        self.assertIn("\ndt = 0.001\n", page)

    def complete(self, *words):
        """What is offered for the last word of a command line."""
        script = f"""
            source {self.pages}/bash-completion/completions/{words[0]}
            COMP_WORDS=({" ".join(word or '""' for word in words)}) COMP_CWORD={len(words) - 1}
            _{words[0].replace("-", "_")}
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.work)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes_options_keys_and_files(self):
        for name in ("md.mdp", "conf.gro", "two.pdb", "notes"):
            (self.work / name).write_text("")
        self.assertEqual(self.complete("holon-md", "--dry"), ["--dry-run"])
        self.assertIn("--tau-t", self.complete("holon-md", "--tau"))
        self.assertEqual(self.complete("holon-export", "--stri"), ["--stride"])
        self.assertEqual(self.complete("holon-export", "--source", "ch"), ["checkpoint"])
        offered = self.complete("holon-md", "-c", "")
        self.assertIn("conf.gro", offered)
        self.assertIn("two.pdb", offered)
        self.assertNotIn("notes", offered)
        self.assertNotIn("md.mdp", offered)

    def test_zsh_and_troff_accept_them(self):
        for program in PROGRAMS:
            if shutil.which("zsh"):
                path = self.pages / "zsh" / "site-functions" / f"_{program}"
                subprocess.run(["zsh", "-n", path], check=True)
            if shutil.which("groff"):
                page = self.pages / "man" / "man1" / f"{program}.1"
                done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-z", page], capture_output=True, text=True)
                self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    holon.main()
