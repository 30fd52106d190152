#!/usr/bin/env python3
"""check_sizes.py finds each kind of violation, and nothing in a tree that obeys the rules."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_sizes


def function(lines, head="int f()"):
    """A function of so many lines with things in it that are hard to tell apart."""
    body = ['    g("}", \'{\', 1\'000); // }', "    if (a) {", "        auto h = [](int b) { return b; };", "    }"]
    return "\n".join([head, "{", *["    g();"] * (lines - 3 - len(body)), *body, "}", ""])


MEMBERS = """namespace a {
template <class T, class U = std::map<int, T>>
struct S : B<T, U> {
    enum class E { one, two };
    S(int a, int b, int c, int d, int e, int f) : a_{a}, B<T, U>(b), c_(c)
    {
    }
    bool operator==(const S&) const = default;
    int value = g(1, 2, 3, 4, 5, 6, 7), other{h(1, 2, 3, 4, 5, 6, 7)};
    int f(const std::map<int, int>& a, std::array<int, 3> b = {1, 2, 3}, int c = g(1, 2)) const { return 1; }
};
constexpr int table[] = {g(1, 2, 3, 4, 5, 6, 7, 8)};
}
"""

GOOD = {
    "src/core/long.cpp": function(80) + function(80, "void S::operator()(int a, int b, int c, int d, int e, int f) const"),
    "src/core/members.hpp": MEMBERS,
    "include/holon/core/a.hpp": '#include <holon/core/b.hpp>\n',
    "include/holon/core/b.hpp": "#include <array>\n",
    "tools/script": "#!/usr/bin/env python3\ndef f(self, a, b, c, d, e, f, g=1, *, h=2):\n    pass\n",
    "tests/data/many": "",
    **{f"src/core/{k}.txt": "" for k in range(28)},
    **{f"tests/data/{k}.txt": "" for k in range(50)},
}

BAD = {
    "long function": ("src/mesh/a.hpp", "\n" + function(81), 2),
    "long test": ("tests/unit/a_test.cpp", function(85, "TEST(Name, OfATest)"), 1),
    "many parameters": ("src/io/a.cpp", "int f();\nint f(int a, int b, int c,\n      int d, int e, int f, S<1, 2> g)\n{\n}\n", 2),
    "many parameters of a constructor": (
        "src/io/a.hpp",
        "struct S {\n    S(int a, int b, int c, int d, int e, int f, int g) : a_(a), b_{b} { use(c); }\n};\n",
        2,
    ),
    "long function in Python": ("tests/a.py", "def f():\n" + "    pass\n" * 80, 1),
    "many parameters in Python": ("tools/a", "#!/usr/bin/env python3\n\ndef f(a, b, c, d, e, f, g):\n    pass\n", 3),
    "full folder": ("src/core/more.txt", "", 1),
    "cycle": ("include/holon/core/b.hpp", "#include <holon/core/a.hpp>\n", 1),
}


class CheckSizes(unittest.TestCase):
    def check(self, changes):
        """Violations of the good tree with some files changed."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in {**GOOD, **changes}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return check_sizes.check_tree(root)

    def test_a_good_tree(self):
        self.assertEqual(self.check({}), [])

    def test_each_violation(self):
        for name, (path, text, line) in BAD.items():
            with self.subTest(name):
                found = self.check({path: text})
                self.assertEqual(len(found), 1, found)
                place = "src/core:1" if name == "full folder" else f"{path}:{line}"
                self.assertTrue(found[0].startswith(place) or name == "cycle", found)


if __name__ == "__main__":
    unittest.main()
