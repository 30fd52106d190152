#!/usr/bin/env python3
"""Checks the rules that keep the source layered; prints each violation as file:line and exits with 1 if there is any.

    tools/check_layers.py [ROOT]

A layer includes itself and lower ones; layers of one level do not include each other. Libraries that one layer hides
from the rest are included nowhere else, and never by a public header. Headers have no `using namespace`. No file is
longer than 500 lines, and nothing is left half done. The program calls no function of the C library whose bits depend on
the processor. No two headers define a class of the same name.
"""

import pathlib
import re
import sys

LEVELS = [
    {"core"},
    {"comm"},
    {"system"},
    {"mesh"},
    {"forces", "constraints", "virtual_sites"},
    {"dynamics"},
    {"io"},
    {"app"},
    {"drivers"},
]
LEVEL_OF = {layer: level for level, layers in enumerate(LEVELS) for layer in layers}

# Header -> layers whose sources (not public headers) may include it, and how many files of them may.
HIDDEN = {
    r"mpi\.h": {"comm": None},
    r"hdf5(_hl)?\.h|H5\w+\.h": {"io": None, "comm": 1},
    r"boost/program_options.*": {"io": None},
}

# Their last bits are those of one C library on one processor; square roots are the same everywhere.
LIBRARY_FUNCTION = re.compile(
    r"\bstd::(exp|exp2|expm1|log|log2|log10|log1p|a?sinh?|a?cosh?|a?tanh?|atan2|pow|cbrt|hypot|erfc?|[tl]gamma|polar|\w+_distribution)\b"
)
ONLY_TOLD = "// only told"  # marks a line whose result goes to a message

MAX_LINES = 500
HALF_DONE = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FOLDERS = ["include", "src", "drivers", "python", "tests", "tools", "inputs", "jobscripts"]
TEXT_SUFFIXES = {".cpp", ".hpp", ".py", ".sh", ".cmake", ".txt", ".in", ".slurm", ".md", ""}


def layer_of(path):
    """Layer of a file relative to the root, or None for what is no part of the program: `src/io/x.cpp` -> io."""
    parts = path.parts
    if parts[0] == "drivers":
        return "drivers"
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "holon") and len(parts) > 3:
        return parts[2]
    return None


def check_include(root, path, layer, bracket, name):
    """Yields what is wrong with one #include of a file of the program."""
    if bracket == '"':
        here = root / path.parent if "/" not in name else root / path.parts[0] / layer
        if ".." in name or not (here / name).is_file():
            yield f'"{name}" is no header of this folder, nor "room/name.hpp" of this layer: write <holon/layer/name.hpp>'
        return
    if name.startswith("holon/"):
        target = name.split("/")[1]
        if target not in LEVEL_OF:
            yield f"<{name}> names no layer"
        elif target != layer and LEVEL_OF[target] >= LEVEL_OF[layer]:
            yield f"{layer} may not include <{name}>: {target} is not below it"
        elif not (root / "include" / name).is_file():
            yield f"<{name}> does not exist"
    for pattern, allowed in HIDDEN.items():
        if re.fullmatch(pattern, name):
            if path.parts[0] == "include":
                yield f"<{name}> in a public header"
            elif layer not in allowed:
                yield f"<{name}> is for src/{' and src/'.join(allowed)} only"


def check_program_file(root, path, lines):
    """Yields (line, message) for a C++ file of the program."""
    layer = layer_of(path)
    if layer not in LEVEL_OF:
        yield 1, f"belongs to no layer ({', '.join(LEVEL_OF)})"
        return
    for number, line in enumerate(lines, 1):
        if match := INCLUDE.match(line):
            for message in check_include(root, path, layer, *match.groups()):
                yield number, message
        elif (match := LIBRARY_FUNCTION.search(line)) and ONLY_TOLD not in line:
            yield number, f"{match[0]} has other bits elsewhere: core/portable_math.hpp, or `{ONLY_TOLD}`"


def check_file(root, path):
    """Yields (line, message) for each violation in one file; `path` is relative to `root`."""
    lines = (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        if HALF_DONE.search(line):
            yield number, "left half done"
    if path.suffix not in {".cpp", ".hpp", ".py"}:
        return
    if len(lines) > MAX_LINES:
        yield len(lines), f"longer than {MAX_LINES} lines"
    if path.suffix == ".hpp":
        if "#pragma once" not in lines:
            yield 1, "no #pragma once"
        for number, line in enumerate(lines, 1):
            if re.match(r"\s*using\s+namespace\b", line):
                yield number, "`using namespace` in a header"
    if path.suffix != ".py" and path.parts[0] in {"include", "src", "drivers"}:
        yield from check_program_file(root, path, lines)


def check_hidden_counts(root, paths):
    """Yields (path, line, message) where more files of a layer than allowed include a hidden library."""
    for pattern, allowed in HIDDEN.items():
        for layer, limit in allowed.items():
            users = []
            for path in paths:
                if path.parts[:2] == ("src", layer) and path.suffix in {".cpp", ".hpp"}:
                    names = (INCLUDE.match(line) for line in (root / path).read_text(errors="replace").splitlines())
                    if any(match and re.fullmatch(pattern, match[2]) for match in names):
                        users.append(path)
            if limit is not None and len(users) > limit:
                yield users[-1], 1, f"only {limit} file of src/{layer} may include {pattern}"


def check_names(root, paths):
    """Yields (path, line, message) where two headers define a class of the same name: their members would be mixed up."""
    defined = {}
    for path in paths:
        if path.suffix != ".hpp" or path.parts[0] not in {"include", "src"}:
            continue
        space = ""
        for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
            if match := re.match(r"namespace ([\w:]+)", line):
                space = match[1]
            elif match := re.match(r"(?:class|struct) (\w+)(?: final)?(?: :.*)?(?: \{.*)?$", line):
                name = f"{space}::{match[1]}"
                if name in defined and defined[name] != path:
                    yield path, number, f"{name} is defined in {defined[name]}, too"
                defined.setdefault(name, path)


def check_tree(root):
    """All violations under `root`, as sorted strings."""
    paths = [
        path.relative_to(root)
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file() and path.suffix in TEXT_SUFFIXES and "__pycache__" not in path.parts
    ]
    found = [f"{path}:{line}: {message}" for path in paths for line, message in check_file(root, path)]
    for check in (check_hidden_counts, check_names):
        found += [f"{path}:{line}: {message}" for path, line, message in check(root, sorted(paths))]
    return sorted(found)


if __name__ == "__main__":
    tree = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    violations = check_tree(tree)
    print("\n".join(violations), end="\n" if violations else "")
    sys.exit(1 if violations else 0)
