"""claimeven: the Connect Four workbench for Python."""

from claimeven.game import (
    ClaimevenError,
    Geometry,
    IllegalMove,
    InvalidGeometry,
    InvalidNotation,
    InvalidPosition,
    Line,
    Outcome,
    Position,
)

__version__ = "0.1.0"

__all__ = [
    "ClaimevenError",
    "Geometry",
    "IllegalMove",
    "InvalidGeometry",
    "InvalidNotation",
    "InvalidPosition",
    "Line",
    "Outcome",
    "Position",
    "__version__",
]
