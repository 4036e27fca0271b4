"""Neural nets that judge positions by static features: their features, sizes, files."""

from __future__ import annotations

from claimeven.networks.net.features import Features
from claimeven.networks.net.file import read_net, write_net
from claimeven.networks.net.net import SHAPES, Net, NetShape, Prediction
from claimeven.networks.net.search_defaults import SearchDefaults

__all__ = [
    "SHAPES",
    "Features",
    "Net",
    "NetShape",
    "Prediction",
    "SearchDefaults",
    "read_net",
    "write_net",
]
