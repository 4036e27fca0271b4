"""The rules: geometry, positions, notation, encodings, drawing, counting positions."""

from claimeven.game.errors import ClaimevenError as ClaimevenError
from claimeven.game.errors import IllegalMove as IllegalMove
from claimeven.game.errors import InvalidGeometry as InvalidGeometry
from claimeven.game.errors import InvalidNotation as InvalidNotation
from claimeven.game.errors import InvalidPosition as InvalidPosition
from claimeven.game.game_line import GameLine as GameLine
from claimeven.game.geometry import STANDARD as STANDARD
from claimeven.game.geometry import Geometry as Geometry
from claimeven.game.notation import column_name as column_name
from claimeven.game.notation import format_moves as format_moves
from claimeven.game.notation import parse_column as parse_column
from claimeven.game.notation import parse_moves as parse_moves
from claimeven.game.outcome import FIRST as FIRST
from claimeven.game.outcome import SECOND as SECOND
from claimeven.game.outcome import Outcome as Outcome
from claimeven.game.position import Position as Position
