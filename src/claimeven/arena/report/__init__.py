"""A tournament's store as one self-contained HTML page."""

from claimeven.arena.report.report import MAX_JUDGED_GAMES, Report, write_report

__all__ = ["MAX_JUDGED_GAMES", "Report", "write_report"]
