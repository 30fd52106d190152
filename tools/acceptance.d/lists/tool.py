"""A tool people like: packages, tutorial, reports that are looked at, large files, Python."""

from cases.tool import files as tool_files
from cases.tool import package as tool_package
from cases.tool import pages as tool_pages
from cases.tool import python as tool_python

CASES = {name: case for part in (tool_package, tool_files, tool_pages, tool_python) for name, case in part.CASES.items()}
