"""Names in the runs of claimeven 0.2.0 and their present names: such runs still resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


_EVALUATION: Final = "every:eval_every against:eval_games positions:eval_positions "
_OPTIMIZER: Final = "rate:lr decay:weight_decay weight_steps:quant_levels "
#: Settings by method: old name -> present name.
_SETTINGS: Final = {
    "ntuple": _pairs(
        _EVALUATION + "last_step_size:final_step_size steepness:step_decay trace:td_lambda"
        " exploring:epsilon"
    ),
    "distil": _pairs(
        _OPTIMIZER + "every:eval_every shares:dataset_weights ply_shares:ply_weights"
        " round_from:qat_start dropped:dropout ahead:aug_successors beside:aug_swaps"
    ),
    "selfplay": _pairs(
        _EVALUATION + _OPTIMIZER + "task:games_per_worker searches:simulations"
        " quick_searches:fast_simulations full_share:full_search_fraction"
        " noise:dirichlet_fraction concentration:dirichlet_alpha hot_plies:temperature_plies"
        " random_share:random_start_fraction fade:draw_length_penalty mix:search_value_weight"
        " fall:lr_schedule stays:ema_decay score_share:score_value_weight"
        " score_scale:score_value_scale gate:gate_games gate_least:gate_min_score"
    ),
}
#: Files in the folder of a run: present name -> old name.
OLD_FILES: Final = {"config.json": "recipe.json", "comparison.jsonl": "judged.jsonl"}
#: Measurements in a log: old name -> present name.
_ROW: Final = _pairs("playing:play_seconds judged:evaluated taken:promoted")


def current_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run under their present names."""
    return _renamed(config, _SETTINGS.get(config.get("method", ""), {}))


def old_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run under their names in 0.2.0."""
    names = _SETTINGS.get(config.get("method", ""), {})
    return _renamed(config, {new: old for old, new in names.items()})


def current_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measurements of a row of a log under their present names."""
    return _renamed(row, _ROW)


def _renamed(data: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in data.items()}
