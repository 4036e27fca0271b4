"""A tournament's store as one self-contained HTML page."""

from claimeven.arena.report.report import write_report

__all__ = ["write_report"]
