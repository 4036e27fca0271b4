"""Games, matches, standings and accuracy as notebooks show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from claimeven import markup
from claimeven.agents.sanitize import printable
from claimeven.arena.accuracy.measure import AgentAccuracy, SetAccuracy
from claimeven.arena.accuracy.metrics import Accuracy, Blunder
from claimeven.arena.accuracy.stored_games import GamesAccuracy
from claimeven.arena.games.game import Game
from claimeven.arena.games.match import MatchResult, PlayedGame
from claimeven.arena.report.format import decimal, duration, points, reach, share, signed
from claimeven.arena.tournaments.placement import Placement
from claimeven.arena.tournaments.sequential import SequentialResult
from claimeven.arena.tournaments.standings import Standings
from claimeven.arena.tournaments.tournament import TournamentResult
from claimeven.game.notation import column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.svg import draw_svg
from claimeven.ratings.ladder import Estimate, Ladder
from claimeven.ratings.sprt import Verdict

#: Width in pixels of the drawing of a rating with its interval.
_WIDTH = 160


def game_html(game: Game) -> str:
    """Return the board at the end, the moves and who won."""
    columns = game.opening.columns + game.columns
    board = draw_svg(game.final, columns[-1] if columns else None, bare=True)
    parts = [markup.drawing(board), markup.line(markup.strong(_ending(game)))]
    if game.opening.columns:
        parts.append(markup.line(f"Opening: {game.opening.moves}"))
    return markup.below(*parts, markup.line(f"Moves: {game.moves}"))


def played_game_html(played: PlayedGame) -> str:
    """Return a game of a match; its agents are told by their places, from 1."""
    head = (
        f"Game {played.number + 1}: agent {played.first + 1} first,"
        f" agent {played.second + 1} second"
    )
    return markup.below(markup.line(head), markup.Html(game_html(played.game)))


def match_html(result: MatchResult) -> str:
    """Return the totals of both agents, what a move cost, and how far the games differ."""
    low, high = result.interval
    faults = [sum(reasons.values()) for reasons in result.forfeits]
    rows: list[list[markup.Part]] = []
    for agent, interval in ((0, (low, high)), (1, (1 - high, 1 - low))):
        measures = result.measures(agent)
        rows.append(
            [
                printable(result.plan.names[agent]),
                str(result.wins[agent]),
                str(result.draws),
                str(result.wins[1 - agent]),
                markup.bar(share(result.scores[agent]), result.scores[agent]),
                f"{share(interval[0])} to {share(interval[1])}",
                duration(measures.mean("seconds")),
                decimal(measures.mean("nodes")),
                *([str(faults[agent])] if any(faults) else []),
            ]
        )
    heads = ["agent", "wins", "draws", "losses", "score", "95 % interval", "a move", "nodes"]
    heads += ["forfeits"] if any(faults) else []
    played = len(result.games)
    told = f"{played:,} games, {result.unique_games:,} of them different, {result.seconds:.2f} s"
    return markup.below(markup.table(heads, rows), markup.line(told))


def standings_html(standings: Standings) -> str:
    """Return the ladder and the cross table."""
    games = f"{len(standings.games):,} games, {standings.unique_games:,} of them different"
    if standings.ladder is None:
        return markup.below(markup.line("No games of two agents yet."))
    order = standings.ranking
    cross = markup.table(
        ["", *(str(place) for place in range(1, len(order) + 1))],
        [
            [f"{place} {printable(one.label)}", *(
                "" if one is other else _points_against(standings, one.id, other.id)
                for other in order
            )]
            for place, one in enumerate(order, start=1)
        ],
    )  # fmt: skip
    return markup.below(_ladder(standings.ladder), cross, markup.line(games))


def tournament_html(result: TournamentResult) -> str:
    """Return the standings of a tournament."""
    return standings_html(result.standings)


def ladder_html(ladder: Ladder) -> str:
    """Return the agents with their ratings, intervals drawn beside them."""
    if not ladder.ratings:
        return markup.below(markup.line("No games to rate."))
    return markup.below(_ladder(ladder))


def placement_html(placement: Placement) -> str:
    """Return an agent's place, and the ladder it stands on."""
    rating, name = placement.rating, printable(placement.agent.label)
    if rating is None:
        return markup.below(markup.line(f"{name} has played no game yet."))
    told = f": place {placement.place} of {len(placement.ladder.ratings)}, {_elo(rating.elo)}"
    head = markup.line(markup.strong(name), told)
    return markup.below(head, _ladder(placement.ladder, placement.agent.label))


def sequential_html(result: SequentialResult) -> str:
    """Return the verdict of a sequential test and the evidence."""
    test, counts = result.test, result.run.counts
    first, second = map(printable, result.plan.names)
    verdict = {
        Verdict.ELO0: f"a lead of {test.elo0:g} Elo fits better than one of {test.elo1:g}",
        Verdict.ELO1: f"a lead of {test.elo1:g} Elo fits better than one of {test.elo0:g}",
        Verdict.UNDECIDED: f"no telling yet a lead of {test.elo1:g} Elo from {test.elo0:g}",
    }[result.verdict]
    low, high = counts.share_interval
    figures = markup.table(
        ["pairs of games", "score", "95 % interval", "log ratio", "bounds"],
        [
            [
                str(counts.pairs),
                share(counts.share),
                f"{share(low)} to {share(high)}",
                f"{result.run.ratio:+z.2f}",
                f"{test.bounds[0]:+.2f} to {test.bounds[1]:+.2f}",
            ]
        ],
        words=0,
    )
    return markup.below(markup.line(markup.strong(f"{first} against {second}: "), verdict), figures)


