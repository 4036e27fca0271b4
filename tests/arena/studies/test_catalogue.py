"""The studies as data: whole, playable, and true to the reported figures."""

from __future__ import annotations

import pytest

from claimeven.agents import make_agent
from claimeven.arena.options import InvalidMatch
from claimeven.arena.studies import QUANTITIES, STUDIES, InvalidStudy, Match, Study, study_of

ALL = pytest.mark.parametrize("study", STUDIES, ids=[study.name for study in STUDIES])


def test_names_differ_and_are_found() -> None:
    assert len({study.name for study in STUDIES}) == len(STUDIES)
    assert all(study_of(study.name) is study for study in STUDIES)
    with pytest.raises(InvalidStudy, match="did you mean itu-flat"):
        study_of("itu-flatt")


@ALL
def test_every_figure_has_a_name_and_a_quantity(study: Study) -> None:
    assert study.experiments
    for experiment, figure in study.figures:
        assert figure.label
        assert figure.quantity in QUANTITIES
        assert experiment.setting
        labels = [each.label for each in experiment.figures]
        assert len(set(labels)) == len(labels)


@ALL
def test_every_study_has_a_reported_figure(study: Study) -> None:
    assert any(figure.reported is not None or figure.words for _, figure in study.figures)


@ALL
def test_every_match_can_be_played(study: Study) -> None:
    for match in (each for each in study.experiments if isinstance(each, Match)):
        if study.needs_server:
            with pytest.raises(InvalidMatch, match="name it with --server URL"):
                match.plan(seed=1)
            continue
        plan = match.plan(seed=1)
        for spec in plan.agents:
            agent = make_agent(spec) if isinstance(spec, str) else None
            if agent is not None and match.seconds is not None:
                assert "seconds" in agent.limits or spec in ("random", "greedy")
        firsts = {plan.pairing(number).first for number in range(min(plan.games, 20))}
        assert firsts == ({0, 1} if match.swap else {0})


def test_reported_figures_equal_the_documents() -> None:
    """Against the figures as the documents print them: a changed number is noticed."""
    then = {
        (study.name, figure.quantity, figure.reported)
        for study in STUDIES
        for _, figure in study.figures
        if figure.reported is not None
    }
    assert then == {
        ("polito-alphabeta", "wins", 99.40),
        ("polito-alphabeta", "draws", 0.0),
        ("polito-alphabeta", "seconds_per_game", 596.026520 / 500),
        ("polito-alphabeta", "evaluations_per_game", 906),
        ("polito-uct", "wins", 100.0),
        ("polito-uct", "draws", 0.0),
        ("polito-uct", "seconds_per_game", 659.632352 / 10),
        ("polito-counting", "ratio", 60.9 / 0.617),
        *(("polito-counting", "microseconds", then) for then in (60.9, 8.52, 0.617)),
        # The iterations are the sums of the visit counts printed.
        ("menary-iterations", "iterations", 120 + 535 + 138 + 111),
        ("menary-iterations", "iterations", 77 + 98 + 169 + 271 + 95 + 172 + 107),
        ("menary-iterations", "iterations", 38 + 29 + 16 + 88 + 26 + 21 + 43),
        *(
            ("menary-columns", "value", value)
            for value in (
                *(-0.80, -0.55, -0.77, -0.82),
                *(-0.48, -0.41, -0.28, -0.20, -0.42, -0.38),
                *(0.21, 0.03, -0.25, 0.43, 0.00, -0.14),
            )
        ),
        *(
            ("menary-columns", "visits", visits)
            for visits in (
                *(120, 535, 138, 111),
                *(77, 98, 169, 271, 95, 172, 107),
                *(38, 29, 16, 88, 26, 21, 43),
            )
        ),
        ("menary-iterations", "column", 2),
        ("menary-iterations", "column", 4),
        # Negamax won 1, 1, 2, 0 and 3 games of ten.
        ("aifour-match", "wins", 100 * (50 - 1 - 1 - 2 - 0 - 3) / 50),
        ("aifour-match", "wins", 100 * (1 + 1 + 2 + 0 + 3) / 50),
        *(("aifour-match", "wins_in_ten", wins) for wins in (1, 1, 2, 0, 3)),
        ("itu-table", "stored", 128_079),
    }
