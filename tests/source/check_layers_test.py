#!/usr/bin/env python3
"""check_layers.py finds each kind of violation, and nothing in a tree that obeys the rules."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_layers

GOOD = {
    "include/holon/core/box.hpp": "#pragma once\n#include <array>\nnamespace holon {\nstruct Box {\n};\n}\n",
    "include/holon/forces/pair.hpp": "#pragma once\n#include <holon/core/box.hpp>\n",
    "src/comm/communicator.cpp": "#include <mpi.h>\n",
    "src/comm/file.cpp": "#include <hdf5.h>\n#include <mpi.h>\n",
    "src/forces/pair.cpp": '#include <holon/forces/pair.hpp>\n#include "kernel.hpp"\n',
    "src/forces/kernel.hpp": "#pragma once\n",
    "src/forces/room/every.hpp": "#pragma once\n",
    "src/forces/other/a.cpp": '#include "room/every.hpp"\n',
    "src/forces/told.cpp": "double a = std::sqrt(portable::exp(1.0));\ndouble b = std::acos(a); // only told\n",
    "src/io/checkpoint.cpp": "#include <hdf5.h>\n#include <boost/program_options.hpp>\n",
    "drivers/md.cpp": "#include <holon/forces/pair.hpp>\nint main() {}\n",
}

BAD = {
    "upward include": ("src/core/box.cpp", "#include <holon/forces/pair.hpp>\n", 1),
    "sibling include": ("src/constraints/shake.cpp", "\n#include <holon/forces/pair.hpp>\n", 2),
    "unknown layer": ("src/forces/a.cpp", "#include <holon/utils/string.hpp>\n", 1),
    "missing header": ("src/forces/a.cpp", "#include <holon/core/none.hpp>\n", 1),
    "private header of another layer": ("src/io/a.cpp", '#include "../forces/kernel.hpp"\n', 1),
    "room of another layer": ("src/io/a.cpp", '#include "room/every.hpp"\n', 1),
    "MPI outside comm": ("src/forces/a.cpp", "#include <mpi.h>\n", 1),
    "MPI in a driver": ("drivers/a.cpp", "#include <mpi.h>\n", 1),
    "MPI in a public header": ("include/holon/comm/a.hpp", "#pragma once\n#include <mpi.h>\n", 2),
    "HDF5 outside io": ("src/app/a.cpp", "#include <hdf5.h>\n", 1),
    "HDF5 in a second file of comm": ("src/comm/z.cpp", "#include <hdf5.h>\n", 1),
    "HDF5 in a public header": ("include/holon/io/a.hpp", "#pragma once\n#include <H5Cpp.h>\n", 2),
    "program_options outside io": ("src/app/a.cpp", "#  include <boost/program_options/parsers.hpp>\n", 1),
    "using namespace in a header": ("src/io/a.hpp", "#pragma once\n  using namespace std;\n", 2),
    "no pragma once": ("include/holon/core/a.hpp", "int a();\n", 1),
    "folder that is no layer": ("src/utils/a.cpp", "int a;\n", 1),
    "function of the C library": ("src/forces/a.cpp", "double a = std::exp(1.0);\n", 1),
    "deviates of the C++ library": ("src/core/a.cpp", "\nstd::normal_distribution<double> d;\n", 2),
    "class of a name that another has": (
        "src/io/box.hpp",
        "#pragma once\nnamespace holon {\nclass Box final : public Shape {\n};\n}\n",
        3,
    ),
    "too long": ("src/core/a.cpp", "int a();\n" * 501, 501),
    "half done": ("tests/unit/a.cpp", "// TO" + "DO later\n", 1),
    "half done script": ("tools/a", "\n# FIX" + "ME\n", 2),
}


def write_tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class CheckLayers(unittest.TestCase):
    def test_good_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            write_tree(root, GOOD)
            self.assertEqual(check_layers.check_tree(root), [])

    def test_each_violation_is_found_where_it_is(self):
        for name, (path, text, line) in BAD.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                write_tree(root, GOOD | {path: text})
                found = check_layers.check_tree(root)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{path}:{line}: "), found)


if __name__ == "__main__":
    unittest.main()
