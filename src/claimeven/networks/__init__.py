"""Trained models: n-tuple networks, their files, and search with them and with priors and
values.
"""

from __future__ import annotations

from claimeven.montecarlo.puct import PuctForest, PuctOptions, PuctSearch
from claimeven.montecarlo.puct.policy_value import InvalidNetwork, PolicyValue, UniformPolicyValue
from claimeven.networks.loading import default_policy_value, read_policy_value, recommended_options
from claimeven.networks.model_file import ModelFile, read_model, write_model
from claimeven.networks.ntuple import NTupleNetwork, NTuples
from claimeven.networks.ntuple_file import read_network, write_network
from claimeven.networks.ntuple_search import NTuplePolicyValue, NTupleSearch

__all__ = [
    "InvalidNetwork",
    "ModelFile",
    "NTupleNetwork",
    "NTuplePolicyValue",
    "NTupleSearch",
    "NTuples",
    "PolicyValue",
    "PuctForest",
    "PuctOptions",
    "PuctSearch",
    "UniformPolicyValue",
    "default_policy_value",
    "read_model",
    "read_network",
    "read_policy_value",
    "recommended_options",
    "write_model",
    "write_network",
]
