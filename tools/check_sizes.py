#!/usr/bin/env python3
"""Checks that what has to be read at once can be: prints each violation as file:line and exits with 1 if there is any.

    tools/check_sizes.py [ROOT]

No function, of C++ or Python, has more than 80 lines from its first to its last or more than 6 parameters (in Python:
that a call must give, `self` apart). No folder has more than 30 files. No header of the program includes itself by way of others.
"""

import ast
import pathlib
import re
import sys

MAX_LINES = 80
MAX_PARAMETERS = 6
MAX_FILES = 30
FOLDERS = ["include", "src", "drivers", "tests", "tools"]
DATA = {"data", "corpus"}  # folders below tests/ whose files nobody reads one by one

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
TYPE = re.compile(r"\b(class|struct|union|enum)\b[^()]*$")


def blank(match):
    """Text of the same lines without anything else in it."""
    return re.sub(r"[^\n]", " ", match[0])


def parameters_of(signature):
    """Number of parameters between the first brackets of a C++ signature."""
    depth, count, some = 0, 0, False
    for character in signature[signature.index("(") :]:
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
            if depth == 0 and character == ")":
                return count + 1 if some else 0
        elif character == "," and depth == 1:
            count += 1
        elif not character.isspace():
            some = True
    return 0


def cpp_functions(text):
    """Yields (first line, last line, parameters) of each function that is defined outside another one."""
    digits = re.compile(r"(?<=\d)'(?=\d)")  # separators, not quotes
    code = DIRECTIVE.sub(blank, NOT_CODE.sub(blank, digits.sub(" ", text)))
    scopes = []  # of each open brace: (kind, first line, parameters)
    begin = 0  # of the declaration in hand
    line = 1
    brackets = 0  # of parameters
    for at, character in enumerate(code):
        if character == "\n":
            line += 1
        elif character in "()":
            brackets += 1 if character == "(" else -1
        elif character == "{":
            head = code[begin:at]
            outside = all(kind in {"namespace", "type"} for kind, _, _ in scopes)
            if outside and re.search(r"\bnamespace\b|\bextern\s*$", head):
                kind = "namespace"
            elif outside and TYPE.search(head) and brackets == 0:
                kind = "type"
            elif outside and brackets == 0 and "(" in head and re.search(r"[\w)\]}>]\s*$", head) and not initialiser(head):
                kind = "function"
            else:
                kind = "other"
            lead = re.sub(r"^\s*(?:template\s*<[^{}]*?>\s*(?=\w)|(?:public|protected|private)\s*:)*", "", head)
            first = line - lead.lstrip().count("\n")
            scopes.append((kind, first, parameters_of(lead) if kind == "function" and "(" in lead else 0))
            if kind in {"namespace", "type"}:
                begin = at + 1
        elif character == "}":
            kind, first, parameters = scopes.pop() if scopes else ("other", 0, 0)
            if kind == "function":
                yield first, line, parameters
            if kind != "other":
                begin = at + 1
        elif character == ";" and brackets == 0 and all(kind != "function" for kind, _, _ in scopes):
            begin = at + 1


def initialiser(head):
    """True where a brace after this text begins a member's initial value or an array, not a body."""
    after = re.search(r"\)[^()]*?:(?!:)(.*)$", head, re.DOTALL)
    if after is None:
        return "=" in re.sub(r"\boperator\s*\S+|\([^()]*\)", "", head)
    return re.search(r"[\w>]\s*$", after[1]) is not None and not re.search(r"[)}]\s*$", after[1])


def python_functions(text):
    """Yields (first line, last line, parameters) of each function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [a.arg for a in node.args.posonlyargs + node.args.args]
            required = names[: len(names) - len(node.args.defaults)]
            required += [a.arg for a, default in zip(node.args.kwonlyargs, node.args.kw_defaults) if default is None]
            yield node.lineno, node.end_lineno, len([name for name in required if name not in {"self", "cls"}])


def is_python(path):
    """True for a module or a script."""
    if path.suffix:
        return path.suffix == ".py"
    with open(path, "rb") as file:
        return b"python" in file.readline() if path.is_file() else False


def check_functions(root, path):
    """Yields (line, message) for the functions of a file."""
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    functions = cpp_functions(text) if path.suffix in {".cpp", ".hpp"} else python_functions(text)
    for first, last, parameters in functions:
        if last - first + 1 > MAX_LINES:
            yield first, f"a function of {last - first + 1} lines, more than {MAX_LINES}"
        if parameters > MAX_PARAMETERS:
            yield first, f"a function of {parameters} parameters, more than {MAX_PARAMETERS}"


def check_cycles(root, paths):
    """Yields (path, line, message) for each header that includes itself by way of others."""
    includes = {}
    for path in paths:
        if path.suffix == ".hpp" and path.parts[0] in {"include", "src"}:
            found = set()
            for bracket, name in re.findall(r'^#include ([<"])([^>"]+)', (root / path).read_text(), re.MULTILINE):
                beside = [path.parent / name, pathlib.Path(*path.parts[:2]) / name]
                places = [pathlib.Path("include") / name] if bracket == "<" else beside
                found.update(place for place in places if (root / place).is_file())
            includes[path] = found
    done = set()

    def walk(path, way):
        if path in way:
            yield path, 1, "includes itself by way of " + ", ".join(str(p) for p in way[way.index(path) + 1 :])
            return
        if path in done:
            return
        for other in sorted(includes.get(path, ())):
            yield from walk(other, [*way, path])
        done.add(path)

    for path in sorted(includes):
        yield from walk(path, [])


def check_tree(root):
    """All violations under `root`, as sorted strings."""
    paths = [
        path.relative_to(root)
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not DATA & set(path.relative_to(root).parts[:-1])
    ]
    found = []
    for path in paths:
        if path.suffix in {".cpp", ".hpp"} or is_python(root / path):
            found += [f"{path}:{line}: {message}" for line, message in check_functions(root, path)]
    found += [f"{path}:{line}: {message}" for path, line, message in check_cycles(root, paths)]
    for folder in {path.parent for path in paths}:
        n = sum(path.parent == folder for path in paths)
        if n > MAX_FILES:
            found.append(f"{folder}:1: {n} files in one folder, more than {MAX_FILES}")
    return sorted(found)


if __name__ == "__main__":
    tree = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    violations = check_tree(tree)
    print("\n".join(violations), end="\n" if violations else "")
    sys.exit(1 if violations else 0)
