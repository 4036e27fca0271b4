"""`claimeven challenge`: games against a server of the Lund course's contract."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import click

from claimeven.agents import Agent, Limit, make_agent
from claimeven.arena.games.provenance import Provenance, differences
from claimeven.arena.lund import (
    COURSE_SECONDS,
    DRAWN,
    ILLEGAL,
    PATIENCE,
    USUAL_SECONDS,
    WON,
    ChallengeFailed,
    ChallengeGame,
    ChallengeResult,
    LundServer,
    play_challenge,
)
from claimeven.arena.store.runs import refuse_changes
from claimeven.atomic_io import GrowingFile, check_output
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import check_seed, json_option, keeping_options
from claimeven.cli.common.output import fitted, text_width
from claimeven.cli.common.progress import say_interrupted, say_when_compiling, status_line
from claimeven.cli.common.streams import clean_stdout, printable
from claimeven.cli.main import INTERRUPTED, complain
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD
from claimeven.ratings.pentanomial import wilson_interval

#: What a game ended with, in words.
_WORDS = {WON: "won", DRAWN: "drawn", ILLEGAL: "illegal"}


@click.command("challenge")
@click.argument("url", metavar="URL")
@click.option(
    "--agent", "spec", default="alphabeta-lund", show_default=True, help="Agent that plays."
)
@click.option("--games", default=20, show_default=True, help="Games to play.")
@click.option("--stil-id", multiple=True, help="Who plays; several times for a group.")
@click.option(
    "--api-key",
    default="",
    envvar="CLAIMEVEN_API_KEY",
    help="Key of the server, also as CLAIMEVEN_API_KEY.",
)
@click.option(
    "--seconds",
    default=USUAL_SECONDS,
    show_default=True,
    help=f"Time for a move; the course gives {COURSE_SECONDS:g} s, way and back"
    f" included. The server has {PATIENCE:g} s to answer.",
)
@click.option("--seed", default=0, show_default=True, help="Decides what the agent draws.")
@keeping_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    url: str,
    spec: str,
    games: int,
    stil_id: tuple[str, ...],
    api_key: str,
    seconds: float,
    seed: int,
    out: Path | None,
    resume: bool | str,
    as_json: bool,
) -> None:
    """Play against the server at URL by the contract of the Lund course, and print the result.

    The server keeps the board and says who begins. URL is what the course calls its address:
    moves are posted to URL/move. `claimeven serve` answers so at /lund, with ?agent=SPEC as any
    agent. A game left in the middle, as by Ctrl-C, is lost at the server.

    Agents behind other servers play in matches and tournaments: their spec is their address.

    \b
    Examples:
      claimeven challenge http://127.0.0.1:8000/lund --games 20
      claimeven challenge http://127.0.0.1:8000/lund?agent=uct --agent perfect
      claimeven challenge URL --agent my_agent.py --stil-id ab1234cd-s
      claimeven challenge URL --agent my_agent.py --out games.txt --resume --json
    """
    check_seed(seed)
    if games < 1:
        raise ClaimevenError(f"a challenge has 1 game or more, not {games}")
    server = LundServer(url, stil_id or ("claimeven",), api_key)
    limit = Limit(seconds=seconds)
    plan = {"server": url, "agent": spec, "seed": seed}
    provenance = Provenance.of([spec]).as_dict()
    kept = _Kept(out, resume, plan, provenance)
    say_when_compiling()
    with clean_stdout() as stream:
        agent = make_agent(spec, STANDARD)
        limit = limit if "seconds" in agent.limits else Limit()
        try:
            show = None if as_json else stream
            ended = _play(server, agent, kept, games, seed, limit, show)
        finally:
            agent.close()
            kept.close()
        result = ChallengeResult(tuple(kept.games))
        if as_json:
            head = {**plan, "games_planned": games, "limit": asdict(limit), **provenance}
            write_json({**head, **result.as_dict()}, stream)
        elif result.games:
            _print(result, spec, url, stream)
    if isinstance(ended, KeyboardInterrupt):
        say_interrupted(f"{len(result.games)} of {games} games", out)
        ctx.exit(INTERRUPTED)
    if ended is not None:
        ctx.exit(complain(str(ended)))


def _play(
    server: LundServer,
    agent: Agent,
    kept: _Kept,
    games: int,
    seed: int,
    limit: Limit,
    show: TextIO | None,
) -> BaseException | None:
    """Play what is left of the games; return what ended them early, if anything."""
    numbers = range(len(kept.games) + 1, games + 1)
    try:
        with status_line() as line:
            for game in play_challenge(server, agent, numbers, seed, limit):
                kept.add(game)
                line.count(len(kept.games), games, "games")
                if show is not None:
                    show.write(_game_line(game) + "\n")
                    show.flush()
    except (KeyboardInterrupt, ChallengeFailed) as error:
        return error
    return None


class _Kept:
    """The games of a challenge, in memory and line by line in a file if one is named.

    The first line of the file says what is played, each other one is a game as JSON. Raises
    `ClaimevenError` for a file of another challenge, and one that is there already.
    """

    def __init__(
        self,
        path: Path | None,
        resume: bool | str,
        plan: dict[str, Any],
        provenance: dict[str, Any],
    ) -> None:
        self.games: list[ChallengeGame] = []
        self._file: GrowingFile | None = None
        if path is None:
            return
        check_output(path)
        head = {**plan, **provenance}
        self._file = GrowingFile(path, lambda: self._read(path, resume, plan, head))
        if not self.games:
            self._append(head)

    def add(self, game: ChallengeGame) -> None:
        """Keep a game."""
        self.games.append(game)
        if self._file is not None:
            self._append(game.as_dict())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _append(self, data: dict[str, Any]) -> None:
        assert self._file is not None
        self._file.append(_line(data))

    def _read(
        self, path: Path, resume: bool | str, plan: dict[str, Any], head: dict[str, Any]
    ) -> int:
        """Read the games of a file; return how many bytes of it are to stay: none without games."""
        data = path.read_bytes()
        if not data or _line(head).startswith(data):  # as it was begun, perhaps cut off
            return 0
        whole = data[: data.rfind(b"\n") + 1]
        try:
            first, *lines = [json.loads(line) for line in whole.splitlines()]
            games = [ChallengeGame.from_dict(line) for line in lines]
        except (ValueError, TypeError):
            raise ClaimevenError(f"{path} is no file of a challenge") from None
        if not isinstance(first, dict) or not plan.keys() <= first.keys():
            raise ClaimevenError(f"{path} is no file of a challenge")
        if games and not resume:
            raise ClaimevenError(f"{path} is there already: --resume goes on with it")
        if games and {name: first[name] for name in plan} != plan:
            told = ", ".join(f"{name} {first[name]}" for name in plan)
            raise ClaimevenError(f"{path} holds games of another challenge: {told}")
        if games:
            is_known = "claimeven" in first
            changed = list(differences(first, head, [plan["agent"]])) if is_known else []
            refuse_changes(path, changed, is_known, resume)
        self.games = games
        return len(whole) if games else 0


def _line(data: dict[str, Any]) -> bytes:
    """Return data as a line of the file."""
    return json.dumps(data).encode() + b"\n"


def _game_line(game: ChallengeGame) -> str:
    """Say a game in a line."""
    seat = "first" if game.began else "second"
    word = _WORDS.get(game.result, "lost")
    line = (
        f"game {game.number:>3}  {seat:<6}  {word:<7}  slowest {game.slowest:.2f} s  {game.moves}"
    )
    return f"{line}\n          {printable(game.fault)}" if game.fault else line


def _print(result: ChallengeResult, spec: str, url: str, stream: TextIO) -> None:
    """Say the result as a whole."""
    games = len(result.games)
    width = text_width(stream)
    lines = [f"{games} game{'s' * (games != 1)} of {printable(spec)} against {printable(url)}"]
    score = result.score
    if score is not None:
        low, high = wilson_interval(score, games)
        won, drawn = result.count(WON), result.count(DRAWN)
        lines.append(
            f"won {won}, drawn {drawn}, lost {games - won - drawn}; score {score:.1%},"
            f" 95 % interval {low:.1%} to {high:.1%}"
        )
        for began, seat in ((True, "first"), (False, "second")):
            played = sum(game.began == began for game in result.games)
            if played:
                lines.append(f"as {seat} player: won {result.count(WON, began=began)} of {played}")
        lines.append(f"won in a row: {result.best_streak}")
    if result.seconds_a_move is not None:
        lines.append(
            f"a move took {result.seconds_a_move:.3f} s on average and {result.slowest:.3f} s at"
            f" most, of {COURSE_SECONDS:g} s"
        )
    stream.write("\n".join(["", *(fitted(line, width) for line in lines)]) + "\n")
