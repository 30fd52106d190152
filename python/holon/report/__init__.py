"""holon-report: runs as one HTML file."""

from .command import main, write_report

__all__ = ["main", "write_report"]
