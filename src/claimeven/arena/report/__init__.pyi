from claimeven.arena.report.report import MAX_JUDGED_GAMES as MAX_JUDGED_GAMES
from claimeven.arena.report.report import Report as Report
from claimeven.arena.report.report import write_report as write_report
