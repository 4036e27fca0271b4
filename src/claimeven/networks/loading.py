"""Which model a search with priors asks, that of a file or the one that comes along, and how."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.montecarlo.puct.options import PuctOptions
from claimeven.montecarlo.puct.policy_value import InvalidNetwork, PolicyValue
from claimeven.networks import ntuple_file
from claimeven.networks.model_file import naming, read_model
from claimeven.networks.net import Net
from claimeven.networks.net import file as net_file
from claimeven.networks.ntuple_search import NTuplePolicyValue

_DATA: Final = Path(__file__).parent / "data"
#: The net and the n-tuple network that come along.
SHIPPED_NET: Final = _DATA / "net-7x6-v1.npz"
SHIPPED_NTUPLE: Final = _DATA / "ntuple-7x6-v1.npz"
#: How n-tuple networks are searched best, as was measured: see `docs/learning.md`.
_OF_TUPLES: Final = {"c": 1.5}


def default_policy_value(geometry: Geometry = STANDARD) -> PolicyValue:
    """Return the model that comes along for a board. Raises `InvalidNetwork` where there is none.

    >>> default_policy_value().geometry == STANDARD
    True
    """
    if geometry != STANDARD:
        raise InvalidNetwork(
            f"no model that comes along knows {geometry}: name one that does, model=FILE"
        )
    return _shipped()


@lru_cache(maxsize=1)
def _shipped() -> PolicyValue:
    return read_policy_value(SHIPPED_NET)


def read_policy_value(path: str | Path) -> PolicyValue:
    """Return the model of a file, of any kind that has values. Raises `InvalidNetwork`."""
    model = read_model(path)
    with naming(path):
        if model.kind == net_file.KIND:
            return net_file.unpacked(model)
        if model.kind == ntuple_file.KIND:
            return NTuplePolicyValue(ntuple_file.unpacked(model))
    raise InvalidNetwork(f"{path} holds a model of the kind {model.kind!r}, which has no values")


def suited_options(model: PolicyValue, **given: Any) -> PuctOptions:
    """Return the options of a search that suit a model, where nothing else is `given`.

    A net says itself what suits it: see `Searching`. Raises `InvalidOptions` as `PuctOptions` does.

    >>> suited_options(default_policy_value(), fpu=0.3)
    PuctOptions(c=0.5, fpu=0.3, prior_temperature=4.0, ...)
    """
    suited: dict[str, float] = {}
    if isinstance(model, NTuplePolicyValue):
        suited = _OF_TUPLES
    elif isinstance(model, Net):
        found = model.searching
        suited = {"c": found.c, "prior_temperature": found.prior_temperature}
    return PuctOptions(**{**suited, **given})