def accuracy_html(accuracy: Accuracy) -> str:
    """Return what became of the moves of one agent."""
    return markup.below(_accuracies({accuracy.agent or "agent": accuracy}))


def agent_accuracy_html(measured: AgentAccuracy) -> str:
    """Return how well an agent plays a set of positions."""
    return markup.below(
        _accuracies({measured.agent: measured.accuracy}),
        markup.line(
            f"{measured.answered:,} positions answered, {measured.faults.total():,} faults,"
            f" {duration(measured.seconds_a_move)} a move"
        ),
    )


def set_accuracy_html(measured: SetAccuracy) -> str:
    """Return how well some agents play a set of positions, best first, and which differ."""
    return markup.below(
        _accuracies({name: measured[name].accuracy for name in measured.ranking}),
        *(markup.line(f"{printable(each.sentence)}.") for each in measured.comparisons()),
    )


def games_accuracy_html(judged: GamesAccuracy) -> str:
    """Return how well the agents of some games played, best first."""
    return markup.below(
        _accuracies({label: judged[label] for label in judged.ranking}),
        markup.line(f"{judged.moves:,} moves of {len(judged.judged):,} games judged"),
    )


def blunder_html(blunder: Blunder) -> str:
    """Return the board after a move that lost something, under what each column was worth."""
    move = blunder.move
    geometry = move.position.geometry
    after = move.position.play(move.column)
    best = " or ".join(column_name(column, geometry) for column in move.best)
    told = (
        f"{printable(blunder.agent) or PLAYER_NAMES[move.player].capitalize()} plays"
        f" {column_name(move.column, geometry)} ({signed(move.after)});"
        f" right is {best} ({signed(move.before)})."
    )
    board = draw_svg(after, move.column, move.scores, bare=True)
    return markup.below(markup.line(told), markup.drawing(board))


def _ending(game: Game) -> str:
    if game.forfeit is not None:
        return f"{PLAYER_NAMES[game.forfeit.seat].capitalize()} forfeits: {game.forfeit.reason}"
    if game.winner is None:
        return "A draw."
    return f"{PLAYER_NAMES[game.winner].capitalize()} wins."


def _ladder(ladder: Ladder, marked: str = "") -> markup.Html:
    left, right = reach(row.elo.value for row in ladder.ratings)
    rows = [
        [
            str(place),
            markup.strong(printable(row.agent)) if row.agent == marked else printable(row.agent),
            signed(row.elo.value),
            _whisker(row.elo, left, right),
            f"{signed(row.elo.low)} to {signed(row.elo.high)}",
            str(row.games),
            points(row.points),
            share(row.share),
        ]
        for place, row in enumerate(ladder.ratings, start=1)
    ]
    heads = ["", "agent", "Elo", "", "95 % interval", "games", "points", "share"]
    return markup.table(heads, rows, words=2)


def _whisker(elo: Estimate, left: float, right: float) -> markup.Html:
    """Draw a rating and its interval."""

    def at(value: float) -> str:
        return f"{_WIDTH * (min(max(value, left), right) - left) / (right - left):.1f}"

    return markup.Html(
        f"<svg width='{_WIDTH}' height='12' viewBox='0 0 {_WIDTH} 12' aria-hidden='true'>"
        f"<path d='M{at(elo.low)} 6H{at(elo.high)}' stroke='currentColor' stroke-width='2'"
        f" stroke-opacity='.6'/><circle cx='{at(elo.value)}' cy='6' r='4.5' fill='#4a80d0'/></svg>"
    )


def _elo(elo: Estimate) -> str:
    return f"{signed(elo.value)} Elo ({signed(elo.low)} to {signed(elo.high)})"


def _points_against(standings: Standings, one: int, other: int) -> str:
    record = standings.between(one, other)
    return f"{points(record.points)} / {record.games}" if record.games else "-"


def _accuracies(found: Mapping[str, Accuracy]) -> markup.Html:
    return markup.table(
        ["agent", "moves", "keep the score", "points lost", "decisive", "keep the result",
         "95 % interval", "by lot", "wins taken", "wins blocked"],
        _accuracy_rows(found.items()),
    )  # fmt: skip


def _accuracy_rows(found: Iterable[tuple[str, Accuracy]]) -> Iterable[list[markup.Part]]:
    for name, accuracy in found:
        whole, decisive = accuracy.all, accuracy.decisive
        loss, keeping = whole.mean("loss"), decisive.mean("keeping")
        interval = decisive.interval("keeping")
        yield [
            printable(name),
            f"{whole.moves:,}",
            share(whole.mean("perfect")),
            "-" if loss is None else f"{loss:.2f}",
            f"{decisive.moves:,}",
            markup.bar(share(keeping), keeping or 0.0),
            "-" if interval is None else f"{share(interval[0])} to {share(interval[1])}",
            share(decisive.mean("floor_keeping")),
            share(accuracy.wins.mean("perfect")),
            share(accuracy.blocks.mean("perfect")),
        ]
