"""A tournament's store as one self-contained HTML page."""

from claimeven.arena.report.report import MOST_JUDGED, Report, write_report

__all__ = ["MOST_JUDGED", "Report", "write_report"]
