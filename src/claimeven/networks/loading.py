"""The model of a search with priors: from a file, or the bundled one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.montecarlo.puct.options import PuctOptions
from claimeven.montecarlo.puct.policy_value import InvalidNetwork, PolicyValue
from claimeven.networks import ntuple
from claimeven.networks.model_file import name_in_errors, read_model
from claimeven.networks.net import Net
from claimeven.networks.net import file as net_file
from claimeven.networks.ntuple_search import NTuplePolicyValue
from claimeven.networks.own_models import ONNX, PlanesModel, read_onnx

_DATA: Final = Path(__file__).parent / "data"
#: The bundled net and n-tuple network.
BUNDLED_NET: Final = _DATA / "net-7x6-v1.npz"
BUNDLED_NTUPLE: Final = _DATA / "ntuple-7x6-v1.npz"
#: How n-tuple networks are searched best, as was measured: see `docs/learning.md`.
_NTUPLE_OPTIONS: Final = {"c": 1.5}


def default_policy_value(geometry: Geometry = STANDARD) -> PolicyValue:
    """Return the bundled model for a board. Raises `InvalidNetwork` for other boards.

    >>> default_policy_value().geometry == STANDARD
    True
    """
    if geometry != STANDARD:
        raise InvalidNetwork(f"no bundled model is for {geometry}: give one, model=FILE")
    return _bundled()


@lru_cache(maxsize=1)
def _bundled() -> PolicyValue:
    return read_policy_value(BUNDLED_NET)


def read_policy_value(path: str | Path) -> PolicyValue:
    """Return the model of a file, of any kind that has values. Raises `InvalidNetwork`.

    A file whose name ends in `.onnx` can be of any author: see `own_models`.
    """
    if str(path).endswith(ONNX):
        return read_onnx(path)
    model = read_model(path)
    with name_in_errors(path):
        if model.kind == net_file.KIND:
            return net_file.unpack(model)
        if model.kind == ntuple.KIND:
            return NTuplePolicyValue(ntuple.unpack(model))
    raise InvalidNetwork(f"{path} holds a model of the kind {model.kind!r}, which has no values")


def recommended_options(model: PolicyValue, **given: Any) -> PuctOptions:
    """Return the recommended search options of a model; options that are `given` take precedence.

    The file of a net has its own: see `SearchDefaults`. Raises `InvalidOptions` as `PuctOptions`.

    >>> recommended_options(default_policy_value(), fpu=0.3)
    PuctOptions(c=0.5, fpu=0.3, prior_temperature=4.0, ...)
    """
    recommended: Mapping[str, float] = {}
    if isinstance(model, NTuplePolicyValue):
        recommended = _NTUPLE_OPTIONS
    elif isinstance(model, Net):
        defaults = model.search_defaults
        recommended = {"c": defaults.c, "prior_temperature": defaults.prior_temperature}
    elif isinstance(model, PlanesModel):
        recommended = model.search_defaults
    return PuctOptions(**{**recommended, **given})
