"""`claimeven challenge`: games against a server with the protocol of the Lund course."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from claimeven.agents import Limit, make_agent
from claimeven.arena import lund
from claimeven.arena.games.plan import AgentFiles, differences
from claimeven.arena.store.runs import refuse_changes
from claimeven.atomic_io import GrowingFile, check_output, json_line
from claimeven.cli.common.options import AGENT, NO_FILE, file_option, json_option, resume_options
from claimeven.cli.common.output import write_sections
from claimeven.cli.common.progress import announce_compilation, exit_interrupted, status_line
from claimeven.cli.common.streams import clean_stdout, one_line, print_error, write_json
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD
from claimeven.game.validation import seed_number
from claimeven.provenance import describe
from claimeven.ratings.pentanomial import wilson_interval

_WORDS = {lund.WON: "won", lund.DRAWN: "drawn", lund.ILLEGAL: "illegal"}


@click.command("challenge")
@click.argument("url", metavar="URL")
@click.option("--agent", "spec", default="alphabeta-lund", type=AGENT, help="Agent.")
@click.option("--games", default=20, help="Games to play.")
@click.option("--stil-id", multiple=True, help="Student id (StiL); repeat it for a group.")
@click.option(
    "--api-key",
    default="",
    show_default=False,
    envvar="CLAIMEVEN_API_KEY",
    help="Key of the server; default: the variable CLAIMEVEN_API_KEY.",
)
@click.option(
    "--seconds",
    default=lund.DEFAULT_SECONDS,
    help=f"Seconds for a move. The course allows {lund.COURSE_SECONDS:g} s, network included."
    f" The server has {lund.ANSWER_SECONDS:g} s to answer.",
)
@click.option("--seed", default=0, help="Seed of the agent.")
@file_option("--out", help="File to store games in, for --resume.")
@resume_options
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
    """Play against the server at URL with the protocol of the Lund course; print the result.

    The server keeps the board and chooses the first player. Moves are posted to URL/move.
    `claimeven serve` plays this protocol at /lund, with ?agent=SPEC as any agent. The server counts
    a game that Ctrl-C interrupts as lost.

    Other servers play in matches and tournaments: use their address as an agent.

    \b
    Examples:
      claimeven challenge http://127.0.0.1:8000/lund --games 20
      claimeven challenge http://127.0.0.1:8000/lund?agent=uct --agent perfect
      claimeven challenge URL --agent my_agent.py --stil-id ab1234cd-s
      claimeven challenge URL --agent my_agent.py --out games.txt --resume --json
    """
    seed_number(seed)
    if resume and out is None:
        raise ClaimevenError(NO_FILE)
    if games < 1:
        raise ClaimevenError(f"--games must be 1 or more, got {games}")
    server = lund.LundServer(url, stil_id or ("claimeven",), api_key)
    limit = Limit(seconds=seconds)
    plan = {"server": url, "agent": spec, "seed": seed}
    files = list(AgentFiles.of([spec]).files)
    about = describe("result", limit=asdict(limit), seed=seed, files=files)
    first_line = {**plan, "claimeven": about["claimeven"], "files": files}
    announce_compilation()
    ended: BaseException | None = None
    with closing(_Games(out, resume, plan, first_line)) as played, clean_stdout() as stream:
        with closing(make_agent(spec, STANDARD)) as agent, status_line() as line:
            limit = limit if "seconds" in agent.limits else Limit()
            numbers = range(len(played.games) + 1, games + 1)
            try:
                for game in lund.play_challenge(server, agent, numbers, seed, limit):
                    played.add(game)
                    line.count(len(played.games), games, "games")
                    if not as_json:
                        stream.write(_game_line(game) + "\n")
                        stream.flush()
            except (KeyboardInterrupt, lund.ChallengeFailed) as error:
                ended = error
        result = lund.ChallengeResult(tuple(played.games))
        if as_json:
            head = {**plan, "games_planned": games, "limit": asdict(limit), "provenance": about}
            write_json({**head, **result.as_dict()}, stream)
        elif result.games:
            stream.write("\n")
            write_sections([_sentences(result, spec, url)], stream)
    if isinstance(ended, KeyboardInterrupt):
        exit_interrupted(f"{len(result.games)} of {games} games", out)
    if ended is not None:
        ctx.exit(print_error(str(ended)))


class _Games:
    """The games of a challenge, and its file: the plan, then each game as a line of JSON."""

    def __init__(
        self, path: Path | None, resume: bool | str, plan: dict[str, Any], head: dict[str, Any]
    ) -> None:
        self.games: list[lund.ChallengeGame] = []
        self._file: GrowingFile | None = None
        if path is None:
            return
        check_output(path)

        def read(lines: list[bytes]) -> bool:
            return self._read(path, lines, resume, plan, head)

        self._file = GrowingFile.of_lines(path, json_line(head), read)

    def add(self, game: lund.ChallengeGame) -> None:
        self.games.append(game)
        if self._file is not None:
            self._file.append(json_line(asdict(game)))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _read(
        self,
        path: Path,
        lines: list[bytes],
        resume: bool | str,
        plan: dict[str, Any],
        head: dict[str, Any],
    ) -> bool:
        """Read the games of a file; return whether there are any."""
        try:
            first, *rows = [json.loads(line) for line in lines]
            games = [lund.ChallengeGame.from_dict(row) for row in rows]
            before = {name: first[name] for name in plan}
        except (ValueError, TypeError, KeyError):
            raise ClaimevenError(
                f"{path} must be a file of a challenge: name another file"
            ) from None
        if not games:
            return False
        if not resume:
            raise ClaimevenError(f"{path} exists already: --resume continues it")
        if before != plan:
            other = ", ".join(f"{name} {value}" for name, value in before.items())
            raise ClaimevenError(f"{path} has games of another challenge: {other}")
        is_known = "claimeven" in first
        changed = list(differences(first, head, [plan["agent"]])) if is_known else []
        refuse_changes(path, changed, is_known, resume)
        self.games = games
        return True


def _game_line(game: lund.ChallengeGame) -> str:
    seat = "first" if game.moved_first else "second"
    word = _WORDS.get(game.result, "lost")
    line = (
        f"game {game.number:>3}  {seat:<6}  {word:<7}  slowest {game.slowest:.2f} s  {game.moves}"
    )
    return f"{line}\n          {one_line(game.fault)}" if game.fault else line


def _sentences(result: lund.ChallengeResult, spec: str, url: str) -> list[str]:
    games, score = len(result.games), result.score or 0.0
    won, drawn = result.count(lund.WON), result.count(lund.DRAWN)
    low, high = wilson_interval(score, games)
    lines = [
        f"{games} game{'s' * (games != 1)} of {one_line(spec)} against {one_line(url)}",
        f"won {won}, drawn {drawn}, lost {games - won - drawn}; score {score:.1%},"
        f" 95 % interval {low:.1%} to {high:.1%}",
    ]
    for moved_first, seat in ((True, "first"), (False, "second")):
        played = sum(game.moved_first == moved_first for game in result.games)
        if played:
            wins = result.count(lund.WON, moved_first=moved_first)
            lines.append(f"as {seat} player: won {wins} of {played}")
    lines.append(f"won in a row: {result.best_streak}")
    if result.seconds_per_move is not None:
        lines.append(
            f"a move took {result.seconds_per_move:.3f} s on average and {result.slowest:.3f} s at"
            f" most, of {lund.COURSE_SECONDS:g} s"
        )
    return lines
