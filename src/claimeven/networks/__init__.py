"""Learnt models: n-tuple networks, their files, and search with them."""

from __future__ import annotations

from claimeven.networks.errors import InvalidNetwork
from claimeven.networks.model_file import ModelFile, read_model, write_model
from claimeven.networks.ntuple import NTupleNetwork, NTuples
from claimeven.networks.ntuple_file import read_network, write_network
from claimeven.networks.ntuple_search import NTupleSearch

__all__ = [
    "InvalidNetwork",
    "ModelFile",
    "NTupleNetwork",
    "NTupleSearch",
    "NTuples",
    "read_model",
    "read_network",
    "write_model",
    "write_network",
]
